//! A constant that is not there, where it is a value.

#[vyre::device]
const SCALE: f32 = 2.0;

#[vyre::kernel]
fn misspelt(y: &mut [f32]) {
    y[0] = SCLAE * y[1];
}

fn main() {}
