#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[vyre::kernel]
fn fill(p: Point, y: &mut [f32]) {
    y[0] = p.x;
}

fn main() {}
