//! rustc's own error, once.
#[vyre::kernel]
fn fill(n: u32, y: &mut [f32]) {
    y[0] = y[1] * n;
}

fn main() {}
