#[derive(Clone, Copy, PartialEq)]
#[vyre::device]
struct Value {
    x: f32,
}

#[vyre::kernel]
fn fill(values: &[Value], y: &mut [f32]) {
    if values[0] == values[1] {
        y[0] = 1.0;
    }
}

fn main() {}
