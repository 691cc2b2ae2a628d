//! rustc's own error, once.
#[vyre::kernel]
fn fill(x: &[f32]) {
    x[0] = 1.0;
}

fn main() {}
