//! The PTX of what is about words.

use vyre::prelude::*;

/// The high word of a product, and a sum in memory.
#[vyre::kernel]
fn words(a: &[u64], b: &[u64], high: &mut [u64], sums: &mut [u128]) {
    let i = thread::index();
    if i < a.len() && i < b.len() && i < high.len() && i < sums.len() {
        high[i] = ((a[i] as u128 * b[i] as u128) >> 64) as u64;
        sums[i] += 1 << 64;
    }
}

vyre_semantics::kernels!(Words);

#[test]
fn kernels_have_the_ptx_of_the_snapshots() {
    vyre_semantics::ptx::snapshots("snapshots", &[("wide", kernels())]);
}
