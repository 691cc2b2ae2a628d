//! rustc's own error, once.
#[vyre::kernel]
fn fill(flag: bool, y: &mut [f32]) {
    y[0] = if flag { 1.0 } else { 1 };
}

fn main() {}
