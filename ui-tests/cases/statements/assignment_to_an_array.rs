#[vyre::kernel]
fn order(y: &mut [f32]) {
    [y[0], y[1]] = [1.0, 2.0];
}

fn main() {}
