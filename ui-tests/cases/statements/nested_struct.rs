#[vyre::kernel]
fn fill(y: &mut [f32]) {
    struct Pair {
        a: f32,
    }
    y[0] = 1.0;
}

fn main() {}
