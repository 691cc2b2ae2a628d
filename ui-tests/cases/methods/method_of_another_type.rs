#[vyre::kernel]
fn fill(n: u32, y: &mut [f32]) {
    let a = n.then_some(1.0f32);
    let b = y[0].checked_mul(2.0);
    let c = Some(n).ok();
}

fn main() {}
