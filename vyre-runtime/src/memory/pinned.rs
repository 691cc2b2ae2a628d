//! Memory of the host that a device copies from and to by itself, and the copies.

use std::fmt;
use std::mem::forget;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use crate::Element;
use crate::backend::Moment;
use crate::device::faults::Watch;
use crate::device::stream::Reached;
use crate::device::{Device, DeviceState};
use crate::error::{Error, Result};
use crate::memory::buffer::DeviceBuffer;
use crate::memory::element::check_in_place;
use crate::memory::gate::Gates;
use crate::memory::transfer::same_length;
use crate::memory::view::{RawView, View, ViewMut};

/// Elements in memory of the host that stays where it is, so that a GPU copies from and to it by itself: while the host
/// and kernels go on, and faster than with other memory. On the CPU it is ordinary memory.
///
/// It is used as a slice. [`DeviceBuffer::read_into`] and [`DeviceBuffer::write_from`] take it until their copy is done.
/// Making and freeing it takes much longer than with ordinary memory, and the system has less for others: make a few, and
/// use them again. It serves all GPUs of the process.
///
/// ```
/// # use vyre::prelude::*;
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut host = device.pinned::<f32>(1000)?;
/// host.fill(1.5);
/// let mut x = device.zeros::<f32>(1000)?;
/// let written = x.write_from(host)?; // returns before the copy is done
/// // .. other work of the host ..
/// let host = written.wait()?;
/// assert_eq!(host[999], 1.5);
/// assert_eq!(x.read_into(host)?.wait()?[..2], [1.5, 1.5]);
/// # Ok(())
/// # }
/// ```
pub struct Pinned<T> {
    device: &'static DeviceState,
    /// Dangling if there are no bytes.
    memory: NonNull<T>,
    length: usize,
}

// SAFETY: it owns its elements, as a `Vec` does.
unsafe impl<T: Send> Send for Pinned<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Pinned<T> {}

impl Device {
    /// Memory of the host for fast copies, all of whose bytes are zero.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut host = device.pinned(3)?;
    /// host.copy_from_slice(&[1, 2, 3]);
    /// let mut x = device.zeros::<i32>(3)?;
    /// x.write_from(host)?.wait()?;
    /// assert_eq!(x.download()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn pinned<T: Element>(&self, length: usize) -> Result<Pinned<T>> {
        const {
            assert!(
                !T::PADDED,
                "pinned memory is copied as it is, and this element has padding or variants with fields: upload a slice"
            );
        }
        let bytes = length.checked_mul(size_of::<T>());
        let bytes = bytes
            .filter(|&bytes| bytes <= isize::MAX as usize)
            .ok_or(Error::out_of_memory(usize::MAX))?;
        let memory = match bytes {
            0 => NonNull::dangling(),
            _ => self.state().backend().allocate_host(bytes)?.cast(),
        };
        Ok(Pinned {
            device: self.state(),
            memory,
            length,
        })
    }
}

impl<T> Pinned<T> {
    /// The device that has made it.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// assert_eq!(device.pinned::<u8>(1)?.device(), device);
    /// # Ok(())
    /// # }
    /// ```
    pub fn device(&self) -> Device {
        Device::of(self.device)
    }
}

impl<T> Deref for Pinned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the memory has this many elements, which are zeros or what was written, and is aligned to 64 bytes,
        // which exceeds that of all elements.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr(), self.length) }
    }
}

impl<T> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr(), self.length) }
    }
}

impl<T> Drop for Pinned<T> {
    fn drop(&mut self) {
        let bytes = self.length * size_of::<T>();
        if bytes != 0 {
            // SAFETY: the memory is from there, and a copy that uses it owns it.
            unsafe { self.device.backend().release_host(self.memory.cast(), bytes) }
        }
    }
}

impl<T> fmt::Debug for Pinned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = std::any::type_name::<T>();
        write!(f, "Pinned<{name}>[{}] of {}", self.length, self.device())
    }
}

/// A copy between a buffer and the host that may still run. It owns the memory of the host until
/// [`wait`](Transfer::wait).
///
/// Dropping one waits for the copy. The buffer can be used at once, and dropped: later work on it is in order.
///
/// ```
/// # use vyre::prelude::*;
/// # #[vyre::kernel]
/// # fn twice(#[each] x: &mut u32) {
/// #     *x *= 2;
/// # }
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut x = device.upload(&[1, 2, 3])?;
/// let read = x.read_into(device.pinned(3)?)?;
/// twice(&mut x).launch(&device)?; // comes after the copy
/// assert_eq!(read.wait()?[..], [1, 2, 3]);
/// assert_eq!(x.download()?, [2, 4, 6]);
/// # Ok(())
/// # }
/// ```
#[must_use = "dropping it waits for the copy"]
pub struct Transfer<T> {
    /// `None` once it is given back.
    pinned: Option<Pinned<T>>,
    moment: Box<dyn Moment>,
    device: &'static DeviceState,
    /// The streams that may report faults of what was read.
    streams: Vec<Reached>,
    /// The watch of a copy to the host.
    watch: Option<Arc<Watch>>,
    /// Checks what was read.
    check: fn(&Pinned<T>) -> Result<()>,
}

impl<T> Transfer<T> {
    /// True once the copy is done. Does not wait.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let x = device.upload(&[1, 2, 3])?;
    /// let read = x.read_into(device.pinned(3)?)?;
    /// while !read.is_done()? {
    ///     std::thread::yield_now(); // time for other work
    /// }
    /// assert_eq!(read.wait()?[2], 3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn is_done(&self) -> Result<bool> {
        self.moment.is_over()
    }

    /// Waits for the copy, and gives back the memory.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let x = device.upload(&[1, 2, 3])?;
    /// let host = x.read_into(device.pinned(3)?)?.wait()?;
    /// assert_eq!(host.to_vec(), [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// After a copy to the host [`Error::Fault`] as of [`DeviceBuffer::download`], for the launches before the copy;
    /// [`Error::InvalidElement`]; or an error of the driver. The memory is freed then.
    pub fn wait(mut self) -> Result<Pinned<T>> {
        self.moment.wait()?;
        if let Some(watch) = &self.watch {
            for reached in &self.streams {
                reached.stream.collect(self.device)?;
            }
            self.device.faults().tell_watched(watch)?;
            self.device.faults().tell(&self.streams)?;
            self.device.take_error()?;
            if let Some(pinned) = &self.pinned {
                (self.check)(pinned)?;
            }
        }
        Ok(self.pinned.take().expect("it is taken once"))
    }
}

impl<T> Drop for Transfer<T> {
    fn drop(&mut self) {
        if let Some(pinned) = self.pinned.take()
            && self.moment.wait().is_err()
            && !self.moment.is_past()
        {
            // The copy may still run, so its memory stays.
            forget(pinned);
        }
    }
}

impl<T> fmt::Debug for Transfer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transfer of {:?}", self.pinned)
    }
}

impl<T: Element> DeviceBuffer<T> {
    /// Copies the elements to the host, after all work on the buffer so far, and returns before that is done.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let x = device.upload(&[1, 2, 3])?;
    /// let read = x.read_into(device.pinned(3)?)?;
    /// assert_eq!(read.wait()?[..], [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::Unsupported`] for a GPU and memory of the CPU, or an error of the driver.
    pub fn read_into(&self, target: Pinned<T>) -> Result<Transfer<T>> {
        self.as_view().read_into(target)
    }

    /// Overwrites the elements with as many from the host, after all work on the buffer so far, and returns before that
    /// is done. Later work on the buffer comes after it. The copy is on the stream that alone has used the buffer, and
    /// else on the default stream.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u8>(2)?;
    /// let mut host = device.pinned(2)?;
    /// host.copy_from_slice(b"ab");
    /// let written = x.write_from(host)?;
    /// assert_eq!(x.download()?, *b"ab");
    /// drop(written);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`read_into`](DeviceBuffer::read_into).
    pub fn write_from(&mut self, source: Pinned<T>) -> Result<Transfer<T>> {
        self.as_view_mut().write_from(source)
    }
}

impl<T: Element> View<'_, T> {
    /// As [`DeviceBuffer::read_into`], for these elements.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let x = device.upload(&[1, 2, 3])?;
    /// let read = x.slice(1..)?.read_into(device.pinned(2)?)?;
    /// assert_eq!(read.wait()?[..], [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As there.
    pub fn read_into(&self, target: Pinned<T>) -> Result<Transfer<T>> {
        start(self.raw(), target, ("the buffer", "the target"), false)
    }
}

impl<T: Element> ViewMut<'_, T> {
    /// As [`DeviceBuffer::write_from`], for these elements.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3])?;
    /// x.slice_mut(1..)?.write_from(device.pinned(2)?)?.wait()?;
    /// assert_eq!(x.download()?, [1, 0, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As there.
    pub fn write_from(&mut self, source: Pinned<T>) -> Result<Transfer<T>> {
        start(self.raw(), source, ("the buffer", "the source"), true)
    }
}

/// Starts a copy from or to a view, which is borrowed exclusively if it is written.
fn start<T: Element>(
    view: &RawView<'_>,
    pinned: Pinned<T>,
    names: (&'static str, &'static str),
    writes: bool,
) -> Result<Transfer<T>> {
    same_length((names.0, view.length as usize), (names.1, pinned.len()))?;
    let (allocation, bytes) = (view.allocation, size_of_val(&*pinned));
    let device = allocation.device().state();
    if device.ordinal().is_some() && pinned.device.ordinal().is_none() {
        return Err(Error::unsupported(
            "copies from and to memory of the host that was made by another back end",
            &Device::of(device),
        ));
    }
    let gates = Gates::shared([allocation]);
    let stream = allocation.owner().unwrap_or(device.default_stream());
    let ticket = allocation.begin_inside(stream, writes)?;
    let memory = pinned.memory.as_ptr().cast::<u8>();
    if bytes != 0 {
        // SAFETY: both have this many bytes, the stream follows the earlier uses, and the transfer owns the memory of
        // the host until the work on the stream is done.
        unsafe {
            match writes {
                true => stream.queue().start_write(view.address, memory, bytes)?,
                false => stream.queue().start_read(view.address, memory, bytes)?,
            }
        }
    }
    allocation.end(stream, writes, ticket);
    // Before a recording uses the memory again.
    let (mut streams, mut watch) = (Vec::new(), None);
    match writes {
        true => {
            allocation.overwrite(view.address, bytes);
            device.counters().uploaded_bytes.add(bytes as u64);
        }
        false => {
            let until_now = |stream| Reached::until_now(stream, device);
            streams = allocation.streams().into_iter().map(until_now).collect();
            watch = Some(allocation.watch());
            device.counters().downloaded_bytes.add(bytes as u64);
        }
    }
    drop(gates);
    let moment = match stream.queue().record() {
        Ok(moment) => moment,
        Err(error) => {
            if stream.queue().wait().is_err() {
                forget(pinned);
            }
            return Err(error);
        }
    };
    Ok(Transfer {
        pinned: Some(pinned),
        moment,
        device,
        streams,
        watch,
        // SAFETY: the memory has this many elements, without padding, and the copy is done.
        check: |pinned| unsafe { check_in_place(pinned.memory.as_ptr(), pinned.length) },
    })
}
