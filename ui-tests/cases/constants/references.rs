//! A constant has a value of its own, also where Rust would let it refer to one.
#[vyre::device]
const WEIGHTS: &[f32] = &[0.25, 0.5, 0.25];

#[vyre::device]
const SCALE: &f32 = &2.0;

#[vyre::kernel]
fn weighted(y: &mut [f32]) {
    y[0] = WEIGHTS[1] * y[1] * *SCALE;
}

#[vyre::kernel]
fn inside(y: &mut [f32]) {
    const ROWS: &[[f32; 2]] = &[[1.0, 2.0]];
    y[0] = ROWS[0][1];
}

fn main() {}
