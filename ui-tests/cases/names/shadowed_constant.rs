#[vyre::kernel]
fn fill(y: &mut [u32]) {
    const N: u32 = 3;
    let N = 4;
}

fn main() {}
