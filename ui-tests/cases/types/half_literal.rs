#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = 1.0;
    let half = 0.5f16;
}

fn main() {}
