#[vyre::kernel]
fn fill(y: &mut [f32] {}
