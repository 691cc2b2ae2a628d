//! rustc's own error, once.
#[vyre::kernel]
fn fill(y: &mut [u8]) {
    y[0] = 1u8 << 9;
}

fn main() {}
