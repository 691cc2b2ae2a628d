//! Asynchronous copies of a thread.
//!
//! They are executed as late as the manual allows, when the thread waits for them, so that code
//! without a wait reads the old values.

use super::memory::Memory;

/// A pending copy.
#[derive(Clone, Copy, Debug)]
struct Copy {
    to: u64,
    from: u64,
    bytes: u64,
}

/// The pending copies of a thread.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// In no group yet.
    open: Vec<Copy>,
    /// The oldest first.
    groups: Vec<Vec<Copy>>,
    /// Barriers that wait for the copies.
    barriers: Vec<u64>,
}

impl Copies {
    /// Starts a copy, of as many bytes as the cache operator allows.
    pub(super) fn begin(&mut self, cache: &str, [to, from]: [u64; 2], bytes: u64) -> Result<(), String> {
        match (cache, bytes) {
            ("ca", 4 | 8 | 16) | ("cg", 16) => {}
            _ => return Err("no copy takes so many bytes".to_owned()),
        }
        if !to.is_multiple_of(bytes) || !from.is_multiple_of(bytes) {
            return Err(format!(
                "a copy of {bytes} bytes from {from:#x} to {to:#x} is not aligned"
            ));
        }
        self.open.push(Copy { to, from, bytes });
        Ok(())
    }

    /// Makes a group of the copies that are in none.
    pub(super) fn commit(&mut self) {
        self.groups.push(std::mem::take(&mut self.open));
    }

    /// Makes a barrier wait for the pending copies.
    pub(super) fn hold(&mut self, barrier: u64, memory: &mut Memory) -> Result<(), String> {
        let state = memory.read(barrier, 8)?;
        memory.write(barrier, 8, state + MISSING)?;
        self.barriers.push(barrier);
        Ok(())
    }

    /// Executes all copies that barriers wait for, and arrives there.
    pub(super) fn finish(&mut self, memory: &mut Memory) -> Result<(), String> {
        if self.barriers.is_empty() {
            return Ok(());
        }
        for copy in self.groups.drain(..).flatten().chain(self.open.drain(..)) {
            memory.copy(copy.to, copy.from, copy.bytes)?;
        }
        for barrier in self.barriers.drain(..) {
            arrive(barrier, memory)?;
        }
        Ok(())
    }

    /// Executes all groups but the last `pending` ones.
    pub(super) fn wait(&mut self, pending: usize, memory: &mut Memory) -> Result<(), String> {
        let done = self.groups.len().saturating_sub(pending);
        for copy in self.groups.drain(..done).flatten() {
            memory.copy(copy.to, copy.from, copy.bytes)?;
        }
        Ok(())
    }
}

// The layout of a barrier: the number of its phase, expected and pending arrivals.
const MISSING: u64 = 1;
const COUNT: u64 = 1 << 21;
const PHASE: u64 = 1 << 42;

/// The initial state of a barrier for `count` arrivals.
pub(super) fn barrier(count: u64) -> Result<u64, String> {
    match count {
        1..0x10_0000 => Ok(count * COUNT + count * MISSING),
        _ => Err("no barrier is for so many".to_owned()),
    }
}

/// Arrives; returns the previous state.
pub(super) fn arrive(barrier: u64, memory: &mut Memory) -> Result<u64, String> {
    let state = memory.read(barrier, 8)?;
    let (phase, count, missing) = (state / PHASE, state % PHASE / COUNT, state % COUNT);
    if count == 0 || missing == 0 {
        return Err("no barrier is there".to_owned());
    }
    let new = match missing {
        1 => ((phase + 1) % (u64::MAX / PHASE)) * PHASE + count * COUNT + count,
        _ => state - MISSING,
    };
    memory.write(barrier, 8, new)?;
    Ok(state)
}

/// True if the phase of an earlier state is complete.
pub(super) fn is_over(state: u64, earlier: u64) -> bool {
    state / PHASE != earlier / PHASE
}
