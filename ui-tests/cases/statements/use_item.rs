#[vyre::kernel]
fn fill(y: &mut [f32]) {
    use std::f32::consts::PI;
    y[0] = PI;
}

fn main() {}
