#[vyre::kernel]
fn fill(x: &[u32], y: &mut [u32]) {
    for v in x.iter().chain(x) {
        y[0] += *v;
    }
    for v in x.iter().filter(|v| **v > 1).rev() {
        y[0] += *v;
    }
    y[0] = x.iter().scan(0, |s, v| Some(*v)).sum();
}

fn main() {}
