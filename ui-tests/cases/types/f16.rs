#[vyre::kernel]
fn fill(x: half::f16, y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
