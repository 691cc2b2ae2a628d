#[vyre::kernel]
fn fill(y: &mut [f32]) {
    for i in 0.. {
        y[i] = 1.0;
    }
}

fn main() {}
