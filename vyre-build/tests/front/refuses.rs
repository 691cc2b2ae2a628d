//! Diagnostics.

use crate::support::{left_to_rustc, refused, refused_with};

#[test]
fn options() {
    assert_eq!(
        refused_with("blok = 3", "fn k(x: &[f32]) {}"),
        ["1:1 unknown option `blok`\nhelp: did you mean `block`?"]
    );
    assert_eq!(
        refused_with("block = 2048", "fn k(x: &[f32]) {}"),
        ["1:9 a block of 2048 threads: a GPU runs at most 1024\nhelp: make the block smaller and launch more of them"]
    );
}

#[test]
fn all_faults_in_one_go() {
    let faults = refused("fn k(x: &[f32]) {\n    let f = |a: f32| a;\n    let s = \"text\";\n    x[0].sin();\n}");
    assert_eq!(
        faults,
        [
            "2:13 closures are not supported in a kernel\nhelp: write the code where it is called",
            "3:13 there are no strings in a kernel\nhelp: use an array of bytes, `[b'a', b'b']`, or pass `&[u8]`",
            "4:10 `sin` is not supported in a kernel\nhelp: transcendental functions are not supported yet",
        ]
    );
}

#[test]
fn type_mismatches_are_left_to_rustc() {
    assert!(left_to_rustc("fn k(x: &mut [f32]) { x[0] = 1; }"));
    assert!(left_to_rustc("fn k(x: &[f32]) { x[0] = 1.0; }"));
    assert!(left_to_rustc("fn k(x: &mut [f32]) { x[0] = 2.0.sqrt(); }"));
    assert!(left_to_rustc("fn k(x: &mut [f32], i: u32) { x[i] = 1.0; }"));
}
