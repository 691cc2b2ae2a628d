//! Memory of a device that another library has made.

use std::alloc::Layout;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ops::Deref;
use std::sync::Arc;

use crate::device::Device;
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

/// Memory that somebody else has made: where it is, and who orders its uses.
pub(super) struct Memory<'f> {
    pub(super) device: Device,
    pub(super) address: u64,
    /// In elements.
    pub(super) length: usize,
    pub(super) owner: Box<dyn Handover + 'f>,
}

impl<'f> Memory<'f> {
    fn of<T: Element, F: Foreign<T> + 'f>(foreign: impl Deref<Target = F> + Send + Sync + 'f) -> Memory<'f> {
        Memory {
            device: foreign.device(),
            address: foreign.address(),
            length: foreign.length(),
            owner: Box::new(Erased(foreign, PhantomData)),
        }
    }

    /// The allocation of it. All memory that others have made comes in here, and is held against the rules of vyre.
    ///
    /// # Safety
    /// The memory has as many elements of this layout as the contract of [`Foreign`] says, and nobody reaches the allocation
    /// after `'f`.
    unsafe fn admit(self, element: Layout, writes: bool, is_lent: bool) -> Result<Arc<Allocation>> {
        let Memory {
            device,
            mut address,
            length,
            owner,
        } = self;
        device.state().check_open()?;
        let (size, alignment) = (element.size(), element.align());
        let bytes = length.checked_mul(size).filter(|&bytes| bytes <= isize::MAX as usize);
        let Some(bytes) = bytes else {
            return Err(Error::unsupported(&format!("{length} elements of memory"), &device));
        };
        if bytes == 0 {
            address = 0;
        } else if address == 0 || address % alignment as u64 != 0 {
            let feature = format!("elements at address {address:#x}, which are aligned to {alignment} bytes");
            return Err(Error::unsupported(&feature, &device));
        }
        // Atomics of 8 and 16 bits access the surrounding word. Arrays of bytes have such elements, too.
        if writes && alignment < 4 && !(address % 4 == 0 && bytes % 4 == 0) {
            let feature =
                format!("writable memory of {bytes} bytes at {address:#x}, which are no whole words of four bytes");
            return Err(Error::unsupported(&feature, &device));
        }
        // SAFETY: the types differ in the lifetime alone. The allocation calls the owner from its own methods only, and is
        // not reached after `'f`, by the contract.
        let owner = unsafe { mem::transmute::<Box<dyn Handover + 'f>, Box<dyn Handover>>(owner) };
        let owner = if is_lent {
            Owner::Lends(owner)
        } else {
            Owner::Gives(owner)
        };
        Allocation::foreign(device.state(), owner, address, bytes)
    }
}

/// A [`Foreign`] as an allocation knows it.
struct Erased<F, T>(F, PhantomData<fn() -> T>);

impl<T: Element, F: Deref<Target: Foreign<T>> + Send + Sync> Handover for Erased<F, T> {
    fn acquire(&self, stream: *mut c_void) -> Result<()> {
        self.0.acquire(stream)
    }

    fn release(&self, stream: *mut c_void) -> Result<()> {
        self.0.release(stream)
    }
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
        // SAFETY: by the contract of `Foreign`.
        unsafe { Lent::over(Memory::of(memory), false) }
    }

    /// # Safety
    /// The memory has as many elements, which nobody writes during `'f`, and nobody reads either if they are written.
    pub(super) unsafe fn over(memory: Memory<'f>, writes: bool) -> Result<Lent<'f, T>> {
        Ok(Lent {
            length: memory.length,
            // SAFETY: the allocation is reached by borrows of the result, which end with `'f`.
            allocation: unsafe { memory.admit(Layout::new::<T>(), writes, true)? },
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
    /// Through a shared borrow, memory is read alone:
    ///
    /// ```compile_fail,E0277
    /// # fn example<M: vyre::Foreign<u32>>(mut memory: &M) -> vyre::Result<()> {
    /// vyre::LentMut::new(&mut memory)?.as_view_mut().fill(7)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Lent::new`]; also for elements of one or two bytes that are no whole words of four, which atomics access.
    pub fn new<F: Foreign<T>>(memory: &'f mut F) -> Result<LentMut<'f, T>> {
        // SAFETY: by the contract of `Foreign`; the shared borrow is of what is borrowed exclusively for as long.
        unsafe { LentMut::over(Memory::of(&*memory)) }
    }

    /// # Safety
    /// The memory has as many elements, which nobody else accesses during `'f`.
    pub(super) unsafe fn over(memory: Memory<'f>) -> Result<LentMut<'f, T>> {
        // SAFETY: the contract.
        let lent = unsafe { Lent::over(memory, true)? };
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
        // SAFETY: by the contract of `Foreign`.
        unsafe { DeviceBuffer::of_foreign(Memory::of(Box::new(memory))) }
    }

    /// # Safety
    /// The memory has as many elements, which nobody else accesses until the owner is dropped.
    pub(super) unsafe fn of_foreign(memory: Memory<'static>) -> Result<DeviceBuffer<T>> {
        let length = memory.length;
        // SAFETY: the contract.
        let allocation = unsafe { memory.admit(Layout::new::<T>(), true, false)? };
        Ok(DeviceBuffer::over(allocation, length))
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
