#[vyre::kernel]
fn fill(x: &[u32], y: &mut [u32]) {
    let least = x.iter().min();
    for pair in x.iter().enumerate() {
        y[0] += pair.0 as u32;
    }
    y[1] = *x.iter().find(|v| **v > 3).unwrap();
}

fn main() {}
