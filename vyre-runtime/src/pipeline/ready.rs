//! Calls whose arguments are checked and copied to the device.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use super::Pipeline;
use super::bind::{Bound, Views};
use super::config::Config;
use super::deadline::Deadline;
use super::outputs::Outputs;
use crate::backend::{Extent, Moment};
use crate::device::Device;
use crate::device::stream::{Stream, StreamState};
use crate::error::Result;
use crate::launch::arguments::Arguments;
use crate::launch::once;
use crate::launch::split::{Source, SplitLaunch};
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
    pub(super) shared_bytes: u64,
    /// Launched in place of the kernel.
    pub(super) parts: Option<Arc<Parts>>,
    /// The moment before the kernel, if it may be made to leave.
    pub(super) began: Cell<Option<Box<dyn Moment>>>,
}

impl Ready<'_> {
    pub(super) fn device(&self) -> &Device {
        &self.pipeline.device
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
        let source = OfCall {
            bound: &self.bound,
            kernel: self.kernel,
            views: self.bound.views(),
        };
        let device = &self.pipeline.device;
        let queued = Instant::now();
        // The limit is that of all launches; the moment before the first one is asked for again.
        let wait = |launched: &Launched| match self.deadline(Some(launched)) {
            None => Ok(()),
            Some(deadline) => {
                let deadline = deadline.since(queued);
                deadline.wait_for_some(launched)?;
                self.began.set(deadline.into_began());
                Ok(())
            }
        };
        // SAFETY: the arguments were held against the parameters. Memory that the kernel may write is borrowed exclusively,
        // or a buffer that nobody else has.
        unsafe { launch.enqueue(device, &source, &mut once(before), &wait) }
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
            captured: false,
        };
        submit(submission, &views)
    }

    /// The limit of the call that was queued just now, if it has one.
    pub(super) fn deadline(&self, launched: Option<&Launched>) -> Option<Deadline> {
        let began = self.began.take();
        Deadline::new(self.config, self.pipeline.device.state(), self.kernel, launched?, began)
    }

    /// Refuses a stream of another device, and a grid without blocks.
    pub(super) fn check(&self) -> Result<()> {
        let checked = self.submit(|submission, _| submission.check(&self.pipeline.device));
        self.config.labelled(checked.map(drop))
    }

    /// The stream of a launch, or the one on which it would have been.
    pub(super) fn stream_of(&self, launched: Option<&Launched>) -> &'static StreamState {
        match launched {
            Some(launched) => launched.stream,
            None => self
                .stream
                .map_or(self.device().state().default_stream(), Stream::state),
        }
    }

    /// Waits for the launch, or until it is late.
    pub(super) fn wait(&self, launched: Option<&Launched>) -> Result<()> {
        let Some(launched) = launched else { return Ok(()) };
        match self.deadline(Some(launched)) {
            Some(deadline) => deadline.wait(launched),
            None => launched.stream.queue().wait(),
        }
    }

    /// Tells the fault of the launch, which was waited for.
    pub(super) fn tell(&self, launched: Option<&Launched>) -> Result<()> {
        let device = self.pipeline.device.state();
        match launched {
            Some(launched) => launched.tell(device)?,
            None => drop(self.stream_of(None).collect(device)?),
        }
        let mut outputs = self.bound.outputs(self.kernel);
        outputs.try_for_each(|(_, buffer)| buffer.allocation().check())
    }

    /// Waits for the launch, and reads what it has written.
    pub(super) fn finish(&self, launched: Option<Launched>, outputs: &mut Outputs) -> Result<()> {
        self.config.labelled(self.try_finish(launched, outputs))
    }

    fn try_finish(&self, launched: Option<Launched>, outputs: &mut Outputs) -> Result<()> {
        let device = &self.pipeline.device;
        if let Some(launched) = &launched {
            if let Some(deadline) = self.deadline(Some(launched)) {
                deadline.wait(launched)?;
            }
            submission::wait(device, launched)?;
        }
        outputs.read(self.kernel, &self.bound)
    }
}

/// The arguments bound to the parameters of a kernel, with their views.
struct OfCall<'a> {
    bound: &'a Bound<'a>,
    kernel: &'a CompiledKernel,
    views: Views<'a>,
}

impl Source for OfCall<'_> {
    fn arguments(&self) -> Arguments<'_> {
        let mut arguments = Arguments::new();
        self.bound.push(self.kernel, &self.views, &mut arguments);
        arguments
    }
}
