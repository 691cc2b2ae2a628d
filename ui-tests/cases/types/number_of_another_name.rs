//! Numbers by names that they have elsewhere.
#[vyre::kernel]
fn fill(x: f23, n: int, y: &mut [double]) {
    y[0] = 1.0;
}

fn main() {}
