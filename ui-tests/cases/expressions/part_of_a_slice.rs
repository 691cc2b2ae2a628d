#[vyre::kernel]
fn copy(x: &[f32], y: &mut [f32], start: usize) {
    let part = x[start..];
}

fn main() {}
