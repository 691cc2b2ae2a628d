//! A block of device memory, and the streams that use it.
//!
//! Work on a stream runs in order, but work on two streams does not, and the borrow of a buffer
//! ends when the call that queues the work returns. So each allocation records the streams that
//! have used it. Before a stream uses memory with conflicting uses by others, it is made to follow
//! them.
//!
//! **The common case costs one load.** While only one stream uses an allocation, `owner` points to
//! it, with a mark if a write of it is recorded. [`begin`](Allocation::begin) and
//! [`end`](Allocation::end) see that their use is already recorded, and do nothing.
//!
//! **The other cases** keep one [`Use`] for each stream, under a lock. Uses are numbered. `begin`
//! makes the stream follow those that conflict and that it does not follow yet; it returns as a
//! [`Ticket`] the number up to which the stream now follows all. After the work is enqueued, `end`
//! records the new use and drops those that it makes redundant: a later stream that follows a write
//! follows what came before it, too. Uses that another thread adds between `begin` and `end`
//! (possible only for reads, atomics, and disjoint parts) have numbers past the ticket, and stay.
//!
//! `begin` clears `owner` before it looks at the owner's work, and the queue's own lock orders that
//! look with the queueing of work. So a thread that sees itself as the owner both in `begin` and in
//! `end` knows that its work was seen, or that no other thread looked.
//!
//! **Recordings.** A launch borrows its buffers while it is queued, so no other thread queues conflicting work between
//! its `begin` and its `end`. A recording that runs borrows nothing. While recordings hold an allocation it therefore
//! has no owner, `begin` answers [`Ticket::RECORDED`], and all who use it first take its gate; see
//! [`gate`](super::gate).

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use crate::backend::AllocationId;
use crate::device::faults::Watch;
use crate::device::stream::StreamState;
use crate::device::{Device, DeviceState};
use crate::error::Result;
use crate::sync::{Mutex, RwLock};

/// Memory of a device.
pub(crate) struct Allocation {
    device: &'static DeviceState,
    /// The address; 0 if there are no bytes.
    address: u64,
    bytes: usize,
    /// The result of [`owner_of`] for the stream that alone has used the memory, or null.
    owner: AtomicPtr<StreamState>,
    uses: Mutex<Uses>,
    id: AllocationId,
    /// The owner of memory that is not the device's own.
    foreign: Option<Owner>,
    /// The device's clock when all bytes were last written by something that cannot fault.
    overwritten: AtomicU64,
    /// The recordings that hold it. Changed under the lock of `uses`.
    recordings: AtomicUsize,
    /// See [`gate`](super::gate).
    pub(super) gate: RwLock<()>,
    this: Weak<Allocation>,
}

/// The owner of memory that is not the device's own.
pub(crate) enum Owner {
    /// It keeps the memory: each use comes after its work until then, and its later work after the use, so that it need not
    /// be told that the last use is over.
    Lends(Box<dyn Handover>),
    /// It has given the memory away, and frees it when it is dropped.
    Gives(Box<dyn Handover>),
}

impl Owner {
    fn handover(&self) -> &dyn Handover {
        match self {
            Owner::Lends(owner) | Owner::Gives(owner) => &**owner,
        }
    }
}

/// Orders the work of an owner of memory with that on streams of the device, by the driver's handle of the stream.
pub(crate) trait Handover: Send + Sync {
    /// Makes later work on the stream wait for the owner's work on the memory.
    fn acquire(&self, stream: *mut c_void) -> Result<()>;

    /// Makes the owner's later work on the memory wait for the work on the stream.
    fn release(&self, stream: *mut c_void) -> Result<()>;
}

/// The uses of others that a stream follows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ticket {
    /// It follows all uses up to this one.
    all: u64,
    /// It follows all writes up to this one.
    writes: u64,
}

impl Ticket {
    /// The stream follows no use: a recording holds the memory, so its gate comes first.
    const RECORDED: Ticket = Ticket {
        all: u64::MAX,
        writes: u64::MAX,
    };

    #[inline]
    pub(crate) fn is_recorded(self) -> bool {
        self.all == u64::MAX
    }
}

#[derive(Default)]
struct Uses {
    /// The number of the last use.
    last: u64,
    list: Vec<Use>,
}

/// The uses of the memory by one stream.
struct Use {
    stream: &'static StreamState,
    /// The number of its last use.
    number: u64,
    /// True if one of its uses wrote.
    writes: bool,
    follows: Ticket,
}

/// The tag of an owner with a recorded write. Addresses of streams are even.
const WRITES: usize = 1;

const _: () = assert!(align_of::<StreamState>() > WRITES);

/// A stream as the owner of an allocation.
#[inline]
fn owner_of(stream: &'static StreamState, writes: bool) -> *mut StreamState {
    ptr::from_ref(stream)
        .cast_mut()
        .map_addr(|address| address | (writes as usize * WRITES))
}

impl Allocation {
    /// New memory of a number of bytes, allocated and zeroed in the order of a stream of the device.
    pub(crate) fn new(
        device: &'static DeviceState,
        stream: &'static StreamState,
        bytes: usize,
        zeroed: bool,
    ) -> Result<Arc<Allocation>> {
        let address = match bytes {
            0 => 0,
            _ => stream.queue().allocate(bytes, zeroed)?,
        };
        if bytes != 0 {
            device.counters().allocations.add(1);
            device.counters().buffers.add(bytes as u64);
        }
        let first = Use {
            stream,
            number: 1,
            writes: true,
            follows: Ticket::default(),
        };
        let id = device.tick();
        Ok(Arc::new_cyclic(|this| Allocation {
            id,
            foreign: None,
            overwritten: AtomicU64::new(id),
            device,
            address,
            bytes,
            owner: AtomicPtr::new(owner_of(stream, true)),
            uses: Mutex::new(Uses {
                last: 1,
                list: vec![first],
            }),
            recordings: AtomicUsize::new(0),
            gate: RwLock::new(()),
            this: this.clone(),
        }))
    }

    /// A handle that keeps the memory.
    pub(crate) fn hold(&self) -> Arc<Allocation> {
        self.this.upgrade().expect("whoever has a reference has a handle")
    }

    /// From here on a recording holds it.
    pub(crate) fn record(&self) {
        let _uses = self.uses.lock();
        self.recordings.fetch_add(1, Ordering::Relaxed);
        self.owner.store(ptr::null_mut(), Ordering::Release);
    }

    /// A recording holds it no longer.
    pub(crate) fn forget_recording(&self) {
        let _uses = self.uses.lock();
        self.recordings.fetch_sub(1, Ordering::Relaxed);
    }

    /// True if recordings hold it.
    pub(crate) fn is_recorded(&self) -> bool {
        self.recordings.load(Ordering::Relaxed) != 0
    }

    /// Memory of another owner.
    pub(crate) fn foreign(
        device: &'static DeviceState,
        owner: Owner,
        address: u64,
        bytes: usize,
    ) -> Result<Arc<Allocation>> {
        let stream = device.default_stream();
        let mut uses = Uses::default();
        let mut noted = ptr::null_mut();
        if let Owner::Gives(owner) = &owner {
            stream.queue().with_raw(&mut |raw| owner.acquire(raw))?;
            uses.last = 1;
            uses.list.push(Use {
                stream,
                number: 1,
                writes: true,
                follows: Ticket::default(),
            });
            noted = owner_of(stream, true);
            if address != 0 {
                device.counters().allocations.add(1);
                device.counters().buffers.add(bytes as u64);
            }
        }
        let id = device.tick();
        Ok(Arc::new_cyclic(|this| Allocation {
            id,
            foreign: Some(owner),
            overwritten: AtomicU64::new(id),
            device,
            address,
            bytes,
            owner: AtomicPtr::new(noted),
            uses: Mutex::new(uses),
            recordings: AtomicUsize::new(0),
            gate: RwLock::new(()),
            this: this.clone(),
        }))
    }

    /// The owner of memory that is lent.
    fn lender(&self) -> Option<&dyn Handover> {
        match &self.foreign {
            Some(Owner::Lends(owner)) => Some(&**owner),
            _ => None,
        }
    }

    /// True if somebody else keeps the memory, for a time that ends.
    pub(crate) fn is_lent(&self) -> bool {
        self.lender().is_some()
    }

    /// True if it is the device's own memory.
    pub(crate) fn is_own(&self) -> bool {
        self.foreign.is_none()
    }

    /// Makes a stream follow all uses of the device's own memory, calls `then`, and gives up the memory: its address. After
    /// an error the memory is freed.
    pub(crate) fn give_up(mut self, stream: &'static StreamState, then: impl FnOnce() -> Result<()>) -> Result<u64> {
        let uses = std::mem::take(self.uses.get_mut());
        let mut others = uses.list.iter().filter(|other| !ptr::eq(other.stream, stream));
        let followed = others.try_for_each(|other| stream.follow_apart(other.stream));
        if let Err(error) = followed.and_then(|()| then()) {
            *self.uses.get_mut() = uses;
            return Err(error);
        }
        self.device.faults().forget(self.id);
        self.device.counters().frees.add(1);
        self.device.counters().buffers.subtract(self.bytes as u64);
        self.this = Weak::new();
        // The uses and the handle of itself, which are all that it owns, were taken out.
        Ok(ManuallyDrop::new(self).address)
    }

    pub(crate) fn device(&self) -> Device {
        Device::of(self.device)
    }

    #[inline]
    pub(crate) fn device_id(&self) -> u32 {
        self.device.id()
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    #[inline]
    pub(crate) fn id(&self) -> AllocationId {
        self.id
    }

    /// Notes that a range was written by something that cannot fault. If that is the whole allocation,
    /// faults of earlier launches that wrote it are forgotten.
    pub(crate) fn overwrite(&self, address: u64, bytes: usize) {
        if address == self.address && bytes == self.bytes {
            self.overwritten.store(self.device.tick(), Ordering::Release);
        }
    }

    /// The fault of a launch that may have written the memory, as far as faults are collected.
    pub(crate) fn check(&self) -> Result<()> {
        let overwritten = self.overwritten.load(Ordering::Acquire);
        self.device.faults().tell_of(self.id, overwritten)
    }

    /// Looks out for faults of the launches until now that may have written the memory.
    pub(crate) fn watch(&self) -> Arc<Watch> {
        let (cleared, last) = (
            self.overwritten.load(Ordering::Acquire),
            self.device.clock().load(Ordering::Relaxed),
        );
        self.device.faults().watch(self.id, cleared, last)
    }

    /// The only stream that has used the memory, if there is just one.
    pub(crate) fn owner(&self) -> Option<&'static StreamState> {
        let owner = self.owner.load(Ordering::Acquire).map_addr(|address| address & !WRITES);
        // SAFETY: null, or made from a `&'static StreamState`, whose mark was removed.
        unsafe { owner.as_ref() }
    }

    /// True if such a use by this stream is noted, and no other stream uses the memory. The stream is then one of the
    /// memory's device, for no other one ever uses it.
    #[inline]
    pub(crate) fn is_noted(&self, stream: &'static StreamState, writes: bool) -> bool {
        let owner = self.owner.load(Ordering::Acquire);
        // A use that does not write is noted with or without the mark.
        let ignored = match writes {
            true => 0,
            false => WRITES,
        };
        owner.map_addr(|address| address | ignored) == owner_of(stream, true)
    }

    /// Makes later work on `stream` follow all earlier uses that it conflicts with.
    /// [`end`](Allocation::end) must be called once the work is enqueued. If the ticket
    /// [is recorded](Ticket::is_recorded), nothing was done, and [`begin_inside`](Self::begin_inside) follows.
    #[inline]
    pub(crate) fn begin(&self, stream: &'static StreamState, writes: bool) -> Result<Ticket> {
        match self.is_noted(stream, writes) {
            true => Ok(Ticket::default()),
            false if self.is_recorded() => Ok(Ticket::RECORDED),
            false => self.begin_shared(stream, writes),
        }
    }

    /// As `begin`, inside of the gate.
    pub(crate) fn begin_inside(&self, stream: &'static StreamState, writes: bool) -> Result<Ticket> {
        match self.is_noted(stream, writes) {
            true => Ok(Ticket::default()),
            false => self.begin_shared(stream, writes),
        }
    }

    /// As `begin_inside` for a write, for work that the host waits for; [`settle`](Self::settle) follows.
    pub(crate) fn begin_for_host(&self, stream: &'static StreamState) -> Result<Ticket> {
        self.begin_shared(stream, true)
    }

    /// True if later work on a stream comes after all earlier uses that it conflicts with, without waiting for another
    /// stream. The owner of memory that is lent orders its own work.
    pub(crate) fn is_ordered(&self, stream: &'static StreamState, writes: bool) -> bool {
        if self.is_noted(stream, writes) {
            return true;
        }
        let mut uses = self.uses.lock();
        let follows = uses.of(stream).map_or(Ticket::default(), |own| own.follows);
        let mut others = uses.list.iter().filter(|other| !ptr::eq(other.stream, stream));
        others.all(|other| !other.conflicts(follows, writes))
    }

    /// Records work that was enqueued on `stream` after `begin` returned the ticket.
    #[inline]
    pub(crate) fn end(&self, stream: &'static StreamState, writes: bool, ticket: Ticket) {
        if !self.is_noted(stream, writes) {
            self.end_shared(stream, writes, ticket);
        }
    }

    #[cold]
    fn begin_shared(&self, stream: &'static StreamState, writes: bool) -> Result<Ticket> {
        let mut uses = self.uses.lock();
        self.owner.store(ptr::null_mut(), Ordering::Release);
        let mut ticket = uses.of(stream).map_or(Ticket::default(), |own| own.follows);
        for other in uses.list.iter().filter(|other| !ptr::eq(other.stream, stream)) {
            if other.conflicts(ticket, writes) {
                stream.follow(other.stream, self.device)?;
            }
        }
        if let Some(lender) = self.lender() {
            stream.queue().with_raw(&mut |raw| lender.acquire(raw))?;
        }
        ticket.writes = uses.last;
        if writes {
            ticket.all = uses.last;
        }
        Ok(ticket)
    }

    #[cold]
    fn end_shared(&self, stream: &'static StreamState, writes: bool, ticket: Ticket) {
        let mut uses = self.uses.lock();
        if writes {
            uses.list
                .retain(|other| ptr::eq(other.stream, stream) || other.number > ticket.all);
        }
        uses.last += 1;
        let number = uses.last;
        match uses.of(stream) {
            Some(own) => {
                own.number = number;
                own.writes |= writes;
                own.follows.all = own.follows.all.max(ticket.all);
                own.follows.writes = own.follows.writes.max(ticket.writes);
            }
            None => uses.list.push(Use {
                stream,
                number,
                writes,
                follows: ticket,
            }),
        }
        let owner = match &uses.list[..] {
            // Each use of memory that is lent, or that recordings hold, comes by here.
            [own] if self.lender().is_none() && !self.is_recorded() => owner_of(own.stream, own.writes),
            _ => ptr::null_mut(),
        };
        self.owner.store(owner, Ordering::Release);
        if let Some(lender) = self.lender()
            && let Err(error) = hand_back(lender, stream)
        {
            self.device.keep_error(error);
        }
    }

    /// Drops the uses up to a ticket of `begin_for_host`, because the host has waited for them.
    pub(crate) fn settle(&self, ticket: Ticket) {
        let mut uses = self.uses.lock();
        self.owner.store(ptr::null_mut(), Ordering::Release);
        uses.list.retain(|other| other.number > ticket.all);
    }

    /// The streams that have used the memory, except for settled uses.
    pub(crate) fn streams(&self) -> Vec<&'static StreamState> {
        self.uses.lock().list.iter().map(|own| own.stream).collect()
    }
}

/// Makes the owner's later work follow a stream. If that fails, waits for the stream.
fn hand_back(owner: &dyn Handover, stream: &StreamState) -> Result<()> {
    let queue = stream.queue();
    let released = queue.with_raw(&mut |raw| owner.release(raw));
    released.or_else(|_| queue.wait())
}

impl Use {
    /// True if a new use by a stream that follows so much comes after this one by waiting for it alone.
    fn conflicts(&self, followed: Ticket, writes: bool) -> bool {
        match (self.writes, writes) {
            (_, true) => self.number > followed.all,
            (true, false) => self.number > followed.writes,
            (false, false) => false,
        }
    }
}

impl Uses {
    fn of(&mut self, stream: &'static StreamState) -> Option<&mut Use> {
        self.list.iter_mut().find(|own| ptr::eq(own.stream, stream))
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        self.device.faults().forget(self.id);
        if let Some(Owner::Lends(_)) = &self.foreign {
            return;
        }
        if self.address == 0 {
            return;
        }
        self.device.counters().frees.add(1);
        self.device.counters().buffers.subtract(self.bytes as u64);
        if self.device.backend().lost().is_some() {
            // The memory went with the device, and another owner's calls would fail.
            std::mem::forget(self.foreign.take());
            return;
        }
        let uses = self.uses.get_mut();
        // The memory is freed in the order of one stream, which first follows the others. It does not look
        // at their results, so it does not tell their faults.
        let stream = uses
            .list
            .first()
            .map_or(self.device.default_stream(), |first| first.stream);
        let mut others = uses.list.iter().skip(1);
        let followed = others.try_for_each(|other| stream.follow_apart(other.stream));
        if let Some(owner) = self.foreign.take() {
            // Where the streams cannot be followed, the owner is leaked.
            if let Err(error) = followed.and_then(|()| hand_back(owner.handover(), stream)) {
                self.device.keep_error(error);
                std::mem::forget(owner);
            }
            return;
        }
        // SAFETY: the memory was allocated in `new`, is freed once, and the stream follows all
        // uses. If following fails because of a device error, the memory is leaked instead.
        let freed = followed.and_then(|()| unsafe { stream.queue().release(self.address, self.bytes) });
        if let Err(error) = freed {
            self.device.keep_error(error);
        }
    }
}

#[cfg(test)]
mod tests;
