#[vyre::kernel]
fn scale<const N: usize>(x: &mut [f32]) {
    x[N] *= 2.0;
}

fn main() {}
