//! An operator on an atomic or a fragment, beside a mistake that is left to rustc: rustc reports both.

use vyre::prelude::*;

#[vyre::device]
pub fn doubled(n: &[AtomicU32]) -> u32 {
    let wrong: bool = 3;
    n[0] * 2
}

#[vyre::kernel]
fn added(n: &[AtomicU32]) {
    let wrong: bool = 3;
    n[0] += 1;
}

fn main() {}
