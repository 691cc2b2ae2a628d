//! rustc's own error, once.
#[vyre::kernel]
fn fill(y: &mut [u8]) {
    y[0] = 256;
}

fn main() {}
