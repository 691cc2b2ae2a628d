//! Speculation: a cheap test of all elements, and a dear one of those that pass, in one kernel.

use vyre::prelude::*;

/// The indices that a block of [`confirm_tile`] looks at: the launch has a block for each so many.
#[vyre::device]
pub const CONFIRM_TILE: usize = 4096;

/// Tests all indices below `length` by `prefilter`, and those that pass by `confirm`: the threads of a block share them, so
/// that none waits for a neighbour whose index has passed. `keep(place, i)` is called for an index that both accept and
/// for which the counter commits a place below `room`, in any order. Then `counter[0]` is the number of all that both accept:
/// read back with the output, it tells how much of that is kept, and how much found no room.
///
/// For kernels of one axis with `block = 512`. The counter begins as 0.
///
/// ```
/// use vyre::prelude::*;
/// use vyre_primitives::{CONFIRM_TILE, confirm_tile};
///
/// /// The primes. Most numbers have a small divisor.
/// #[vyre::kernel(block = 512)]
/// fn primes(n: usize, found: &[AtomicU32], count: &[AtomicU64]) {
///     confirm_tile(
///         n,
///         count,
///         found.len(),
///         |i| i == 2 || i == 3 || i == 5 || i > 5 && i % 2 != 0 && i % 3 != 0 && i % 5 != 0,
///         |i| {
///             let mut divisor = 7;
///             while divisor * divisor <= i && i % divisor != 0 {
///                 divisor += 2;
///             }
///             divisor * divisor > i
///         },
///         |place, i| found[place].store(i as u32, Ordering::Relaxed),
///     );
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let (device, n) = (Device::best()?, 10_000usize);
/// let (mut found, mut count) = (device.zeros::<u32>(2000)?, device.zeros::<u64>(1)?);
/// primes(n, &mut found, &mut count).grid(n.div_ceil(CONFIRM_TILE) as u32).launch(&device)?;
/// assert_eq!(count.download()?, [1229]);
/// assert!(found.slice(..1229)?.download()?.contains(&9973));
/// # Ok(())
/// # }
/// ```
#[vyre::device]
pub fn confirm_tile(
    length: usize,
    counter: &[AtomicU64],
    room: usize,
    prefilter: impl Fn(usize) -> bool,
    confirm: impl Fn(usize) -> bool,
    mut keep: impl FnMut(usize, usize),
) {
    let candidates = shared::<[AtomicU32; CONFIRM_TILE]>();
    let passed = shared::<[AtomicU32; 1]>();
    let (t, start) = (thread::idx().x, block::idx().x * CONFIRM_TILE);
    if t == 0 {
        passed[0].store(0, Ordering::Relaxed);
    }
    block::sync();
    for k in 0..CONFIRM_TILE / 512 {
        let own = k * 512 + t;
        if start + own < length && prefilter(start + own) {
            let place = passed[0].fetch_add(1, Ordering::Relaxed);
            candidates[place as usize].store(own as u32, Ordering::Relaxed);
        }
    }
    block::sync();
    let passed = passed[0].load(Ordering::Relaxed) as usize;
    // The next call begins to count again.
    block::sync();
    let mut next = t;
    while next < passed {
        let i = start + candidates[next].load(Ordering::Relaxed) as usize;
        if confirm(i) {
            let place = counter[0].fetch_add(1, Ordering::Relaxed) as usize;
            if place < room {
                keep(place, i);
            }
        }
        next += 512;
    }
}
