#[vyre::kernel]
fn fill(x: &[&[f32]], y: &mut [f32]) {
    y[0] = x[0][0];
}

fn main() {}
