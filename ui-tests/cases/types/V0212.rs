#[vyre::kernel]
fn atomic_pair(sums: &[AtomicF16x2]) {
    let _ = sums.len();
}

#[vyre::kernel]
fn atomic_pointer(hits: &[std::sync::atomic::AtomicPtr<u8>]) {}

// Atomics are written through a shared reference, as everywhere in Rust.
#[vyre::kernel]
fn mutable_atomics(hits: &mut [std::sync::atomic::AtomicU32]) {}

fn main() {}
