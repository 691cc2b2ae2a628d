#[vyre::device]
#[derive(Clone, Copy)]
struct Value {
    x: f32,
    #[cfg(any())]
    y: f32,
}

#[vyre::kernel]
fn fill(values: &[Value], y: &mut [f32]) {
    y[0] = values[0].x;
}

fn main() {}
