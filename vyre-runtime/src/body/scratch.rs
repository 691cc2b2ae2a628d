//! Memory that a worker reuses from block to block.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr::NonNull;

use super::exchange::Exchanges;
use super::warp::Warps;

/// A region that grows to the largest requested layout. Its bytes are always initialised.
#[derive(Debug)]
pub(crate) struct Region {
    pointer: Cell<NonNull<u8>>,
    layout: Cell<Layout>,
}

impl Region {
    pub(crate) const fn new() -> Self {
        Region {
            pointer: Cell::new(NonNull::dangling()),
            layout: Cell::new(Layout::new::<()>()),
        }
    }

    /// A pointer to memory of at least this layout. It stays valid until the next call; the content
    /// is that of the previous use, initially zero.
    pub(super) fn get(&self, layout: Layout) -> NonNull<u8> {
        let held = self.layout.get();
        if layout.size() <= held.size() && layout.align() <= held.align() {
            return self.pointer.get();
        }
        let size = layout.size().max(held.size()).max(1);
        let align = layout.align().max(held.align());
        let Ok(grown) = Layout::from_size_align(size, align) else {
            handle_alloc_error(layout)
        };
        // SAFETY: the size is at least 1.
        let Some(pointer) = NonNull::new(unsafe { alloc_zeroed(grown) }) else {
            handle_alloc_error(grown)
        };
        self.release();
        self.pointer.set(pointer);
        self.layout.set(grown);
        pointer
    }

    fn release(&self) {
        let layout = self.layout.get();
        if layout.size() != 0 {
            // SAFETY: a layout of non-zero size is that of the allocation in `pointer`.
            unsafe { dealloc(self.pointer.get().as_ptr(), layout) };
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        self.release();
    }
}

/// The memory that a worker keeps between blocks: the shared memory of a block, static and dynamic, the futures of its threads,
/// or what they keep between regions, and their exchanges.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(super) shared: Region,
    pub(super) dynamic: Region,
    pub(super) futures: Region,
    pub(super) kept: Region,
    pub(super) warps: Warps,
    pub(super) exchanges: Exchanges,
}

impl Scratch {
    pub(crate) const fn new() -> Self {
        Scratch {
            shared: Region::new(),
            dynamic: Region::new(),
            futures: Region::new(),
            kept: Region::new(),
            warps: Warps::new(),
            exchanges: Exchanges::new(),
        }
    }
}

#[cfg(test)]
mod tests;
