#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[..2][1] = 2.0;
}

fn main() {}
