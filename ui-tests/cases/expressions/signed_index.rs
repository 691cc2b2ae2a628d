//! rustc's own error, once.
#[vyre::kernel]
fn fill(n: i32, y: &mut [f32]) {
    y[n] = 1.0;
}

fn main() {}
