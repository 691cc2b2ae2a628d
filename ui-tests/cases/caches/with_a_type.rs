#[vyre::kernel]
fn first(x: &[f32], y: &mut [f32]) {
    y[0] = vyre::load::l2::<f32>(&x[0]);
}

fn main() {}
