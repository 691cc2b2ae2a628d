//! rustc's own error, once.
const SCALE: f64 = 2.0;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = y[1] * SCALE;
}

fn main() {}
