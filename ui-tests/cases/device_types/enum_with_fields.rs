use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
enum Shape {
    Ball(f32),
    Point,
}

#[vyre::device]
#[derive(Clone, Copy)]
enum Borrowed {
    Slice(&'static [f32]),
    None,
}

#[vyre::device]
#[derive(Clone, Copy)]
enum Pairs {
    Pair((f32, u32)),
    None,
}

#[vyre::device]
#[derive(Clone, Copy)]
#[repr(u8)]
enum NoZero {
    One(f32) = 1,
}

#[vyre::device]
enum NoCopy {
    One(f32),
}

#[vyre::device]
#[derive(Clone, Copy)]
#[repr(C)]
enum OfC {
    One(f32),
}

#[vyre::kernel]
fn by_value(value: f32, y: &mut [f32]) {
    y[0] = value;
}

#[vyre::kernel]
fn of_tuples(pairs: &[Pairs], y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel]
fn without_zero(ones: &[NoZero], y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel]
fn not_copied(ones: &[NoCopy], y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel]
fn shared_by_a_block(y: &mut [f32]) {
    let shapes = shared::<[Shape; 32]>();
    shapes[thread::idx().x] = Shape::Ball(y[0]);
}

fn main() {}
