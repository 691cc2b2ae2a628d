//! rustc's own error, once.
#[vyre::kernel]
fn fill(n: u32, y: &mut [f32]) {
    let value: f32 = n;
    y[0] = value;
}

fn main() {}
