#[vyre::kernel]
fn area(y: &mut [f32]) {
    use std::f32::consts::*;
    y[0] = PI;
}

fn main() {}
