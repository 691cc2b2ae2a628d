#[vyre::kernel]
fn fill(y: &mut [f32]) {
    macro_rules! one {
        () => {
            1.0
        };
    }
    y[0] = one!();
}

fn main() {}
