//! The CPU as a device, and its queues. Calls that enqueue work return when it is done.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use vyre_abi::fault::FAULT_RECORDS;
#[cfg(feature = "cpu")]
use vyre_abi::format;
use vyre_abi::print;

#[cfg(feature = "cpu")]
use super::launch::{Failure, launch};
use super::shared::Shared;
use super::{TEAMS, WAITING, helpers};
use crate::backend::{
    Backend, CountedRead, DeviceGraph, FaultedLaunch, Interpreting, Launching, Limits, Moment, PrintedText, Queue,
    ScatteredPart, Write, check_resident,
};
#[cfg(feature = "cpu")]
use crate::body::{Extents, print::PrintSlot};
use crate::checking::Checking;
use crate::error::{Error, Result};
#[cfg(feature = "check")]
use crate::interpret::interpreter_of;
use crate::load::kernel::KernelDescription;
use crate::profile::Profile;
use crate::stats::{Counter, Counters, PoolUsage};
use crate::sync::Mutex;

/// Buffers are aligned to cache lines, which exceeds the alignment of all elements and vector
/// registers.
const ALIGNMENT: usize = 64;

/// Limit of the blocks of a cooperative launch: each is a thread of the host. Programs within it
/// should fit a small GPU too.
const RESIDENT: u64 = 32;

/// The CPU as a device.
pub(crate) struct Cpu {
    counters: Counters,
    shared: Arc<Shared>,
}

impl Cpu {
    pub(crate) fn new(checking: &Checking) -> Cpu {
        Cpu {
            counters: Counters::default(),
            shared: Arc::new(Shared::new(checking)),
        }
    }

    /// A new queue.
    pub(crate) fn queue(&self) -> Box<dyn Queue> {
        Box::new(CpuQueue {
            shared: self.shared.clone(),
            faulted: Mutex::new(Vec::new()),
            has_faulted: AtomicBool::new(false),
            launched: Counter::default(),
            printed: Mutex::new(Printed::default()),
        })
    }
}

impl Backend for Cpu {
    fn name(&self) -> &str {
        self.shared.name
    }

    fn limits(&self) -> &Limits {
        &Limits::CUDA
    }

    fn target(&self) -> Option<u32> {
        None
    }

    fn multiprocessors(&self) -> u32 {
        u32::try_from(helpers() + 1).unwrap_or(u32::MAX)
    }

    fn profile(&self) -> Profile {
        let limits = self.limits();
        Profile {
            max_block: limits.block,
            max_block_threads: limits.threads,
            max_grid: limits.grid,
            max_cluster_blocks: limits.cluster,
            multiprocessors: self.multiprocessors(),
            max_shared_bytes: limits.all_shared_bytes.into(),
            ..Profile::common("cpu", self.name())
        }
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn pool_usage(&self) -> Result<PoolUsage> {
        self.shared.check()?;
        Ok(PoolUsage {
            held: None,
            kept: 0,
            limit: None,
        })
    }

    fn keep_memory(&self, _bytes: u64) -> Result<()> {
        self.shared.check()
    }

    fn trim_memory(&self) -> Result<()> {
        self.shared.check()
    }

    fn max_priority(&self) -> u32 {
        0
    }

    fn prepare(&self) -> Result<()> {
        self.shared.check()?;
        // Starts the threads.
        helpers();
        Ok(())
    }

    fn close(&self) -> Result<()> {
        self.shared.is_shut.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn is_closed(&self) -> bool {
        // One that was refused stays, so that its error is told each time.
        self.shared.is_shut.load(Ordering::Relaxed) && self.shared.refused.is_none()
    }

    fn lost(&self) -> Option<&Error> {
        None
    }

    fn load(&self, kernel: &KernelDescription<'_>) -> Result<()> {
        self.shared.check()?;
        self.limits().check(kernel)
    }

    fn allocate_host(&self, bytes: usize) -> Result<NonNull<u8>> {
        self.shared.check()?;
        allocate(bytes)
    }

    unsafe fn release_host(&self, memory: NonNull<u8>, bytes: usize) {
        // SAFETY: the contract is the same.
        unsafe { release(memory.as_ptr(), bytes) }
    }

    fn raw_context(&self) -> *mut c_void {
        ptr::null_mut()
    }

    unsafe fn adopt_queue(&self, _stream: *mut c_void) -> Result<Box<dyn Queue>> {
        Err(Error::Unsupported {
            feature: "streams of other libraries".to_owned(),
            device: self.shared.name.to_owned(),
        })
    }

    fn open_graph(&self, _queue: &dyn Queue) -> Result<Option<Box<dyn DeviceGraph>>> {
        self.shared.check()?;
        Ok(None)
    }

    fn open_queue(&self, _priority: u32) -> Result<Box<dyn Queue>> {
        self.shared.check()?;
        Ok(self.queue())
    }
}

struct CpuQueue {
    shared: Arc<Shared>,
    /// The launches that have faulted since they were last taken: as many as a GPU has records of, and
    /// one for all later ones.
    faulted: Mutex<Vec<FaultedLaunch>>,
    /// True if there are any. Changed under the lock.
    has_faulted: AtomicBool,
    launched: Counter,
    printed: Mutex<Printed>,
}

/// The lines that were printed since the last wait.
#[derive(Default)]
struct Printed {
    text: String,
    /// Bytes that the records would take on a GPU.
    bytes: u64,
    lost: u64,
}

impl Queue for CpuQueue {
    fn allocate(&self, bytes: usize, _zeroed: bool) -> Result<u64> {
        self.shared.check()?;
        let address = allocate(bytes)?.as_ptr().expose_provenance() as u64;
        #[cfg(feature = "check")]
        if let Some(checker) = &self.shared.checker {
            checker.allocated(address, bytes, _zeroed);
        }
        Ok(address)
    }

    unsafe fn release(&self, address: u64, bytes: usize) -> Result<()> {
        #[cfg(feature = "check")]
        if let Some(checker) = &self.shared.checker {
            checker.released(address);
        }
        // SAFETY: by the contract the memory is from `allocate` and not in use.
        unsafe { release(pointer(address), bytes) };
        Ok(())
    }

    unsafe fn write(&self, address: u64, source: *const u8, bytes: usize) -> Result<()> {
        self.shared.check()?;
        self.shared.written(address, bytes);
        // SAFETY: by the contract both ranges are valid, and the source is not device memory.
        unsafe { ptr::copy_nonoverlapping(source, pointer(address), bytes) };
        Ok(())
    }

    unsafe fn read(&self, address: u64, target: *mut u8, bytes: usize) -> Result<()> {
        self.shared.check()?;
        // SAFETY: by the contract both ranges are valid, and the target is not device memory.
        unsafe { ptr::copy_nonoverlapping(pointer(address), target, bytes) };
        Ok(())
    }

    unsafe fn start_write(&self, address: u64, source: *const u8, bytes: usize) -> Result<()> {
        // SAFETY: the contract is the same.
        unsafe { self.write(address, source, bytes) }
    }

    unsafe fn start_read(&self, address: u64, target: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: the contract is the same.
        unsafe { self.read(address, target, bytes) }
    }

    unsafe fn start_read_counted(&self, copy: CountedRead) -> Result<()> {
        self.shared.check()?;
        let counter = pointer(copy.counter);
        // SAFETY: by the contract the counter is there, and so are the elements and room for them and the count.
        unsafe {
            let count = match copy.is_wide {
                true => counter.cast::<u64>().read_unaligned(),
                false => u64::from(counter.cast::<u32>().read_unaligned()),
            };
            copy.count_to.cast::<u64>().write_unaligned(count);
            let bytes = (count.min(copy.most) * copy.size) as usize;
            // The address of no elements may be 0.
            if bytes != 0 {
                ptr::copy_nonoverlapping(pointer(copy.from), copy.target, bytes);
            }
        }
        Ok(())
    }

    unsafe fn scatter(&self, memory: *const u8, parts: u32) -> Result<()> {
        self.shared.check()?;
        // SAFETY: by the contract this many parts are there, aligned to 16.
        let parts = unsafe { std::slice::from_raw_parts(memory.cast::<ScatteredPart>(), parts as usize) };
        for part in parts {
            self.shared.written(part.to, part.bytes as usize);
            // SAFETY: by the contract the part lies within the memory, and its target is valid.
            unsafe {
                let source = memory.add(part.offset as usize);
                ptr::copy_nonoverlapping(source, pointer(part.to), part.bytes as usize);
            }
        }
        Ok(())
    }

    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<()> {
        self.shared.check()?;
        #[cfg(feature = "check")]
        if let Some(checker) = &self.shared.checker {
            checker.copied(to, from, bytes);
        }
        // SAFETY: by the contract both ranges are valid and do not overlap.
        unsafe { ptr::copy_nonoverlapping(pointer(from), pointer(to), bytes) };
        Ok(())
    }

    unsafe fn copy_from_peer(&self, to: u64, _peer: &dyn Queue, from: u64, bytes: usize) -> Result<bool> {
        // SAFETY: all memory is that of the host.
        unsafe { self.copy(to, from, bytes) }.map(|()| true)
    }

    unsafe fn fill(&self, address: u64, pattern: &[u8], count: usize) -> Result<()> {
        self.shared.check()?;
        let (memory, all) = (pointer(address), pattern.len() * count);
        self.shared.written(address, all);
        // SAFETY: by the contract there is room for at least one copy of the pattern.
        unsafe { ptr::copy_nonoverlapping(pattern.as_ptr(), memory, pattern.len()) };
        let mut done = pattern.len();
        while done < all {
            let bytes = done.min(all - done);
            // SAFETY: as above; the source is initialised and ends at the start of the target.
            unsafe { ptr::copy_nonoverlapping(memory, memory.add(done), bytes) };
            done += bytes;
        }
        Ok(())
    }

    fn follow(&self, _other: &dyn Queue) -> Result<()> {
        Ok(())
    }

    fn with_raw(&self, work: &mut dyn FnMut(*mut c_void) -> Result<()>) -> Result<()> {
        work(ptr::null_mut())
    }

    fn record(&self) -> Result<Box<dyn Moment>> {
        self.shared.check()?;
        Ok(Box::new(CpuMoment {
            time: Instant::now(),
            shared: self.shared.clone(),
        }))
    }

    fn follow_moment(&self, _moment: &dyn Moment) -> Result<()> {
        self.shared.check()
    }

    fn wait(&self) -> Result<()> {
        self.shared.check()
    }

    fn flush(&self) -> Result<()> {
        self.shared.check()
    }

    fn take_printed(&self, out: &mut String) -> Result<()> {
        let printed = std::mem::take(&mut *self.printed.lock());
        out.push_str(&printed.text);
        if printed.lost != 0 {
            out.push_str(&print::lost(printed.lost));
        }
        Ok(())
    }

    fn take_faults(&self, faulted: &mut Vec<FaultedLaunch>) -> Result<()> {
        let mut own = self.faulted.lock();
        self.has_faulted.store(false, Ordering::Release);
        faulted.append(&mut own);
        Ok(())
    }

    fn leave(&self, _launch: u64) -> Result<Option<Vec<Write>>> {
        // Launches are over when they return.
        Ok(None)
    }

    fn has_faulted(&self) -> bool {
        self.has_faulted.load(Ordering::Acquire)
    }

    fn is_idle(&self) -> bool {
        let faulted = self.faulted.lock();
        let printed = self.printed.lock();
        self.shared.check().is_ok() && faulted.is_empty() && printed.text.is_empty() && printed.lost == 0
    }

    fn resident_blocks(&self, kernel: &KernelDescription<'_>, _entry: usize, shared_bytes: u64) -> Result<u64> {
        self.shared.check()?;
        Limits::CUDA.check(kernel)?;
        Limits::CUDA.check_dynamic(kernel, shared_bytes)?;
        let most = match (kernel.cooperative, kernel.cluster()) {
            (true, _) => RESIDENT,
            // Blocks of a cluster have a thread each, and other blocks get one when all others wait.
            (_, Some(cluster)) => TEAMS * u64::from(cluster.iter().product::<u32>()),
            _ => WAITING,
        };
        Ok(most)
    }

    fn launched(&self) -> u64 {
        self.launched.get()
    }

    unsafe fn launch(&self, launching: Launching<'_>) -> Result<u64> {
        let Launching {
            kernel,
            interpreter,
            extent,
            shared_bytes,
            parameters,
            writes,
            clock,
            ..
        } = launching;
        self.shared.check()?;
        // The limits are those of GPUs, so that a program that runs here also runs there. The host
        // body covers one index per thread, whatever the entries do.
        Limits::CUDA.check(kernel)?;
        let shared_bytes = Limits::CUDA.check_dynamic(kernel, shared_bytes)?;
        let grid = extent.grid(kernel, 1, &Limits::CUDA)?;
        if kernel.cooperative {
            check_resident(kernel, grid, RESIDENT)?;
        }
        // SAFETY: here and below, the arguments are those of a launcher of this kernel, and nothing else
        // accesses their memory in a conflicting way, because work on the CPU is done when a call returns
        // and the borrows of a launch last for its call.
        #[cfg(feature = "check")]
        let interpreter = match (interpreter, &self.shared.checker) {
            (None, Some(_)) => Some(interpreter_of(kernel)?),
            (interpreter, _) => interpreter,
        };
        let done = match interpreter {
            Some(interpreter) => {
                // No lock while it runs: what several launches of one queue print at the same time is held by each.
                let kept = self.printed.lock().text.len() as u64;
                let mut own = PrintedText {
                    room: print::CAPACITY.saturating_sub(kept),
                    ..PrintedText::default()
                };
                let launch = Interpreting {
                    parameters: parameters.pointers(),
                    grid,
                    shared_bytes,
                    #[cfg(feature = "check")]
                    checker: self.shared.checker.as_ref(),
                };
                // SAFETY: as above.
                let done = unsafe { interpreter.run(launch, &mut own) };
                let mut printed = self.printed.lock();
                printed.text += &own.text;
                printed.lost += own.lost;
                done
            }
            #[cfg(feature = "cpu")]
            None => {
                let extents = Extents {
                    grid,
                    shared_bytes,
                    cooperative: kernel.cooperative,
                    cluster: kernel.cluster(),
                };
                // SAFETY: as above.
                unsafe { self.run_body(kernel, parameters.pointers(), extents) }
            }
            // The device was refused.
            #[cfg(not(feature = "cpu"))]
            None => Ok(()),
        };
        let launch = clock.fetch_add(1, Ordering::Relaxed) + 1;
        self.launched.add(1);
        if let Err(error) = done {
            let writes = writes.iter().map(|&allocation| Write { launch, allocation });
            let mut faulted = self.faulted.lock();
            self.has_faulted.store(true, Ordering::Release);
            keep(
                &mut faulted,
                FaultedLaunch {
                    launch,
                    error,
                    writes: writes.collect(),
                },
            );
        }
        Ok(launch)
    }
}

#[cfg(feature = "cpu")]
impl CpuQueue {
    /// Runs the body of a kernel for the blocks of a launch.
    ///
    /// # Safety
    /// That of [`launch`].
    unsafe fn run_body(
        &self,
        kernel: &KernelDescription<'_>,
        arguments: &[*const c_void],
        extents: Extents,
    ) -> Result<()> {
        let run = |slot: &PrintSlot| {
            // SAFETY: the contract is the same.
            unsafe { launch(kernel.host, arguments, extents, slot) }.map_err(|failure| match failure {
                Failure::Fault(fault) => {
                    Error::from(fault.site.fault(kernel.name, &fault.values, fault.block, fault.thread))
                }
                Failure::Stopped(reason) => Error::Stopped {
                    kernel: kernel.name.to_owned().into(),
                    reason,
                },
            })
        };
        if kernel.prints.is_empty() {
            return run(&PrintSlot::new(0));
        }
        let mut printed = self.printed.lock();
        let slot = PrintSlot::new(print::CAPACITY - printed.bytes);
        let done = run(&slot);
        let (lines, room, lost) = slot.into_parts();
        printed.bytes = print::CAPACITY - room;
        printed.lost += lost;
        for line in lines {
            printed.text += &format::render(kernel.prints[line.site], &line.values);
        }
        done
    }
}

/// Memory with zeros.
fn allocate(bytes: usize) -> Result<NonNull<u8>> {
    let refused = Error::OutOfMemory {
        requested: bytes as u64,
        free: None,
    };
    let Ok(layout) = Layout::from_size_align(bytes.max(1), ALIGNMENT) else {
        return Err(refused);
    };
    // Always zeroed: the system provides the pages of large buffers zeroed anyway, and
    // uninitialised bytes could not be read as values. SAFETY: the layout is not empty.
    NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(refused)
}

/// Frees memory.
///
/// # Safety
/// It is from `allocate`, of this size, and not in use.
unsafe fn release(memory: *mut u8, bytes: usize) {
    // SAFETY: the layout is the one that `allocate` has checked.
    let layout = unsafe { Layout::from_size_align_unchecked(bytes.max(1), ALIGNMENT) };
    // SAFETY: by the contract.
    unsafe { dealloc(memory, layout) };
}

/// The time when the work before it was done.
struct CpuMoment {
    time: Instant,
    shared: Arc<Shared>,
}

impl Moment for CpuMoment {
    fn wait(&self) -> Result<()> {
        self.shared.check()
    }

    fn is_over(&self) -> Result<bool> {
        self.shared.check().map(|()| true)
    }

    fn is_past(&self) -> bool {
        true
    }

    fn since(&self, earlier: &dyn Moment) -> Result<Duration> {
        self.shared.check()?;
        let earlier = (earlier as &dyn Any).downcast_ref::<CpuMoment>();
        Ok(earlier.map_or(Duration::ZERO, |earlier| {
            self.time.saturating_duration_since(earlier.time)
        }))
    }
}

/// Adds a launch that has faulted, without its fault if there are too many.
fn keep(faulted: &mut Vec<FaultedLaunch>, launch: FaultedLaunch) {
    let records = FAULT_RECORDS as usize;
    if faulted.len() < records {
        return faulted.push(launch);
    }
    if faulted.len() == records {
        faulted.push(FaultedLaunch {
            launch: launch.launch,
            error: Error::LostFault { records: FAULT_RECORDS },
            writes: Vec::new(),
        });
    }
    let lost = &mut faulted[records].writes;
    for write in launch.writes {
        match lost.iter_mut().find(|known| known.allocation == write.allocation) {
            Some(known) => *known = write,
            None => lost.push(write),
        }
    }
}

fn pointer(address: u64) -> *mut u8 {
    ptr::with_exposed_provenance_mut(address as usize)
}
