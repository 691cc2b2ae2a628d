#[vyre::device]
#[derive(Clone, Copy)]
struct Value<T> {
    x: T,
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let value = Value { x: (1.0, 2.0) };
    y[0] = value.x.0;
}

fn main() {}
