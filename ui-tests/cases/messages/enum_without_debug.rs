#[vyre::device]
#[derive(Clone, Copy)]
enum Shape {
    Ball(f32),
    Point,
}

#[vyre::kernel]
fn show(y: &mut [f32]) {
    let shape = if y[0] > 0.0 { Shape::Ball(y[0]) } else { Shape::Point };
    println!("{:?}", Some(shape));
}

fn main() {}
