//! A run of a sequence: its steps are queued on a stream, in order.

use std::sync::Arc;

use super::holdings::Holdings;
use super::readback::{Layout, Readback, To};
use super::step::{Counted, Node, Range, Step};
use crate::backend::{Extent, Launching, Moment, Parameters};
#[cfg(feature = "programs")]
use crate::backend::{FaultedLaunch, Write};
use crate::device::DeviceState;
use crate::device::faults::Watch;
use crate::device::staging::Staging;
use crate::device::stream::StreamState;
use crate::error::{Error, Result};
#[cfg(feature = "programs")]
use crate::launch::over_device;
use crate::launch::pending::Landing;
use crate::launch::submission::push_constants;
use crate::memory::counted::checked;

/// The device and the stream of a run.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) device: &'static DeviceState,
    pub(super) stream: &'static StreamState,
}

/// The outcome of the steps of a run.
#[derive(Default)]
pub(super) struct Log {
    launches: Launches,
    /// For each place that was read the faults that its values may be from, also if the memory was overwritten since.
    reads: Vec<Option<Arc<Watch>>>,
    /// The fault that has ended the run early.
    fault: Option<Error>,
    /// True if an error came in between: there are no values.
    is_partial: bool,
}

/// The numbers of launches, as ranges, which may touch. They ascend.
#[derive(Default)]
struct Launches(Vec<(u64, u64)>);

impl Launches {
    fn add(&mut self, number: u64) {
        match self.0.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            // A kernel that cannot fault has no number.
            _ if number == 0 => {}
            _ => self.0.push((number, number)),
        }
    }

    fn has(&self, number: u64) -> bool {
        let after = self.0.partition_point(|&(first, _)| first <= number);
        after.checked_sub(1).is_some_and(|range| self.0[range].1 >= number)
    }
}

/// A run that is queued.
pub(super) struct Queued {
    pub(super) start: Option<Box<dyn Moment>>,
    pub(super) end: Arc<dyn Moment>,
    /// The bytes of the places, once the end is reached.
    pub(super) staging: Staging,
}

/// The parts of a sequence that a run uses.
pub(super) struct Player<'s> {
    pub(super) target: Target,
    pub(super) chunks: &'s mut [Staging],
    pub(super) layout: &'s Layout,
    pub(super) log: &'s mut Log,
}

impl Player<'_> {
    /// Queues the steps, and records the moments before, if they are timed, and after them.
    pub(super) fn queue(mut self, steps: &[Step], holdings: &mut Holdings, timed: bool) -> Result<Queued> {
        let Target { device, stream } = self.target;
        self.begin()?;
        let mut staging = device.staging(self.layout.bytes)?;
        let queued = holdings.with(stream, timed, &mut || {
            // SAFETY: the stream follows earlier work on what the steps use, and no other is queued meanwhile; nobody
            // else has the staging memory.
            unsafe { self.play(steps, &staging) }.map(drop)
        });
        self.note_end(queued.is_ok());
        let end = self.end(&mut staging);
        Ok(Queued {
            start: queued?,
            end: end?,
            staging,
        })
    }

    /// Forgets the last run.
    pub(super) fn begin(&mut self) -> Result<()> {
        let Target { device, stream } = self.target;
        self.log.launches.0.clear();
        self.log.fault = None;
        // Until all of it is queued.
        self.log.is_partial = true;
        self.log.reads.clear();
        self.log.reads.resize(self.layout.slots.len(), None);
        // Tells that a device is lost, before a look at the faults, whose memory goes with it.
        stream.queue().flush()?;
        if stream.queue().has_faulted() {
            // Else they would seem to be faults of this run.
            stream.collect_own(device)?;
        }
        Ok(())
    }

    /// Records the moment until which the memory of the host is used, also if an error came in between.
    pub(super) fn end(&mut self, staging: &mut Staging) -> Result<Arc<dyn Moment>> {
        let stream = self.target.stream;
        let end: Result<Arc<dyn Moment>> = stream.queue().record().map(Arc::from);
        match &end {
            Ok(end) => {
                staging.until(end);
                self.chunks.iter_mut().for_each(|chunk| chunk.until(end));
            }
            // The error of the record is told.
            Err(_) if stream.queue().wait().is_err() => {
                staging.abandon();
                self.chunks.iter_mut().for_each(Staging::abandon);
            }
            Err(_) => {}
        }
        end
    }

    /// Notes that all of the run is queued, or that an error came in between.
    pub(super) fn note_end(&mut self, is_whole: bool) {
        self.log.is_partial = !is_whole;
    }

    /// Notes a launch of this run.
    pub(super) fn note_launch(&mut self, number: u64) {
        self.log.launches.add(number);
    }

    /// Looks out for faults that the values of a place are from.
    pub(super) fn note_read(&mut self, place: usize, from: &Range) {
        self.log.reads[place] = Some(from.allocation.watch());
    }

    /// The same for counted elements.
    pub(super) fn note_counted(&mut self, counted: &Counted) {
        self.note_read(counted.slot, &counted.counter);
        self.note_read(counted.slot + 1, &counted.from);
    }

    /// Queues steps; false if a launch of this run has faulted, after which nothing more is queued.
    ///
    /// # Safety
    /// The stream follows all conflicting work on what the steps use, and other work uses neither that nor the staging
    /// memory, which has room for the layout.
    unsafe fn play(&mut self, steps: &[Step], staging: &Staging) -> Result<bool> {
        for step in steps {
            if self.has_faulted()? {
                return Ok(false);
            }
            // SAFETY: the contract is the same.
            let goes_on = unsafe {
                match step {
                    Step::Repeat { turns, body } => self.repeat(*turns, body, staging)?,
                    Step::Fixpoint {
                        flag,
                        limit,
                        body,
                        place,
                    } => self.fixpoint((flag, *place), *limit, body, staging)?,
                    Step::Read { from, place } => {
                        self.read(from, (*place, 0), staging)?;
                        self.note_read(*place, from);
                        true
                    }
                    Step::ReadCounted(counted) => {
                        let copy = counted.copy(self.layout, staging.pointer());
                        self.target.stream.queue().start_read_counted(copy)?;
                        self.note_counted(counted);
                        true
                    }
                    other => self.one(other).map(|()| true)?,
                }
            };
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Queues a step that is neither a loop nor a read.
    ///
    /// # Safety
    /// As of `play`.
    unsafe fn one(&mut self, step: &Step) -> Result<()> {
        let Target { device, stream } = self.target;
        let (queue, counters) = (stream.queue(), device.counters());
        let written = match step {
            Step::Launch(node) => {
                // SAFETY: by the contract.
                unsafe { self.launch(node)? };
                return Ok(());
            }
            Step::Write { to, chunk, offset } => {
                // Within the chunk.
                let source = self.chunks[*chunk].pointer().wrapping_add(*offset);
                // SAFETY: the range lies within an allocation that the recording holds, and the source within a chunk
                // that is written no more; the rest is the contract.
                unsafe { queue.start_write(to.address, source, to.bytes)? };
                counters.uploaded_bytes.add(to.bytes as u64);
                to
            }
            Step::Fill { to, pattern } => {
                // SAFETY: as above; the range has a whole number of elements and begins at one.
                unsafe { queue.fill(to.address, pattern, to.bytes / pattern.len())? };
                to
            }
            Step::Copy { to, from } => {
                from.allocation.check()?;
                // SAFETY: as above; the ranges do not overlap, since the step has borrowed one of them exclusively.
                unsafe { queue.copy(to.address, from.address, to.bytes)? };
                counters.copied_bytes.add(to.bytes as u64);
                to
            }
            Step::Read { .. } | Step::ReadCounted(_) | Step::Repeat { .. } | Step::Fixpoint { .. } => return Ok(()),
        };
        written.allocation.overwrite(written.address, written.bytes);
        Ok(())
    }

    /// # Safety
    /// As of `play`.
    unsafe fn repeat(&mut self, turns: usize, body: &[Step], staging: &Staging) -> Result<bool> {
        for _ in 0..turns {
            // SAFETY: by the contract.
            if !unsafe { self.play(body, staging)? } {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Repeats steps until the flag stays zero, and writes the number of turns that have set it to a place.
    ///
    /// # Safety
    /// As of `play`.
    unsafe fn fixpoint(
        &mut self,
        (flag, place): (&Range, usize),
        limit: u32,
        body: &[Step],
        staging: &Staging,
    ) -> Result<bool> {
        let mut turns = 0;
        while turns < limit {
            // SAFETY: the sequence has made the flag, and keeps it; the rest is the contract.
            let goes_on = unsafe {
                self.clear(flag)?;
                self.play(body, staging)?
            };
            if !goes_on {
                return Ok(false);
            }
            // SAFETY: by the contract.
            match unsafe { self.look(flag, place, staging)? } {
                None => return Ok(false),
                Some(0) => break,
                Some(_) => turns += 1,
            }
        }
        // SAFETY: by the contract.
        unsafe { self.tell_turns(flag, place, turns, staging) };
        Ok(true)
    }

    /// Clears the flag of a fixpoint.
    ///
    /// # Safety
    /// As of `play`.
    pub(super) unsafe fn clear(&mut self, flag: &Range) -> Result<()> {
        // SAFETY: by the contract.
        unsafe { self.target.stream.queue().fill(flag.address, &[0], flag.bytes)? };
        flag.allocation.overwrite(flag.address, flag.bytes);
        Ok(())
    }

    /// Waits for a turn of a fixpoint, and returns the flag; `None` if a launch of this run has faulted.
    ///
    /// # Safety
    /// As of `play`, and the place is that of the fixpoint.
    pub(super) unsafe fn look(&mut self, flag: &Range, place: usize, staging: &Staging) -> Result<Option<u32>> {
        // SAFETY: by the contract; the place has room for two words.
        unsafe { self.read(flag, (place, FLAG), staging)? };
        self.target.stream.queue().record()?.wait()?;
        if self.has_faulted()? {
            return Ok(None);
        }
        // SAFETY: the device has written the flag, within the place, and is done.
        Ok(Some(unsafe { self.word(place, FLAG, staging).read_volatile() }))
    }

    /// Writes the turns of a fixpoint that have changed something to its place.
    ///
    /// # Safety
    /// As of `look`.
    pub(super) unsafe fn tell_turns(&mut self, flag: &Range, place: usize, turns: u32, staging: &Staging) {
        self.note_read(place, flag);
        // SAFETY: the device writes the word behind this one alone.
        unsafe { self.word(place, 0, staging).write_volatile(turns) };
    }

    /// A word of a place in the staging memory.
    fn word(&self, place: usize, offset: usize, staging: &Staging) -> *mut u32 {
        let at = self.layout.slots[place].offset + offset;
        staging.pointer().wrapping_add(at).cast()
    }

    /// Copies to a place, at an offset of it.
    ///
    /// # Safety
    /// As of `play`, and the place has room for the range.
    unsafe fn read(&mut self, from: &Range, (place, offset): (usize, usize), staging: &Staging) -> Result<()> {
        let at = self.layout.slots[place].offset + offset;
        // SAFETY: by the contract.
        unsafe {
            let target = staging.pointer().wrapping_add(at);
            self.target
                .stream
                .queue()
                .start_read(from.address, target, from.bytes)?;
        }
        let counters = self.target.device.counters();
        counters.downloaded_bytes.add(from.bytes as u64);
        Ok(())
    }

    /// # Safety
    /// As of `play`.
    unsafe fn launch(&mut self, node: &Node) -> Result<()> {
        let Target { device, stream } = self.target;
        // SAFETY: by the contract.
        let Some(extent) = (unsafe { self.extent_of(node)? }) else {
            return Ok(());
        };
        let kernel = node.kernel.description();
        let mut parameters = Parameters::of(node.parameters.pointers());
        let _set = push_constants(device, kernel, &mut parameters);
        // SAFETY: the parameters and the entry were checked when the launch was recorded, what they lead to is the
        // node's, and the stream follows all conflicting work, by the contract.
        let number = unsafe {
            stream.queue().launch(Launching {
                kernel,
                entry: node.entry,
                extent,
                interpreter: node.kernel.interpreter(),
                shared_bytes: node.shared_bytes,
                captured: false,
                parameters: &mut parameters,
                writes: &node.writes(),
                clock: device.clock(),
            })?
        };
        self.log.launches.add(number);
        Ok(())
    }

    /// The extent of a launch; `None` if the one on the device is too large for it, which is its fault.
    ///
    /// # Safety
    /// As of `play`.
    #[cfg(feature = "programs")]
    unsafe fn extent_of(&mut self, node: &Node) -> Result<Option<Extent>> {
        let Some(own) = &node.on_host else {
            return Ok(Some(node.extent));
        };
        let words = std::ptr::with_exposed_provenance::<u32>(own.address as usize);
        // SAFETY: the recording holds the memory, of the CPU, and as many numbers lie there. No work on it is in progress,
        // by the contract: on the CPU it is over when it is queued.
        let words = unsafe { std::slice::from_raw_parts(words, own.axes) };
        match over_device::extent(own.info, words, own.grid) {
            Ok(extent) => Ok(Some(extent)),
            Err(error) => {
                let Target { device, stream } = self.target;
                let launch = device.tick();
                let written = node.writes().into_iter();
                let writes = written.map(|allocation| Write { launch, allocation }).collect();
                device.counters().faults.add(1);
                device
                    .faults()
                    .add(stream, vec![FaultedLaunch { launch, error, writes }]);
                self.log.launches.add(launch);
                Ok(None)
            }
        }
    }

    #[cfg(not(feature = "programs"))]
    unsafe fn extent_of(&mut self, node: &Node) -> Result<Option<Extent>> {
        Ok(Some(node.extent))
    }

    /// True if a launch of this run has reported a fault until now.
    pub(super) fn has_faulted(&mut self) -> Result<bool> {
        let Target { device, stream } = self.target;
        if !stream.queue().has_faulted() {
            return Ok(false);
        }
        // It may be one of another thread's launch on the same stream.
        stream.collect_own(device)?;
        // To be told by the wait for the run, or by one for the stream if nobody waits for the run.
        self.log.fault = device.faults().first_of(|number| self.log.launches.has(number));
        Ok(self.log.fault.is_some())
    }
}

/// The offset of the flag in the place of a fixpoint.
const FLAG: usize = 4;

impl Log {
    /// Takes in what a run has read, after its end was reached. Tells the first fault of its launches, and else one that
    /// what it has read is from.
    pub(super) fn land(
        &mut self,
        target: Target,
        layout: &Layout,
        staging: &Staging,
        readback: &mut Readback,
    ) -> Result<()> {
        readback.clear(layout)?;
        let Target { device, stream } = target;
        stream.collect(device)?;
        let told = device.faults().tell_first_of(|number| self.launches.has(number));
        match &self.fault {
            Some(fault) => return Err(fault.clone()),
            None => told?,
        }
        for watch in self.reads.iter().flatten() {
            device.faults().tell_watched(watch)?;
        }
        device.take_error()?;
        if self.is_partial {
            return Ok(());
        }
        // SAFETY: the end was reached, so no work writes the memory, which has room for the layout.
        let bytes = unsafe { staging.bytes(layout.bytes) };
        // That of the slot before.
        let mut count = 0;
        for (&slot, read) in layout.slots.iter().zip(&self.reads) {
            let own = &bytes[slot.offset..slot.offset + slot.bytes];
            match slot.to {
                To::Fixed(place) => {
                    if read.is_some() {
                        (slot.check)(own)?;
                    }
                    readback.fill(place, slot.bytes, read.as_ref().map(|_| own));
                }
                To::Count => {
                    count = match (read, own.first_chunk()) {
                        (Some(_), Some(&count)) => u64::from_ne_bytes(count),
                        _ => 0,
                    }
                }
                To::Counted { most, size } => {
                    let count = checked(count, most)?;
                    let own = &own[..count * size];
                    (slot.check)(own)?;
                    readback.add_counted(count, own)?;
                    device.counters().downloaded_bytes.add(own.len() as u64);
                }
            }
        }
        // The watches end.
        self.reads.clear();
        readback.complete(layout);
        Ok(())
    }
}

/// A run that nobody waits for yet.
pub(super) struct Started {
    pub(super) target: Target,
    pub(super) log: Log,
    pub(super) layout: Layout,
    pub(super) staging: Staging,
}

impl Landing<Readback> for Started {
    fn land(&mut self, values: &mut Readback) -> Result<()> {
        self.log.land(self.target, &self.layout, &self.staging, values)
    }
}
