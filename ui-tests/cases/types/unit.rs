#[vyre::kernel]
fn fill(x: (), y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
