#[vyre::kernel(block = [64, 32])]
fn fill(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
