#[vyre::kernel]
fn fill(x: Option<f32>, y: &mut [f32]) {
    y[0] = 0.0;
}

fn main() {}
