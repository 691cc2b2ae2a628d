//! Copies between host and device, and within a device.

use std::sync::Arc;

use crate::Element;
use crate::device::DeviceState;
use crate::device::faults::Watch;
use crate::device::stream::{Reached, StreamState};
use crate::error::{Error, Result};
use crate::memory::buffer::DeviceBuffer;
use crate::memory::element::{bytes_of, bytes_of_all, check_in_place};
use crate::memory::gate::Gates;
use crate::memory::view::RawView;
use crate::trace::span;

pub(crate) fn upload<T: Element>(device: &'static DeviceState, source: &[T]) -> Result<DeviceBuffer<T>> {
    let _span = span!("upload", bytes = size_of_val(source));
    let stream = device.copies();
    let buffer = DeviceBuffer::allocate(device, stream, source.len(), false)?;
    let allocation = buffer.allocation();
    let ticket = allocation.begin_for_host(stream)?;
    let bytes = bytes_of_all(source);
    // SAFETY: the buffer has the size of the source, and is not shared yet.
    unsafe {
        stream
            .queue()
            .write(allocation.address(), bytes.as_ptr(), bytes.len())?
    };
    allocation.settle(ticket);
    device.counters().uploaded_bytes.add(size_of_val(source) as u64);
    Ok(buffer)
}

pub(crate) fn write<T: Element>(view: &RawView<'_>, source: &[T]) -> Result<()> {
    same_length(("the source", source.len()), ("the buffer", view.length as usize))?;
    let bytes = bytes_of_all(source);
    // SAFETY: the view has the length of the source, and the caller borrows it exclusively.
    unsafe { overwrite(view, bytes.as_ptr(), bytes.len()) }
}

/// Writes the `bytes` bytes of a view.
///
/// # Safety
/// `source` points to as many readable bytes, and the view is borrowed exclusively.
unsafe fn overwrite(view: &RawView<'_>, source: *const u8, bytes: usize) -> Result<()> {
    let _span = span!("upload", bytes = bytes);
    access(view, &mut |stream| {
        // SAFETY: by the contract.
        unsafe { stream.queue().write(view.address, source, bytes)? };
        view.allocation.overwrite(view.address, bytes);
        Ok(())
    })?;
    let device = view.allocation.device().state();
    device.counters().uploaded_bytes.add(bytes as u64);
    Ok(())
}

pub(crate) fn download<T: Element>(view: &RawView<'_>) -> Result<Vec<T>> {
    let length = view.length as usize;
    let mut target: Vec<T> = Vec::new();
    let bytes = length * size_of::<T>();
    target
        .try_reserve_exact(length)
        .map_err(|_| Error::out_of_memory(bytes))?;
    told(view, read(view, target.as_mut_ptr().cast(), bytes))?;
    // SAFETY: `read` has written the bytes of this many elements, and those that are no values are not given out.
    unsafe {
        check_in_place(target.as_mut_ptr(), length)?;
        target.set_len(length);
    }
    Ok(target)
}

pub(crate) fn download_into<T: Element>(view: &RawView<'_>, target: &mut [T]) -> Result<()> {
    same_length(("the buffer", view.length as usize), ("the target", target.len()))?;
    into_values(target, |first, bytes| told(view, read(view, first, bytes)))
}

/// As [`download_into`], for a buffer of the caller's own: tells no faults of other launches.
pub(crate) fn download_own<T: Element>(view: &RawView<'_>, target: &mut [T]) -> Result<()> {
    same_length(("the buffer", view.length as usize), ("the target", target.len()))?;
    into_values(target, |first, bytes| read(view, first, bytes).map(drop))
}

/// Has the bytes of values overwritten by those of a device. Values lie there afterwards, whether that succeeds or not.
fn into_values<T: Element>(target: &mut [T], read: impl FnOnce(*mut u8, usize) -> Result<()>) -> Result<()> {
    let (first, count, bytes) = (target.as_mut_ptr(), target.len(), size_of_val(target));
    let outcome = read(first.cast(), bytes);
    // SAFETY: the elements are borrowed exclusively. Their bytes are those that were read, and where nothing was read those
    // of values, of which no uninitialised ones are looked at.
    let checked = unsafe { check_in_place(first, count) };
    outcome.and(checked)
}

/// Copies on one device in the order of a stream, between devices of one kind when both are ready, else through the host.
pub(crate) fn copy(target: &RawView<'_>, source: &RawView<'_>, size: usize) -> Result<()> {
    same_length(
        ("the source", source.length as usize),
        ("the buffer", target.length as usize),
    )?;
    let bytes = target.length as usize * size;
    if bytes == 0 {
        return Ok(());
    }
    let _span = span!("copy", bytes = bytes);
    let (to, from) = (target.allocation, source.allocation);
    if to.device() != from.device() {
        return match to.device().is_cuda() == from.device().is_cuda() {
            true => copy_from_peer(target, source, bytes),
            false => copy_through_host(target, source, bytes),
        };
    }
    let _gates = Gates::shared([to, from]);
    from.check()?;
    let stream = to.owner().unwrap_or(to.device().state().default_stream());
    let reads = from.begin_inside(stream, false)?;
    let writes = to.begin_inside(stream, true)?;
    // SAFETY: both ranges have this many bytes, they do not overlap, because the target is borrowed
    // exclusively, and the stream follows the earlier uses of both.
    unsafe { stream.queue().copy(target.address, source.address, bytes)? };
    from.end(stream, false, reads);
    to.end(stream, true, writes);
    to.overwrite(target.address, bytes);
    to.device().state().counters().copied_bytes.add(bytes as u64);
    Ok(())
}

/// Waits for all work on a view, and tells the fault of a launch that may have written it.
#[cfg(feature = "dlpack")]
pub(crate) fn wait(view: &RawView<'_>) -> Result<()> {
    told(view, waited(view))
}

/// Fills a view with a value, in the order of a stream.
pub(crate) fn fill<T: Element>(view: &RawView<'_>, value: T) -> Result<()> {
    let count = view.length as usize;
    if count == 0 || size_of::<T>() == 0 {
        return Ok(());
    }
    let allocation = view.allocation;
    let _gates = Gates::shared([allocation]);
    let stream = allocation
        .owner()
        .unwrap_or(allocation.device().state().default_stream());
    let ticket = allocation.begin_inside(stream, true)?;
    // SAFETY: the view has this many elements, is borrowed exclusively, begins at an element of an
    // allocation that is aligned to 64 bytes, and the stream follows the earlier uses.
    unsafe { stream.queue().fill(view.address, &bytes_of(&value), count)? };
    allocation.end(stream, true, ticket);
    allocation.overwrite(view.address, count * size_of::<T>());
    Ok(())
}

/// Copies between devices of one kind. Waits for the source first, since a fault of its device must not be overlooked.
fn copy_from_peer(target: &RawView<'_>, source: &RawView<'_>, bytes: usize) -> Result<()> {
    let from = source.allocation.device().state();
    told(source, waited(source))?;
    // Held until the copy is done, so that no recording writes the source meanwhile. One may have until here.
    let _gates = Gates::shared([target.allocation, source.allocation]);
    access_inside(source, &mut |stream| stream.queue().wait())?;
    source.allocation.check()?;
    let mut direct = false;
    access_inside(target, &mut |stream| {
        // SAFETY: both ranges have this many bytes. The target is borrowed exclusively, and the source, whose earlier uses
        // are over, is borrowed until the copy is.
        direct = unsafe {
            let peer = from.default_stream().queue();
            stream
                .queue()
                .copy_from_peer(target.address, peer, source.address, bytes)?
        };
        stream.queue().wait()
    })?;
    target.allocation.overwrite(target.address, bytes);
    let counters = target.allocation.device().state().counters();
    match direct {
        true => counters.peer_bytes.add(bytes as u64),
        false => counters.staged_bytes.add(bytes as u64),
    }
    Ok(())
}

fn copy_through_host(target: &RawView<'_>, source: &RawView<'_>, bytes: usize) -> Result<()> {
    let mut host: Vec<u8> = Vec::new();
    host.try_reserve_exact(bytes).map_err(|_| Error::out_of_memory(bytes))?;
    told(source, read(source, host.as_mut_ptr(), bytes))?;
    // SAFETY: `read` has filled this many bytes, the view has as many, and is borrowed exclusively.
    unsafe { overwrite(target, host.as_ptr(), bytes) }
}

/// Fills `target` with the `bytes` bytes of a view, unless a launch that may have written them has
/// faulted. Returns the work whose faults this wait has collected.
fn read(view: &RawView<'_>, target: *mut u8, bytes: usize) -> Result<Vec<Reached>> {
    let _span = span!("download", bytes = bytes);
    let device = view.allocation.device().state();
    let (allocation, mut watch) = (view.allocation, None);
    let used = access(view, &mut |stream| {
        // SAFETY: the callers have room for this many bytes, and the view is borrowed.
        unsafe { stream.queue().read(view.address, target, bytes)? };
        // A recording may overwrite it after that.
        watch = allocation.is_recorded().then(|| allocation.watch());
        Ok(())
    })?;
    device.counters().downloaded_bytes.add(bytes as u64);
    settled(view, used, watch)
}

/// Collects the faults of streams that were waited for, and checks those of launches that may have written a view, now or,
/// with a watch, when that was made. Returns all work whose faults were collected.
fn settled(view: &RawView<'_>, used: Vec<&'static StreamState>, watch: Option<Arc<Watch>>) -> Result<Vec<Reached>> {
    let device = view.allocation.device().state();
    let mut streams = Vec::new();
    for stream in used {
        streams.extend(stream.collect(device)?);
    }
    match watch {
        Some(watch) => device.faults().tell_watched(&watch)?,
        None => view.allocation.check()?,
    }
    Ok(streams)
}

/// Waits for the uses of a view, and collects the faults of the streams.
fn waited(view: &RawView<'_>) -> Result<Vec<Reached>> {
    let used = access(view, &mut |stream| stream.queue().wait())?;
    settled(view, used, None)
}

/// Tells what is untold on the streams that a read has waited for.
fn told(view: &RawView<'_>, read: Result<Vec<Reached>>) -> Result<()> {
    let device = view.allocation.device().state();
    device.faults().tell(&read?)?;
    device.take_error()
}

/// Runs a blocking copy on a stream that follows all earlier uses of the memory, and returns the
/// streams of those uses.
fn access(
    view: &RawView<'_>,
    copy: &mut dyn FnMut(&'static StreamState) -> Result<()>,
) -> Result<Vec<&'static StreamState>> {
    let _gates = Gates::shared([view.allocation]);
    access_inside(view, copy)
}

/// As [`access`], for callers that hold the gate of the memory.
fn access_inside(
    view: &RawView<'_>,
    copy: &mut dyn FnMut(&'static StreamState) -> Result<()>,
) -> Result<Vec<&'static StreamState>> {
    let allocation = view.allocation;
    if view.length == 0 {
        return Ok(allocation.streams());
    }
    if let Some(owner) = allocation.owner() {
        copy(owner)?;
        return Ok(vec![owner]);
    }
    let stream = allocation.device().state().copies();
    let streams = allocation.streams();
    let ticket = allocation.begin_for_host(stream)?;
    copy(stream)?;
    allocation.settle(ticket);
    Ok(streams)
}

pub(crate) fn same_length(first: (&'static str, usize), second: (&'static str, usize)) -> Result<()> {
    if first.1 == second.1 {
        return Ok(());
    }
    Err(Error::LengthMismatch {
        first: first.0.into(),
        first_length: first.1,
        second: second.0.into(),
        second_length: second.1,
    })
}
