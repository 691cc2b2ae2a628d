//! The pattern names the type, which is marked, and the constant is not.

#[vyre::device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

const ORIGIN: Point = Point { x: 0.0, y: 0.0 };

#[vyre::kernel]
fn of_a_struct(out: &mut [f32]) {
    let Point { x, y } = ORIGIN;
    out[0] = x + y;
}

fn main() {}
