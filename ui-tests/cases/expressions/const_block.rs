#[vyre::kernel]
fn fill(n: u32, y: &mut [u32]) {
    y[0] = const { 3 * n };
}

fn main() {}
