#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let a = 1.0f32;
    let b = &a;
    y[0] = *b;
}

fn main() {}
