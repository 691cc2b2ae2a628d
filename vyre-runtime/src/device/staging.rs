//! Host memory through which work of a device copies from and to the host without being waited for.
//!
//! Such memory is slow to allocate and to free, and work may use it after nobody wants the result any more. So it is
//! lent, with the moment when the work is over, and lent again after that.

use std::ptr::NonNull;
use std::sync::Arc;

use super::DeviceState;
use crate::backend::Moment;
use crate::error::{Error, Result};
use crate::sync::Mutex;

/// The most blocks that are kept while no work uses them.
const KEPT: usize = 8;

/// A block of such memory, aligned to 64 bytes.
pub(crate) struct Staging {
    device: &'static DeviceState,
    /// `None` without bytes, and once it was given back.
    block: Option<Block>,
    /// The end of the work that uses it.
    until: Option<Arc<dyn Moment>>,
    /// True if the end of the work is not known.
    abandoned: bool,
}

struct Block {
    memory: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it is plain memory of the host, which the block owns.
unsafe impl Send for Block {}
// SAFETY: as above; a shared reference gives the address alone.
unsafe impl Sync for Block {}

/// The blocks that may be lent again, each once its work is over.
#[derive(Default)]
pub(crate) struct StagingPool(Mutex<Vec<Kept>>);

/// A block, with the end of the work that uses it.
type Kept = (Block, Option<Arc<dyn Moment>>);

fn is_over(until: &Option<Arc<dyn Moment>>) -> bool {
    until.as_ref().is_none_or(|moment| moment.is_past())
}

impl DeviceState {
    /// Lends at least so many bytes, of any contents that are initialised.
    pub(crate) fn staging(&'static self, bytes: usize) -> Result<Staging> {
        let lent = |block| Staging {
            device: self,
            block,
            until: None,
            abandoned: false,
        };
        if bytes == 0 {
            return Ok(lent(None));
        }
        let mut pool = self.staging.0.lock();
        let fits = |(block, until): &Kept| block.bytes >= bytes && is_over(until);
        let fitting = pool.iter().enumerate().filter(|(_, kept)| fits(kept));
        if let Some((number, _)) = fitting.min_by_key(|(_, (block, _))| block.bytes) {
            return Ok(lent(Some(pool.swap_remove(number).0)));
        }
        drop(pool);
        // Few sizes, so that blocks fit again, and at most a quarter more than asked for.
        let grain = (bytes / 8 + 1).checked_next_power_of_two().map(|grain| grain.max(4096));
        let room = grain.and_then(|grain| bytes.checked_next_multiple_of(grain));
        let bytes = room.ok_or(Error::OutOfMemory {
            requested: bytes as u64,
            free: None,
        })?;
        let memory = self.backend().allocate_host(bytes)?;
        Ok(lent(Some(Block { memory, bytes })))
    }

    fn keep_staging(&self, block: Block, until: Option<Arc<dyn Moment>>) {
        let mut pool = self.staging.0.lock();
        pool.push((block, until));
        let kept = if self.backend().is_closed() { 0 } else { KEPT };
        self.trim_staging(&mut pool, kept);
    }

    /// Frees the memory that no work uses, on a device that is closed.
    pub(crate) fn end_staging(&self) {
        self.trim_staging(&mut self.staging.0.lock(), 0);
    }

    fn trim_staging(&self, pool: &mut Vec<Kept>, kept: usize) {
        // The oldest first.
        while pool.len() > kept
            && let Some(number) = pool.iter().position(|(_, until)| is_over(until))
        {
            let (block, _) = pool.remove(number);
            // SAFETY: the block is from `allocate_host`, and the work that used it is over.
            unsafe { self.backend().release_host(block.memory, block.bytes) };
        }
    }
}

impl Staging {
    pub(crate) fn pointer(&self) -> *mut u8 {
        let block = self.block.as_ref();
        block.map_or(NonNull::dangling(), |block| block.memory).as_ptr()
    }

    /// Work uses it until this moment.
    pub(crate) fn until(&mut self, moment: &Arc<dyn Moment>) {
        self.until = Some(Arc::clone(moment));
    }

    /// Work may use it for ever: it is not lent again.
    pub(crate) fn abandon(&mut self) {
        self.abandoned = true;
    }

    /// Its first bytes.
    ///
    /// # Safety
    /// No work writes them, and there are as many.
    pub(crate) unsafe fn bytes(&self, count: usize) -> &[u8] {
        // SAFETY: by the contract; all bytes were initialised.
        unsafe { std::slice::from_raw_parts(self.pointer(), count) }
    }

    /// Writes bytes to its start.
    ///
    /// # Safety
    /// No work uses it, and it has as many bytes.
    pub(crate) unsafe fn write(&mut self, bytes: &[u8]) {
        // SAFETY: by the contract.
        unsafe { self.pointer().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Some(block) = self.block.take()
            && !self.abandoned
        {
            self.device.keep_staging(block, self.until.take());
        }
    }
}

#[cfg(test)]
mod tests;
