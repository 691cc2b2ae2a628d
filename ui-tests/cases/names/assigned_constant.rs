const LIMIT: u32 = 4;

#[vyre::kernel]
fn fill(n: u32, y: &mut [u32]) {
    LIMIT = n;
    y[0] = LIMIT;
}

fn main() {}
