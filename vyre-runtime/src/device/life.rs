//! The end of a device, and the way on.

use super::{CUDA, Device};
use crate::error::{Error, LostDevice, Result};

impl Device {
    /// Does what the first work would wait for: on the CPU this starts the threads. On a GPU all is there once the
    /// device is open; it says whether the device can still be used. Kernels are loaded by
    /// [`load`](Device::load), programs compiled by `pipeline.prepare()`.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let device = vyre::Device::best()?;
    /// device.prepare()?;
    /// // The first launch takes no longer than later ones of another kernel.
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::DeviceLost`], or an error of the driver.
    pub fn prepare(&self) -> Result<()> {
        self.state().backend().prepare()
    }

    /// Hands all queued work to the device, and does not wait for it; [`synchronize`](Device::synchronize) does both.
    /// Work begins without it, too: on some systems the driver collects launches for a moment.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1; 1000])?;
    /// twice(&mut x).launch(&device)?;
    /// device.flush()?;
    /// // .. other work of the host ..
    /// assert_eq!(x.download()?, [2; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::DeviceLost`], or an error of the driver.
    pub fn flush(&self) -> Result<()> {
        let streams = self.state().streams.lock().clone();
        streams.iter().try_for_each(|stream| stream.queue().flush())
    }

    /// Waits for all work and gives back the memory that is not in use. From then on every call for the device, its
    /// streams, buffers and events is [`Error::Closed`]. Buffers are dropped as before, and their memory goes with
    /// them. [`Device::cuda`], [`Device::cpu`] and [`recover`](Device::recover) open the device again, without what was
    /// made before.
    ///
    /// Work that another thread queues meanwhile is waited for or refused.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::open("cpu")?;
    /// let x = device.upload(&[1, 2, 3])?;
    /// device.shutdown()?;
    /// assert!(matches!(x.download(), Err(vyre::Error::Closed { .. })));
    /// let device = device.recover()?;
    /// assert_eq!(device.upload(&[1, 2, 3])?.download()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A fault that nobody was told yet, as [`synchronize`](Device::synchronize) has it, or an error of the driver. The
    /// device is shut down in any case. Shutting it down again is no error.
    pub fn shutdown(&self) -> Result<()> {
        let backend = self.state().backend();
        if backend.is_closed() {
            return Ok(());
        }
        let told = self.synchronize();
        let closed = backend.close();
        self.state().end_staging();
        self.state().end_wakes();
        told.and(closed)
    }

    /// True if the device cannot be used any more, after an access outside of memory by unchecked code, or because it
    /// was reset from outside. Does not wait, so it may be that a kernel that runs will be the cause.
    ///
    /// Every call for what was made on a lost device is [`Error::DeviceLost`], which names the kernels that may have
    /// been the cause. The CPU is never lost.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let device = vyre::Device::best()?;
    /// assert!(!device.is_lost());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_lost(&self) -> bool {
        // Asks the driver, which may know it already. An error of another kind is no loss.
        let _ = self.state().default_stream().queue().flush();
        self.state().backend().lost().is_some()
    }

    /// The device to go on with: this one, if it can be used; one that was shut down is opened again, and so is one
    /// whose context another library has destroyed. Nothing that was made on the old one works on the new one.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// The device, or the CPU where it needs a new process.
    /// fn alive(device: Device) -> Device {
    ///     device.recover().unwrap_or_else(|error| {
    ///         eprintln!("{error}");
    ///         Device::cpu()
    ///     })
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// assert_eq!(alive(device.clone()), device);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::RestartNeeded`] after an access outside of memory and the like, for then the driver refuses all
    /// further calls of the process, also those that would reset the device. Else the errors of [`Device::cuda`].
    pub fn recover(&self) -> Result<Device> {
        let state = self.state();
        let index = match state.ordinal() {
            None => return Ok(Device::cpu()),
            Some(index) => index,
        };
        let lost = !state.backend().is_closed() && self.is_lost();
        if lost {
            if let Some(Error::DeviceLost(lost)) = state.backend().lost()
                && !lost.can_be_opened()
            {
                return Err(Error::RestartNeeded {
                    device: lost.device.clone(),
                    code: lost.code,
                });
            }
            CUDA.lock().retain(|&other| !std::ptr::eq(other, state));
        }
        Device::cuda(index)
    }
}

impl LostDevice {
    /// True if only the context is gone, and the driver makes another one: codes of contexts that are invalid or
    /// destroyed.
    fn can_be_opened(&self) -> bool {
        matches!(self.code, 201 | 709)
    }
}
