#[vyre::kernel]
fn smallest(x: &[u32], y: &mut [u32]) {
    y[0] = <u32 as Ord>::min(x[0], x[1]);
}

fn main() {}
