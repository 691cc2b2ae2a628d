//! Work of other libraries on buffers, in the order of a stream.

use std::ffi::c_void;
use std::ptr;

use super::gate::Gates;
use crate::backend::{FaultedLaunch, Write};
use crate::device::Device;
use crate::device::event::{Event, marked};
use crate::device::stream::Stream;
use crate::error::{Error, Result};
use crate::memory::view::{RawView, View, ViewMut};

/// Queues work of another library that reads and writes bytes of buffers, ordered with launches as a launch is. `work`
/// gets the driver's handle of the stream, while the context of the device is the current one.
///
/// Bytes of `writes` count as overwritten: faults of launches that wrote them before are forgotten. Those of `updates` are
/// read before they are written, and keep them.
///
/// The result notes what may have been written, for work that fails after that.
///
/// # Safety
/// `work` queues on the stream, and on no other, what accesses these bytes alone, and nothing of it panics.
///
/// # Errors
/// [`Error::WrongDevice`] for views of another device, [`Error::Fault`] if a launch that may have written what is read is
/// known to have faulted, the error of `work`, or an error of the driver.
pub unsafe fn enqueue(
    name: &'static str,
    stream: &Stream,
    reads: &[View<'_, u8>],
    writes: &[ViewMut<'_, u8>],
    updates: &[ViewMut<'_, u8>],
    work: &mut dyn FnMut(*mut c_void) -> Result<()>,
) -> Result<Noted> {
    let (device, state) = stream.parts();
    device.check_open()?;
    let mut uses: Vec<(&RawView<'_>, bool)> = Vec::with_capacity(reads.len() + writes.len() + updates.len());
    for view in reads {
        uses.push((view.raw(), false));
    }
    for list in [writes, updates] {
        for view in list {
            uses.push((view.raw(), true));
        }
    }
    for (view, _) in &uses {
        if view.allocation.device_id() != device.id() {
            let belongs = view.allocation.device();
            return Err(Error::wrong_device(name, "a buffer", &belongs, &stream.device()));
        }
    }
    let _gates = Gates::shared(uses.iter().map(|(view, _)| view.allocation));
    for view in reads {
        view.raw().allocation.check()?;
    }
    for view in updates {
        view.raw().allocation.check()?;
    }
    let mut tickets = Vec::with_capacity(uses.len());
    for (view, writes) in &uses {
        tickets.push(view.allocation.begin_inside(state, *writes)?);
    }
    let done = state.queue().with_raw(work);
    // After an error, too: some of the work may be queued.
    for ((view, writes), ticket) in uses.iter().zip(tickets) {
        view.allocation.end(state, *writes, ticket);
    }
    done?;
    for view in writes {
        let raw = view.raw();
        raw.allocation.overwrite(raw.address, raw.length as usize);
    }
    // After what it has overwritten.
    let launch = device.tick();
    let mut written = Vec::new();
    for (view, writes) in uses {
        if writes {
            let allocation = view.allocation.id();
            written.push(Write { launch, allocation });
        }
    }
    Ok(Noted {
        stream: stream.clone(),
        number: launch,
        writes: written,
    })
}

/// Work of another library that was queued.
#[derive(Debug)]
pub struct Noted {
    stream: Stream,
    number: u64,
    writes: Vec<Write>,
}

impl Noted {
    /// Notes that it has failed, as a launch that has faulted: a wait for its stream tells that, as does who looks at what it
    /// may have written.
    pub fn fail(self, error: Error) {
        let (device, state) = self.stream.parts();
        let fault = FaultedLaunch {
            launch: self.number,
            error,
            writes: self.writes,
        };
        device.faults().add(state, vec![fault]);
    }
}

/// An event of the work on a stream so far, of which nobody asks the time: the device has less to do for it.
///
/// # Errors
/// Those of [`Stream::record`].
pub fn mark(stream: &Stream) -> Result<Event> {
    marked(stream)
}

/// The work queued on a stream: it changes with each launch and wait that is queued. Copies and fills, which end soon, do not
/// change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work(usize, u64);

/// The work queued on a stream; `None` for one that another library has made, which may queue more.
pub fn work_of(stream: &Stream) -> Option<Work> {
    let state = stream.state();
    Some(Work(ptr::from_ref(state).addr(), state.work()?))
}

/// Makes later work on a stream wait for an event, as [`Stream::wait`] does, where that work needs no results of the event's
/// stream: a wait does not tell its faults.
///
/// # Errors
/// [`Error::WrongDevice`](crate::Error::WrongDevice), or an error of the driver.
pub fn wait_apart(stream: &Stream, event: &Event) -> Result<()> {
    event.order(stream)
}

/// The device of a stream, with that as the default one: launches which name none are queued there.
pub fn with_default_stream(stream: &Stream) -> Device {
    stream.device().with_default(stream)
}

/// Runs a function while the context of the stream's device is the current one, on a device that is shut down, too: to give
/// back what another library has there.
///
/// # Errors
/// That of a lost device, where the function is not run.
pub fn to_end<R>(stream: &Stream, work: impl FnOnce() -> R) -> Result<R> {
    let (mut work, mut result) = (Some(work), None);
    stream.parts().1.queue().with_raw(&mut |_| {
        result = work.take().map(|work| work());
        Ok(())
    })?;
    Ok(result.expect("a queue runs the function once"))
}
