#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let [a, ..] = [1.0, 2.0];
    y[0] = a;
}

fn main() {}
