#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let ref a = 1.0;
    y[0] = *a;
}

fn main() {}
