#[vyre::kernel]
fn apply(f: &dyn Fn(f32) -> f32, y: &mut [f32]) {
    y[0] = f(y[0]);
}

fn main() {}
