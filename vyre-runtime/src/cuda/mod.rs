//! The CUDA back end.
//!
//! - `library` finds the driver's library.
//! - `driver` holds its functions.
//! - `context` is an open device: limits, memory pool, loaded kernels.
//! - `module` loads PTX.
//! - `queue` enqueues work on a stream, with the hot path of a launch.
//! - `fault` reads the faults of kernels.

mod context;
mod driver;
mod fault;
mod library;
mod module;
mod print;
mod queue;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::backend::{Backend, Limits, Queue};
use crate::error::{Error, Result};
use context::Context;
use queue::CudaQueue;

/// The number of CUDA devices.
pub(crate) fn count() -> Result<usize> {
    Ok(driver::driver()?.devices())
}

/// Opens a CUDA device. `id` is its index in this process.
pub(crate) fn open(index: usize, id: u32) -> Result<Box<dyn Backend>> {
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

    fn open_queue(&self) -> Result<Box<dyn Queue>> {
        Ok(Box::new(CudaQueue::open(self.context.clone())?))
    }
}
