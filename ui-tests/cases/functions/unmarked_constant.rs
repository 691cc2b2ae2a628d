//! Constants of which a kernel must know more than their names.

const TABLE: [f32; 2] = [1.0, 2.0];
const LENGTH: usize = 2;
const COUNT: u32 = 2;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = TABLE[1];
    y[1] = COUNT as f32;
}

#[vyre::kernel]
fn window(y: &mut [f32]) {
    let window = [0.0; LENGTH];
    y[0] = window[0];
}

fn main() {}
