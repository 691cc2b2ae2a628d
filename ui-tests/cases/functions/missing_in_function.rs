//! A function that is not there, in a device function.

#[vyre::device]
fn quarter(x: f32) -> f32 {
    half(half(x))
}

fn main() {
    quarter(1.0);
}
