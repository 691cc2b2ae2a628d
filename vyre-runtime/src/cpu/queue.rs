//! The CPU as a device, and its queues. Calls that enqueue work return when it is done.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::ptr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use vyre_abi::fault::{FAULT_RECORDS, Fault};
use vyre_abi::{format, print};

use super::launch::launch;
use super::pool;
use crate::backend::{Backend, FaultedLaunch, Launching, Limits, Moment, Queue, Write, check_resident};
use crate::body::print::PrintSlot;
use crate::body::{Extents, HostFault};
use crate::error::{Error, Result};
use crate::load::kernel::KernelDescription;
use crate::profile::Profile;
use crate::stats::{Counters, PoolUsage};
use crate::sync::Mutex;

/// Buffers are aligned to cache lines, which exceeds the alignment of all elements and vector
/// registers.
const ALIGNMENT: usize = 64;

/// Limit of the blocks of a cooperative launch: each is a thread of the host. Programs within it
/// should fit a small GPU too.
const RESIDENT: u64 = 32;

/// The CPU as a device.
#[derive(Default)]
pub(crate) struct Cpu {
    counters: Counters,
}

/// A queue of the CPU.
pub(crate) fn queue() -> Box<dyn Queue> {
    Box::new(CpuQueue {
        faulted: Mutex::new(Vec::new()),
        printed: Mutex::new(Printed::default()),
    })
}

impl Backend for Cpu {
    fn name(&self) -> &str {
        "CPU"
    }

    fn limits(&self) -> &Limits {
        &Limits::CUDA
    }

    fn target(&self) -> Option<u32> {
        None
    }

    fn multiprocessors(&self) -> u32 {
        u32::try_from(pool::helpers() + 1).unwrap_or(u32::MAX)
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
        Ok(PoolUsage {
            held: None,
            kept: 0,
            limit: None,
        })
    }

    fn keep_memory(&self, _bytes: u64) -> Result<()> {
        Ok(())
    }

    fn trim_memory(&self) -> Result<()> {
        Ok(())
    }

    fn max_priority(&self) -> u32 {
        0
    }

    fn open_queue(&self, _priority: u32) -> Result<Box<dyn Queue>> {
        Ok(queue())
    }
}

struct CpuQueue {
    /// The launches that have faulted since they were last taken: as many as a GPU has records of, and
    /// one for all later ones.
    faulted: Mutex<Vec<FaultedLaunch>>,
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
        let refused = Error::OutOfMemory {
            requested: bytes as u64,
            free: None,
        };
        let Ok(layout) = Layout::from_size_align(bytes.max(1), ALIGNMENT) else {
            return Err(refused);
        };
        // Always zeroed: the system provides the pages of large buffers zeroed anyway, and
        // uninitialised bytes could not be read as values. SAFETY: the layout is not empty.
        let memory = unsafe { alloc_zeroed(layout) };
        match memory.is_null() {
            true => Err(refused),
            false => Ok(memory.expose_provenance() as u64),
        }
    }

    unsafe fn release(&self, address: u64, bytes: usize) -> Result<()> {
        // SAFETY: the layout is the one that `allocate` has checked.
        let layout = unsafe { Layout::from_size_align_unchecked(bytes.max(1), ALIGNMENT) };
        // SAFETY: by the contract the memory is from `allocate` and not in use.
        unsafe { dealloc(pointer(address), layout) };
        Ok(())
    }

    unsafe fn write(&self, address: u64, source: *const u8, bytes: usize) -> Result<()> {
        // SAFETY: by the contract both ranges are valid, and the source is not device memory.
        unsafe { ptr::copy_nonoverlapping(source, pointer(address), bytes) };
        Ok(())
    }

    unsafe fn read(&self, address: u64, target: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: by the contract both ranges are valid, and the target is not device memory.
        unsafe { ptr::copy_nonoverlapping(pointer(address), target, bytes) };
        Ok(())
    }

    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<()> {
        // SAFETY: by the contract both ranges are valid and do not overlap.
        unsafe { ptr::copy_nonoverlapping(pointer(from), pointer(to), bytes) };
        Ok(())
    }

    unsafe fn fill(&self, address: u64, pattern: &[u8], count: usize) -> Result<()> {
        let (memory, all) = (pointer(address), pattern.len() * count);
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

    fn record(&self) -> Result<Box<dyn Moment>> {
        Ok(Box::new(CpuMoment(Instant::now())))
    }

    fn follow_moment(&self, _moment: &dyn Moment) -> Result<()> {
        Ok(())
    }

    fn wait(&self) -> Result<()> {
        Ok(())
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
        faulted.append(&mut self.faulted.lock());
        Ok(())
    }

    fn is_idle(&self) -> bool {
        let faulted = self.faulted.lock();
        let printed = self.printed.lock();
        faulted.is_empty() && printed.text.is_empty() && printed.lost == 0
    }

    fn resident_blocks(&self, kernel: &KernelDescription<'_>, _entry: usize, shared_bytes: u32) -> Result<u64> {
        Limits::CUDA.check(kernel)?;
        Limits::CUDA.check_dynamic(kernel, shared_bytes)?;
        Ok(RESIDENT)
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
        // The limits are those of GPUs, so that a program that runs here also runs there. The host
        // body covers one index per thread, whatever the entries do.
        Limits::CUDA.check(kernel)?;
        Limits::CUDA.check_dynamic(kernel, shared_bytes)?;
        let grid = extent.grid(kernel, 1, &Limits::CUDA)?;
        if kernel.cooperative {
            check_resident(kernel, grid, RESIDENT)?;
        }
        let extents = Extents {
            grid,
            shared_bytes,
            cooperative: kernel.cooperative,
            cluster: kernel.cluster(),
        };
        let described = |fault: HostFault| Error::from(describe(kernel, &fault));
        // SAFETY: here and below, the arguments are those of a launcher of this kernel, and nothing else
        // accesses their memory in a conflicting way, because work on the CPU is done when a call returns
        // and the borrows of a launch last for its call.
        let done = match (interpreter, kernel.prints) {
            (Some(interpreter), _) => {
                let mut text = String::new();
                // SAFETY: as above.
                let done = unsafe { interpreter.run(parameters.pointers(), grid, shared_bytes, &mut text) };
                self.printed.lock().text += &text;
                done
            }
            (None, []) => {
                let slot = PrintSlot::new(0);
                // SAFETY: as above.
                unsafe { launch(kernel.host, parameters.pointers(), extents, &slot) }.map_err(described)
            }
            (None, templates) => {
                let mut printed = self.printed.lock();
                let slot = PrintSlot::new(print::CAPACITY - printed.bytes);
                // SAFETY: as above.
                let done = unsafe { launch(kernel.host, parameters.pointers(), extents, &slot) };
                let (lines, room, lost) = slot.into_parts();
                printed.bytes = print::CAPACITY - room;
                printed.lost += lost;
                for line in lines {
                    printed.text += &format::render(templates[line.site], &line.values);
                }
                done.map_err(described)
            }
        };
        let launch = clock.fetch_add(1, Ordering::Relaxed) + 1;
        if let Err(error) = done {
            let writes = writes().into_iter().map(|allocation| Write { launch, allocation });
            keep(
                &mut self.faulted.lock(),
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

/// The time when the work before it was done.
struct CpuMoment(Instant);

impl Moment for CpuMoment {
    fn wait(&self) -> Result<()> {
        Ok(())
    }

    fn is_over(&self) -> Result<bool> {
        Ok(true)
    }

    fn since(&self, earlier: &dyn Moment) -> Result<Duration> {
        let earlier = (earlier as &dyn Any).downcast_ref::<CpuMoment>();
        Ok(earlier.map_or(Duration::ZERO, |earlier| self.0.saturating_duration_since(earlier.0)))
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

fn describe(kernel: &KernelDescription<'_>, fault: &HostFault) -> Fault {
    fault.site.fault(kernel.name, &fault.values, fault.block, fault.thread)
}

fn pointer(address: u64) -> *mut u8 {
    ptr::with_exposed_provenance_mut(address as usize)
}
