#[vyre::kernel(block = -64)]
fn fill(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
