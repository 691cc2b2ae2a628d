const SIZE: u32 = 64;

#[vyre::kernel(block = SIZE)]
fn fill(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
