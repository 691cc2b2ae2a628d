#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = y[1].sin();
}

fn main() {}
