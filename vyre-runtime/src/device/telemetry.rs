//! Statistics and memory of a device.

use super::Device;
use crate::error::Result;
use crate::stats::{MemoryUsage, Stats};

impl Device {
    /// The statistics of the device.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let before = device.stats();
    /// Twice::dispatch(&device, &mut [1, 2, 3])?;
    /// assert_eq!(device.stats().since(&before).launches, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn stats(&self) -> Stats {
        let state = self.state();
        let launches = state.streams.lock().iter().map(|stream| stream.launches()).sum();
        Stats {
            launches,
            ..state.counters().snapshot()
        }
    }

    /// Sets the statistics to 0, and the high-water mark of memory to what is in use. Loaded kernels and held
    /// memory stay.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// Twice::dispatch(&device, &mut [1, 2, 3])?;
    /// device.reset_stats();
    /// assert_eq!(device.stats().launches, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reset_stats(&self) {
        let state = self.state();
        state.counters().reset();
        state.streams.lock().iter().for_each(|stream| stream.reset_launches());
    }

    /// The memory that buffers use and that the device holds for them.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let device = vyre::Device::best()?;
    /// let before = device.memory()?.in_use;
    /// let x = device.zeros::<f64>(1000)?;
    /// let memory = device.memory()?;
    /// assert!(memory.in_use - before == 8000 && memory.held >= memory.in_use && memory.high_water >= 8000);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn memory(&self) -> Result<MemoryUsage> {
        let (backend, buffers) = (self.state().backend(), &self.state().counters().buffers);
        let pool = backend.pool_usage()?;
        let in_use = buffers.now();
        Ok(MemoryUsage {
            in_use,
            high_water: buffers.high_water(),
            held: pool.held.unwrap_or(in_use),
            kept: pool.kept,
            limit: pool.limit,
        })
    }

    /// Keeps at most so many bytes of memory that are not used any more, from the next wait on: more makes
    /// allocations fast in a program that often frees and allocates, less leaves memory to other libraries and
    /// processes. Has no effect on the CPU.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// device.keep_memory(1 << 30)?; // a gigabyte stays, for the next buffers
    /// if device.is_cuda() {
    ///     assert_eq!(device.memory()?.kept, 1 << 30);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn keep_memory(&self, bytes: u64) -> Result<()> {
        self.state().backend().keep_memory(bytes)
    }

    /// Waits for all streams of the device, and gives the memory back to the system that no buffer uses. Tells no
    /// faults. Has no effect on the CPU, which gives memory back at once.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// drop(device.zeros::<u8>(1 << 20)?);
    /// device.trim_memory()?;
    /// let memory = device.memory()?;
    /// assert!(memory.held >= memory.in_use);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn trim_memory(&self) -> Result<()> {
        let streams = self.state().streams.lock().clone();
        streams.iter().try_for_each(|stream| stream.queue().wait())?;
        self.state().backend().trim_memory()
    }
}
