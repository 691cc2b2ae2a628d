//! A function that is not there.

#[vyre::kernel]
fn halve(y: &mut [f32]) {
    y[0] = half(y[0]);
}

fn main() {}
