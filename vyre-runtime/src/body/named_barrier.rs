//! Named barriers, at which some warps of a block wait.

use vyre_abi::kernel::NAMED_BARRIERS;
use vyre_abi::ops::WARP_SIZE;

use super::block::{BlockContext, Pause};
use super::scheduler::{State, place};
use super::thread::{Gate, Thread};

/// A named barrier to which a thread comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    barrier: u32,
    warps: u32,
    waits: bool,
    /// The site of the fault that it would be to wait for ever.
    site: usize,
}

/// The named barriers of a block, by their numbers.
#[derive(Debug, Default)]
pub(super) struct NamedBarriers([Count; NAMED_BARRIERS as usize]);

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Warps that have arrived since it opened last.
    arrived: u32,
    /// How often it has opened.
    openings: u32,
}

impl NamedBarriers {
    /// Lets the warps arrive all of whose threads are at a named barrier or have left, and those go on
    /// that wait at one which has opened; whether there are any.
    pub(super) fn pass(&mut self, states: &mut [State]) -> bool {
        let mut passed = false;
        for warp in states.chunks_mut(WARP_SIZE as usize) {
            let there = |state: &&State| **state != State::Left;
            let Some(&State::Arriving(named)) = warp.iter().find(there) else {
                continue;
            };
            if warp.iter().filter(there).any(|state| *state != State::Arriving(named)) {
                continue;
            }
            let count = &mut self.0[named.barrier as usize];
            for state in warp.iter_mut().filter(|state| **state != State::Left) {
                *state = match named.waits {
                    true => State::Held(named, count.openings),
                    false => State::Running,
                };
            }
            count.arrived += 1;
            if count.arrived == named.warps {
                count.arrived = 0;
                count.openings += 1;
            }
            passed = true;
        }
        for state in states {
            if let State::Held(named, openings) = *state
                && self.0[named.barrier as usize].openings != openings
            {
                *state = State::Running;
                passed = true;
            }
        }
        passed
    }
}

impl BlockContext<'_> {
    /// Reports a thread that waits at a named barrier where nothing goes on; whether there is one.
    pub(super) fn is_stuck(&self, states: &[State], extent: [u32; 3]) -> bool {
        let stuck = states.iter().enumerate().find_map(|(number, state)| match *state {
            State::Arriving(named) | State::Held(named, _) => Some((number, named.site)),
            _ => None,
        });
        if let Some((number, site)) = stuck {
            self.fault(site, &[], place(number, extent));
        }
        stuck.is_some()
    }
}

impl Thread<'_> {
    /// Arrives at a barrier of so many threads and, if so asked, waits until as many warps have.
    #[inline(always)]
    pub async fn named_barrier(&self, barrier: u32, threads: u32, waits: bool, site: usize) {
        let named = Named {
            barrier,
            warps: threads / WARP_SIZE,
            waits,
            site,
        };
        Gate::new(self.context, Pause::Named(named)).await;
    }
}
