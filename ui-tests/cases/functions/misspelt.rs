//! A function of nearly that name, twice.

#[vyre::device]
fn half(x: f32) -> f32 {
    x * 0.5
}

#[vyre::kernel]
fn halve(y: &mut [f32]) {
    y[0] = hafl(y[0]);
    y[1] = half(half(y[1])) + hafl(2.0);
}

fn main() {}
