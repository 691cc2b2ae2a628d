use vyre::prelude::*;

#[vyre::kernel]
fn flags(n: usize, out: &mut [u32]) {
    let flags = shared::slice::<AtomicBool>(n);
    let counts = shared::dynamic::<AtomicU16>();
    out[0] = flags[0].load(Ordering::Relaxed) as u32 + counts.len() as u32;
}

#[vyre::kernel]
fn methods(flags: &[AtomicBool], bytes: &[AtomicU8]) {
    flags[0].fetch_add(true, Ordering::Relaxed);
    bytes[0].fetch_not(Ordering::Relaxed);
}

fn main() {}
