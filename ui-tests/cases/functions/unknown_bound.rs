#[vyre::device]
fn half<T: Into<f32> + Copy>(x: T) -> f32 {
    let x: f32 = x.into();
    x / 2.0
}

#[vyre::kernel]
fn halves(x: &[f32], y: &mut [f32]) {
    y[0] = half(x[0]);
}

fn main() {}
