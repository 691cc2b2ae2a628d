#[vyre::kernel]
fn fill(y: &mut [f32]) {
    fn square(x: f32) -> f32 {
        x * x
    }
    y[0] = square(y[1]);
}

fn main() {}
