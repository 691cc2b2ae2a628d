//! The steps of a sequence, with all that they need to run: nothing in them is borrowed.

use std::alloc::{Layout, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use super::readback::{self, To};
use crate::backend::{AllocationId, CountedRead, Extent, Interpreter, Writes};
use crate::load::kernel::{KernelDescription, KernelInfo};
use crate::memory::allocation::Allocation;

pub(super) enum Step {
    Launch(Box<Node>),
    /// Copies the bytes at an offset of a chunk of host memory.
    Write {
        to: Range,
        chunk: usize,
        offset: usize,
    },
    /// Writes copies of a pattern.
    Fill {
        to: Range,
        pattern: Box<[u8]>,
    },
    Copy {
        to: Range,
        from: Range,
    },
    /// Copies to the place of this number.
    Read {
        from: Range,
        place: usize,
    },
    ReadCounted(Box<Counted>),
    Repeat {
        turns: usize,
        body: Vec<Step>,
    },
    /// Repeats until the flag is still zero after a turn. The place of this number gets the turns that changed
    /// something, and has room for the flag behind it.
    Fixpoint {
        flag: Range,
        limit: u32,
        body: Vec<Step>,
        place: usize,
    },
}

/// A copy of as many elements as a counter says.
pub(super) struct Counted {
    /// All elements. It may be empty.
    pub(super) from: Range,
    pub(super) counter: Range,
    /// True for a counter of 64 bits.
    pub(super) is_wide: bool,
    /// The place of the count. The next one is that of the elements.
    pub(super) slot: usize,
}

/// A part of an allocation, which is not empty.
#[derive(Clone)]
pub(super) struct Range {
    pub(super) allocation: Arc<Allocation>,
    pub(super) address: u64,
    pub(super) bytes: usize,
}

/// A launch.
pub(super) struct Node {
    /// Its number among the launches of the sequence.
    pub(super) number: usize,
    pub(super) kernel: Box<dyn NodeKernel>,
    pub(super) parameters: NodeParameters,
    /// The allocations that it uses, and whether it may write them.
    pub(super) uses: Vec<(AllocationId, bool)>,
    pub(super) entry: usize,
    pub(super) extent: Extent,
    pub(super) shared_bytes: u64,
    /// The extent that the CPU reads before it runs the kernel.
    #[cfg(feature = "programs")]
    pub(super) on_host: Option<OnHost>,
}

/// An extent in memory of the CPU, for a launch of at most this grid.
#[cfg(feature = "programs")]
pub(super) struct OnHost {
    pub(super) info: &'static KernelInfo,
    pub(super) address: u64,
    pub(super) axes: usize,
    pub(super) grid: [u32; 3],
}

impl Counted {
    /// The copy, to memory of the host that is laid out so.
    pub(super) fn copy(&self, layout: &readback::Layout, memory: *mut u8) -> CountedRead {
        let (count, elements) = (layout.slots[self.slot], layout.slots[self.slot + 1]);
        let (most, size) = match elements.to {
            To::Counted { most, size } => (most as u64, size as u64),
            To::Fixed(_) | To::Count => (0, 0),
        };
        CountedRead {
            from: self.from.address,
            most,
            size,
            counter: self.counter.address,
            is_wide: self.is_wide,
            target: memory.wrapping_add(elements.offset),
            count_to: memory.wrapping_add(count.offset),
        }
    }
}

impl Node {
    /// The allocations that it may write.
    pub(super) fn writes(&self) -> Writes {
        let written = self.uses.iter().filter(|(_, writes)| *writes);
        written.map(|&(allocation, _)| allocation).collect()
    }
}

/// A kernel that a recorded launch keeps.
pub(crate) trait NodeKernel: Send + Sync {
    fn description(&self) -> &KernelDescription<'_>;

    /// Runs it on the CPU, if it has no body for the CPU.
    fn interpreter(&self) -> Option<&dyn Interpreter> {
        None
    }
}

impl NodeKernel for &'static KernelInfo {
    fn description(&self) -> &KernelDescription<'_> {
        self
    }
}

/// The parameters of a recorded launch: pointers into memory of its own.
pub(crate) struct NodeParameters {
    pointers: Box<[*const c_void]>,
    _frame: Frame,
}

// SAFETY: the pointers lead into the frame, whose contents are values that can be sent and shared.
unsafe impl Send for NodeParameters {}
// SAFETY: as above; nothing is written after the construction.
unsafe impl Sync for NodeParameters {}

impl NodeParameters {
    /// # Safety
    /// The pointers lead into the frame, which holds elements, and addresses and lengths of views.
    pub(crate) unsafe fn new(pointers: &[*const c_void], frame: Frame) -> NodeParameters {
        NodeParameters {
            pointers: pointers.into(),
            _frame: frame,
        }
    }

    pub(super) fn pointers(&self) -> &[*const c_void] {
        &self.pointers
    }
}

/// Memory that held a value, which is never dropped.
pub(crate) struct Frame {
    memory: NonNull<u8>,
    layout: Layout,
}

impl Frame {
    /// Keeps a value, and tells where it lies. Its type may have borrowed something, so nothing may be read of it that
    /// is a reference.
    pub(crate) fn of<T>(value: T) -> (Frame, NonNull<T>) {
        const { assert!(!std::mem::needs_drop::<T>(), "a launcher holds plain values and views") };
        let layout = Layout::new::<T>();
        let memory = NonNull::from(Box::leak(Box::new(value)));
        let frame = Frame {
            memory: memory.cast(),
            layout,
        };
        (frame, memory)
    }

    /// Memory of this many zeros, aligned to 64 bytes, with its address.
    #[cfg(feature = "programs")]
    pub(crate) fn zeroed(bytes: usize) -> crate::Result<(Frame, NonNull<u8>)> {
        let refused = crate::Error::out_of_memory(bytes);
        let layout = Layout::from_size_align(bytes.max(1), 64).map_err(|_| refused.clone())?;
        // SAFETY: the layout is not empty.
        let memory = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).ok_or(refused)?;
        Ok((Frame { memory, layout }, memory))
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if self.layout.size() != 0 {
            // SAFETY: the memory was allocated with this layout.
            unsafe { dealloc(self.memory.as_ptr(), self.layout) };
        }
    }
}
