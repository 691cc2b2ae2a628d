//! The blocks of a cluster, which wait for each other and access each other's shared memory.
//!
//! Each runs on a thread of its own, but one at a time, so that shared memory needs no atomic access here
//! either: a block goes on until it stands at a barrier of the cluster, only waits, or ends, and hands
//! over to the next. The threads stay together for one cluster after the other.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The threads that run the blocks of a cluster, and where each stands.
#[derive(Debug)]
pub(crate) struct Team {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// The cluster that runs, once the first block has asked which that is; `Some(None)`: there is no more.
    cluster: Option<Option<u64>>,
    /// The block that runs.
    turn: usize,
    blocks: Vec<Block>,
    /// True once a block of this cluster has faulted.
    broken: bool,
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
    AtBarrier,
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

// SAFETY: the memory is accessed by the thread alone whose turn it is.
unsafe impl Send for SharedMemory {}

const FRESH: Block = Block {
    place: Place::Ready,
    memories: [SharedMemory(std::ptr::null_mut()); 2],
};

/// A block of a cluster that runs. It leaves when this is dropped.
#[derive(Debug)]
pub(crate) struct Member<'t> {
    team: &'t Team,
    rank: usize,
    faulted: bool,
}

impl Team {
    /// A team for clusters of so many blocks.
    pub(crate) fn new(blocks: usize) -> Self {
        Team {
            state: Mutex::new(State::new(blocks)),
            changed: Condvar::new(),
        }
    }

    /// Waits for a turn in the next cluster, of which `next` tells the first block; gives its number, unless
    /// there is none.
    pub(crate) fn begin(&self, rank: usize, next: impl FnOnce() -> Option<u64>) -> Option<(u64, Member<'_>)> {
        let mut state = self.state();
        if rank == 0 {
            // Until all blocks have left the last one.
            while state.cluster.is_some() {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
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

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is the turn of a block that is ready, or the end.
    fn turn<'s>(&self, mut state: MutexGuard<'s, State>, rank: usize) -> MutexGuard<'s, State> {
        while state.cluster != Some(None) && !state.runs(rank) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
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
        }
    }

    fn runs(&self, rank: usize) -> bool {
        self.cluster.is_some() && self.turn == rank && self.blocks[rank].place == Place::Ready
    }

    /// Gives the turn to the next block that is ready; if there is none, the barrier opens. Says whether any
    /// block is left.
    fn hand_over(&mut self) -> bool {
        let count = self.blocks.len();
        let ready = |&rank: &usize| self.blocks[rank].place == Place::Ready;
        if let Some(next) = (1..=count).map(|step| (self.turn + step) % count).find(ready) {
            self.turn = next;
            return true;
        }
        for block in &mut self.blocks {
            if block.place == Place::AtBarrier {
                block.place = Place::Ready;
            }
        }
        let first = self.blocks.iter().position(|block| block.place == Place::Ready);
        self.turn = first.unwrap_or(0);
        first.is_some()
    }
}

impl Member<'_> {
    /// Waits at a barrier of the cluster for all blocks that have not left. False where one of them has
    /// faulted.
    pub(super) fn wait(&self) -> bool {
        let mut state = self.team.state();
        state.blocks[self.rank].place = Place::AtBarrier;
        state.hand_over();
        self.team.changed.notify_all();
        !self.team.turn(state, self.rank).broken
    }

    /// Lets the other blocks run.
    pub(super) fn give_way(&self) {
        let mut state = self.team.state();
        state.hand_over();
        self.team.changed.notify_all();
        drop(self.team.turn(state, self.rank));
    }

    /// Tells where the block's shared memory of a kind begins, and waits for the others to do so.
    pub(super) fn publish(&self, kind: Kind, memory: *mut u8) {
        self.team.state().blocks[self.rank].memories[kind as usize] = SharedMemory(memory);
        self.wait();
    }

    /// The place in the memory of another block that corresponds to one in that of this block, which has so many
    /// bytes of dynamic memory; `None` where there is no such block.
    pub(super) fn map(&self, place: *mut u8, rank: u64, dynamic: u32) -> Option<*mut u8> {
        let state = self.team.state();
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
        self.team.state().blocks.len() as u64
    }

    /// The block has ended, by a fault or as it should.
    pub(crate) fn leave(mut self, faulted: bool) {
        self.faulted = faulted;
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        let mut state = self.team.state();
        state.blocks[self.rank].place = Place::Left;
        state.broken |= self.faulted;
        if !state.hand_over() {
            *state = State::new(state.blocks.len());
        }
        self.team.changed.notify_all();
    }
}
