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

#[vyre::kernel]
fn step(y: &mut [f32]) {
    for i in (0..y.len()).step(64) {
        y[i] = 1.0;
    }
}

fn main() {}
