#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let (a, b) = (1.0f32, 2.0f32);
    let mut r = &a;
    y[0] = *r;
    r = &b;
    y[1] = *r;
}

fn main() {}
