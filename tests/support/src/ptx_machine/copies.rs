//! Asynchronous copies of a thread.
//!
//! They are done as late as the manual allows, when the thread waits for them, so that code which does
//! not wait finds what was there before.

use super::memory::Memory;

/// A copy that is under way.
#[derive(Clone, Copy, Debug)]
struct Copy {
    to: u64,
    from: u64,
    bytes: u64,
}

/// The copies of a thread that are not done yet.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// In no group yet.
    open: Vec<Copy>,
    /// The oldest first.
    groups: Vec<Vec<Copy>>,
}

impl Copies {
    /// Begins one, of as many bytes as this way through the caches takes.
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

    /// Makes a group of those that are in none.
    pub(super) fn commit(&mut self) {
        self.groups.push(std::mem::take(&mut self.open));
    }

    /// Does all groups but the last ones.
    pub(super) fn wait(&mut self, pending: usize, memory: &mut Memory) -> Result<(), String> {
        let done = self.groups.len().saturating_sub(pending);
        for copy in self.groups.drain(..done).flatten() {
            memory.copy(copy.to, copy.from, copy.bytes)?;
        }
        Ok(())
    }
}
