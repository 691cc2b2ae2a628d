use super::super::tests::beside;

#[test]
fn other_meanings() {
    for (source, name) in [
        ("fn here() {}\nfn a<T: Copy>() {}", "Copy"),
        ("fn here() {}\nfn a<T>() where T: Clone + Copy {}", "Copy"),
        ("fn here() {}\nfn a(x: impl Copy) {}", "Copy"),
        ("fn here() {}\nimpl Copy for A {}", "Copy"),
        ("fn here() {}\nfn a() -> Option<f32> { None }", "Option"),
        ("fn here() {}\nfn a(on: &Device) {}", "Device"),
        ("fn here() {}\nfn a() { let on = Device::cpu(); }", "Device"),
        ("fn here() {}\nfn a() -> Device { loop {} }", "Device"),
        ("mod m { fn here() {}\nfn a(x: Vec<u8>) {} }", "Vec"),
        ("fn here() {}\nfn a(x: View<'_, f32>) {}", "View"),
    ] {
        assert_eq!(beside(source).line_that_means(name), Some(2), "{source}");
    }
}

#[test]
fn no_other_meanings() {
    for (source, name) in [
        ("fn here() {}\n#[derive(Clone, Copy)] struct A;", "Copy"),
        ("fn here() {}\nfn a() { Copy::dispatch(x); }", "Copy"),
        ("fn here() {}\nfn a() { let Copy { x, y } = copy(x, y); }", "Copy"),
        ("fn here() {}\nfn a<'a>() -> Copy<'a> { loop {} }", "Copy"),
        (
            "fn here<T: Number>() {}\nfn a<'a>() -> View<'a, f32> { loop {} }",
            "View",
        ),
        ("fn here() {}\nfn a<T: core::marker::Copy>() {}", "Copy"),
        ("fn here() {}\nmod b { fn a<T: Copy>() {} }", "Copy"),
        ("mod b { fn here() {} }\nfn a<T: Copy>() {}", "Copy"),
        ("fn here() {}\n// <T: Copy>\nconst A: &str = \"<T: Copy>\";", "Copy"),
        ("fn here() {}\nuse a::{b, Copy, Option};", "Copy"),
        ("fn here() {}\nmacro_rules! a { () => { fn f<T: Copy>() {} } }", "Copy"),
        ("fn here() {}\nfn a() { Some(Option::Some(1)); }", "Some"),
    ] {
        assert_eq!(beside(source).line_that_means(name), None, "{source}");
    }
}
