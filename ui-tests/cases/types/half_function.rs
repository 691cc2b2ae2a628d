#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = vyre::f16::from_f32(1.0).to_f32();
}

fn main() {}
