#[vyre::kernel]
fn cast_to_f128(n: u64, y: &mut [u64]) {
    y[0] = (n as f128) as u64;
}

#[vyre::kernel]
fn half_literal(y: &mut [u64]) {
    y[0] = 1.5f16 as u64;
}

fn main() {}
