//! Memory of a device that another library has made.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::device::{Device, DeviceState};
use crate::error::{Error, Result};
use crate::memory::allocation::{Allocation, Handover, Owner};
use crate::memory::buffer::DeviceBuffer;
use crate::memory::view::{RawView, View, ViewMut};
use crate::{AtomicElement, AtomicView, Element};

/// Memory of a device that another library has made, with elements of a type.
///
/// [`Lent`] and [`LentMut`] lend it to launches, [`DeviceBuffer::from_foreign`] takes it for good.
///
/// ```
/// use std::ffi::c_void;
/// use vyre::prelude::*;
/// use vyre::{Foreign, Lent, LentMut};
///
/// /// Memory of the CPU, whose work is done when a call returns.
/// struct Host {
///     values: Vec<f32>,
///     address: u64,
/// }
///
/// impl Host {
///     fn new(mut values: Vec<f32>) -> Host {
///         let address = values.as_mut_ptr().expose_provenance() as u64;
///         Host { values, address }
///     }
/// }
///
/// // SAFETY: these are the elements of the vector, which nobody resizes.
/// unsafe impl Foreign<f32> for Host {
///     fn device(&self) -> Device {
///         Device::cpu()
///     }
///     fn address(&self) -> u64 {
///         self.address
///     }
///     fn length(&self) -> usize {
///         self.values.len()
///     }
///     fn acquire(&self, _stream: *mut c_void) -> vyre::Result<()> {
///         Ok(())
///     }
///     fn release(&self, _stream: *mut c_void) -> vyre::Result<()> {
///         Ok(())
///     }
/// }
///
/// #[vyre::kernel]
/// fn add(#[each] x: &f32, #[each] y: &mut f32) {
///     *y += *x;
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let (x, mut y) = (Host::new(vec![1.0, 2.0]), Host::new(vec![10.0, 20.0]));
/// add(&Lent::new(&x)?, &mut LentMut::new(&mut y)?).over(2).launch(&Device::cpu())?;
/// assert_eq!(y.values, [11.0, 22.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Safety
/// The memory at the address has as many elements, each a value of the type, and may be read by the device as long as the
/// object is borrowed, and written as long as it is borrowed exclusively. Moving the object moves no element.
/// `acquire` and `release` order the work as they say.
pub unsafe trait Foreign<T: Element>: Send + Sync {
    /// Its device.
    fn device(&self) -> Device;

    /// The address of the first element, in the memory of the device.
    fn address(&self) -> u64;

    /// The number of elements.
    fn length(&self) -> usize;

    /// Makes later work on a CUDA stream wait for the other library's work on the memory until now. The context of the
    /// device is the current one; on the CPU the stream is null.
    ///
    /// # Errors
    /// If that fails; nothing is launched then.
    fn acquire(&self, stream: *mut c_void) -> Result<()>;

    /// Makes the other library's later work on the memory wait for the work on a CUDA stream until now.
    ///
    /// # Errors
    /// If that fails; the stream is waited for then.
    fn release(&self, stream: *mut c_void) -> Result<()>;
}

/// A [`Foreign`] as an allocation knows it.
struct Erased<F, T>(F, PhantomData<fn() -> T>);

impl<T: Element, F: Foreign<T>> Handover for Erased<F, T> {
    fn acquire(&self, stream: *mut c_void) -> Result<()> {
        self.0.acquire(stream)
    }

    fn release(&self, stream: *mut c_void) -> Result<()> {
        self.0.release(stream)
    }
}

// SAFETY: a borrow lends the same elements, to be read.
unsafe impl<T: Element, F: Foreign<T>> Foreign<T> for &F {
    fn device(&self) -> Device {
        F::device(self)
    }

    fn address(&self) -> u64 {
        F::address(self)
    }

    fn length(&self) -> usize {
        F::length(self)
    }

    fn acquire(&self, stream: *mut c_void) -> Result<()> {
        F::acquire(self, stream)
    }

    fn release(&self, stream: *mut c_void) -> Result<()> {
        F::release(self, stream)
    }
}

/// The device, address and number of bytes of memory, if vyre's rules hold for it.
fn described<T: Element, F: Foreign<T>>(foreign: &F, writes: bool) -> Result<(&'static DeviceState, u64, usize)> {
    let device = foreign.device();
    device.state().check_open()?;
    let bytes = foreign.length().checked_mul(size_of::<T>());
    let bytes = bytes.filter(|&bytes| bytes <= isize::MAX as usize);
    let refused = |feature: String| {
        Err(Error::Unsupported {
            feature,
            device: device.to_string(),
        })
    };
    let Some(bytes) = bytes else {
        return refused(format!("{} elements of memory", foreign.length()));
    };
    let (address, alignment) = (foreign.address(), align_of::<T>() as u64);
    if bytes != 0 && (address == 0 || address % alignment != 0) {
        return refused(format!(
            "elements at address {address:#x}, which are aligned to {alignment} bytes"
        ));
    }
    // Atomics of 8 and 16 bits access the surrounding word. Arrays of bytes have such elements, too.
    if writes && bytes != 0 && align_of::<T>() < 4 && !(address % 4 == 0 && bytes % 4 == 0) {
        return refused(format!(
            "writable memory of {bytes} bytes at {address:#x}, which are no whole words of four bytes"
        ));
    }
    Ok((device.state(), if bytes == 0 { 0 } else { address }, bytes))
}

/// Memory of another library, lent to launches that read it. `&lent` is an argument where `&buffer` is one.
///
/// Each launch comes after the other library's work until then, and what that does later comes after the launch, also if
/// this is never dropped.
///
/// ```
/// # fn example(memory: &impl vyre::Foreign<f32>) -> vyre::Result<()> {
/// let lent = vyre::Lent::new(memory)?;
/// println!("{:?}", lent.as_view().download()?);
/// # Ok(())
/// # }
/// ```
pub struct Lent<'f, T> {
    allocation: Arc<Allocation>,
    length: usize,
    marker: PhantomData<&'f T>,
}

/// Memory of another library, lent to launches that write it, as [`Lent`] is to those that read it. `&mut lent` is an
/// argument where `&mut buffer` is one.
///
/// ```
/// # fn example(memory: &mut impl vyre::Foreign<f32>) -> vyre::Result<()> {
/// let mut lent = vyre::LentMut::new(memory)?;
/// lent.as_view_mut().fill(1.0)?;
/// # Ok(())
/// # }
/// ```
pub struct LentMut<'f, T> {
    lent: Lent<'f, T>,
}

impl<'f, T: Element> Lent<'f, T> {
    /// Lends memory for reading.
    ///
    /// ```
    /// # fn example(memory: &impl vyre::Foreign<u32>) -> vyre::Result<()> {
    /// assert_eq!(vyre::Lent::new(memory)?.as_view().len(), memory.length());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for an address that is not aligned for the elements.
    pub fn new<F: Foreign<T>>(memory: &'f F) -> Result<Lent<'f, T>> {
        Lent::over(memory, false)
    }

    /// Lends memory of a borrow, or of an object that holds one.
    pub(crate) fn over<F: Foreign<T> + 'f>(memory: F, writes: bool) -> Result<Lent<'f, T>> {
        let (device, address, bytes) = described(&memory, writes)?;
        let length = memory.length();
        let owner: Box<dyn Handover + 'f> = Box::new(Erased(memory, PhantomData));
        // SAFETY: the types differ in the lifetime alone. The allocation calls the owner from its own methods only, and is
        // reached by borrows of the result, which end with `'f`.
        let owner = unsafe { std::mem::transmute::<Box<dyn Handover + 'f>, Box<dyn Handover>>(owner) };
        Ok(Lent {
            allocation: Allocation::foreign(device, Owner::Lends(owner), address, bytes)?,
            length,
            marker: PhantomData,
        })
    }

    /// A view of the elements.
    ///
    /// ```
    /// # fn example(memory: &impl vyre::Foreign<u32>) -> vyre::Result<()> {
    /// let lent = vyre::Lent::new(memory)?;
    /// println!("{:?}", lent.as_view().slice(..1)?.download()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_view(&self) -> View<'_, T> {
        // SAFETY: these are the elements, and the borrow prevents writes.
        unsafe { View::from_raw(self.raw()) }
    }

    fn raw(&self) -> RawView<'_> {
        RawView {
            address: self.allocation.address(),
            length: self.length as u64,
            allocation: &self.allocation,
        }
    }
}

impl<'f, T: Element> LentMut<'f, T> {
    /// Lends memory for writing.
    ///
    /// ```
    /// # fn example(memory: &mut impl vyre::Foreign<u32>) -> vyre::Result<()> {
    /// vyre::LentMut::new(memory)?.as_view_mut().fill(7)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Lent::new`]; also for elements of one or two bytes that are no whole words of four, which atomics access.
    pub fn new<F: Foreign<T>>(memory: &'f mut F) -> Result<LentMut<'f, T>> {
        // A shared borrow of what is borrowed exclusively for as long.
        LentMut::over(&*memory)
    }

    /// Lends memory of an object that is borrowed, or holds a borrow, exclusively.
    pub(crate) fn over<F: Foreign<T> + 'f>(memory: F) -> Result<LentMut<'f, T>> {
        let lent = Lent::over(memory, true)?;
        Ok(LentMut { lent })
    }

    /// A view of the elements, to be read.
    ///
    /// ```
    /// # fn example(memory: &mut impl vyre::Foreign<u32>) -> vyre::Result<()> {
    /// println!("{:?}", vyre::LentMut::new(memory)?.as_view().download()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_view(&self) -> View<'_, T> {
        self.lent.as_view()
    }

    /// A view of the elements, to be written.
    ///
    /// ```
    /// # fn example(memory: &mut impl vyre::Foreign<u32>) -> vyre::Result<()> {
    /// let mut lent = vyre::LentMut::new(memory)?;
    /// lent.as_view_mut().slice_mut(..2)?.write(&[1, 2])?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_view_mut(&mut self) -> ViewMut<'_, T> {
        // SAFETY: these are the elements, and the borrows are exclusive.
        unsafe { ViewMut::from_raw(self.lent.raw()) }
    }
}

impl<'v, T: Element> From<&'v Lent<'_, T>> for View<'v, T> {
    fn from(lent: &'v Lent<'_, T>) -> Self {
        lent.as_view()
    }
}

impl<'v, T: Element> From<&'v LentMut<'_, T>> for View<'v, T> {
    fn from(lent: &'v LentMut<'_, T>) -> Self {
        lent.as_view()
    }
}

impl<'v, T: Element> From<&'v mut LentMut<'_, T>> for ViewMut<'v, T> {
    fn from(lent: &'v mut LentMut<'_, T>) -> Self {
        lent.as_view_mut()
    }
}

impl<'v, A: AtomicElement> From<&'v mut LentMut<'_, A::Value>> for AtomicView<'v, A> {
    fn from(lent: &'v mut LentMut<'_, A::Value>) -> Self {
        lent.as_view_mut().into()
    }
}

impl<T: Element> DeviceBuffer<T> {
    /// A buffer of memory that another library has made. When the buffer is dropped, the memory is released for the streams
    /// that have used it, and then dropped.
    ///
    /// ```
    /// # fn example(memory: impl vyre::Foreign<f32> + 'static) -> vyre::Result<()> {
    /// let buffer = vyre::DeviceBuffer::from_foreign(memory)?;
    /// println!("{:?}", buffer.download()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`LentMut::new`].
    pub fn from_foreign(memory: impl Foreign<T> + 'static) -> Result<DeviceBuffer<T>> {
        let (device, address, bytes) = described(&memory, true)?;
        let length = memory.length();
        let owner = Owner::Gives(Box::new(Erased(memory, PhantomData)));
        Ok(DeviceBuffer::over(
            Allocation::foreign(device, owner, address, bytes)?,
            length,
        ))
    }
}

impl<T> fmt::Debug for Lent<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = std::any::type_name::<T>();
        write!(f, "Lent<{name}>[{}] on {}", self.length, self.allocation.device())
    }
}

impl<T> fmt::Debug for LentMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lent.fmt(f)
    }
}
