//! Launches whose extent is on the device.
//!
//! On a GPU the program of the kernel is lowered again, with a parameter for the extent; the CPU reads the extent first.

use std::fmt;
use std::sync::Arc;

use vyre_abi::fault::{Fault, FaultKind};
use vyre_core::ir::Handle;
use vyre_core::{over_device, text};

use super::Launch;
use super::arguments::Arguments;
use super::conditions::Conditions;
use super::kernel::Kernel;
use super::submission::{Submission, checked_axes};
use crate::View;
use crate::backend::{Extent, FaultedLaunch, Write};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::load::kernel::KernelInfo;
use crate::programs::compiled::Compiled;
use crate::programs::options::Options;

/// A launch whose extent is read on the device, from [`Launch::over_device`].
#[must_use = "nothing runs before `.launch(&device)`"]
pub struct OverDevice<'e, K> {
    pub(crate) largest: Launch<K>,
    pub(crate) extent: View<'e, u32>,
}

impl<K: Kernel> Launch<K> {
    /// Reads the extent when the kernel begins, from memory of the device, where an earlier kernel has written it: the host
    /// does not wait for it. The launch itself is over the largest extent. Blocks that lie past the one read end at once, and
    /// an extent for which the launch has too few blocks is a fault.
    ///
    /// The extent is one `u32` for each axis of the kernel. A kernel that looks at the size of the grid, waits for the
    /// whole grid, or has clusters would see the blocks that end, and is refused.
    ///
    /// With the feature `programs`: on a GPU the program of the kernel is lowered again, when it is first launched so.
    ///
    /// ```
    /// # #[cfg(feature = "programs")] {
    /// # use vyre::prelude::*;
    /// /// Counts the even numbers.
    /// #[vyre::kernel]
    /// fn count(#[each] x: &u32, n: &[AtomicU32]) {
    ///     if *x % 2 == 0 {
    ///         n[0].fetch_add(1, Ordering::Relaxed);
    ///     }
    /// }
    ///
    /// #[vyre::kernel]
    /// fn mark(y: &mut [u32]) {
    ///     y[thread::index()] = 1;
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let x = device.upload(&(0..1000).collect::<Vec<u32>>())?;
    /// let (mut n, mut y) = (device.zeros::<u32>(1)?, device.zeros::<u32>(1024)?);
    /// count(&x, &mut n).over(1000).launch(&device)?;
    /// mark(&mut y).over(1024).over_device(&n).launch(&device)?; // 500 of them, in blocks of 256
    /// assert_eq!(y.download()?.iter().sum::<u32>(), 512);
    /// # Ok(())
    /// # }
    /// # main().unwrap() }
    /// ```
    pub fn over_device<'e>(self, extent: impl Into<View<'e, u32>>) -> OverDevice<'e, K> {
        OverDevice {
            largest: self,
            extent: extent.into(),
        }
    }
}

impl<K: Kernel> OverDevice<'_, K> {
    /// Queues the kernel, as [`Launch::launch`] does. The CPU waits for the extent, and tells the fault of a kernel that was
    /// to write it.
    ///
    /// ```
    /// # #[cfg(feature = "programs")] {
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel(block = 32)]
    /// # fn mark(y: &mut [u32]) {
    /// #     y[thread::index()] = 1;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let (n, mut y) = (device.upload(&[100u32])?, device.zeros::<u32>(64)?);
    /// mark(&mut y).over(64).over_device(&n).launch(&device)?;
    /// let fault = y.download().unwrap_err().to_string();
    /// assert!(fault.contains("the extent on the device is 100, for which 4 blocks are needed"));
    /// # Ok(())
    /// # }
    /// # main().unwrap() }
    /// ```
    ///
    /// # Errors
    /// Those of [`Launch::launch`]; [`Error::LengthMismatch`] for an extent that has not one number for each axis;
    /// [`Error::InvalidProgram`] for a kernel that cannot end some of its blocks; [`Error::MayRace`] if a launch over the
    /// largest extent is refused, or one over fewer blocks would be. [`Error::Fault`] comes out of the next
    /// wait if the launch has too few blocks.
    pub fn launch(self, device: &Device) -> Result<()> {
        let OverDevice { largest, extent } = self;
        let info = K::info();
        largest.kernel.check()?;
        checked_axes(info.dimensions, extent.len())?;
        let mut arguments = Arguments::new();
        largest.kernel.arguments(&mut arguments);
        // SAFETY: the arguments are those of the kernel, by the contract of `Kernel`.
        unsafe {
            Conditions::of(info, &largest.kernel).check_largest(
                arguments.pointers(),
                largest.extent,
                largest.shared_bytes,
            )?
        };
        // On the CPU, too, so that a program that runs there runs on a GPU.
        let compiled = compiled(device, info)?;
        let mut submission = Submission {
            kernel: info,
            interpreter: None,
            arguments: &mut arguments,
            entry: info.entries.len().saturating_sub(1),
            extent: largest.extent,
            stream: largest.stream.as_ref(),
            shared_bytes: largest.shared_bytes,
            captured: false,
        };
        if device.is_cuda() {
            submission.arguments.view(&extent);
            submission.kernel = compiled.kernels[0].description();
            submission.entry = 0;
            // SAFETY: the program is that of the kernel with the extent as one more parameter, and one entry.
            return unsafe { submission.enqueue(device, |_| Ok(())) }.map(drop);
        }
        if extent.raw().allocation.device() != *device {
            let belongs = extent.raw().allocation.device();
            return Err(Error::wrong_device(info.name, "the extent", &belongs, device));
        }
        let Some(stream) = submission.check(device)? else {
            return Ok(());
        };
        let grid = submission.extent.grid(info, 1, device.state().backend().limits())?;
        let mut own = [1; 3];
        extent.download_into(&mut own[..extent.len()])?;
        submission.extent = match self::extent(info, &own[..extent.len()], grid) {
            Ok(extent) => extent,
            Err(error) => {
                let state = device.state();
                let launch = state.tick();
                let written = submission.arguments.uses().iter().filter(|argument| argument.writes);
                let writes = written.map(|argument| Write {
                    launch,
                    allocation: argument.allocation.id(),
                });
                let writes = writes.collect();
                state.counters().faults.add(1);
                state
                    .faults()
                    .add(stream, vec![FaultedLaunch { launch, error, writes }]);
                return Ok(());
            }
        };
        // SAFETY: the arguments are those of the kernel, and its last entry takes any.
        unsafe { submission.enqueue(device, |_| Ok(())) }.map(drop)
    }
}

/// The extent of a launch on the CPU, of one number for each axis of the kernel; the fault if it has too few blocks.
pub(crate) fn extent(info: &KernelInfo, axes: &[u32], grid: [u32; 3]) -> Result<Extent> {
    let mut own = [1; 3];
    for (axis, &length) in axes.iter().enumerate() {
        let needed = length.div_ceil(info.block[axis].max(1));
        if needed > grid[axis] {
            return Err(fault(info, length, needed, grid[axis]));
        }
        own[axis] = u64::from(length);
    }
    Ok(Extent::Over(own))
}

/// The fault that the first thread of the launch tells on a GPU.
fn fault(info: &KernelInfo, extent: u32, needed: u32, blocks: u32) -> Error {
    Error::from(Fault {
        kind: FaultKind::Assertion,
        kernel: info.name.to_owned(),
        file: String::new(),
        line: 0,
        column: 0,
        message: over_device::too_large(extent, needed, blocks),
        values: [0; 2],
        block: [0; 3],
        thread: [0; 3],
    })
}

/// The program of a kernel that reads its extent on the device.
pub(crate) fn compiled(device: &Device, info: &'static KernelInfo) -> Result<Arc<Compiled>> {
    let cache = device.state().programs();
    cache.over_device(info, || {
        let invalid = |reason: String| Error::InvalidProgram {
            errors: vec![format!(
                "`{}` cannot read its extent on the device: {reason}",
                info.name
            )],
        };
        let mut program = text::parse(info.program).map_err(|error| invalid(error.to_string()))?;
        over_device::over_device(&mut program, Handle::new(0)).map_err(|refusal| invalid(refusal.to_string()))?;
        cache.get(&program.into(), Options::default(), device.ptx_limits(), || Ok(()))
    })
}

impl<K: Kernel> fmt::Debug for OverDevice<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, or less", self.largest)
    }
}
