#[vyre::kernel]
fn count(hits: &[std::sync::atomic::AtomicU8]) {}

fn main() {}
