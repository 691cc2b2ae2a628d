fn square(x: f32) -> f32 {
    x * x
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = square(y[1]);
}

fn main() {}
