use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
enum Shape {
    Ball(f32),
    Point,
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Scene {
    shape: Shape,
}

#[vyre::device]
#[derive(Clone, Copy)]
enum Borrowed {
    Slice(&'static [f32]),
    None,
}

#[vyre::kernel]
fn by_value(shape: Shape, y: &mut [f32]) {
    y[0] = if let Shape::Ball(r) = shape { r } else { 0.0 };
}

#[vyre::kernel]
fn in_a_buffer(shapes: &[Shape], y: &mut [f32]) {
    y[0] = if let Shape::Ball(r) = shapes[0] { r } else { 0.0 };
}

#[vyre::kernel]
fn shared_by_a_block(y: &mut [f32]) {
    let shapes = shared::<[Shape; 32]>();
    shapes[thread::idx().x] = Shape::Ball(y[0]);
}

fn main() {}
