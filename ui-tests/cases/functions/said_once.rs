//! One mistake each, of which rustc would speak too, or vyre at every mention.
#![deny(unused_imports)]
use vyre::prelude::*;

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

#[vyre::kernel]
fn unmarked(x: &mut [f32]) {
    let i = thread::index();
    let side = if i % 2 == 0 { Side::Left } else { Side::Right };
    match side {
        Side::Left => x[i] = 0.0,
        Side::Right => x[i] = 1.0,
    }
}

#[vyre::kernel]
fn characters(x: &[u8], y: &mut [u32]) {
    let i = thread::index();
    if x[i] == 'a' {
        y[i] = 1;
    }
}

#[vyre::device]
#[derive(Clone, Copy)]
#[repr(u32)]
enum Phase {
    Solid,
    Liquid,
}

#[vyre::kernel]
fn compared(#[each] phase: &mut Phase) {
    if *phase == Phase::Solid {
        *phase = Phase::Liquid;
    }
}

#[vyre::kernel]
fn no_variant(#[each] phase: &mut Phase) {
    *phase = Phase::Gas;
}

#[vyre::kernel]
fn reference(a: &Slice2<f32>, y: &mut [f32]) {
    y[0] = a[[0, 1]];
}

#[vyre::kernel]
fn path_of_each(#[vyre::each] y: &mut f32) {
    *y = 1.0;
}

#[vyre::constant]
const TABLE: [f32; 2] = [1.0, 2.0];

#[vyre::kernel]
fn constant(#[each] y: &mut f32) {
    *y = TABLE[lane::index() % 2];
}

#[vyre::device]
#[derive(Clone)]
struct Named {
    name: String,
}

struct Group;

impl Group {
    #[vyre::kernel]
    fn inside(#[each] y: &mut f32) {
        *y = 1.0;
    }
}

fn main() {}
