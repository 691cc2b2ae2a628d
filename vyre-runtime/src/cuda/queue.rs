//! A CUDA stream, as a queue.

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

#[cfg(feature = "graphs")]
use cudarc::driver::sys::CUgraphExec;
use cudarc::driver::sys::{CUevent, CUevent_flags, CUstream, CUstream_flags};

use super::calls::Flight;
use super::context::Context;
use super::driver::{NOT_READY, SUCCESS, call};
use super::event::{CudaMoment, Time};
use super::fault::FaultLink;
use super::fill::fill;
use super::graph::QueuedGraphs;
#[cfg(feature = "graphs")]
use super::graph::{Held, taking_memory};
use super::print::PrintLink;
use crate::backend::{CountedRead, FaultedLaunch, LaunchLog, Launching, Moment, Queue, Write, check_resident};
use crate::error::{Error, Result};
use crate::load::kernel::KernelDescription;
use crate::stats::Counter;
use crate::sync::Mutex;

/// Tries, one in a millisecond, to get the lock by which a late launch is made to leave.
const LEAVE_TRIES: u32 = 100;

pub(super) struct CudaQueue {
    context: Arc<Context>,
    stream: CUstream,
    /// True if somebody else has made the stream, and keeps it.
    adopted: bool,
    /// True if others may capture the stream: they have made it, or have got its handle.
    pub(super) shared: AtomicBool,
    /// Memory to be freed once the stream is not captured any more, and true if there is any.
    pub(super) deferred: Mutex<Vec<u64>>,
    pub(super) has_deferred: AtomicBool,
    /// Recorded when another queue follows this one. A stream that waits for an event waits for its
    /// latest record at that time, so one event can be reused.
    event: CUevent,
    faults: FaultLink,
    prints: PrintLink,
    /// The graphs that were launched on it.
    graphs: QueuedGraphs,
    /// Changed under the lock of `launches`.
    launched: Counter,
    /// The kernels launched last, for the error of a lost device. It outlives the queue.
    flight: &'static Flight,
    /// Locked while work is enqueued on the stream, so that launches are numbered in the order in which
    /// they run, and while the event is recorded, so that the event either covers a launch or is
    /// recorded before it.
    launches: Mutex<Launches>,
}

/// The launches of a stream that may still report a fault.
struct Launches {
    log: LaunchLog,
    /// The number of the last launch.
    last: u64,
    /// An event, and the number of the last launch before it. Null before the log is long.
    milestone: (CUevent, u64),
    /// The length of the log at which to look for launches that are over.
    limit: usize,
}

/// Entries of a log between two looks at it. The driver holds back the host at about a thousand launches
/// in flight, so most entries are of launches that are over.
const LOG: usize = 8192;

// SAFETY: the driver accepts its handles from any thread; the fault record is accessed atomically,
// or under the lock.
unsafe impl Send for CudaQueue {}
// SAFETY: as above.
unsafe impl Sync for CudaQueue {}

impl CudaQueue {
    /// The priority is at most that of [`Context::max_priority`].
    pub(super) fn open(context: Arc<Context>, priority: u32) -> Result<CudaQueue> {
        let mut queue = CudaQueue::new(context, ptr::null_mut(), false);
        let (driver, _bound) = (queue.context.driver(), queue.context.bind()?);
        // SAFETY: the context is current, and the pointer is valid for the call.
        unsafe {
            call!(
                driver,
                // For the driver lower numbers are higher priorities.
                cuStreamCreateWithPriority(
                    &mut queue.stream,
                    CUstream_flags::CU_STREAM_NON_BLOCKING as u32,
                    -(priority as c_int)
                )
            )?
        };
        queue.prepare()
    }

    /// A queue of a stream that somebody else has made.
    ///
    /// # Safety
    /// The stream is of this context, and lives for ever.
    pub(super) unsafe fn adopt(context: Arc<Context>, stream: CUstream) -> Result<CudaQueue> {
        let _bound = context.bind()?;
        context.driver().check_uncaptured(stream)?;
        CudaQueue::new(context, stream, true).prepare()
    }

    /// A queue whose other resources are made by `prepare`, each of which is kept at once, so that `Drop` gives it back.
    fn new(context: Arc<Context>, stream: CUstream, adopted: bool) -> CudaQueue {
        CudaQueue {
            context,
            stream,
            adopted,
            shared: AtomicBool::new(adopted),
            deferred: Mutex::default(),
            has_deferred: AtomicBool::new(false),
            event: ptr::null_mut(),
            faults: FaultLink::closed(),
            prints: PrintLink::closed(),
            graphs: QueuedGraphs::default(),
            launched: Counter::default(),
            flight: Box::leak(Box::default()),
            launches: Mutex::new(Launches {
                log: LaunchLog::default(),
                last: 0,
                milestone: (ptr::null_mut(), 0),
                limit: LOG,
            }),
        }
    }

    /// A queue of this back end.
    pub(super) fn own<'q>(context: &Context, queue: &'q dyn Queue) -> Result<&'q CudaQueue> {
        let own = (queue as &dyn Any).downcast_ref::<CudaQueue>();
        own.ok_or_else(|| Error::unsupported("work with the queue of another back end", &context.name()))
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(super) fn stream(&self) -> CUstream {
        self.stream
    }

    fn prepare(mut self) -> Result<CudaQueue> {
        let driver = self.context.driver();
        // SAFETY: the context is current, and the pointer is valid for the call.
        unsafe {
            call!(
                driver,
                cuEventCreate(&mut self.event, CUevent_flags::CU_EVENT_DISABLE_TIMING as u32)
            )?
        };
        self.faults.open(&self.context, self.stream)?;
        driver.add_flight(self.stream, self.flight);
        Ok(self)
    }

    /// Drops launches that are over from the log, unless one of them has reported a fault.
    #[cold]
    fn trim(&self, launches: &mut Launches) -> Result<()> {
        let driver = self.context.driver();
        let _bound = self.context.bind()?;
        let (event, number) = &mut launches.milestone;
        // SAFETY: the pointer is valid for the call; the stream and the event are of the current
        // context.
        unsafe {
            if event.is_null() {
                call!(
                    driver,
                    cuEventCreate(event, CUevent_flags::CU_EVENT_DISABLE_TIMING as u32)
                )?;
            } else if (driver.cuEventQuery)(*event) == SUCCESS && !self.faults.is_written() {
                launches.log.forget(*number);
            }
            call!(driver, cuEventRecord(*event, self.stream))?;
        }
        self.context.counters().events_recorded.add(1);
        *number = launches.last;
        launches.limit = launches.log.len() + LOG;
        Ok(())
    }
}

#[cfg(feature = "graphs")]
impl CudaQueue {
    pub(super) fn graphs(&self) -> &QueuedGraphs {
        &self.graphs
    }

    /// Queues a graph, which so many bytes describe and which launches these kernels, while the result of `before` is held,
    /// and returns that. The context is current.
    pub(super) fn launch_graph<'g>(
        &self,
        (graph, bytes): (CUgraphExec, usize),
        kernels: &[u64],
        before: impl FnOnce() -> Result<Held<'g>>,
    ) -> Result<Held<'g>> {
        self.refuse_captured()?;
        let _held = self.launches.lock();
        let channel = before()?;
        for &kernel in kernels {
            self.flight.add(kernel);
        }
        // SAFETY: the graph and the stream are of the current context.
        taking_memory(&self.context, bytes, "cuGraphLaunch", || unsafe {
            (self.context.driver().graphs.cuGraphLaunch)(graph, self.stream)
        })?;
        Ok(channel)
    }
}

impl Queue for CudaQueue {
    fn allocate(&self, bytes: usize, zeroed: bool) -> Result<u64> {
        let _bound = self.bind()?;
        let address = self.context.allocate(bytes, self.stream)?;
        if zeroed {
            // SAFETY: the memory has this many bytes, and is used in the order of this stream.
            let cleared = unsafe { call!(self.context.driver(), cuMemsetD8Async(address, 0, bytes, self.stream)) };
            if let Err(error) = cleared {
                // SAFETY: the memory is not shared yet. The first error is the one to report.
                let _ = unsafe { self.context.release(address, self.stream) };
                return Err(error);
            }
        }
        Ok(address)
    }

    unsafe fn release(&self, address: u64, _bytes: usize) -> Result<()> {
        if matches!(self.refuse_captured(), Err(Error::StreamCaptured { .. })) {
            self.defer(address);
            return Ok(());
        }
        self.release_deferred(&self.context)?;
        // SAFETY: the contract is the same.
        unsafe { self.context.release(address, self.stream) }
    }

    unsafe fn write(&self, address: u64, source: *const u8, bytes: usize) -> Result<()> {
        let driver = self.context.driver();
        let _bound = self.bind()?;
        // SAFETY: by the contract both ranges are valid. Depending on the kind of source memory,
        // the driver may still read it when the copy returns, so the stream is synchronized.
        unsafe {
            call!(driver, cuMemcpyHtoDAsync_v2(address, source.cast(), bytes, self.stream))?;
            call!(driver, cuStreamSynchronize(self.stream))
        }
    }

    unsafe fn read(&self, address: u64, target: *mut u8, bytes: usize) -> Result<()> {
        let driver = self.context.driver();
        let _bound = self.bind()?;
        // SAFETY: by the contract both ranges are valid until the stream has been synchronized.
        unsafe {
            call!(driver, cuMemcpyDtoHAsync_v2(target.cast(), address, bytes, self.stream))?;
            call!(driver, cuStreamSynchronize(self.stream))
        }
    }

    unsafe fn start_write(&self, address: u64, source: *const u8, bytes: usize) -> Result<()> {
        let driver = self.context.driver();
        let _bound = self.bind_to_queue()?;
        // Without the lock, for memory that is not pinned: then the driver may return when the copy is over.
        // SAFETY: by the contract both ranges are valid until the work on this stream is done.
        unsafe { call!(driver, cuMemcpyHtoDAsync_v2(address, source.cast(), bytes, self.stream)) }
    }

    unsafe fn start_read(&self, address: u64, target: *mut u8, bytes: usize) -> Result<()> {
        let driver = self.context.driver();
        let _bound = self.bind_to_queue()?;
        // Without the lock, for memory that is not pinned: then the driver may return when the copy is over.
        // SAFETY: by the contract both ranges are valid until the work on this stream is done.
        unsafe { call!(driver, cuMemcpyDtoHAsync_v2(target.cast(), address, bytes, self.stream)) }
    }

    unsafe fn start_read_counted(&self, copy: CountedRead) -> Result<()> {
        let _bound = self.bind_to_queue()?;
        let copies = self.context.copies()?;
        let _held = self.launches.lock();
        // SAFETY: the contract is the same, and the context is current.
        unsafe { copies.start_counted(&self.context, self.stream, &copy) }
    }

    unsafe fn scatter(&self, memory: *const u8, parts: u32) -> Result<()> {
        let _bound = self.bind_to_queue()?;
        let copies = self.context.copies()?;
        let _held = self.launches.lock();
        // SAFETY: the contract is the same, and the context is current.
        unsafe { copies.start_scatter(&self.context, self.stream, memory, parts) }
    }

    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<()> {
        let _bound = self.bind_to_queue()?;
        let _held = self.launches.lock();
        // SAFETY: by the contract both ranges are valid, and used in the order of this stream.
        unsafe {
            call!(
                self.context.driver(),
                cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream)
            )
        }
    }

    unsafe fn copy_from_peer(&self, to: u64, peer: &dyn Queue, from: u64, bytes: usize) -> Result<bool> {
        let peer = CudaQueue::own(&self.context, peer)?;
        let _bound = self.bind_to_queue()?;
        let _held = self.launches.lock();
        // SAFETY: the contract is the same.
        unsafe { (self.context).copy_from_peer(to, &peer.context, from, bytes, self.stream) }
    }

    unsafe fn fill(&self, address: u64, pattern: &[u8], count: usize) -> Result<()> {
        let _bound = self.bind_to_queue()?;
        let _held = self.launches.lock();
        // SAFETY: the contract is the same, and the context is current.
        unsafe { fill(&self.context, self.stream, address, pattern, count) }
    }

    fn follow(&self, other: &dyn Queue) -> Result<()> {
        let other = CudaQueue::own(&self.context, other)?;
        let driver = self.context.driver();
        // A stream that follows one that is captured would be captured, too.
        self.refuse_captured()?;
        other.refuse_captured()?;
        // Memory of a closed device is freed in the order of a stream that follows others.
        let _bound = driver.queue_to_end()?;
        self.context.counters().events_recorded.add(1);
        let _held = other.launches.lock();
        // SAFETY: the streams and the event are of the current context. The lock prevents others
        // from recording the event between the two calls.
        unsafe {
            call!(driver, cuEventRecord(other.event, other.stream))?;
            call!(driver, cuStreamWaitEvent(self.stream, other.event, 0))
        }
    }

    fn with_raw(&self, work: &mut dyn FnMut(*mut c_void) -> Result<()>) -> Result<()> {
        // Memory of others is given back on a closed device, too.
        let _bound = self.context.driver().queue_to_end()?;
        work(self.stream.cast())
    }

    fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    fn check_uncaptured(&self) -> Result<()> {
        self.refuse_captured()
    }

    fn is_captured(&self) -> Result<bool> {
        self.is_in_capture()
    }

    fn record(&self) -> Result<Box<dyn Moment>> {
        let _bound = self.bind()?;
        Ok(Box::new(CudaMoment::record(&self.context, self.stream, Time::Kept)?))
    }

    fn mark(&self) -> Result<Box<dyn Moment>> {
        let _bound = self.bind()?;
        Ok(Box::new(CudaMoment::record(&self.context, self.stream, Time::Dropped)?))
    }

    fn follow_moment(&self, moment: &dyn Moment) -> Result<()> {
        let _bound = self.bind()?;
        match (moment as &dyn Any).downcast_ref::<CudaMoment>() {
            Some(moment) => moment.hold(self.stream),
            // An event of another back end is waited for here.
            None => moment.wait(),
        }
    }

    fn wait(&self) -> Result<()> {
        let _bound = self.bind()?;
        let launched = self.flight.launched();
        // SAFETY: the stream is of the current context.
        unsafe { call!(self.context.driver(), cuStreamSynchronize(self.stream))? };
        self.flight.end(launched);
        self.release_deferred(&self.context)
    }

    fn take_printed(&self, out: &mut String) -> Result<()> {
        if self.prints.is_used() {
            // Without the lock, as in `take_faults`.
            self.wait()?;
            let _held = self.launches.lock();
            self.prints.take(&self.context, self.stream, out)?;
        }
        self.graphs.take_printed(out)
    }

    fn take_faults(&self, faulted: &mut Vec<FaultedLaunch>) -> Result<()> {
        self.graphs.take_faults(faulted)?;
        if !self.faults.is_written() {
            return Ok(());
        }
        // Without the lock, so that a late launch behind the faulted one can be made to leave meanwhile.
        self.wait()?;
        let mut launches = self.launches.lock();
        if !self.faults.is_written() {
            // Another thread has taken them, and later launches may run.
            return Ok(());
        }
        self.faults.take(&self.context, self.stream, &launches.log, faulted)?;
        // The stream was waited for.
        let last = launches.last;
        launches.log.forget(last);
        Ok(())
    }

    fn leave(&self, launch: u64) -> Result<Option<Vec<Write>>> {
        let _bound = self.bind()?;
        // The lock is held for a call of the driver, and for as long as the late launch runs by one who queues work on a
        // stream that is full. The limit tells them apart.
        let mut tries = 0..LEAVE_TRIES;
        let launches = loop {
            if let Some(launches) = self.launches.try_lock() {
                break launches;
            }
            if tries.next().is_none() {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(1));
        };
        // A later launch has a number of its own, which would be overwritten if it faulted meanwhile.
        if launch == 0 || launches.last != launch {
            return Ok(None);
        }
        self.faults.leave(&self.context, launch, self.stream, self.event)?;
        Ok(Some(launches.log.of(launch)))
    }

    fn has_faulted(&self) -> bool {
        self.faults.is_written() || self.graphs.is_faulted()
    }

    fn flush(&self) -> Result<()> {
        let _bound = self.bind()?;
        let driver = self.context.driver();
        // SAFETY: the stream is of the context, which is current.
        match unsafe { (driver.cuStreamQuery)(self.stream) } {
            NOT_READY => Ok(()),
            code => driver.check("cuStreamQuery", code),
        }
    }

    fn is_idle(&self) -> bool {
        let Ok(_bound) = self.bind() else { return false };
        // SAFETY: the stream is of the context, which is current.
        let done = unsafe { (self.context.driver().cuStreamQuery)(self.stream) } == SUCCESS;
        done && !self.faults.is_written() && !self.prints.is_used() && self.graphs.is_quiet()
    }

    fn resident_blocks(&self, kernel: &KernelDescription<'_>, entry: usize, shared_bytes: u64) -> Result<u64> {
        let _bound = self.context.bind()?;
        let (function, ..) = self.context.function(kernel, entry)?;
        self.context.resident_blocks(kernel, function, shared_bytes)
    }

    fn launched(&self) -> u64 {
        self.launched.get()
    }

    unsafe fn launch(&self, launching: Launching<'_>) -> Result<u64> {
        let Launching {
            kernel,
            entry,
            extent,
            shared_bytes,
            parameters,
            writes,
            clock,
            captured,
            ..
        } = launching;
        let context = &*self.context;
        let _bound = match captured {
            true => context.bind_to_queue()?,
            false => self.bind_to_queue()?,
        };
        let (mut function, entry, kernel_number) = context.function(kernel, entry)?;
        let [x, y, z] = extent.grid(kernel, entry.coarsening, context.limits())?;
        // SAFETY: the parameters are those of the kernel, by the contract.
        if let Some(assumed) = unsafe { context.assumed(kernel, entry, [x, y, z], shared_bytes, parameters.pointers()) }
        {
            function = assumed;
        }
        if kernel.cooperative {
            check_resident(
                kernel,
                [x, y, z],
                context.resident_blocks(kernel, function, shared_bytes)?,
            )?;
        }
        let shared_bytes = context.allow_shared(kernel, function, shared_bytes)?;
        let function = function.handle.cast();
        let [width, height, depth] = kernel.block;
        let mut launches = self.launches.lock();
        let mut number = 0;
        let channel;
        if !kernel.prints.is_empty() {
            self.prints.open(context, self.stream, self.faults.prints())?;
        }
        if !kernel.sites.is_empty() || !kernel.prints.is_empty() || kernel.cooperative {
            number = clock.fetch_add(1, Ordering::Relaxed) + 1;
            launches.last = number;
            launches.log.add(number, writes);
            if launches.log.len() > launches.limit {
                self.trim(&mut launches)?;
            }
            channel = self.faults.channel(number, kernel_number);
            parameters.push(&raw const channel);
        }
        self.flight.add(kernel_number);
        if kernel.cooperative {
            self.faults.reset_arrived(context, self.stream)?;
        }
        // The driver reads through the pointers and does not write.
        let pointers: *mut *mut c_void = parameters.pointers().as_ptr().cast_mut().cast();
        // SAFETY: the function takes these parameters, by the contract, with the channel as the last
        // if it can fault, and the driver has copied them when it returns.
        unsafe {
            if kernel.cooperative {
                call!(
                    context.driver(),
                    cuLaunchCooperativeKernel(
                        function,
                        x,
                        y,
                        z,
                        width,
                        height,
                        depth,
                        shared_bytes,
                        self.stream,
                        pointers,
                    )
                )?;
            } else {
                call!(
                    context.driver(),
                    cuLaunchKernel(
                        function,
                        x,
                        y,
                        z,
                        width,
                        height,
                        depth,
                        shared_bytes,
                        self.stream,
                        pointers,
                        ptr::null_mut(),
                    )
                )?;
            }
        }
        if !captured {
            self.launched.add_alone(1);
        }
        Ok(number)
    }
}

impl Drop for CudaQueue {
    fn drop(&mut self) {
        let driver = self.context.driver();
        // Streams stay with their device; this runs for one that failed to open.
        let Ok(_bound) = driver.bind_to_end() else { return };
        // SAFETY: the stream is synchronized, so nothing uses the released resources. Errors are
        // harmless.
        unsafe {
            if self.adopted || !self.stream.is_null() {
                (driver.cuStreamSynchronize)(self.stream);
                self.prints.close(&self.context, self.stream);
                self.faults.close(&self.context, self.stream);
            }
            if !self.adopted && !self.stream.is_null() {
                (driver.cuStreamDestroy_v2)(self.stream);
            }
            for event in [self.event, self.launches.get_mut().milestone.0] {
                if !event.is_null() {
                    (driver.cuEventDestroy_v2)(event);
                }
            }
        }
    }
}
