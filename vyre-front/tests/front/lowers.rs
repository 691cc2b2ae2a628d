//! Programs and checked bodies, as text.

use crate::support::{accepted, kernel_with, run, scalar, slice};

const SAXPY: &str = "pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}";

#[test]
fn saxpy() {
    let lowered = accepted(SAXPY);
    assert_eq!(lowered.surface.launcher, "Saxpy");
    assert_eq!((lowered.surface.dimensions, lowered.surface.block), (1, [256, 1, 1]));
    let mut data = [scalar(3.0f32), slice(&[1.0f32; 5]), slice(&[2.0f32; 5])];
    run(SAXPY, &mut data, [1, 1, 1]).expect("runs");
    assert_eq!(data[2].values::<f32>(), [5.0f32; 5]);
}

#[test]
fn saxpy_text() {
    let text = vyre_ir::text::print(&accepted(SAXPY).program);
    let body = text.split_once("entry saxpy").expect("an entry").1;
    let code: Vec<_> = body
        .lines()
        .map(|line| line.split("  @").next().unwrap_or("").trim())
        .collect();
    assert_eq!(
        code,
        [
            "{",
            "let i: u64",
            "store i = global_index.x",
            "if lt(i, length(y)) {",
            "store y[i] = add(mul(a, x[i]), y[i])",
            "}",
            "}",
            "}"
        ]
    );
}

#[test]
fn checked_body_has_witnesses() {
    let checked = accepted(SAXPY).checked.to_string();
    assert!(checked.contains("__vyre :: found :: usize (& i) ;"), "{checked}");
    assert!(
        checked.contains("__vyre :: leads_to ((thread :: index , :: vyre :: thread :: index)) ;"),
        "{checked}"
    );
}

#[test]
fn options() {
    let lowered = kernel_with("block = [16, 4], launcher = Other", "fn k(x: &[f32]) {}").expect("accepted");
    assert_eq!(lowered.surface.launcher, "Other");
    assert_eq!((lowered.surface.dimensions, lowered.surface.block), (2, [16, 4, 1]));
}

#[test]
fn each() {
    let source = "fn k(a: f32, #[each] x: &f32, #[each] y: &mut f32) { *y = a * x + *y; }";
    let mut data = [scalar(3.0f32), slice(&[1.0f32; 5]), slice(&[2.0f32; 5])];
    run(source, &mut data, [1, 1, 1]).expect("runs");
    assert_eq!(data[2].values::<f32>(), [5.0f32; 5]);
}

#[test]
fn a_name_as_a_statement_loads_nothing() {
    let source = "fn k(y: &mut [u32]) {
    let flags = shared::<[AtomicU32; 4]>();
    let one = [1, 2];
    flags;
    one;
    let _ = flags;
    y[0] = one[1];
}";
    let text = vyre_ir::text::print(&accepted(source).program);
    let body = text.split_once("entry k").expect("an entry").1;
    assert!(!body.contains("flags"), "{body}");
}
