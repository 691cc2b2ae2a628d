#[vyre::constant]
static TABLE: [u32; 10_000] = [0; 10_000];

#[vyre::kernel]
fn pick(x: &[u32], y: &mut [u32]) {
    y[0] = TABLE[x[0] as usize];
}

fn main() {}
