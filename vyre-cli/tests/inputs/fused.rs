//! A fused multiply-add.

#[vyre::kernel]
pub fn horner(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x[i].mul_add(2.0, 1.0);
    }
}
