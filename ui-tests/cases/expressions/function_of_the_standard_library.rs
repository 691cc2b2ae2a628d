#[vyre::kernel]
fn fill(y: &mut [f32]) {
    std::mem::forget(1.0);
    y[0] = 1.0;
}

fn main() {}
