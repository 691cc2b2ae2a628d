#[vyre::kernel]
fn fill(weights: [f32; 100], y: &mut [f32]) {
    y[0] = weights[0];
}

fn main() {}
