//! rustc's own error, once.
#[vyre::kernel]
fn fill(n: usize, y: &mut [f32]) {
    let a = [0.0f32; n];
    y[0] = a[0];
}

fn main() {}
