use vyre::prelude::*;

#[vyre::device]
fn longer<const N: usize>(x: [f32; N]) -> [f32; N + 1] {
    let _ = x;
    [0.0; 3]
}

#[vyre::kernel]
fn first(y: &mut [f32]) {
    y[thread::index()] = longer([1.0, 2.0])[0];
}

fn main() {}
