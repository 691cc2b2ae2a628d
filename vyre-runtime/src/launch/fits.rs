//! Questions before a launch: whether all of its blocks run at the same time.

use super::Launch;
use super::arguments::Arguments;
use super::conditions;
use super::kernel::Kernel;
use super::submission::{self, Submission};
use crate::device::Device;
use crate::error::Result;

impl<K: Kernel> Launch<K> {
    /// True if the device runs all blocks of the launch at the same time, on an otherwise idle device: what kernels that
    /// wait for the whole grid need, and those whose blocks wait for each other otherwise. From the occupancy of the kernel:
    /// its registers, its shared memory with that of this launch, and its clusters.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel(block = 64)]
    /// # fn rotate(x: &[AtomicU32]) {
    /// #     let i = thread::index();
    /// #     let value = x[(i + 64) % x.len()].load(Ordering::Relaxed);
    /// #     grid::sync();
    /// #     x[i].store(value, Ordering::Relaxed);
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros(1 << 22)?;
    /// assert!(rotate(&mut x).grid(2).fits(&device)?);
    /// assert!(!rotate(&mut x).over(1 << 22).fits(&device)?); // 65,536 blocks
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of a launch that are known before the kernel runs. That its blocks are too many to run at the same time is none.
    pub fn fits(&self, device: &Device) -> Result<bool> {
        let info = K::info();
        self.kernel.check()?;
        let mut arguments = Arguments::new();
        self.kernel.arguments(&mut arguments);
        // SAFETY: the arguments are those of the kernel, by the contract of `Kernel`.
        unsafe { conditions::check::<K>(arguments.pointers(), self.extent, self.shared_bytes)? };
        let submission = Submission {
            kernel: info,
            interpreter: None,
            arguments: &mut arguments,
            entry: submission::entry(info, self.kernel.entry(), self.extent, || self.kernel.elements()),
            extent: self.extent,
            stream: self.stream.as_ref(),
            shared_bytes: self.shared_bytes,
            captured: false,
        };
        submission.fits(device)
    }
}
