#[vyre::kernel]
fn scale(&self, y: &mut [f32]) {}

fn main() {}
