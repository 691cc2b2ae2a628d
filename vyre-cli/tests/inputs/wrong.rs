#[vyre::kernel]
pub fn wrong(x: &[f32], y: &mut [f32]) {
    let text = String::new();
    y[0] = x[0];
}
