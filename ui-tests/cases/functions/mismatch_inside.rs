//! rustc's own words, once.

#[vyre::device]
fn half(x: f32) -> f32 {
    let half: u32 = x / 2.0;
    half
}

#[vyre::kernel]
fn halve(y: &mut [f32]) {
    y[0] = half(y[0]);
}

fn main() {}
