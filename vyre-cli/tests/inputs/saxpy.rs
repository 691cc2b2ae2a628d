//! The first kernel of everyone.

/// y := a*x + y
#[vyre::kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}
