#[vyre::kernel]
fn fill(y: &mut [u32]) {
    y[0] = 'a' as u32;
}

fn main() {}
