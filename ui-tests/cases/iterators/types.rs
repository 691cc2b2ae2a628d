#[vyre::kernel]
fn fill(x: &[f32], y: &mut [f32]) {
    let sum: u32 = x.iter().sum();
    let place: u32 = x.iter().position(|&v| v > 1.0).unwrap();
    y[0] = x.iter().copied().max().unwrap();
}

fn main() {}
