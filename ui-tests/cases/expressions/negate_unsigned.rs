//! rustc's own error, once.
#[vyre::kernel]
fn fill(n: u32, y: &mut [u32]) {
    y[0] = -n;
}

fn main() {}
