//! rustc's own error, once.
#[vyre::kernel]
fn fill(y: &mut [i32]) {
    if y[0] {
        y[0] = 1;
    }
}

fn main() {}
