#[vyre::kernel]
fn fill(x: &[f32], y: &mut [f32]) {
    let mut sum = 0.0;
    for v in x.iter().skip(1) {
        sum += *v;
    }
    y[0] = sum;
}

fn main() {}
