//! rustc's own error, once.
#[vyre::device]
#[derive(Clone, Copy)]
struct Value {
    x: f32,
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let value = Value { x: 1u32 };
    y[0] = value.x;
}

fn main() {}
