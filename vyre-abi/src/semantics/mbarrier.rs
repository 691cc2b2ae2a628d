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
mod tests {
    use super::{arrive, init, test_wait};

    #[test]
    fn phases_end_with_the_last_arrival() {
        let mut state = init(3);
        for _ in 0..5 {
            let begin = state;
            for missing in (0..3).rev() {
                assert_eq!(test_wait(state, begin), 0);
                state = arrive(state);
                assert_eq!(test_wait(state, begin), u64::from(missing == 0));
            }
        }
    }

    #[test]
    fn the_number_of_the_phase_wraps() {
        let last = u64::MAX << 40 | init(1);
        let next = arrive(last);
        assert_eq!((next, test_wait(next, last)), (init(1), 1));
    }
}
