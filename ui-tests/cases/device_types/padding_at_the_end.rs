#[vyre::device]
#[derive(Clone, Copy)]
struct Value {
    x: f32,
    inner: Inner,
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Inner {
    a: u64,
    b: [u16; 3],
}

#[vyre::kernel]
fn fill(values: &[Value], y: &mut [f32]) {
    y[0] = values[0].x;
}

fn main() {}
