//! rustc's own error, once.
#[vyre::device]
#[derive(Clone, Copy)]
struct Value {
    x: f32,
    y: f32,
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let value = Value { x: 1.0 };
    y[0] = value.x;
}

fn main() {}
