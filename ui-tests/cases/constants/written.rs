#[vyre::constant]
static COUNTS: [u32; 4] = [0; 4];

#[vyre::kernel]
fn count(x: &[u32]) {
    COUNTS[(x[0] % 4) as usize] += 1;
}

fn main() {}
