use super::{ALL, OwnModule, repeated};
use crate::expand::device_module;
use crate::resolve::names::Names;

#[test]
fn parts_are_repeated() {
    let axes = &["x", "y", "z"];
    assert_eq!(
        repeated("a(each!(s.axis[0])) + 1", axes),
        "a(s.x[0], s.y[0], s.z[0]) + 1"
    );
    assert_eq!(
        repeated("sum!(s.axis * t.axis);product!(axis)", axes),
        "s.x * t.x + s.y * t.y + s.z * t.z;x * y * z"
    );
    assert_eq!(repeated("nested!(least(s.axis))", axes), "least(least(s.x, s.y), s.z)");
    assert_eq!(repeated("each! { pub axis: f32 }", &["x"]), " pub x: f32 ");
}

/// The front end accepts every function of every module.
#[test]
fn modules_are_of_the_device() {
    for own in &ALL {
        let items = own.items();
        assert!(!items.is_empty(), "{own:?} is no Rust");
        let host = syn::parse2::<syn::File>(own.of_host(false)).expect("items");
        assert_eq!(host.items.len(), items.len(), "{}", own.name);
        let checked = device_module::check(&items, &Names::of_own(own, OwnModule::items));
        let errors: Vec<String> = checked.errors.iter().map(ToString::to_string).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", own.name);
    }
}
