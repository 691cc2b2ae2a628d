//! Items that a device function mentions need the attribute too.

const FACTOR: f32 = 0.5;

fn quarter(x: f32) -> f32 {
    x * 0.25
}

#[vyre::device]
fn half(x: f32) -> f32 {
    x * FACTOR + quarter(x)
}

fn main() {
    half(1.0);
}
