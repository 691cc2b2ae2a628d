struct Point {
    x: f32,
}

const ORIGIN: Point = Point { x: 0.0 };

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = ORIGIN.x;
}

fn main() {}
