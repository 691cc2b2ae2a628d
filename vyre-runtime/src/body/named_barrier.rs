//! Named barriers for some warps of a block.

use vyre_abi::ops::WARP_SIZE;
use vyre_abi::semantics::named_barrier::{Arrives, AtBarrier};

use super::block::{BlockContext, Pause};
use super::scheduler::{State, place};
use super::thread::{Gate, Spot, Thread};

/// A thread at a named barrier, where it faults in case it waits forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) at: AtBarrier,
    pub(super) spot: Spot,
}

impl Arrives for State {
    fn at(&self) -> AtBarrier {
        match *self {
            State::Left => AtBarrier::Left,
            State::Named(named) => named.at,
            _ => AtBarrier::Elsewhere,
        }
    }

    fn is_with(&self, other: &Self) -> bool {
        self == other
    }

    fn hold(&mut self, openings: u32) {
        if let State::Named(named) = self
            && let AtBarrier::Arriving { barrier, .. } = named.at
        {
            named.at = AtBarrier::Held { barrier, openings };
        }
    }

    fn go_on(&mut self) {
        *self = State::Running;
    }
}

impl BlockContext<'_> {
    /// Reports a thread that waits at a named barrier if nothing makes progress; true if there is
    /// one.
    pub(super) fn is_stuck(&self, states: &[State], extent: [u32; 3]) -> bool {
        let stuck = states.iter().enumerate().find_map(|(number, state)| match *state {
            State::Named(named) => Some((number, named.spot)),
            _ => None,
        });
        if let Some((number, spot)) = stuck {
            self.fault(spot.site(), &[], place(number, extent));
        }
        stuck.is_some()
    }
}

impl Thread<'_> {
    /// Arrives at a barrier of `threads` threads and, if `waits`, waits until enough warps have
    /// arrived.
    #[inline(always)]
    pub async fn named_barrier(&self, barrier: u32, threads: u32, waits: bool, site: usize) {
        let warps = threads / WARP_SIZE;
        let at = AtBarrier::Arriving { barrier, warps, waits };
        let spot = self.spot(site);
        let named = Named { at, spot };
        Gate::new(self.context, Pause::Named(named)).await;
    }
}
