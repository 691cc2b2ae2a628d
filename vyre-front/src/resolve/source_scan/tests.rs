use super::{Placement, Text, declared};

fn placement_at(source: &str) -> Option<Placement> {
    Text::new(source.to_owned()).placement(source.len())
}

#[test]
fn impls() {
    for inside in [
        "struct A; impl A { ",
        "impl A { fn f() -> impl Fn() { || {} } ",
        "mod m { unsafe impl<T> Send for A<T> where T: Copy { ",
        "#[allow(x)] impl A { const S: &str = \"}\"; const C: char = '}'; ",
        "pub(crate) trait T { fn f<'a>(x: &'a str) { } ",
        "impl A { /* } /* } */ */ // }\n r#\"} \" }\"#; b\"}\\\"}\"; '\\''; ",
    ] {
        assert!(placement_at(inside).is_some(), "{inside}");
    }
    assert_eq!(
        placement_at("/// For `S`.\nimpl<T: Fn()> S<T> { "),
        Some(Placement::Impl)
    );
    assert_eq!(placement_at("impl A for S { "), Some(Placement::Trait));
    assert_eq!(placement_at("pub trait A { "), Some(Placement::Trait));
}

#[test]
fn other_places() {
    for outside in [
        "",
        "impl A { } ",
        "impl A { fn f() { ",
        "mod m { ",
        "fn f(x: impl Fn()) { ",
        "fn f() -> impl Fn() { ",
        "let x: &dyn A = &b; { ",
        "const S: &str = r\"impl A {\"; ",
        "// impl A {\n",
    ] {
        assert!(placement_at(outside).is_none(), "{outside}");
    }
}

#[test]
fn anything_at_all() {
    let nasty = "é'\"\\r#/*{}impl \n";
    let letters: Vec<char> = nasty.chars().collect();
    let mut state = 1u32;
    for _ in 0..2000 {
        let text: String = (0..12)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                letters[(state >> 16) as usize % letters.len()]
            })
            .collect();
        placement_at(&text);
    }
}

#[test]
fn lines_and_columns() {
    let text = Text::new("é = 1;\n\n  b".to_owned());
    let place = |line, column| proc_macro2::LineColumn { line, column };
    assert_eq!(text.offset(place(1, 2)), 3);
    assert_eq!(text.offset(place(3, 2)), 11);
    assert_eq!(text.offset(place(3, 9)), 12);
    assert_eq!(text.offset(place(7, 0)), 12);
    assert_eq!([text.line(0), text.line(7), text.line(8), text.line(11)], [1, 1, 2, 3]);
}

#[test]
fn a_file_is_scanned_once_until_its_text_changes() {
    let file = std::env::temp_dir().join(format!("vyre-scan-{}.rs", std::process::id()));
    let scanned = || Text::of_file(&file).expect("the file");
    assert!(Text::of_file(&file).is_none());
    std::fs::write(&file, "mod a { fn f() {} }").expect("a file");
    let first = scanned();
    assert!(std::rc::Rc::ptr_eq(&first, &scanned()));
    std::fs::write(&file, "impl A { fn f() {} }").expect("a file");
    assert_eq!(scanned().placement(9), Some(Placement::Impl));
    assert_eq!(first.placement(8), None);
    std::fs::remove_file(&file).expect("the file");
}

/// Hundreds of kernels that one macro writes have one place, whose scope is compared once.
#[test]
fn kernels_of_a_macro_are_one_place() {
    let file = std::path::Path::new("src/of_a_macro.rs");
    for _ in 0..3 {
        assert_eq!(declared::declare_launcher("OfAMacro", file, 7), []);
    }
    assert_eq!(declared::declare_launcher("OfAMacro", file, 9), [7]);
}

/// What stands beside the item whose name is `here`.
pub(super) fn beside(source: &str) -> super::Surroundings {
    super::Surroundings {
        file: std::path::PathBuf::from("src/lib.rs"),
        source: Text::new(source.to_owned()).into(),
        at: source.find("here").expect("the name"),
        here: std::cell::OnceCell::new(),
    }
}

#[test]
fn items_beside() {
    const TYPES: &[&str] = &["struct", "trait"];
    let found = |source| beside(source).item(TYPES, "Scale");
    assert_eq!(
        found("/// A.\n#[derive(Clone)]\npub struct Scale { x: f32 }\nfn here() {}"),
        Some(("struct", 3))
    );
    assert_eq!(found("mod a { fn here() {} trait Scale {} }"), Some(("trait", 1)));
    assert_eq!(
        found("fn f() { fn here() {} struct Scale<T>(T); }"),
        Some(("struct", 1))
    );
    for other in [
        "fn here() {} struct Scaled;",
        "fn here() {} mod a { struct Scale; }",
        "struct Scale; mod a { fn here() {} }",
        "#[cfg(test)] struct Scale; fn here() {}",
        "#[renamed] struct Scale; fn here() {}",
        "// struct Scale\nfn here() {}",
        "pass! { fn here() {} struct Scale; }",
        "macro_rules! a { () => { fn here() {} struct Scale; } }",
        "fn here(a: Scale) { impl Scale {} }",
        "const S: &str = \"struct Scale\"; fn here() {}",
        "const S: &str = stringify!(struct Scale); fn here() {}",
        "pass![a; struct Scale, { x }]; fn here() {}",
        "struct Scale; pass!(fn here() {});",
        "pass!(fn here() {} struct Scale;);",
        "#[doc_cfg::doc_cfg(any)] struct Scale; fn here() {}",
        "#[own { a }] struct Scale; fn here() {}",
    ] {
        assert_eq!(found(other), None, "{other}");
    }
}

#[test]
fn macros_that_hide() {
    let hides = |source| beside(source).hides("half");
    assert!(hides("macro_rules! half { () => {} }\nfn here() {}"));
    assert!(hides("mod a { macro_rules! half { () => {} } fn here() {} }"));
    for other in [
        "fn here() {} macro_rules! half { () => {} }",
        "mod a { macro_rules! half { () => {} } } fn here() {}",
        "fn f() { macro_rules! half { () => {} } fn here() {} }",
        "macro_rules! halves { () => {} } fn here() {}",
    ] {
        assert!(!hides(other), "{other}");
    }
}

#[test]
fn modules_that_hide() {
    let imports = |source| beside(source).imports_of_std("thread");
    assert!(imports("use std::thread;\nfn here() {}"));
    assert!(imports("use std::{fs, thread};\nfn here() {}"));
    assert!(!imports("use std::thread as threads; fn here() {}"));
    assert!(!imports("use std::thread::spawn; fn here() {}"));
    assert!(!imports("mod a { use std::thread; } fn here() {}"));
    assert!(!imports("#[cfg(test)] use std::thread; fn here() {}"));
}

#[test]
fn items_without_a_mark() {
    let found = |source| beside(source).unmarked(&["fn", "const"], "half");
    assert_eq!(found("//! On a device.\nfn half() {}\nfn here() {}"), Some(("fn", 2)));
    assert_eq!(
        found("fn here() {}\n/// A device.\npub const fn half() {}"),
        Some(("fn", 3))
    );
    assert_eq!(
        found("#[vyre::kernel]\nfn half() {}\nfn here() {}"),
        Some(("kernel", 2))
    );
    assert_eq!(
        found("const N: [u8; 3] = [{ 1 }; 3]; fn half() {}\nfn here() {}"),
        Some(("fn", 1))
    );
    for other in [
        "const half: u8 = 0; #[vyre::device] fn half() {} fn here() {}",
        "#[vyre::device] fn half() {} fn here() {}",
        "#[gpu::device] pub fn half() {} fn here() {}",
        "#[own] fn half() {} fn here() {}",
        "#[vyre::device]\n/// One; and two.\n#[doc = \"a; }\"]\nfn half() {} fn here() {}",
        "mod a { fn half() {} } fn here() {}",
        "use a::half; fn here() {}",
    ] {
        assert_eq!(found(other), None, "{other}");
    }
}
