//! The end of the wait for a call that takes longer than it may.

use std::time::{Duration, Instant};

use super::config::Config;
use crate::backend::{FaultedLaunch, Moment};
use crate::device::DeviceState;
use crate::device::stream::StreamState;
use crate::error::{Error, Result};
use crate::launch::pending::End;
use crate::launch::submission::Launched;
use crate::programs::compiled::CompiledKernel;

/// The limit of a call that is queued.
pub(super) struct Deadline {
    device: &'static DeviceState,
    stream: &'static StreamState,
    launch: u64,
    kernel: String,
    /// The moment before the kernel, if its threads look whether to leave.
    began: Option<Box<dyn Moment>>,
    limit: Duration,
    at: Instant,
}

impl Deadline {
    /// That of a launch that was queued just now, if the options have one.
    pub(super) fn new(
        config: &Config,
        device: &'static DeviceState,
        kernel: &CompiledKernel,
        launched: &Launched,
        began: Option<Box<dyn Moment>>,
    ) -> Option<Deadline> {
        let limit = config.get_timeout()?;
        Some(Deadline {
            device,
            stream: launched.stream,
            launch: launched.number,
            kernel: kernel.description().name.to_owned(),
            began,
            limit,
            // A limit past the end of the clock is none.
            at: Instant::now().checked_add(limit)?,
        })
    }

    /// The same limit, from this moment on.
    pub(super) fn since(self, began: Instant) -> Deadline {
        Deadline {
            at: began.checked_add(self.limit).unwrap_or(self.at),
            ..self
        }
    }

    /// The moment before the kernel.
    pub(super) fn into_began(self) -> Option<Box<dyn Moment>> {
        self.began
    }

    /// Waits for the launch, or until it is late.
    pub(super) fn wait(&self, launched: &Launched) -> Result<()> {
        let end = launched.stream.queue().record()?.into();
        match End::new(self.device, end).wait_until(self.at)? {
            true => Ok(()),
            false => self.leave(),
        }
    }

    /// As [`wait`](Deadline::wait) for one of many launches: it is late too if it ends after the limit.
    pub(super) fn wait_for_some(&self, launched: &Launched) -> Result<()> {
        self.wait(launched)?;
        match Instant::now() < self.at {
            true => Ok(()),
            false => self.leave(),
        }
    }

    pub(super) fn at(&self) -> Instant {
        self.at
    }

    /// Ends the wait for a launch that is late. Threads of it that wait for others in loops leave; then what it may have
    /// written is worth nothing, and says so.
    pub(super) fn leave(&self) -> Result<()> {
        let Deadline { stream, launch, .. } = *self;
        let late = Error::Timeout {
            kernel: self.kernel.clone().into(),
            limit: self.limit,
        };
        let has_begun = match &self.began {
            Some(began) => began.is_over()?,
            None => false,
        };
        if !has_begun {
            return Err(late);
        }
        let Some(writes) = stream.queue().leave(launch)? else {
            return Err(late);
        };
        let faults = self.device.faults();
        let error = late.clone();
        faults.add(stream, vec![FaultedLaunch { launch, error, writes }]);
        faults.tell_launch(launch)?;
        // Another wait was told already.
        Err(late)
    }
}
