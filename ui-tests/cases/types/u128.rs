#[vyre::kernel]
fn fill(x: u128, y: &mut [u64]) {
    y[0] = x as u64;
}

fn main() {}
