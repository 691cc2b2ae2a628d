//! Calls whose arguments are checked and copied to the device.

use std::cell::Cell;
use std::sync::Arc;

use super::Pipeline;
use super::bind::Bound;
use super::config::Config;
use super::deadline::Deadline;
use super::outputs::Outputs;
use crate::backend::{Extent, Moment};
use crate::device::Device;
use crate::device::stream::{Stream, StreamState};
use crate::error::Result;
use crate::launch::arguments::Arguments;
use crate::launch::pending::End;
use crate::launch::split::SplitLaunch;
use crate::launch::submission::{self, Launched, Submission};
use crate::memory::view::RawView;
use crate::programs::compiled::CompiledKernel;
use crate::programs::split::Parts;

/// A call whose arguments fit and are on the device.
pub(super) struct Ready<'c> {
    pub(super) pipeline: &'c Pipeline,
    pub(super) config: &'c Config,
    pub(super) kernel: &'c CompiledKernel,
    pub(super) bound: Bound<'c>,
    pub(super) extent: Extent,
    pub(super) stream: Option<&'c Stream>,
    pub(super) shared_bytes: u32,
    /// Launched in place of the kernel.
    pub(super) parts: Option<Arc<Parts>>,
    /// The moment before the kernel, if it may be made to leave.
    pub(super) began: Cell<Option<Box<dyn Moment>>>,
}

impl Ready<'_> {
    pub(super) fn device(&self) -> &Device {
        &self.pipeline.device
    }

    /// `None` for the default one.
    pub(super) fn stream(&self) -> Option<&Stream> {
        self.stream
    }

    /// Queues the kernel.
    pub(super) fn enqueue(&self, before: impl FnOnce(&'static StreamState) -> Result<()>) -> Result<Option<Launched>> {
        let may_leave = self.config.get_timeout().is_some() && self.kernel.waits();
        let before = |stream: &'static StreamState| {
            if may_leave {
                self.began.set(Some(stream.queue().record()?));
            }
            before(stream)
        };
        if let Some(parts) = &self.parts {
            return self.config.labelled(self.enqueue_parts(parts, before));
        }
        let queued = self.submit(|submission, _| {
            // SAFETY: the arguments were held against the parameters, and the entry's predicate was evaluated for them.
            // Memory that the kernel may write is borrowed exclusively, or a buffer that nobody else has.
            unsafe { submission.enqueue(&self.pipeline.device, before) }.map(|queued| queued.map(Launched::from))
        });
        self.config.labelled(queued)
    }

    fn enqueue_parts(
        &self,
        parts: &Parts,
        before: impl FnOnce(&'static StreamState) -> Result<()>,
    ) -> Result<Option<Launched>> {
        let launch = SplitLaunch {
            parts,
            extent: self.extent,
            stream: self.stream,
            shared_bytes: self.shared_bytes,
        };
        let views = self.bound.views();
        let arguments = || {
            let mut arguments = Arguments::new();
            self.bound.push(self.kernel, &views, &mut arguments);
            arguments
        };
        let device = &self.pipeline.device;
        let Some(memory) = launch.memory(device, arguments())? else {
            return Ok(None);
        };
        // SAFETY: the arguments were held against the parameters. Memory that the kernel may write is borrowed exclusively,
        // or a buffer that nobody else has.
        unsafe { launch.enqueue(device, arguments, (&memory, &memory.views()), before) }
    }

    /// Makes a submission, with the views among its arguments.
    pub(super) fn submit<T>(&self, submit: impl FnOnce(Submission<'_, '_>, &[RawView<'_>]) -> Result<T>) -> Result<T> {
        let Ready { kernel, bound, .. } = self;
        let description = kernel.description();
        let chosen = kernel.entry(bound.known(kernel.parameters()))?;
        let views = bound.views();
        let mut arguments = Arguments::new();
        bound.push(kernel, &views, &mut arguments);
        let submission = Submission {
            kernel: description,
            interpreter: Some(kernel.interpreter()),
            arguments: &mut arguments,
            entry: submission::entry(description, chosen, self.extent, || bound.elements()),
            extent: self.extent,
            stream: self.stream,
            shared_bytes: self.shared_bytes,
        };
        submit(submission, &views)
    }

    /// The limit of the call that was queued just now, if it has one.
    pub(super) fn deadline(&self, launched: Option<&Launched>) -> Option<Deadline> {
        let began = self.began.take();
        Deadline::new(self.config, self.pipeline.device.state(), self.kernel, launched?, began)
    }

    /// Waits for the launch, and reads what it has written.
    pub(super) fn finish(&self, launched: Option<Launched>, outputs: &mut Outputs) -> Result<()> {
        self.config.labelled(self.try_finish(launched, outputs))
    }

    fn try_finish(&self, launched: Option<Launched>, outputs: &mut Outputs) -> Result<()> {
        let device = &self.pipeline.device;
        if let Some(launched) = &launched {
            if let Some(deadline) = self.deadline(Some(launched)) {
                let end = launched.stream.queue().record()?.into();
                if !End::new(device.state(), end).wait_until(deadline.at())? {
                    return deadline.leave();
                }
            }
            submission::wait(device, launched)?;
        }
        outputs.read(self.kernel, &self.bound)
    }
}
