#[vyre::kernel]
fn fill(y: &mut [u64]) {
    y[0] = (1u128 << 70 >> 20) as u64;
}

fn main() {}
