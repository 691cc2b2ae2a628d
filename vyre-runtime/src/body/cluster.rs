//! Thread block clusters: their blocks wait for each other and access each other's shared memory.
//!
//! Each block runs on its own thread of the host, but only one at a time, so that shared memory
//! needs no atomic accesses here either: a block runs until it reaches a cluster barrier, only
//! waits, or ends, and then hands over to the next. The threads are reused for one cluster after
//! the other.

use super::grid::Outcome;
use super::thread::Spot;
use crate::sync::{Condvar, Mutex, MutexGuard};

/// The threads that run the blocks of a cluster, and their states.
#[derive(Debug)]
pub(crate) struct Team {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// The running cluster, once the first block has determined it; `Some(None)`: none is left.
    cluster: Option<Option<u64>>,
    /// The running block.
    turn: usize,
    blocks: Vec<Block>,
    /// True once a block of this cluster has faulted.
    broken: bool,
    /// Two barriers to which its blocks have come: they do not open.
    apart: Option<[Spot; 2]>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    place: Place,
    /// The start of its static and of its dynamic shared memory, once published.
    memories: [SharedMemory; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Ready,
    /// At a barrier of the kernel, or, without one, of `publish`.
    AtBarrier(Option<Spot>),
    Left,
}

/// The kinds of shared memory of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Static,
    Dynamic,
}

#[derive(Clone, Copy, Debug)]
struct SharedMemory(*mut u8);

// SAFETY: only the thread whose turn it is accesses the memory.
unsafe impl Send for SharedMemory {}

const FRESH: Block = Block {
    place: Place::Ready,
    memories: [SharedMemory(std::ptr::null_mut()); 2],
};

/// A block of a running cluster. Dropping it leaves the cluster.
#[derive(Debug)]
pub(crate) struct Member<'t> {
    team: &'t Team,
    rank: usize,
    faulted: bool,
}

impl Team {
    /// A team for clusters of this many blocks.
    pub(crate) fn new(blocks: usize) -> Self {
        Team {
            state: Mutex::new(State::new(blocks)),
            changed: Condvar::new(),
        }
    }

    /// Waits for a turn in the next cluster, which the first block takes from `next`; returns its
    /// index, or `None` at the end.
    pub(crate) fn begin(&self, rank: usize, next: impl FnOnce() -> Option<u64>) -> Option<(u64, Member<'_>)> {
        let mut state = self.state.lock();
        if rank == 0 {
            // Until all blocks have left the previous one.
            while state.cluster.is_some() {
                state = self.changed.wait(state);
            }
            state.cluster = Some(next());
            self.changed.notify_all();
        }
        let cluster = self.turn(state, rank).cluster??;
        let member = Member {
            team: self,
            rank,
            faulted: true,
        };
        Some((cluster, member))
    }

    /// Waits for the turn of a block that is ready, or for the end.
    fn turn<'s>(&self, mut state: MutexGuard<'s, State>, rank: usize) -> MutexGuard<'s, State> {
        while state.cluster != Some(None) && !state.runs(rank) {
            state = self.changed.wait(state);
        }
        state
    }
}

impl State {
    fn new(blocks: usize) -> Self {
        State {
            cluster: None,
            turn: 0,
            blocks: vec![FRESH; blocks],
            broken: false,
            apart: None,
        }
    }

    fn runs(&self, rank: usize) -> bool {
        self.cluster.is_some() && self.turn == rank && self.blocks[rank].place == Place::Ready
    }

    /// Gives the turn to the next block that is ready; if there is none, opens the barrier. Returns
    /// true if any block is left.
    fn hand_over(&mut self) -> bool {
        let count = self.blocks.len();
        let ready = |&rank: &usize| self.blocks[rank].place == Place::Ready;
        if let Some(next) = (1..=count).map(|step| (self.turn + step) % count).find(ready) {
            self.turn = next;
            return true;
        }
        let mut at = None;
        for block in &mut self.blocks {
            if let Place::AtBarrier(spot) = block.place {
                if let (Some(first), Some(other)) = (*at.get_or_insert(spot), spot)
                    && first != other
                {
                    self.apart = Some([first, other]);
                }
                block.place = Place::Ready;
            }
        }
        let first = self.blocks.iter().position(|block| block.place == Place::Ready);
        self.turn = first.unwrap_or(0);
        first.is_some()
    }
}

impl Member<'_> {
    /// Waits at a cluster barrier for all blocks that have not exited.
    pub(super) fn wait(&self, spot: Option<Spot>) -> Outcome {
        let mut state = self.team.state.lock();
        state.blocks[self.rank].place = Place::AtBarrier(spot);
        state.hand_over();
        self.team.changed.notify_all();
        match *self.team.turn(state, self.rank) {
            State { apart: Some(_), .. } => Outcome::Missed,
            State { broken: true, .. } => Outcome::Broken,
            _ => Outcome::Opened,
        }
    }

    /// The barrier at which other blocks wait, and not at this one.
    pub(super) fn elsewhere(&self, spot: Spot) -> Spot {
        let apart = self.team.state.lock().apart;
        let other = apart.into_iter().flatten().find(|other| *other != spot);
        other.unwrap_or(spot)
    }

    /// Yields to the other blocks.
    pub(super) fn give_way(&self) {
        let mut state = self.team.state.lock();
        state.hand_over();
        self.team.changed.notify_all();
        drop(self.team.turn(state, self.rank));
    }

    /// Publishes the start of the block's shared memory of a kind, and waits for the others to do
    /// so.
    pub(super) fn publish(&self, kind: Kind, memory: *mut u8) {
        self.team.state.lock().blocks[self.rank].memories[kind as usize] = SharedMemory(memory);
        self.wait(None);
    }

    /// The address in the memory of another block that corresponds to one in that of this block,
    /// which has `dynamic` bytes of dynamic memory; `None` if there is no such block.
    pub(super) fn map(&self, place: *mut u8, rank: u64, dynamic: u32) -> Option<*mut u8> {
        let state = self.team.state.lock();
        let theirs = state.blocks.get(usize::try_from(rank).ok()?)?.memories;
        let behind = state.blocks[self.rank]
            .memories
            .map(|own| place.addr().wrapping_sub(own.0.addr()));
        let kind = match behind[Kind::Dynamic as usize] < dynamic as usize {
            true => Kind::Dynamic,
            false => Kind::Static,
        } as usize;
        Some(theirs[kind].0.wrapping_add(behind[kind]))
    }

    /// The number of blocks.
    pub(super) fn blocks(&self) -> u64 {
        self.team.state.lock().blocks.len() as u64
    }

    /// Leaves the cluster at the end of the block, with or without a fault.
    pub(crate) fn leave(mut self, faulted: bool) {
        self.faulted = faulted;
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        let mut state = self.team.state.lock();
        state.blocks[self.rank].place = Place::Left;
        state.broken |= self.faulted;
        if !state.hand_over() {
            *state = State::new(state.blocks.len());
        }
        self.team.changed.notify_all();
    }
}
