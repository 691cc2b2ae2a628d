//! rustc's own error, once.
#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let a;
    y[0] = 1.0;
}

fn main() {}
