#[vyre::kernel]
fn f16(x: half::f16, y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel]
fn half_function(y: &mut [f32]) {
    y[0] = vyre::f16::from_f32(1.0).to_f32();
}

#[vyre::kernel]
fn f128(x: f128, y: &mut [f64]) {
    y[0] = 1.0;
}

#[vyre::kernel]
fn copy(x: &[half::f16], y: &mut [half::f16]) {
    let last: half::bf16 = half::bf16::ZERO;
    y[0] = x[0];
}

fn main() {}
