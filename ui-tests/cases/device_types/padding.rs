#[vyre::device]
#[derive(Clone, Copy)]
struct Value {
    flag: bool,
    x: f32,
}

#[vyre::kernel]
fn fill(values: &[Value], y: &mut [f32]) {
    y[0] = values[0].x;
}

fn main() {}
