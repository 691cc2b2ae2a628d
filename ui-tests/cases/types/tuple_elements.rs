#[vyre::kernel]
fn fill(p: &[(f32, f32)], y: &mut [f32]) {
    y[0] = p[0].0;
}

fn main() {}
