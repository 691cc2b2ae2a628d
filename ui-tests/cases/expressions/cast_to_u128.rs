#[vyre::kernel]
fn fill(y: &mut [u64]) {
    y[0] = (y[1] as u128 * y[2] as u128 >> 64) as u64;
}

fn main() {}
