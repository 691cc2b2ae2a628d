#[vyre::kernel]
fn count(hits: &[std::sync::atomic::AtomicPtr<u8>]) {}

fn main() {}
