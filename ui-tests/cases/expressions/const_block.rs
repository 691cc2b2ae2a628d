#[vyre::kernel]
fn fill(n: u32, y: &mut [u32]) {
    y[0] = const { 3 * n };
}

#[vyre::kernel(N = [0, 2])]
fn checked<const N: u32>(y: &mut [u32]) {
    const { assert!(N > 0, "one at least") };
    y[0] = N;
}

fn main() {}
