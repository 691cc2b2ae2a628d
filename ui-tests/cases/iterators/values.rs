#[vyre::kernel]
fn fill(x: &[f32], y: &mut [f32]) {
    let all = x.iter().map(|v| v * 2.0);
    y[0] = all.sum();
}

fn main() {}
