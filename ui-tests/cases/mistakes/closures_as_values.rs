//! Closures where a value of another kind stands.

use vyre::prelude::*;

#[vyre::kernel]
fn in_an_array(out: &mut [f32]) {
    let steps = [|x: f32| x + 1.0, |x: f32| x * 2.0];
    let i = thread::index();
    if i < out.len() {
        out[i] = steps[i % 2](out[i]);
    }
}

#[vyre::device]
fn adder(n: f32) -> impl Fn(f32) -> f32 {
    move |x| x + n
}

#[vyre::kernel]
fn returned(#[each] y: &mut f32) {
    let add = adder(1.0);
    *y = add(*y);
}

fn main() {}
