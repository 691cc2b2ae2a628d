#[vyre::kernel]
fn fill(x: *const f32, y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
