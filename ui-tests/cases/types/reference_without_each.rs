//! `&f32` is what `#[each]` parameters look like.
use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
struct Params {
    gain: f32,
}

#[vyre::kernel]
fn scale(a: f32, y: &mut f32) {
    *y *= a;
}

#[vyre::kernel]
fn gain(p: &Params, #[each] y: &mut f32) {
    *y *= p.gain;
}

#[vyre::kernel]
fn halve(p: &mut Params) {
    p.gain *= 0.5;
}

#[vyre::kernel]
fn first(x: &&[f32], y: &mut [f32]) {
    y[0] = x[0];
}

#[vyre::kernel]
fn forever(x: &'static [f32], y: &mut [f32]) {
    y[0] = x[0];
}

#[vyre::kernel]
fn corner(a: Slice2<'static, f32>, y: &mut [f32]) {
    y[0] = a[[0, 0]];
}

#[vyre::kernel]
fn inferred(a: _, y: &mut [u32]) {
    y[0] = a;
}

fn main() {}
