//! rustc's own error, once.
#[vyre::kernel]
fn fill(n: u32, y: &mut [bool]) {
    y[0] = n as bool;
}

fn main() {}
