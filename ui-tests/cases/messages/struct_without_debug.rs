#[vyre::device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

#[vyre::kernel]
fn show(points: &[Point]) {
    println!("{:?}", points[0]);
}

#[vyre::device]
#[derive(Clone, Copy, Debug)]
struct Other {
    x: f32,
}

#[vyre::kernel]
fn display(others: &[Other]) {
    println!("{}", others[0]);
}

fn main() {}
