#[vyre::kernel]
const SIZE: usize = 4;

fn main() {}
