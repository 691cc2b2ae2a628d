use core::sync::atomic::AtomicU32;

#[vyre::kernel]
fn show(hits: &[AtomicU32]) {
    println!("{:?}", hits[0]);
}

fn main() {}
