#[vyre::kernel]
fn add(x: &[f32], x: &mut [f32]) {
    x[0] += 1.0;
}

fn main() {}
