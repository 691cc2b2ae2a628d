//! Copies between host and device that are queued together and waited for once.
//!
//! - `Uploads` are new buffers whose copies the host does not wait for yet.
//! - `Reads` are copies to the host. Small ones go through memory that the driver does not hold the host back for.
//! - [`write`] and [`read`] copy many ranges, each list behind one wait.
//!
//! All of them use memory of the caller until they are waited for, so a drop waits.

use std::ptr;

use vyre_abi::order::sort_by_key;

use crate::device::DeviceState;
use crate::device::staging::Staging;
use crate::device::stream::StreamState;
use crate::error::Result;
use crate::memory::allocation::Allocation;
#[cfg(feature = "programs")]
use crate::memory::buffer::DeviceBuffer;
use crate::memory::gate::Gates;
use crate::memory::scattered;
use crate::memory::view::RawView;
use crate::trace::span;

/// The most bytes of a copy to the host that goes through staging memory. The driver waits for a copy to memory that is not
/// pinned, which costs little beside a copy of more bytes.
const SMALL: usize = 64 << 10;

/// The most staging memory of a list of copies. Those past it go straight to their targets.
const MOST: usize = 16 << 20;

/// Parts of the staging memory begin at multiples of this.
const LINE: usize = 64;

/// New buffers whose bytes are on the way.
#[cfg(feature = "programs")]
pub(crate) struct Uploads<'h> {
    device: &'static DeviceState,
    pending: bool,
    sources: std::marker::PhantomData<&'h [u8]>,
}

#[cfg(feature = "programs")]
impl<'h> Uploads<'h> {
    pub(crate) fn new(device: &'static DeviceState) -> Uploads<'h> {
        Uploads {
            device,
            pending: false,
            sources: std::marker::PhantomData,
        }
    }

    pub(crate) fn device(&self) -> &'static DeviceState {
        self.device
    }

    /// A buffer of these bytes, to which they are copied in the order of the device's stream for copies.
    pub(crate) fn add(&mut self, source: &'h [u8]) -> Result<DeviceBuffer<u8>> {
        let _span = span!("upload", bytes = source.len());
        let stream = self.device.copies();
        let buffer = DeviceBuffer::allocate(self.device, stream, source.len(), false)?;
        if source.is_empty() {
            return Ok(buffer);
        }
        let allocation = buffer.allocation();
        let ticket = allocation.begin_inside(stream, true)?;
        self.pending = true;
        // SAFETY: the buffer has the size of the source, which is borrowed until the copy was waited for.
        unsafe {
            let queue = stream.queue();
            queue.start_write(allocation.address(), source.as_ptr(), source.len())?;
        }
        allocation.end(stream, true, ticket);
        self.device.counters().uploaded_bytes.add(source.len() as u64);
        Ok(buffer)
    }

    /// The host has waited for work that comes after all of the copies.
    pub(crate) fn arrived(mut self) {
        self.pending = false;
    }
}

#[cfg(feature = "programs")]
impl Drop for Uploads<'_> {
    fn drop(&mut self) {
        if self.pending {
            // The error of a lost device comes out of each later call.
            let _ = self.device.copies().queue().wait();
        }
    }
}

/// Copies to the host.
pub(crate) struct Reads<'h> {
    staging: Staging,
    /// The bytes of the staging memory, and those that copies have.
    room: usize,
    used: usize,
    /// Where the copies in staging memory go.
    staged: Vec<(usize, &'h mut [u8])>,
    /// The streams to wait for.
    streams: Vec<&'static StreamState>,
}

impl<'h> Reads<'h> {
    /// The bytes of staging memory for a copy of so many bytes.
    pub(crate) fn room(bytes: usize) -> usize {
        match bytes {
            ..=SMALL => bytes.next_multiple_of(LINE),
            _ => 0,
        }
    }

    /// None yet, with this much staging memory: the sum of the room of all copies.
    pub(crate) fn new(device: &'static DeviceState, room: usize) -> Result<Reads<'h>> {
        let room = room.min(MOST);
        Ok(Reads {
            staging: device.staging(room)?,
            room,
            used: 0,
            staged: Vec::new(),
            streams: Vec::new(),
        })
    }

    /// Waits for this stream, too.
    pub(crate) fn on(&mut self, stream: &'static StreamState) {
        if !self.streams.iter().any(|&known| ptr::eq(known, stream)) {
            self.streams.push(stream);
        }
    }

    /// Queues a copy.
    ///
    /// # Safety
    /// The address is that of as many bytes as the target has, and the stream follows all work that
    /// writes them.
    pub(crate) unsafe fn start(
        &mut self,
        stream: &'static StreamState,
        address: u64,
        target: &'h mut [u8],
    ) -> Result<()> {
        let bytes = target.len();
        if bytes == 0 {
            return Ok(());
        }
        self.on(stream);
        let room = Self::room(bytes);
        let is_staged = room != 0 && self.used + room <= self.room;
        let memory = match is_staged {
            true => self.staging.pointer().wrapping_add(self.used),
            false => target.as_mut_ptr(),
        };
        // SAFETY: by the contract; the memory has as many bytes, and is kept until the stream was waited for.
        unsafe { stream.queue().start_read(address, memory, bytes)? };
        if is_staged {
            self.staged.push((self.used, target));
            self.used += room;
        }
        Ok(())
    }

    /// Waits for all copies, once for each stream.
    pub(crate) fn wait(&mut self) -> Result<()> {
        let mut first = Ok(());
        for stream in std::mem::take(&mut self.streams) {
            let waited = stream.queue().wait();
            if waited.is_err() {
                // Copies may go on.
                self.staging.abandon();
                self.staged.clear();
            }
            first = first.and(waited);
        }
        first
    }

    /// Fills the targets, after [`wait`](Reads::wait).
    pub(crate) fn land(mut self) {
        // SAFETY: the copies are over, and have initialised the memory that they have.
        let bytes = unsafe { self.staging.bytes(self.used) };
        for (start, target) in self.staged.drain(..) {
            target.copy_from_slice(&bytes[start..start + target.len()]);
        }
    }
}

impl Drop for Reads<'_> {
    fn drop(&mut self) {
        let _ = self.wait();
    }
}

/// Copies bytes to views of one device, as if in their order. Each view has as many bytes as there are for it.
pub(crate) fn write(device: &'static DeviceState, copies: &[(RawView<'_>, &[u8])]) -> Result<()> {
    let total = copies.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
    let _span = span!("upload", bytes = total);
    let uses = Uses::of(&mut copies.iter().map(|(view, _)| view.allocation));
    let (mut scattered, others) = scattered::divide(device, copies)?;
    uses.access(device, total == 0, &mut |stream| {
        let queue = stream.queue();
        // SAFETY: a view has as many bytes as there are for it, the caller borrows it exclusively, the stream follows all
        // work on it, and the bytes are borrowed until the stream was waited for.
        let queued = unsafe {
            let first = scattered.as_ref().map_or(Ok(()), |scattered| scattered.start(queue));
            let mut others = others.iter();
            first.and_then(|()| {
                others.try_for_each(|(view, bytes)| queue.start_write(view.address, bytes.as_ptr(), bytes.len()))
            })
        };
        // After an error, too, for copies before it.
        let waited = queue.wait();
        if let (Err(_), Some(scattered)) = (&waited, &mut scattered) {
            scattered.abandon();
        }
        queued.and(waited)
    })?;
    for (view, bytes) in copies {
        view.allocation.overwrite(view.address, bytes.len());
    }
    device.counters().uploaded_bytes.add(total as u64);
    Ok(())
}

/// Copies bytes of views of one device, after all work on them so far, and tells faults as a download of each does. Each
/// view has as many bytes as its target.
pub(crate) fn read<'h>(device: &'static DeviceState, copies: Vec<(RawView<'_>, &'h mut [u8])>) -> Result<()> {
    let total = copies.iter().map(|(_, target)| target.len()).sum::<usize>();
    let _span = span!("download", bytes = total);
    let room = copies.iter().map(|(_, target)| Reads::room(target.len())).sum();
    let mut reads: Reads<'h> = Reads::new(device, room)?;
    let uses = Uses::of(&mut copies.iter().map(|(view, _)| view.allocation));
    let mut copies = copies.into_iter();
    uses.read(device, total == 0, &mut |stream| {
        // SAFETY: the view has as many bytes as the target, and the stream follows all work on it.
        let queued = copies.try_for_each(|(view, target)| unsafe { reads.start(stream, view.address, target) });
        // After an error, too, for copies before it.
        queued.and(reads.wait())?;
        Ok(total)
    })?;
    reads.land();
    Ok(())
}

/// The allocations of copies, each once.
pub(super) struct Uses<'a> {
    allocations: Vec<&'a Allocation>,
}

impl<'a> Uses<'a> {
    pub(super) fn of(all: &mut dyn Iterator<Item = &'a Allocation>) -> Uses<'a> {
        let mut allocations: Vec<_> = all.collect();
        sort_by_key(&mut allocations, |allocation| allocation.id().into());
        allocations.dedup_by_key(|allocation| allocation.id());
        Uses { allocations }
    }

    /// Runs copies to the host that wait for themselves and return their bytes, after all work on the memory so far, and
    /// tells the faults that a download of each allocation does.
    pub(super) fn read(
        &self,
        device: &'static DeviceState,
        is_empty: bool,
        copy: &mut dyn FnMut(&'static StreamState) -> Result<usize>,
    ) -> Result<()> {
        let mut watches = Vec::new();
        let used = self.access(device, is_empty, &mut |stream| {
            device.counters().downloaded_bytes.add(copy(stream)? as u64);
            // A recording may overwrite it after that.
            let recorded = self.allocations.iter().filter(|allocation| allocation.is_recorded());
            watches.extend(recorded.map(|allocation| (allocation.id(), allocation.watch())));
            Ok(())
        })?;
        let mut streams = Vec::new();
        for stream in used {
            streams.extend(stream.collect(device)?);
        }
        for allocation in &self.allocations {
            match watches.iter().find(|(id, _)| *id == allocation.id()) {
                Some((_, watch)) => device.faults().tell_watched(watch)?,
                None => allocation.check()?,
            }
        }
        device.faults().tell(&streams)?;
        device.take_error()
    }

    /// Runs copies that wait for themselves, on a stream that follows all earlier uses of the memory. Returns the streams of
    /// those uses.
    fn access(
        &self,
        device: &'static DeviceState,
        is_empty: bool,
        copy: &mut dyn FnMut(&'static StreamState) -> Result<()>,
    ) -> Result<Vec<&'static StreamState>> {
        let _gates = Gates::shared(self.allocations.iter().copied());
        let mut owners = self.allocations.iter().map(|allocation| allocation.owner());
        if let Some(Some(owner)) = owners.next()
            && owners.all(|other| other.is_some_and(|other| ptr::eq(owner, other)))
        {
            if !is_empty {
                copy(owner)?;
            }
            return Ok(vec![owner]);
        }
        let mut streams: Vec<&'static StreamState> = Vec::new();
        for allocation in &self.allocations {
            for stream in allocation.streams() {
                if !streams.iter().any(|&known| ptr::eq(known, stream)) {
                    streams.push(stream);
                }
            }
        }
        if is_empty {
            return Ok(streams);
        }
        let stream = device.copies();
        let mut tickets = Vec::with_capacity(self.allocations.len());
        for allocation in &self.allocations {
            tickets.push(allocation.begin_for_host(stream)?);
        }
        copy(stream)?;
        for (allocation, ticket) in self.allocations.iter().zip(tickets) {
            allocation.settle(ticket);
        }
        Ok(streams)
    }
}
