//! The state of an mbarrier, at which threads arrive and wait apart: how many arrivals end a phase, how many
//! are missing, and the number of the phase.

/// Bits of a number of arrivals.
const COUNT_BITS: u32 = 20;
const COUNT: u64 = (1 << COUNT_BITS) - 1;
const PHASE: u32 = 2 * COUNT_BITS;

/// The state of a barrier whose phases end with so many arrivals, of which the low 20 bits count.
pub const fn init(count: u64) -> u64 {
    let count = count & COUNT;
    count << COUNT_BITS | count
}

/// The state after another arrival, which may end the phase.
pub const fn arrive(state: u64) -> u64 {
    let count = state >> COUNT_BITS & COUNT;
    if state & COUNT > 1 {
        return state - 1;
    }
    ((state >> PHASE).wrapping_add(1) << PHASE) | count << COUNT_BITS | count
}

/// 1 where the phase of an earlier state is over, else 0.
pub const fn test_wait(state: u64, earlier: u64) -> u64 {
    (state >> PHASE != earlier >> PHASE) as u64
}

#[cfg(test)]
mod tests;
