//! A mistake of syntax after which rustc's parser goes on is reported by rustc alone.

use vyre::prelude::*;

#[vyre::kernel]
fn and(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < x.len() and i < y.len() {
        y[i] = x[i];
    }
}

#[vyre::kernel]
fn half(#[each] x: &mut f32) {
    *x *= .5;
}

#[vyre::kernel]
fn otherwise(#[each] x: &f32, #[each] y: &mut i32) {
    if *x > 0.0 {
        *y = 1;
    } else *x < 0.0 {
        *y = -1;
    }
}

#[vyre::kernel]
fn arrow(#[each] x: &u32, #[each] y: &mut u32) {
    *y = match *x {
        0 -> 1,
        _ => 2,
    };
}

fn main() {}
