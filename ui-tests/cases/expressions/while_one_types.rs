//! rustc's own errors, each once.
#[vyre::kernel]
fn element(i: usize, y: &mut [f32]) {
    y[i].
}

#[vyre::kernel]
fn iterator(x: &[f32]) {
    let s = x.iter().;
}

fn main() {}
