#[vyre::kernel]
fn fill(y: &mut [u32]) {
    static COUNT: u32 = 4;
    y[0] = COUNT;
}

fn main() {}
