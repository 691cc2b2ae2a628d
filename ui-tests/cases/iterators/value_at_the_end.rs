// The value of a chain at the end of a kernel.
#[vyre::kernel]
fn total(x: &[f32], y: &mut [f32]) {
    y[0] = 1.0;
    x.iter().zip(y.iter()).map(|(a, b)| a * b).sum::<f32>()
}

fn main() {}
