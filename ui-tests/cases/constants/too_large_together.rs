#[vyre::constant]
static ONE: [u32; 5000] = [1; 5000];

#[vyre::constant]
static OTHER: [u32; 5000] = [2; 5000];

#[vyre::kernel]
fn pick(x: &[u32], y: &mut [u32]) {
    y[0] = ONE[x[0] as usize] + OTHER[x[1] as usize];
}

fn main() {}
