//! The state of an mbarrier (split arrive and wait): expected arrivals per phase, pending arrivals,
//! and the number of the phase.

/// Bits of an arrival count.
const COUNT_BITS: u32 = 20;
const COUNT: u64 = (1 << COUNT_BITS) - 1;
const PHASE: u32 = 2 * COUNT_BITS;

/// The state of a barrier whose phases end after `count` arrivals; only the low 20 bits are used.
pub const fn init(count: u64) -> u64 {
    let count = count & COUNT;
    count << COUNT_BITS | count
}

/// The state after another arrival, which may complete the phase.
pub const fn arrive(state: u64) -> u64 {
    let count = state >> COUNT_BITS & COUNT;
    if state & COUNT > 1 {
        return state - 1;
    }
    ((state >> PHASE).wrapping_add(1) << PHASE) | count << COUNT_BITS | count
}

/// 1 if the phase of an earlier state is complete, else 0.
pub const fn test_wait(state: u64, earlier: u64) -> u64 {
    (state >> PHASE != earlier >> PHASE) as u64
}

#[cfg(test)]
mod tests;
