#[vyre::kernel]
fn count(#[each] y: &mut std::sync::atomic::AtomicU32) {}

fn main() {}
