//! Runs of a sequence.

use std::mem;
use std::time::Instant;

use super::Sequence;
use super::play::{Player, Queued, Started, Target};
use super::readback::Readback;
use crate::error::Result;
use crate::launch::pending::Pending;
use crate::launch::timing::Timing;

impl Sequence {
    /// Runs the steps, waits for them, and returns what they have read.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(3)?;
    /// let mut steps = Sequence::new(&device);
    /// steps.write(&mut x, &[1, 2, 3])?;
    /// let all = steps.read(&x, ..)?;
    /// assert_eq!(steps.run()?.get(&all), Some(&[1, 2, 3][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The first fault of its launches; the fault of an earlier launch that what it reads is from;
    /// [`Error::InvalidElement`](crate::Error::InvalidElement) of what it reads; errors of the driver. The steps before a
    /// fault have run, and those after it may have; what they write is unspecified.
    pub fn run(&mut self) -> Result<Readback> {
        let mut values = Readback::new();
        self.run_into(&mut values)?;
        Ok(values)
    }

    /// As [`run`](Sequence::run), into values whose memory is used again.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// use vyre::{Readback, Sequence};
    ///
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3])?;
    /// let mut steps = Sequence::new(&device);
    /// steps.launch(twice(&mut x).over(3))?;
    /// let first = steps.read(&x, ..1)?;
    /// let mut values = Readback::new();
    /// for turn in 1..5 {
    ///     steps.run_into(&mut values)?;
    ///     assert_eq!(values.get(&first), Some(&[1 << turn][..]));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`run`](Sequence::run). There are no values then.
    pub fn run_into(&mut self, values: &mut Readback) -> Result<()> {
        values.clear(&self.layout)?;
        let queued = self.queue(false)?;
        queued.end.wait()?;
        self.log.land(self.target(), &self.layout, &queued.staging, values)
    }

    /// As [`run_into`](Sequence::run_into), with the time that it took. That of the device is from the first step to the
    /// end of the last one.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// use vyre::{Readback, Sequence};
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(1 << 20)?;
    /// let mut steps = Sequence::new(&device);
    /// steps.repeat(10, |body| body.fill(&mut x, 1))?;
    /// let timing = steps.run_timed(&mut Readback::new())?;
    /// println!("{:?} on the device, {:?} to queue it", timing.device, timing.enqueue);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`run`](Sequence::run). There are no values then, and no times.
    pub fn run_timed(&mut self, values: &mut Readback) -> Result<Timing> {
        let began = Instant::now();
        values.clear(&self.layout)?;
        let queued = self.queue(true)?;
        let enqueue = began.elapsed();
        queued.end.wait()?;
        self.log.land(self.target(), &self.layout, &queued.staging, values)?;
        let moments = queued.start.as_deref().map(|start| (start, &*queued.end));
        let timing = Timing::between(began, enqueue, moments)?;
        timing.count(&self.device());
        Ok(timing)
    }

    /// Queues the steps, and does not wait: their values come by [`Pending`]. Runs of a sequence come one after the other,
    /// so it may be started again before the last run is over.
    ///
    /// On the CPU the steps have run when this returns. The host looks at the flag of a
    /// [`fixpoint`](Sequence::fixpoint) after each turn, so this returns when the last fixpoint has ended.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3])?;
    /// let mut steps = Sequence::new(&device);
    /// steps.launch(twice(&mut x).over(3))?;
    /// let all = steps.read(&x, ..)?;
    /// let (first, second) = (steps.start()?, steps.start()?);
    /// assert_eq!(second.wait()?.get(&all), Some(&[4, 8, 12][..]));
    /// assert_eq!(first.wait()?.get(&all), Some(&[2, 4, 6][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver. Faults are told by the wait.
    pub fn start(&mut self) -> Result<Pending<Readback>> {
        let Queued { end, staging, .. } = self.queue(false)?;
        let target = self.target();
        let started = Started {
            target,
            log: mem::take(&mut self.log),
            layout: self.layout.clone(),
            staging,
        };
        Ok(Pending::new(target.device, end, started))
    }

    fn target(&self) -> Target {
        Target {
            device: self.device().state(),
            stream: self.stream.state(),
        }
    }

    /// Queues the steps.
    pub(super) fn queue(&mut self, timed: bool) -> Result<Queued> {
        self.settle_source()?;
        let player = Player {
            target: self.target(),
            chunks: &mut self.chunks,
            layout: &self.layout,
            log: &mut self.log,
        };
        player.queue(&self.steps, &mut self.holdings, timed)
    }

    /// Copies the sources of writes to memory of the host from which devices copy.
    pub(super) fn settle_source(&mut self) -> Result<()> {
        if !self.source.is_empty() {
            let mut chunk = self.device().state().staging(self.source.len())?;
            // SAFETY: the chunk is new, and of this size.
            unsafe { chunk.write(&self.source) };
            self.chunks.push(chunk);
            self.source = Vec::new();
        }
        Ok(())
    }
}
