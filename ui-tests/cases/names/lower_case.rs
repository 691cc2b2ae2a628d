//! Names in lower case that are neither variables nor functions bound alone.
#![allow(non_upper_case_globals)]

#[vyre::device]
const speed: f32 = 2.0;

#[vyre::device]
fn double(x: f32) -> f32 {
    2.0 * x
}

#[vyre::kernel]
fn constant(#[each] y: &mut f32) {
    *y *= speed;
}

#[vyre::kernel]
fn function(#[each] y: &mut f32) {
    let (f, by) = (double, 3.0);
    *y = f(*y) * by;
}

// rustc's own error, once.
#[vyre::kernel]
fn misspelt(#[each] y: &mut f32) {
    let by = sped;
    *y *= by;
}

fn main() {}
