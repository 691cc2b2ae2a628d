//! rustc knows this method, vyre does not.
#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y.sort_by(|a, b| a.total_cmp(b));
}

fn main() {}
