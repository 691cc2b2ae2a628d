//! Functions of types that do not stand in a module of the device.

struct Other;

impl Other {
    fn new() -> f32 {
        1.0
    }
}

#[vyre::device]
#[derive(Clone, Copy, Default)]
struct Point {
    x: f32,
    y: f32,
}

#[vyre::kernel]
fn fill(y: &mut [f32], points: &mut [Point]) {
    y[0] = Other::new();
    points[0] = Point::default();
    points[1] = Point { x: 1.0, ..Default::default() };
}

fn main() {}
