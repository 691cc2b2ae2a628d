//! rustc's own error, once.
mod inner {
    #[vyre::device]
    #[derive(Clone, Copy)]
    pub struct Value {
        x: f32,
    }
}
use inner::Value;

#[vyre::kernel]
fn fill(values: &[Value], y: &mut [f32]) {
    y[0] = values[0].x;
}

fn main() {}
