#[vyre::kernel]
fn fill(y: &mut [f32]) {
    for (i, j) in (0..4).zip(4..8) {
        y[i] = y[j];
    }
}

fn main() {}
