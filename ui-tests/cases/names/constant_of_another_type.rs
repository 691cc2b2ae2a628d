//! rustc's own error, once.
const SCALE: f64 = 2.0;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let scale: f32 = SCALE;
    y[0] = scale;
}

fn main() {}
