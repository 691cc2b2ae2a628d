#[vyre::kernel]
fn fill(c: char, y: &mut [u32]) {
    y[0] = c as u32;
}

fn main() {}
