//! rustc's own error, once.
#[vyre::kernel]
fn fill(y: &mut [i32]) {
    let n: i32 = 1.5;
    y[0] = n;
}

fn main() {}
