//! Constants of kernels and functions that have no value are rustc's to report, once.

#[vyre::kernel]
fn overflows(#[each] x: &mut u32) {
    const BIG: u32 = 1_000_000 * 1_000_000;
    *x += BIG;
}

#[vyre::kernel]
fn divides_by_zero(#[each] x: &mut usize) {
    const LANES: usize = 0;
    const PER: usize = 32 / LANES;
    *x = *x % 7 + PER;
}

#[vyre::kernel]
fn past_the_end(#[each] x: &mut u32) {
    const TABLE: [u32; 3] = [1, 2, 3];
    const LAST: u32 = TABLE[3];
    *x += LAST;
}

#[vyre::device]
fn underflows(x: usize) -> usize {
    const N: usize = 4;
    const LAST: usize = N - 5;
    x + LAST
}

fn main() {}
