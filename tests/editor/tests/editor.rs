//! The help of an editor in kernels and device functions: completion, hover, definitions, renaming, errors while typing.

// Paths become addresses without a drive.
#![cfg(unix)]

use vyre_test_editor::{Document, editor};

/// Items that the documents mention.
const HEAD: &str = "\
use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
struct Point {
    weight: f32,
    height: f32,
}

/// Half of a number.
#[vyre::device]
fn half_of(x: f32) -> f32 {
    0.5 * x
}

#[vyre::device]
mod boxes {
    #[derive(Clone, Copy)]
    pub struct Size {
        pub width: u32,
    }
    impl Size {
        pub fn doubled(self) -> u32 {
            2 * self.width
        }
    }
    trait Grown {
        fn grown(self) -> u32;
    }
    impl Grown for Size {
        fn grown(self) -> u32 {
            self.width + 1
        }
    }
    /// The width.
    pub fn width_of(size: Size) -> u32 {
        size.width
    }
}
";

fn document(text: &str) -> Document {
    Document::new(&format!("{HEAD}{text}\n"))
}

/// Names of generated code that a user never wrote.
fn is_internal(text: &str) -> bool {
    ["__vyre", "__private", "V0721", "'static", "compile_error"]
        .iter()
        .any(|name| text.contains(name))
}

#[test]
fn completion_knows_what_stands_before_the_dot() {
    let Some(mut editor) = editor() else { return };
    for (text, expected) in [
        (
            "#[vyre::kernel] fn k(points: &[Point], y: &mut [f32]) { let i = thread::index(); y[i] = points[i].$0; }",
            &["weight", "height"][..],
        ),
        (
            "#[vyre::kernel] fn k(points: &[Point], y: &mut [f32]) { for p in points { p.$0 } }",
            &["weight", "height"],
        ),
        (
            "#[vyre::kernel] fn k(#[each] q: &Point, #[each] y: &mut f32) { *y = half_of(q.$0); }",
            &["weight", "height"],
        ),
        (
            "#[vyre::kernel] fn k<'a>(points: &'a [Point], y: &mut [f32]) { let p: &'a Point = &points[0]; p.$0 }",
            &["weight", "height"],
        ),
        // Beside a fault, and with a function that is not here.
        (
            "#[vyre::kernel] fn k(points: &[Point]) { let v = Vec::new(); missing(1); let p = points[0]; p.$0 }",
            &["weight", "height"],
        ),
        (
            "#[vyre::kernel] fn k(sizes: &[boxes::Size], y: &mut [u32]) { y[0] = sizes[0].$0; }",
            &["width", "doubled"],
        ),
        (
            "#[vyre::kernel(T = [f32, f64])] fn k<T: Float>(points: &[Point], y: &mut [T]) { let p = points[0].$0; }",
            &["weight", "height"],
        ),
        (
            "#[vyre::kernel(T = [f32, f64])] fn k<T: Float>(x: &[T], #[each] y: &mut T) { *y = x[0].$0; }",
            &["sqrt", "floor"],
        ),
        (
            "#[vyre::device] fn first<T: Float>(points: &[Point], y: T) -> T { let p = points[0].$0; y }",
            &["weight", "height"],
        ),
        (
            "#[vyre::device] mod m { #[derive(Clone, Copy)] pub struct S { depth: u32 } impl S { fn f(self) { self.$0 } } }",
            &["depth", "f"],
        ),
        (
            "#[vyre::kernel] fn k(points: &[Point], y: &mut [f32]) { println!(\"{}\", points[0].$0); }",
            &["weight", "height"],
        ),
        (
            "#[vyre::kernel] fn k(points: &[Point], y: &mut [f32]) { assert!(y[0] == points[0].$0, \"not equal\"); }",
            &["weight", "height"],
        ),
        (
            "#[vyre::kernel] fn k(point: Option<Point>, y: &mut [f32]) { if let Some(p) = point { y[0] = p.$0 } }",
            &["weight", "height"],
        ),
        (
            "#[vyre::kernel] fn k(y: &mut [f32]) { y[thread::$0] = 1.0; }",
            &["index", "index_2d"],
        ),
        (
            "#[vyre::kernel] fn k(x: &[f32], y: &mut [f32]) {} fn host(x: &DeviceBuffer<f32>, y: ViewMut<'_, f32>) { k(x, y).$0 }",
            &["over", "grid"],
        ),
        (
            "#[vyre::kernel] fn sums(x: &[f32], y: &mut [f32]) {} fn host() { Sums::$0 }",
            &["dispatch"],
        ),
    ] {
        let found = editor.completions(&document(text));
        for name in expected {
            assert!(
                found.iter().any(|label| label == name),
                "no `{name}` among {found:?} in {text}"
            );
        }
        assert!(!found.iter().any(|label| is_internal(label)), "{found:?} in {text}");
    }
}

#[test]
fn completion_offers_a_kernel_once() {
    let Some(mut editor) = editor() else { return };
    for text in [
        "#[vyre::kernel] fn assign(y: &mut [f32]) { $0 }",
        "#[vyre::kernel] fn assign(y: &mut [f32]) { y[0] = 1.0; } fn host() { $0 }",
        "#[vyre::kernel(T = [f32, f64])] fn assign<T: Float>(y: &mut [T]) { y[0] = T::ONE; } fn host() { $0 }",
    ] {
        let found = editor.completions(&document(text));
        let count = found.iter().filter(|label| *label == "assign").count();
        assert_eq!(count, 1, "{found:?} in {text}");
    }
}

#[test]
fn options_of_a_kernel_are_completed_and_explained() {
    let Some(mut editor) = editor() else { return };
    for text in [
        "#[vyre::kernel(blo$0)] fn k(y: &mut [f32]) {}",
        "#[vyre::kernel(block = 128, clu$0)] fn k(y: &mut [f32]) {}",
    ] {
        let found = editor.completions(&document(text));
        assert_eq!(
            found,
            ["allow", "block", "cluster", "deny", "launcher", "min_blocks"],
            "{text}"
        );
    }
    let found = editor.completions(&document(
        "#[vyre::kernel(T = [f32, Poi$0])] fn k<T: Copy>(y: &mut [T]) {}",
    ));
    assert!(found.iter().any(|label| label == "Point"), "{found:?}");
    let shown = editor.hover(&document("#[vyre::kernel(blo$0ck = 128)] fn k(y: &mut [f32]) {}"));
    assert!(shown.contains("The block size along each axis"), "{shown}");
    assert!(!is_internal(&shown), "{shown}");
}

#[test]
fn hover_shows_what_the_user_wrote() {
    let Some(mut editor) = editor() else { return };
    for (text, expected) in [
        (
            "#[vyre::kernel] fn k(points: &[Point], y: &mut [f32]) { y[0] = ha$0lf_of(points[0].weight); }",
            "fn half_of(x: f32) -> f32",
        ),
        (
            "#[vyre::device] fn again(x: f32) -> f32 { hal$0f_of(x) }",
            "fn half_of(x: f32) -> f32",
        ),
        ("fn host(x: f32) -> f32 { hal$0f_of(x) }", "Half of a number."),
        (
            "#[vyre::kernel(T = [f32, f64])] fn k<T: Float>(y: &mut [T]) { let h = hal$0f_of(1.0); }",
            "fn half_of(x: f32) -> f32",
        ),
        (
            "#[vyre::kernel] fn k(s: &[boxes::Size], y: &mut [u32]) { y[0] = boxes::width$0_of(s[0]); }",
            "The width.",
        ),
        (
            "#[vyre::kernel] fn k(poi$0nts: &[Point], y: &mut [f32]) { y[0] = points[0].weight; }",
            "points: &[Point]",
        ),
        (
            "#[vyre::kernel] fn k(#[each] p: &Point, #[each] y: &mut f32) { *y = p.wei$0ght; }",
            "weight: f32",
        ),
        (
            "/// Doubles it.\n#[vyre::kernel] fn double(#[each] y: &mut f32) { *y *= 2.0; } fn host(y: ViewMut<'_, f32>) { dou$0ble(y); }",
            "Doubles it.",
        ),
        (
            "#[vyre::kernel] fn double(#[each] y: &mut f32) { *y *= 2.0; } fn host() { Dou$0ble::dispatch }",
            "pub y: ViewMut<'v, f32>",
        ),
        (
            "#[vyre::kernel] fn dou$0ble(#[each] y: &mut f32) { *y *= 2.0; }",
            "fn double<'v>(",
        ),
    ] {
        let shown = editor.hover(&document(text));
        assert!(shown.contains(expected), "{shown} in {text}");
        assert!(!is_internal(&shown), "{shown} in {text}");
    }
}

#[test]
fn a_name_has_one_definition() {
    let Some(mut editor) = editor() else { return };
    for (text, expected) in [
        (
            "#[vyre::kernel] fn k(points: &[Point], y: &mut [f32]) { y[0] = ha$0lf_of(points[0].weight); }",
            "fn half_of(x: f32) -> f32 {",
        ),
        (
            "#[vyre::device] fn again(x: f32) -> f32 { hal$0f_of(x) }",
            "fn half_of(x: f32) -> f32 {",
        ),
        ("fn host() { hal$0f_of(1.0); }", "fn half_of(x: f32) -> f32 {"),
        (
            "mod m { use super::hal$0f_of; fn host() { half_of(1.0); } }",
            "fn half_of(x: f32) -> f32 {",
        ),
        (
            "mod m { #[vyre::kernel] fn k(y: &mut [f32]) { y[0] = super::hal$0f_of(1.0); } }",
            "fn half_of(x: f32) -> f32 {",
        ),
        (
            "use boxes::width_of; fn host(s: boxes::Size) { width$0_of(s); }",
            "pub fn width_of(size: Size) -> u32 {",
        ),
        (
            "#[vyre::kernel(T = [f32, f64])] fn k<T: Float>(y: &mut [T]) { let h = hal$0f_of(1.0); }",
            "fn half_of(x: f32) -> f32 {",
        ),
        (
            "#[vyre::kernel] fn k(s: &[boxes::Size], y: &mut [u32]) { y[0] = s[0].dou$0bled(); }",
            "pub fn doubled(self) -> u32 {",
        ),
        (
            "#[vyre::kernel] fn k(points: &[Po$0int], y: &mut [f32]) { y[0] = points[0].weight; }",
            "struct Point {",
        ),
        (
            "#[vyre::kernel] fn k(points: &[Point], y: &mut [f32]) { y[0] = points[0].wei$0ght; }",
            "weight: f32,",
        ),
        (
            "#[vyre::kernel]\nfn sums(y: &mut [f32]) {}\nfn host(y: ViewMut<'_, f32>) { su$0ms(y); }",
            "fn sums(y: &mut [f32]) {}",
        ),
    ] {
        assert_eq!(editor.definitions(&document(text)), [expected], "{text}");
    }
    let launcher = "#[vyre::kernel]\nfn sums(y: &mut [f32]) {}\nfn host() { Su$0ms::dispatch }";
    assert_eq!(editor.definitions(&document(launcher))[0], "fn sums(y: &mut [f32]) {}");
}

#[test]
fn renaming_reaches_kernels() {
    let Some(mut editor) = editor() else { return };
    for (text, count) in [
        // The definition, and a use by each.
        (
            "#[vyre::kernel] fn k(y: &mut [f32]) { y[0] = half$0_of(1.0); } fn host() { half_of(2.0); } #[vyre::device] \
             fn d() -> f32 { half_of(3.0) }",
            4,
        ),
        (
            "#[vyre::kernel] fn k(points: &[Point], y: &mut [f32]) { y[0] = points[0].wei$0ght; }",
            2,
        ),
        (
            "#[vyre::kernel] fn k(poi$0nts: &[Point], y: &mut [f32]) { y[0] = points[0].weight; y[1] = points[1].weight; }",
            3,
        ),
        (
            "#[vyre::kernel(T = [f32, f64])] fn k<T: Float>(poi$0nts: &[Point], y: &mut [T]) { let p = points[0]; }",
            2,
        ),
        (
            "#[vyre::kernel] fn ker$0nel(y: &mut [f32]) {} fn host(y: ViewMut<'_, f32>) { kernel(y); }",
            2,
        ),
    ] {
        let renamed = editor.renamed(&document(text), "renamed");
        assert_eq!(renamed.matches("renamed").count(), count, "{renamed}");
    }
}

#[test]
fn errors_come_while_the_user_types() {
    let Some(mut editor) = editor() else { return };
    for (text, expected) in [
        (
            "#[vyre::kernel] fn k(y: &mut [f32]) { let v = Box::new(1.0); }",
            &[("Box", "V0304")][..],
        ),
        (
            "#[vyre::device] fn d(x: f32) -> f32 { let v = Box::new(1.0); x }",
            &[("Box", "V0304")],
        ),
        (
            "#[vyre::kernel(T = [f32, f64])] fn k<T: Float>(y: &mut [T]) { let v = Box::new(1.0); }",
            &[("Box", "V0304")],
        ),
        ("#[vyre::kernel(bloc = 2)] fn k(y: &mut [f32]) {}", &[("bloc", "V0102")]),
        (
            "#[vyre::kernel] fn k(points: &[Point], y: &mut [f32]) { let k: u32 = half_of(points[0].weight); }",
            &[("half_of(points[0].weight)", "expected u32, found f32")],
        ),
        (
            "#[vyre::kernel] fn k(points: &[Point], #[each] y: &mut f32) { *y = half_of(points[0].weight); println!(\"{}\", *y); }",
            &[],
        ),
        (
            "#[vyre::kernel(block = 64, T = [f32, f64])] fn k<T: Float>(#[each] y: &mut T) { *y = *y * T::from_f32(2.0); }",
            &[],
        ),
        (
            "#[vyre::kernel] fn k(limit: Option<f32>, #[each] y: &mut f32) { *y = limit.unwrap_or(*y); }",
            &[],
        ),
    ] {
        let found = editor.errors(&document(text));
        let as_expected = |((at, message), (wanted, code)): (&(String, String), &(&str, &str))| {
            at == wanted && message.contains(code)
        };
        let is_right = found.len() == expected.len() && found.iter().zip(expected).all(as_expected);
        assert!(is_right, "{found:#?} in {text}");
    }
}

#[test]
fn completion_offers_no_internal_names() {
    let Some(mut editor) = editor() else { return };
    for text in [
        "#[vyre::kernel] fn k(y: &mut [f32]) { $0 }",
        "#[vyre::device] fn again(x: f32) -> f32 { half_of(x) } fn host() { $0 }",
        "#[vyre::device] const WIDTH: usize = 3; fn host() { crate::$0 }",
        "fn host(x: boxes::$0) {}",
        "use vyre::$0;",
    ] {
        let found = editor.completions(&document(text));
        assert!(!found.is_empty(), "{text}");
        let internal: Vec<_> = found
            .iter()
            .filter(|label| label.contains("__") || label.starts_with("V0"))
            .collect();
        assert!(internal.is_empty(), "{internal:?} in {text}");
    }
}

/// The items of vyre's own modules, which kernels know by their text.
#[test]
fn items_of_vyre_are_shown_and_found() {
    let Some(mut editor) = editor() else { return };
    for (text, expected, file) in [
        (
            "#[vyre::kernel] fn k(y: &mut [f32]) { let r = vyre::random::Philox::ne$0w(1, 2, 3); }",
            "pub fn new(seed: u64, subsequence: u64, offset: u64) -> Self\n```\n\n---\n\nA generator that begins",
            "src/random.rs",
        ),
        (
            "fn host() { vyre::vector::ve$0c3(1.0, 2.0, 3.0); }",
            "pub const fn vec3(x: f32, y: f32, z: f32) -> Vec3\n```\n\n---\n\nThe vector",
            "src/vector.rs",
        ),
        (
            "#[vyre::kernel] fn k(y: &mut [f32]) { y[0] = warp::su$0m(1.0f32); }",
            "pub fn sum",
            "src/warp.rs",
        ),
    ] {
        let document = document(text);
        let shown = editor.hover(&document);
        assert!(shown.contains(expected), "{shown} in {text}");
        assert!(!is_internal(&shown), "{shown} in {text}");
        let found = editor.definitions(&document);
        assert!(found.iter().any(|place| place.ends_with(file)), "{found:?} in {text}");
    }
}
