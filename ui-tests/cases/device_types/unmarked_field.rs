#[derive(Clone, Copy)]
struct Inner {
    y: f32,
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Value {
    x: f32,
    inner: Inner,
}

#[vyre::kernel]
fn fill(values: &[Value], y: &mut [f32]) {
    y[0] = values[0].x;
}

fn main() {}
