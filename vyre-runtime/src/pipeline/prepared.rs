//! Calls that are launched again, with what the first launch has found out.

use std::fmt;

use super::bind::Bound;
use crate::backend::Extent;
use crate::device::Device;
use crate::device::stream::Stream;
use crate::error::Result;
use crate::launch::arguments::Arguments;
use crate::launch::submission::Submission;
use crate::programs::compiled::CompiledKernel;

/// A call that was checked, none of whose arguments is copied to the device. It is valid until the call changes.
pub(super) struct Prepared<'c> {
    /// The number of the kernel in the program.
    pub(super) kernel: usize,
    pub(super) bound: Bound<'c>,
    pub(super) entry: usize,
    pub(super) extent: Extent,
}

impl Prepared<'_> {
    /// Queues the kernel, which is that of the call.
    pub(super) fn launch(
        &self,
        device: &Device,
        kernel: &CompiledKernel,
        (stream, shared_bytes): (Option<&Stream>, u64),
    ) -> Result<()> {
        let mut arguments = Arguments::new();
        self.bound.push_kept(kernel, &mut arguments);
        let submission = Submission {
            kernel: kernel.description(),
            interpreter: Some(kernel.interpreter()),
            arguments: &mut arguments,
            entry: self.entry,
            extent: self.extent,
            stream,
            shared_bytes,
            captured: false,
        };
        // SAFETY: the arguments were held against the parameters, and the entry's predicate was evaluated for them. The call
        // still borrows the memory, exclusively if the kernel may write it.
        unsafe { submission.enqueue(device, |_| Ok(())) }.map(drop)
    }
}

impl fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Prepared");
        shown.field("kernel", &self.kernel).field("entry", &self.entry);
        shown.field("extent", &self.extent).finish_non_exhaustive()
    }
}
