#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let _values = vec![0.0f32; 4];
    y[0] = 1.0;
}

fn main() {}
