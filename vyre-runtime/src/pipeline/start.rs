//! Calls that are started and not waited for.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use super::call::Call;
use super::config::Config;
use super::deadline::Deadline;
use super::outputs::Outputs;
use super::ready::Ready;
use crate::DeviceBuffer;
use crate::backend::Moment;
use crate::device::DeviceState;
use crate::device::staging::Staging;
use crate::device::stream::StreamState;
use crate::error::Result;
use crate::launch::pending::{Landing, Pending};
use crate::launch::submission::Launched;

impl Call<'_> {
    /// Queues the call with the copies of its outputs, and does not wait: they come by [`Pending`].
    ///
    /// ```
    /// # #[cfg(feature = "programs")]
    /// # fn main() -> vyre_runtime::Result<()> {
    /// use vyre_core::{build, ir::Program};
    /// use vyre_runtime::Device;
    ///
    /// let mut program = Program::default();
    /// build::kernel(&mut program, "count", &[32], build::slice_mut::<u32>("y"), |k, y| {
    ///     let i = k.linear_index();
    ///     k.if_(i.lt(y.len()), || y.set(i, i.cast::<u32>()));
    /// });
    /// let pipeline = Device::cpu().compile(&program)?;
    /// let pending = pipeline.call().zeroed(4).over(4).start()?;
    /// // .. other work of the host ..
    /// let outputs = pending.wait()?; // in an async function, `pending.await?`
    /// assert_eq!(outputs.get("y").unwrap().values::<u32>().unwrap(), [0, 1, 2, 3]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "programs"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// Those of [`run`](Call::run), but for faults, which the wait tells, and for [`Error::Timeout`](crate::Error::Timeout)
    /// of a wait past the [time](Config::timeout) of the call, which begins now.
    pub fn start(&mut self) -> Result<Pending<Outputs>> {
        self.ready()?.start()
    }
}

impl Ready<'_> {
    fn start(self) -> Result<Pending<Outputs>> {
        let device = self.device().state();
        let (mut parts, mut room) = (Vec::new(), 0usize);
        for (name, buffer) in self.bound.outputs(self.kernel) {
            // Within the memory of the device.
            parts.push((name, room..room + buffer.len()));
            room += buffer.len();
        }
        let mut staging = device.staging(room)?;
        let launched = self.enqueue(|_| Ok(()))?;
        let stream = self.stream_of(launched.as_ref());
        let (kernel, deadline) = (self.kernel, self.deadline(launched.as_ref()));
        let buffers = self.bound.into_outputs(kernel);
        let copied = copy(stream, &buffers, &parts, &staging);
        let end: Result<Arc<dyn Moment>> = stream.queue().record().map(Arc::from);
        match &end {
            Ok(end) => staging.until(end),
            // The error of the record is told.
            Err(_) if stream.queue().wait().is_err() => staging.abandon(),
            Err(_) => {}
        }
        let config = self.config;
        config.labelled(copied)?;
        device.counters().downloaded_bytes.add(room as u64);
        let started = Started {
            device,
            stream,
            launched,
            parts,
            staging,
            buffers,
            config: config.clone(),
            deadline,
        };
        Ok(Pending::new(device, end?, started))
    }
}

/// Queues the copies of the outputs.
fn copy(
    stream: &'static StreamState,
    buffers: &[DeviceBuffer<u8>],
    parts: &[(String, Range<usize>)],
    staging: &Staging,
) -> Result<()> {
    for (buffer, (_, part)) in buffers.iter().zip(parts) {
        if part.is_empty() {
            continue;
        }
        let allocation = buffer.allocation();
        let ticket = allocation.begin_inside(stream, false)?;
        let target = staging.pointer().wrapping_add(part.start);
        // SAFETY: nobody else has the buffer, the stream follows earlier work on it, and the part lies within the
        // memory, which nobody uses until the copy is done.
        unsafe { stream.queue().start_read(allocation.address(), target, part.len())? };
        allocation.end(stream, false, ticket);
    }
    Ok(())
}

/// A call that nobody waits for yet.
struct Started {
    device: &'static DeviceState,
    stream: &'static StreamState,
    launched: Option<Launched>,
    parts: Vec<(String, Range<usize>)>,
    staging: Staging,
    /// They have the marks of faults.
    buffers: Vec<DeviceBuffer<u8>>,
    config: Config,
    deadline: Option<Deadline>,
}

impl Landing<Outputs> for Started {
    fn land(&mut self, outputs: &mut Outputs) -> Result<()> {
        self.config.labelled(self.try_land(outputs))
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline.as_ref().map(Deadline::at)
    }

    fn leave(&mut self) -> Result<()> {
        let left = self.deadline.as_ref().map_or(Ok(()), Deadline::leave);
        self.config.labelled(left)
    }
}

impl Started {
    fn try_land(&self, outputs: &mut Outputs) -> Result<()> {
        match &self.launched {
            Some(launched) => launched.tell(self.device)?,
            None => drop(self.stream.collect(self.device)?),
        }
        for buffer in &self.buffers {
            buffer.allocation().check()?;
        }
        let room = self.parts.last().map_or(0, |(_, part)| part.end);
        // SAFETY: the work is over, and the memory has room for all parts.
        let bytes = unsafe { self.staging.bytes(room) };
        outputs.fill(self.parts.iter().map(|(name, part)| (name, &bytes[part.clone()])))
    }
}
