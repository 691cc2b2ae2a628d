#[vyre::kernel]
fn fill(x: Vec<f32>, y: &mut [f32]) {
    y[0] = 0.0;
}

fn main() {}
