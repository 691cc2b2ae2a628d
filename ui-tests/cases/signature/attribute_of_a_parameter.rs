#[vyre::kernel]
fn fill(#[all] y: &mut [f32]) {}

fn main() {}
