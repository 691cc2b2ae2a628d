//! The traits of a back end: a device that opens queues, and queues that do the work.
//!
//! Everything above these traits is the same for all back ends: buffers, views, which stream must
//! follow which, checks before a launch.

mod copies;
mod graph;
mod launch_log;
mod launching;
mod limits;
mod number;
mod parameters;

pub(crate) use copies::{CountedRead, ScatteredPart};
pub(crate) use graph::{DeviceGraph, GraphNode, LoopFlag, LoopNode, NodeLaunch, Work};
pub(crate) use launch_log::LaunchLog;
pub(crate) use launching::{
    AllocationId, FaultedLaunch, Interpreter, Interpreting, Launching, PrintedText, Write, Writes,
};
pub(crate) use limits::{Extent, Limits, check_resident};
pub(crate) use number::number;
pub(crate) use parameters::Parameters;

use std::any::Any;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::load::kernel::KernelDescription;
use crate::profile::Profile;
use crate::stats::{Counters, PoolUsage};

/// A device of a back end.
pub(crate) trait Backend: Send + Sync {
    /// The name of the device, as its vendor calls it.
    fn name(&self) -> &str;

    /// The limits on launches.
    fn limits(&self) -> &Limits;

    /// The newest `.target` of PTX that loads; `None` if the device loads none.
    fn target(&self) -> Option<u32>;

    /// The number of multiprocessors.
    fn multiprocessors(&self) -> u32;

    /// Loads a kernel, if that is not done yet, or refuses it.
    fn load(&self, kernel: &KernelDescription<'_>) -> Result<()>;

    /// The profile of the device.
    fn profile(&self) -> Profile;

    /// The counters of the device.
    fn counters(&self) -> &Counters;

    /// The memory that is held.
    fn pool_usage(&self) -> Result<PoolUsage>;

    /// Keeps at most so many bytes that are not used any more.
    fn keep_memory(&self, bytes: u64) -> Result<()>;

    /// Gives back what is not used, as far as its last use was waited for.
    fn trim_memory(&self) -> Result<()>;

    /// The highest priority of queues; 0 where all are alike.
    fn max_priority(&self) -> u32;

    /// Does what the first work would wait for.
    fn prepare(&self) -> Result<()>;

    /// Waits for all work. From now on calls answer [`Error::Closed`], but for those that free or read no memory.
    fn close(&self) -> Result<()>;

    /// True after [`close`](Backend::close).
    fn is_closed(&self) -> bool;

    /// The error of all calls, once the device is lost.
    fn lost(&self) -> Option<&Error>;

    /// Memory of the host that queues copy from and to by themselves: zeros, at least one byte, aligned to at least 64.
    fn allocate_host(&self, bytes: usize) -> Result<NonNull<u8>>;

    /// Frees memory of [`allocate_host`](Backend::allocate_host).
    ///
    /// # Safety
    /// The memory is from there, of this size, was not released before, and no copy uses it.
    unsafe fn release_host(&self, memory: NonNull<u8>, bytes: usize);

    /// The driver's handle of the context; null on the CPU.
    fn raw_context(&self) -> *mut c_void;

    /// A queue of a stream that somebody else has made.
    ///
    /// # Safety
    /// The stream is of this device's context, and lives for ever.
    unsafe fn adopt_queue(&self, stream: *mut c_void) -> Result<Box<dyn Queue>>;

    /// A new graph, without parts; `None` where there are none, as on the CPU. The queue is used to prepare it.
    fn open_graph(&self, queue: &dyn Queue) -> Result<Option<Box<dyn DeviceGraph>>>;

    /// A new queue. Work of a higher priority goes first; 0 is the ordinary one.
    fn open_queue(&self, priority: u32) -> Result<Box<dyn Queue>>;
}

/// A point in the work of a queue.
pub(crate) trait Moment: Any + Send + Sync {
    /// Blocks until it is reached.
    fn wait(&self) -> Result<()>;

    /// True once it is reached.
    fn is_over(&self) -> Result<bool>;

    /// True if it is known to be reached, on a device that is closed, too.
    fn is_past(&self) -> bool;

    /// The time from an earlier moment of the same device, at least zero. Waits for both.
    fn since(&self, earlier: &dyn Moment) -> Result<Duration>;
}

/// An in-order queue. Queues may be used from any thread.
///
/// Addresses are of the device's memory. For a function that takes an address and a size, the range
/// lies within one live allocation of the same device.
pub(crate) trait Queue: Any + Send + Sync {
    /// Allocates memory for later work on this queue, of at least one byte and aligned to at least
    /// 64. Its contents are zero if `zeroed` and arbitrary otherwise.
    fn allocate(&self, bytes: usize, zeroed: bool) -> Result<u64>;

    /// Frees memory once the work already on this queue is done.
    ///
    /// # Safety
    /// The memory is from `allocate`, was not released before, and no other queue has pending work
    /// on it.
    unsafe fn release(&self, address: u64, bytes: usize) -> Result<()>;

    /// Copies from the host. Blocks until the source is no longer needed and the copy is complete.
    ///
    /// # Safety
    /// `source` points to `bytes` readable bytes, and nothing else uses the target meanwhile.
    unsafe fn write(&self, address: u64, source: *const u8, bytes: usize) -> Result<()>;

    /// Copies to the host. Blocks until the copy is complete.
    ///
    /// # Safety
    /// `target` points to `bytes` writable bytes, and nothing else writes the source meanwhile.
    unsafe fn read(&self, address: u64, target: *mut u8, bytes: usize) -> Result<()>;

    /// As [`write`](Queue::write), and may return before the copy is complete: at once if the source is from
    /// [`Backend::allocate_host`].
    ///
    /// # Safety
    /// As for `write`, until the work on this queue is done.
    unsafe fn start_write(&self, address: u64, source: *const u8, bytes: usize) -> Result<()>;

    /// As [`read`](Queue::read), and may return before the copy is complete: at once if the target is from
    /// [`Backend::allocate_host`].
    ///
    /// # Safety
    /// As for `read`, until the work on this queue is done.
    unsafe fn start_read(&self, address: u64, target: *mut u8, bytes: usize) -> Result<()>;

    /// Copies as many elements to the host as a counter says, and may return before that.
    ///
    /// # Safety
    /// There are the counter and as many elements as are copied at most, the targets have room for them, and nothing else
    /// writes any of it until the work on this queue is done.
    unsafe fn start_read_counted(&self, copy: CountedRead) -> Result<()>;

    /// Copies parts of host memory to the device, in any order, and may return before that.
    ///
    /// # Safety
    /// The memory is from [`Backend::allocate_host`], aligned to 16, and begins with a table of this many parts, which lie
    /// within it. The targets do not overlap, and nothing else uses them, or writes the memory, until the work on this queue
    /// is done.
    unsafe fn scatter(&self, memory: *const u8, parts: u32) -> Result<()>;

    /// Copies within the device.
    ///
    /// # Safety
    /// The ranges do not overlap, and the rules for memory that work on a queue uses hold for both.
    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<()>;

    /// Copies from the memory of another device of the back end, whose queue it names. True if the devices do it by
    /// themselves.
    ///
    /// # Safety
    /// The rules for memory that work on a queue uses hold for the target, and nothing writes the source until the work
    /// on this queue is done.
    unsafe fn copy_from_peer(&self, to: u64, peer: &dyn Queue, from: u64, bytes: usize) -> Result<bool>;

    /// Writes `count` copies of a pattern, each of at least one byte; `count` is at least one.
    ///
    /// # Safety
    /// The rules for memory that work on a queue uses hold, and the address is a multiple of 2 or 4
    /// if the length of the pattern is.
    unsafe fn fill(&self, address: u64, pattern: &[u8], count: usize) -> Result<()>;

    /// Makes later work on this queue wait for all current work on another queue of the same
    /// device.
    fn follow(&self, other: &dyn Queue) -> Result<()>;

    /// Runs a function on the driver's handle of the stream, null on the CPU, while the context of the device is the
    /// current one.
    fn with_raw(&self, work: &mut dyn FnMut(*mut c_void) -> Result<()>) -> Result<()>;

    /// Notes that others get the driver's handle of the stream, who may capture it.
    fn share(&self) {}

    /// Refuses a stream that somebody else captures into a graph: calls on it would make the graph invalid. The methods of
    /// this trait do the same, but for `with_raw`, and `launch` where the caller wants its work in the graph.
    fn check_uncaptured(&self) -> Result<()> {
        Ok(())
    }

    /// True if somebody captures the stream.
    ///
    /// # Errors
    /// If that has become invalid.
    fn is_captured(&self) -> Result<bool> {
        Ok(false)
    }

    /// The moment when all current work on this queue is done.
    fn record(&self) -> Result<Box<dyn Moment>>;

    /// The same without its time, where that costs less.
    fn mark(&self) -> Result<Box<dyn Moment>> {
        self.record()
    }

    /// Makes later work on this queue wait for a moment of a queue of the same device.
    fn follow_moment(&self, moment: &dyn Moment) -> Result<()>;

    /// Blocks until all work on the queue is done. Does not report faults.
    fn wait(&self) -> Result<()>;

    /// Hands all queued work to the device, without waiting for it.
    fn flush(&self) -> Result<()>;

    /// Appends the output printed by work on this queue since the last call, up to the last wait.
    fn take_printed(&self, out: &mut String) -> Result<()>;

    /// Appends the launches that have reported a fault since the last call. Sees those of all work that
    /// was waited for. If there are any, waits for all work on the queue.
    fn take_faults(&self, faulted: &mut Vec<FaultedLaunch>) -> Result<()>;

    /// Makes threads of a launch that wait for others in loops leave, as after a fault; returns what it may have written.
    /// `None` if that is impossible here, or not without harm to a later launch. The launch has begun.
    #[cfg_attr(
        not(feature = "programs"),
        allow(dead_code, reason = "for calls of programs, which come with the feature")
    )]
    fn leave(&self, launch: u64) -> Result<Option<Vec<Write>>>;

    /// True if a launch has reported a fault that was not taken. Does not wait.
    fn has_faulted(&self) -> bool;

    /// True if no work is left on the queue, and nothing that was printed, and no fault is kept.
    fn is_idle(&self) -> bool;

    /// The number of co-resident blocks of a kernel, each with `shared_bytes` bytes of dynamic
    /// shared memory.
    fn resident_blocks(&self, kernel: &KernelDescription<'_>, entry: usize, shared_bytes: u64) -> Result<u64>;

    /// The launches until now by [`launch`](Queue::launch), without those that were refused.
    fn launched(&self) -> u64;

    /// Launches a kernel, and returns the number of the launch; 0 for a kernel that cannot fault.
    ///
    /// # Safety
    /// The parameters are from a launcher of this kernel, the memory that they point to lives until
    /// this returns, the predicate of the entry holds for them, and this queue follows all conflicting
    /// work on their memory.
    unsafe fn launch(&self, launching: Launching<'_>) -> Result<u64>;
}
