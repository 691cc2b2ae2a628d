//! rustc's own error, once.
#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = SCALE * y[1];
}

fn main() {}
