//! Downloads of as many elements as a counter on the device says.

use super::together::Uses;
use crate::Element;
use crate::backend::CountedRead;
use crate::error::{Error, Result};
use crate::memory::buffer::DeviceBuffer;
use crate::memory::element::check_in_place;
use crate::memory::transfer::{download, same_length};
use crate::memory::view::{RawView, View};
use crate::trace::span;

/// A type of counters on a device: `u32` and `u64`.
///
/// ```
/// fn is_count<C: vyre::Count>() {}
/// is_count::<u32>();
/// is_count::<u64>();
/// ```
#[diagnostic::on_unimplemented(
    message = "a counter is a buffer of one `u32` or `u64`, and no `{Self}`",
    label = "`{Self}` counts nothing"
)]
pub trait Count: Element + sealed::Sealed {}

impl Count for u32 {}
impl Count for u64 {}

mod sealed {
    #[doc(hidden)]
    pub trait Sealed {
        /// The count.
        fn count(self) -> u64;
    }

    impl Sealed for u32 {
        fn count(self) -> u64 {
            self.into()
        }
    }

    impl Sealed for u64 {
        fn count(self) -> u64 {
            self
        }
    }
}

/// The most bytes that come back with the count. More are copied once the host knows it.
const MOST: usize = 16 << 20;

/// The offset of the elements in the memory of a copy, behind the count.
const ELEMENTS: usize = 64;

/// Refuses a counter that is not one number.
pub(crate) fn check_one(count: &RawView<'_>) -> Result<()> {
    same_length(("the counter", count.length as usize), ("a single number", 1))
}

/// The number of elements that a counter says, of a buffer that has so many.
pub(crate) fn checked(count: u64, length: usize) -> Result<usize> {
    match usize::try_from(count) {
        Ok(count) if count <= length => Ok(count),
        _ => Err(Error::CountOutOfBounds { count, length }),
    }
}

impl<T: Element> View<'_, T> {
    /// Copies the first elements to the host, as many as a counter on the device says: one `u32` or `u64`. After all work
    /// on both so far.
    ///
    /// The host waits once: count and elements come together. If there are more than 16 MiB of them, the host waits for
    /// the count first. In a sequence there is [`Sequence::read_counted`](crate::Sequence::read_counted).
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let x = device.upload(&[5, 6, 7, 0, 0])?;
    /// let count = device.upload(&[3u32])?; // as a kernel has counted
    /// assert_eq!(x.as_view().download_counted(&count)?, [5, 6, 7]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::download_counted`].
    pub fn download_counted<'c, C: Count>(&self, count: impl Into<View<'c, C>>) -> Result<Vec<T>> {
        download_counted::<T, C>(self.raw(), count.into().raw())
    }
}

impl<T: Element> DeviceBuffer<T> {
    /// Copies the first elements to the host, as many as a counter on the device says: one `u32` or `u64`. After all work
    /// on both so far. See [`View::download_counted`].
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// use vyre::Error;
    ///
    /// let device = Device::best()?;
    /// let (x, mut count) = (device.upload(&[5, 6, 7])?, device.zeros::<u32>(1)?);
    /// assert_eq!(x.download_counted(&count)?, []);
    /// count.write(&[2])?;
    /// assert_eq!(x.download_counted(&count)?, [5, 6]);
    /// count.write(&[4])?;
    /// assert!(matches!(x.download_counted(&count), Err(Error::CountOutOfBounds { count: 4, length: 3 })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`download`](Self::download); [`Error::CountOutOfBounds`] for a counter that says more than there are, which then
    /// stay; [`Error::LengthMismatch`] unless there is one counter.
    pub fn download_counted<'c, C: Count>(&self, count: impl Into<View<'c, C>>) -> Result<Vec<T>> {
        self.as_view().download_counted(count)
    }
}

/// Copies the first elements to the host, as many as the counter says, after all work on both so far.
fn download_counted<T: Element, C: Count>(view: &RawView<'_>, count: &RawView<'_>) -> Result<Vec<T>> {
    check_one(count)?;
    let length = view.length as usize;
    if view.allocation.device() != count.allocation.device() {
        let count = download::<C>(count)?[0].count();
        return download(&view.part(..checked(count, length)?, size_of::<T>())?);
    }
    let device = view.allocation.device().state();
    let _span = span!("download", bytes = length * size_of::<T>());
    let most = match size_of::<T>() {
        0 => length,
        size => length.min(MOST / size),
    };
    let mut staging = device.staging(ELEMENTS + most * size_of::<T>())?;
    let mut elements: Vec<T> = Vec::new();
    let mut found = Ok(0);
    Uses::of(&mut [view.allocation, count.allocation].into_iter()).read(device, false, &mut |stream| {
        let (queue, memory) = (stream.queue(), staging.pointer());
        let copy = CountedRead {
            from: view.address,
            most: most as u64,
            size: size_of::<T>() as u64,
            counter: count.address,
            is_wide: size_of::<C>() == size_of::<u64>(),
            target: memory.wrapping_add(ELEMENTS),
            count_to: memory,
        };
        // SAFETY: the views are borrowed, and the stream follows all work on them. The memory has room for the count and the
        // elements, and is kept until the stream was waited for.
        let queued = unsafe { queue.start_read_counted(copy) };
        // After an error, too.
        let waited = queue.wait();
        if waited.is_err() {
            // The copy may go on.
            staging.abandon();
        }
        queued.and(waited)?;
        // SAFETY: the copy is over; the memory begins with the count, and is aligned to it.
        found = checked(unsafe { memory.cast::<u64>().read() }, length);
        let Ok(count) = found else { return Ok(0) };
        let bytes = count * size_of::<T>();
        elements
            .try_reserve_exact(count)
            .map_err(|_| Error::out_of_memory(bytes))?;
        let target = elements.as_mut_ptr().cast::<u8>();
        // SAFETY: there is room for as many elements. They lie in the memory, or in the view, which is borrowed.
        unsafe {
            match count <= most {
                true => target.copy_from_nonoverlapping(memory.add(ELEMENTS), bytes),
                false => queue.read(view.address, target, bytes)?,
            }
        }
        Ok(size_of::<C>() + bytes)
    })?;
    let count = found?;
    // SAFETY: the bytes of this many elements were written, and those that are no values are not given out.
    unsafe {
        check_in_place(elements.as_mut_ptr(), count)?;
        elements.set_len(count);
    }
    Ok(elements)
}
