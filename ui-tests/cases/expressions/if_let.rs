#[vyre::kernel]
fn fill(n: u32, y: &mut [f32]) {
    if let 0 = n && y.len() > 1 {
        y[0] = 1.0;
    }
}

fn main() {}
