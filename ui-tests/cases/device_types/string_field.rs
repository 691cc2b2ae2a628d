#[vyre::device]
#[derive(Clone, Copy)]
struct Value {
    x: f32,
    name: &'static str,
}

#[vyre::kernel]
fn fill(values: &[Value], y: &mut [f32]) {
    y[0] = values[0].x;
}

fn main() {}
