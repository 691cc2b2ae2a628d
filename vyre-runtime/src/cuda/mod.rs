//! The CUDA back end.
//!
//! - `library` finds the driver's library.
//! - `driver` holds its functions.
//! - `calls` calls them for an open device, until it is closed or lost.
//! - `capture` keeps them away from graphs that others capture.
//! - `context` is an open device: limits, memory pool, loaded kernels.
//! - `module` loads machine code, and PTX, which the driver assembles.
//! - `queue` enqueues work on a stream, with the hot path of a launch.
//! - `event` records points in the work of a stream.
//! - `fill` fills memory with a pattern, and `copies` are copies by kernels of the runtime.
//! - `fault` reads the faults of kernels.
//! - `graph` makes CUDA graphs; `no_graphs` stands in its place without the feature `graphs`.

mod calls;
mod capture;
mod context;
mod copies;
mod driver;
mod event;
mod fault;
mod fill;
#[cfg(feature = "graphs")]
mod graph;
#[cfg(not(feature = "graphs"))]
#[path = "no_graphs.rs"]
mod graph;
mod library;
mod module;
mod print;
mod queue;
#[cfg(test)]
mod tests;

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::backend::{Backend, DeviceGraph, Limits, Queue};
use crate::error::{Error, Result};
use crate::load::kernel::KernelDescription;
use crate::profile::Profile;
use crate::stats::{Counters, PoolUsage};
use crate::trace::span;
use context::Context;
use queue::CudaQueue;

/// The number of CUDA devices.
pub(crate) fn count() -> Result<usize> {
    Ok(driver::driver()?.devices())
}

/// The CUDA version that the driver supports, major and minor.
pub(crate) fn version() -> Result<(u32, u32)> {
    Ok(driver::driver()?.version())
}

/// Opens a CUDA device. `id` is its index in this process.
pub(crate) fn open(index: usize, id: u32) -> Result<Box<dyn Backend>> {
    let _span = span!("open", device = index);
    let driver = driver::driver()?;
    let count = driver.devices();
    match i32::try_from(index) {
        Ok(ordinal) if index < count => Ok(Box::new(Cuda {
            context: Arc::new(Context::open(driver, ordinal, id)?),
        })),
        _ => Err(Error::NoDevice { index, count }),
    }
}

struct Cuda {
    context: Arc<Context>,
}

impl Backend for Cuda {
    fn name(&self) -> &str {
        self.context.name()
    }

    fn limits(&self) -> &Limits {
        self.context.limits()
    }

    fn target(&self) -> Option<u32> {
        Some(self.context.target())
    }

    fn multiprocessors(&self) -> u32 {
        self.context.multiprocessors()
    }

    fn load(&self, kernel: &KernelDescription<'_>) -> Result<()> {
        let _bound = self.context.bind()?;
        self.context.load(kernel).map(drop)
    }

    fn profile(&self) -> Profile {
        self.context.profile()
    }

    fn counters(&self) -> &Counters {
        self.context.counters()
    }

    fn pool_usage(&self) -> Result<PoolUsage> {
        self.context.pool_usage()
    }

    fn keep_memory(&self, bytes: u64) -> Result<()> {
        self.context.keep_memory(bytes)
    }

    fn trim_memory(&self) -> Result<()> {
        self.context.trim_memory()
    }

    fn max_priority(&self) -> u32 {
        self.context.max_priority()
    }

    fn prepare(&self) -> Result<()> {
        // All that takes time was done when the device was opened.
        self.context.bind().map(drop)
    }

    fn close(&self) -> Result<()> {
        self.context.close()
    }

    fn is_closed(&self) -> bool {
        self.context.driver().is_closed()
    }

    fn lost(&self) -> Option<&Error> {
        self.context.driver().lost()
    }

    fn allocate_host(&self, bytes: usize) -> Result<NonNull<u8>> {
        self.context.allocate_host(bytes)
    }

    unsafe fn release_host(&self, memory: NonNull<u8>, _bytes: usize) {
        // SAFETY: the contract is the same.
        unsafe { self.context.release_host(memory) }
    }

    fn raw_context(&self) -> *mut c_void {
        self.context.driver().raw().cast()
    }

    unsafe fn adopt_queue(&self, stream: *mut c_void) -> Result<Box<dyn Queue>> {
        // SAFETY: the contract is the same.
        Ok(Box::new(unsafe {
            CudaQueue::adopt(self.context.clone(), stream.cast())?
        }))
    }

    fn open_graph(&self, queue: &dyn Queue) -> Result<Option<Box<dyn DeviceGraph>>> {
        graph::open(&self.context, queue)
    }

    fn open_queue(&self, priority: u32) -> Result<Box<dyn Queue>> {
        Ok(Box::new(CudaQueue::open(self.context.clone(), priority)?))
    }
}
