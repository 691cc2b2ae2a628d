#[vyre::kernel(block = [2, 2, 2, 2])]
fn fill(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
