#[vyre::kernel]
fn cast_to_u128(n: u64, y: &mut [u64]) {
    y[0] = (n as u128 >> 3) as u64;
}

#[vyre::kernel]
fn u128_literal(y: &mut [u64]) {
    y[0] = (1u128 << 70 >> 20) as u64;
}

fn main() {}
