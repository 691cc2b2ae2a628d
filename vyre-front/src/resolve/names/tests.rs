use super::*;

#[test]
fn names_are_found_where_rust_finds_them() {
    let file = syn::parse_file(
        "const A: u32 = 1;
        use geometry::{Vec3 as V, deep::*};
        mod geometry {
            pub struct Vec3 { x: f32 }
            pub mod deep { pub type Far = super::Vec3; use super::super::A; }
            use super::Loop;
        }
        use geometry::Loop;",
    )
    .expect("this is Rust");
    let names = Names::of_file("f.rs", &file);
    let key = |names: &Names, path: &[&str]| names.find(path).map(|found| found.key);
    let vec = key(&names, &["geometry", "Vec3"]);
    assert!(vec.is_some() && vec == key(&names, &["V"]));
    assert_eq!(vec, key(&names.inside("geometry"), &["self", "Vec3"]));
    assert!(key(&names, &["Far"]).is_some() && key(&names, &["Far"]) != vec);
    let deep = names.inside("geometry").inside("deep");
    assert_eq!(key(&deep, &["A"]), key(&names, &["self", "A"]));
    assert_eq!(key(&names, &["Vec3"]), None);
    assert_eq!(key(&names, &["Loop"]), None);
}
