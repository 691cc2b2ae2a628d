#[vyre::kernel]
fn fill(n: u32, y: &mut [f32]) {
    let next = n.checked_add(1).map(|v| v as f32 * 0.5);
    let sum: u32 = next.unwrap_or_else(|| 3);
    y[0] = sum as f32;
}

fn main() {}
