#[vyre::kernel]
fn apply(f: fn(f32) -> f32, y: &mut [f32]) {
    y[0] = f(y[0]);
}

fn main() {}
