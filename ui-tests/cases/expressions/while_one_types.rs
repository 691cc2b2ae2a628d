//! rustc's own errors, each once.
#[vyre::kernel]
fn element(i: usize, y: &mut [f32]) {
    y[i].
}

#[vyre::kernel]
fn iterator(x: &[f32]) {
    let s = x.iter().;
}

#[vyre::kernel]
fn sign(y: &mut [f32]) {
    y[0] =+ 1.0;
    y[1] = 2.0 * (+ 1.0);
}

fn main() {}
