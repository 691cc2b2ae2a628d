#[vyre::device]
fn both(pair: &(f32, f32)) -> f32 {
    match pair {
        (0.0, b) => *b,
        (a, b) => a + b,
    }
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = both(&(1.0, y[1]));
}

fn main() {}
