#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = square(y[1]);
}

fn main() {}
