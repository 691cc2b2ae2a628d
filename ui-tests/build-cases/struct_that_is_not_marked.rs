#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let p = Point { x: 1.0, y: 2.0 };
    y[0] = p.x;
}
