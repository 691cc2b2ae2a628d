//! Arguments of other types, and too many of them.

#[vyre::device]
fn half(x: f32) -> f32 {
    x * 0.5
}

#[vyre::kernel]
fn halve(y: &mut [f32], n: u32) {
    y[0] = half(n);
    y[1] = half(y[0], y[1]);
}

fn main() {}
