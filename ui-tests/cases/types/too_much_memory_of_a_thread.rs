#[vyre::kernel]
fn sort(y: &mut [f64]) {
    let all = [0.0f64; 1 << 20];
}

fn main() {}
