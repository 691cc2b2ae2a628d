use vyre::prelude::*;

/// rustc refuses the body: it says so alone.
#[vyre::kernel]
fn borrowed(y: &mut [f32]) {
    let i = thread::index();
    let first = &mut y[i];
    let next = &mut y[i + 1];
    *first = 1.0;
    *next = 2.0;
}

#[vyre::kernel]
fn mismatched(y: &mut [f32]) {
    let i = thread::index();
    y[i + 1] = y[i];
    y[i] = 1u32;
}

fn main() {}
