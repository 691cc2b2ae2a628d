#[vyre::device]
#[derive(Clone, Copy)]
enum Shape {
    Ball(f32),
    Point,
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let shape = Shape::Ball(1.0);
}

fn main() {}
