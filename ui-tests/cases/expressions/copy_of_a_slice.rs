#[vyre::kernel]
fn fill(x: &[f32], y: &mut [f32]) {
    let _v = x.to_vec();
    y[0] = 1.0;
}

fn main() {}
