#[vyre::kernel]
fn fill(y: &mut [f32]) {
    std::mem::swap(&mut 1.0, &mut 2.0);
    y[0] = 1.0;
}

fn main() {}
