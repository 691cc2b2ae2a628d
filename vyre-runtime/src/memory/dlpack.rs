//! Tensors of other libraries, through DLPack: the structures that PyTorch, NumPy, JAX, CuPy and others exchange.
//!
//! A buffer leaves by [`DeviceBuffer::into_dlpack`] and comes by [`DeviceBuffer::from_dlpack`], without a copy. Both take
//! the versioned structure of DLPack 1.0 and the one before it. The structures are those of `dlpack.h`, under the same
//! names; in Python a pointer to one lies in a capsule of the name `dltensor_versioned` or `dltensor`.
//!
//! ```
//! use vyre_runtime::dlpack::{DLManagedTensorVersioned, Managed};
//! use vyre_runtime::{Device, DeviceBuffer};
//!
//! # fn main() -> vyre_runtime::Result<()> {
//! let device = Device::cpu();
//! let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let tensor: Managed<DLManagedTensorVersioned> = x.into_dlpack(&[2, 3])?;
//! assert_eq!(tensor.shape(), [2, 3]);
//! let raw = tensor.into_raw(); // for a capsule
//!
//! // SAFETY: it is what `into_raw` has returned, and nobody else has it.
//! let (y, shape) = unsafe { DeviceBuffer::<f32>::from_dlpack(Managed::from_raw(raw))? };
//! assert_eq!((y.download()?, shape), (vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], vec![2, 3]));
//! # Ok(())
//! # }
//! ```

use std::ffi::c_void;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::slice;

use crate::Element;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::allocation::Handover;
use crate::memory::buffer::DeviceBuffer;
use crate::memory::foreign::Memory;
use crate::memory::transfer;

/// `kDLCPU`, `kDLCUDA` and `kDLCUDAHost` of `DLDeviceType`.
const CPU: i32 = 1;
const CUDA: i32 = 2;
const CUDA_HOST: i32 = 3;

/// `DLPACK_FLAG_BITMASK_READ_ONLY`.
const READ_ONLY: u64 = 1;

/// The version of the structures here.
const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 0 };

/// The version of a structure. A reader takes those of its own `major`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    /// Changes with the layout.
    pub major: u32,
    /// Changes with new kinds of devices and numbers.
    pub minor: u32,
}

/// A device.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    /// Its kind: 1 for the CPU, 2 for CUDA, 3 for memory of the host that CUDA has pinned.
    pub device_type: i32,
    /// Its number among those of its kind.
    pub device_id: i32,
}

/// A type of numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// 0 for signed integers, 1 for unsigned ones, 2 for floats, 4 for bfloat16, 6 for `bool`.
    pub code: u8,
    /// Bits of a lane.
    pub bits: u8,
    /// 1 for scalars.
    pub lanes: u16,
}

/// A tensor, without an owner.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    /// The address of the memory.
    pub data: *mut c_void,
    /// The device of the memory.
    pub device: DLDevice,
    /// The number of axes.
    pub ndim: i32,
    /// The type of the elements.
    pub dtype: DLDataType,
    /// The extents of the axes.
    pub shape: *mut i64,
    /// The steps along the axes, in elements; null for elements behind each other, the last axis fastest.
    pub strides: *mut i64,
    /// The bytes from `data` to the first element.
    pub byte_offset: u64,
}

/// A tensor with its owner, as of DLPack before 1.0.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// What the owner needs.
    pub manager_ctx: *mut c_void,
    /// Frees the tensor and this structure; called once by whoever has it. Null if there is nothing to free.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// A tensor with its owner, as of DLPack 1.0.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// The version.
    pub version: DLPackVersion,
    /// What the owner needs.
    pub manager_ctx: *mut c_void,
    /// As that of [`DLManagedTensor`].
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Bit 0: the elements may not be written. Bit 1: they are a copy.
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

mod sealed {
    use super::*;

    /// One of the two structures.
    pub trait Structure: Sized + 'static {
        fn make(tensor: DLTensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self;
        fn tensor(&self) -> &DLTensor;
        fn context(&self) -> *mut c_void;
        fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
        fn version(&self) -> DLPackVersion;
        fn is_read_only(&self) -> bool;
    }

    /// A number that DLPack has.
    pub trait Numbers {
        const CODE: u8;
    }
}

use sealed::{Numbers, Structure};

impl Structure for DLManagedTensor {
    fn make(dl_tensor: DLTensor, manager_ctx: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        DLManagedTensor {
            dl_tensor,
            manager_ctx,
            deleter: Some(deleter),
        }
    }

    fn tensor(&self) -> &DLTensor {
        &self.dl_tensor
    }

    fn context(&self) -> *mut c_void {
        self.manager_ctx
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }

    fn version(&self) -> DLPackVersion {
        VERSION
    }

    fn is_read_only(&self) -> bool {
        false
    }
}

impl Structure for DLManagedTensorVersioned {
    fn make(dl_tensor: DLTensor, manager_ctx: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx,
            deleter: Some(deleter),
            flags: 0,
            dl_tensor,
        }
    }

    fn tensor(&self) -> &DLTensor {
        &self.dl_tensor
    }

    fn context(&self) -> *mut c_void {
        self.manager_ctx
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }

    fn version(&self) -> DLPackVersion {
        self.version
    }

    fn is_read_only(&self) -> bool {
        self.flags & READ_ONLY != 0
    }
}

/// The structures: [`DLManagedTensorVersioned`], and [`DLManagedTensor`] for libraries that do not know it yet.
pub trait DLManaged: Structure {}

impl DLManaged for DLManagedTensor {}
impl DLManaged for DLManagedTensorVersioned {}

/// The elements that tensors have: numbers, and `bool`.
pub trait DLElement: Element + Numbers {}

macro_rules! elements {
    ($($code:literal: $($type:ty)*;)*) => { $($(
        impl Numbers for $type {
            const CODE: u8 = $code;
        }
        impl DLElement for $type {}
    )*)* };
}

elements! {
    0: i8 i16 i32 i64;
    1: u8 u16 u32 u64;
    2: f32 f64;
    6: bool;
}

#[cfg(feature = "half")]
elements! {
    2: half::f16;
    4: half::bf16;
}

fn data_type<T: DLElement>() -> DLDataType {
    DLDataType {
        code: T::CODE,
        bits: 8 * size_of::<T>() as u8,
        lanes: 1,
    }
}

/// A tensor with its owner, which is told when this is dropped.
pub struct Managed<M: DLManaged>(NonNull<M>);

// SAFETY: the structures say that any thread may call the deleter, and here it is called by one.
unsafe impl<M: DLManaged> Send for Managed<M> {}
// SAFETY: a shared reference reads plain data alone.
unsafe impl<M: DLManaged> Sync for Managed<M> {}

impl<M: DLManaged> Managed<M> {
    /// Takes a structure, for example that of a capsule.
    ///
    /// # Safety
    /// It is one that a library has made by the rules of DLPack, of any version, and nobody else has it, or calls its deleter.
    pub unsafe fn from_raw(structure: NonNull<M>) -> Managed<M> {
        Managed(structure)
    }

    /// Gives the structure away, with the duty to call its deleter.
    pub fn into_raw(self) -> NonNull<M> {
        ManuallyDrop::new(self).0
    }

    /// The tensor. Its fields mean nothing in a structure of another major version.
    pub fn tensor(&self) -> &DLTensor {
        // SAFETY: the structure is there until it is dropped.
        unsafe { self.0.as_ref() }.tensor()
    }

    fn version(&self) -> DLPackVersion {
        // SAFETY: the structure is there until it is dropped.
        unsafe { self.0.as_ref() }.version()
    }

    /// The extents of the axes; empty for a single element, for an extent that is negative, and for a structure of another
    /// major version, of which only the deleter is known.
    pub fn shape(&self) -> Vec<usize> {
        let extents = self.axes(self.tensor().shape);
        extents.iter().map_while(|&extent| extent.try_into().ok()).collect()
    }

    /// A list with a number for each axis; empty if it is null or not known.
    fn axes(&self, list: *mut i64) -> &[i64] {
        if self.version().major != VERSION.major {
            return &[];
        }
        let count = usize::try_from(self.tensor().ndim).unwrap_or(0);
        match list.is_null() || count == 0 {
            true => &[],
            // SAFETY: the lists of a tensor have a number for each axis.
            false => unsafe { slice::from_raw_parts(list, count) },
        }
    }
}

impl<M: DLManaged> Drop for Managed<M> {
    fn drop(&mut self) {
        // SAFETY: the structure is there, and this is the one call of its deleter.
        unsafe {
            if let Some(delete) = self.0.as_ref().deleter() {
                delete(self.0.as_ptr());
            }
        }
    }
}

impl<M: DLManaged> fmt::Debug for Managed<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.tensor(), f)
    }
}

/// A buffer that was given away, behind the structure that leads to it.
struct Exported<M, T> {
    structure: M,
    shape: Vec<i64>,
    strides: Vec<i64>,
    _buffer: DeviceBuffer<T>,
}

/// The deleter of a buffer's structure.
unsafe extern "C" fn delete<M: DLManaged, T: DLElement>(structure: *mut M) {
    // SAFETY: whoever has the structure calls this once. Its context is the box that it lies in.
    drop(unsafe { Box::from_raw((*structure).context().cast::<Exported<M, T>>()) });
}

impl<T: DLElement> DeviceBuffer<T> {
    /// Gives the buffer to another library, as a tensor of this shape, the last axis fastest. Waits for all work on the
    /// memory, so that the other library may use it on any stream. Its own work on it is over when it calls the deleter,
    /// from any thread.
    ///
    /// ```
    /// use vyre_runtime::dlpack::{DLManagedTensorVersioned, Managed};
    ///
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let x = vyre_runtime::Device::cpu().upload(&[1.0f32; 6])?;
    /// let tensor: Managed<DLManagedTensorVersioned> = x.into_dlpack(&[2, 3])?;
    /// assert_eq!(tensor.shape(), [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The fault of a launch that may have written the buffer; [`Error::LengthMismatch`] for a shape that has another number
    /// of elements.
    pub fn into_dlpack<M: DLManaged>(self, shape: &[usize]) -> Result<Managed<M>> {
        let elements = shape.iter().try_fold(1usize, |all, &extent| all.checked_mul(extent));
        transfer::same_length(
            ("the shape", elements.unwrap_or(usize::MAX)),
            ("the buffer", self.len()),
        )?;
        transfer::wait(self.as_view().raw())?;
        let device = self.device();
        let device = match device.state().ordinal() {
            Some(ordinal) => DLDevice {
                device_type: CUDA,
                device_id: ordinal as i32,
            },
            None => DLDevice {
                device_type: CPU,
                device_id: 0,
            },
        };
        let mut step = 1i64;
        // Within the number of elements, which memory has, unless there are none.
        let mut strides: Vec<i64> = shape
            .iter()
            .rev()
            .map(|&extent| {
                let own = step;
                step = step.saturating_mul(extent.max(1).try_into().unwrap_or(i64::MAX));
                own
            })
            .collect();
        strides.reverse();
        let data = ptr::with_exposed_provenance_mut(self.as_view().address() as usize);
        let tensor = DLTensor {
            data,
            device,
            ndim: shape.len() as i32,
            dtype: data_type::<T>(),
            shape: ptr::null_mut(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        };
        let exported = Box::into_raw(Box::new(Exported {
            structure: M::make(tensor, ptr::null_mut(), delete::<M, T>),
            shape: shape
                .iter()
                .map(|&extent| extent.try_into().unwrap_or(i64::MAX))
                .collect(),
            strides,
            _buffer: self,
        }));
        // SAFETY: the box was just made. Its lists stay where they are as long as it does.
        unsafe {
            let tensor = DLTensor {
                shape: (*exported).shape.as_mut_ptr(),
                strides: (*exported).strides.as_mut_ptr(),
                ..tensor
            };
            (*exported).structure = M::make(tensor, exported.cast(), delete::<M, T>);
            Ok(Managed(NonNull::new_unchecked(&raw mut (*exported).structure)))
        }
    }

    /// Takes a tensor of another library, and its shape. Its elements lie behind each other, the last axis fastest. The
    /// deleter is called when the buffer is dropped and the work on it is over.
    ///
    /// A tensor that is refused is given back to its owner, by its deleter.
    ///
    /// ```
    /// use vyre_runtime::DeviceBuffer;
    /// use vyre_runtime::dlpack::{DLManagedTensorVersioned, Managed};
    ///
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let x = vyre_runtime::Device::cpu().upload(&[1.0f32; 6])?;
    /// let tensor: Managed<DLManagedTensorVersioned> = x.into_dlpack(&[2, 3])?;
    /// // SAFETY: the tensor is that of a buffer, which is all f32, and nobody else has it.
    /// let (y, shape) = unsafe { DeviceBuffer::<f32>::from_dlpack(tensor)? };
    /// assert_eq!((y.len(), shape), (6, vec![2, 3]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// The elements are values of the type, the memory is as the tensor says, and nobody else uses it as long as the buffer
    /// lives. The other library's work on it is over, or ordered before the device's: in Python, pass the stream of
    /// [`with_raw`](crate::Stream::with_raw) to `__dlpack__`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for elements of another type, with gaps between them, or that may not be written; for memory of
    /// another kind of device, and for a version of DLPack that is not known. Else as
    /// [`from_foreign`](DeviceBuffer::from_foreign).
    pub unsafe fn from_dlpack<M: DLManaged>(managed: Managed<M>) -> Result<(DeviceBuffer<T>, Vec<usize>)> {
        // A structure of another major version may have its fields elsewhere.
        let version = managed.version();
        if version.major != VERSION.major {
            return Err(Error::unsupported(
                &format!("tensors of DLPack {}.{}", version.major, version.minor),
                &Device::cpu(),
            ));
        }
        let tensor = *managed.tensor();
        let device = match tensor.device {
            DLDevice {
                device_type: CPU | CUDA_HOST,
                ..
            } => Device::cpu(),
            DLDevice {
                device_type: CUDA,
                device_id,
            } => Device::cuda(usize::try_from(device_id).unwrap_or(usize::MAX))?,
            other => {
                return Err(Error::unsupported(
                    &format!("tensors on a device of kind {}", other.device_type),
                    &Device::cpu(),
                ));
            }
        };
        // SAFETY: the structure is there until it is dropped.
        if unsafe { managed.0.as_ref() }.is_read_only() {
            return Err(Error::unsupported(
                "tensors that may not be written (pass a copy)",
                &device,
            ));
        }
        let (expected, given) = (data_type::<T>(), tensor.dtype);
        if given != expected {
            let feature = format!("a tensor with elements {given:?} as elements {expected:?}");
            return Err(Error::unsupported(&feature, &device));
        }
        let shape = managed.shape();
        let length = shape.iter().try_fold(1usize, |all, &extent| all.checked_mul(extent));
        let Some(length) = length.filter(|_| shape.len() as i64 == i64::from(tensor.ndim)) else {
            return Err(Error::unsupported(
                &format!("a tensor of shape {:?}", managed.axes(tensor.shape)),
                &device,
            ));
        };
        if !is_dense(&shape, managed.axes(tensor.strides)) && length != 0 {
            return Err(Error::unsupported(
                "tensors with gaps between the elements, or in another order (pass a contiguous copy)",
                &device,
            ));
        }
        // Work on the CPU reads and writes it by this address.
        let address = tensor.data.expose_provenance() as u64 + tensor.byte_offset;
        let owner = Imported {
            device: device.clone(),
            _tensor: managed,
        };
        let memory = Memory {
            device,
            address,
            length,
            owner: Box::new(owner),
        };
        // SAFETY: the elements are as whoever has passed the tensor says, and it keeps them until it is dropped.
        Ok((unsafe { DeviceBuffer::of_foreign(memory)? }, shape))
    }
}

/// True if elements lie behind each other. The step along an axis of one element is never taken.
fn is_dense(shape: &[usize], strides: &[i64]) -> bool {
    let mut step = 1i64;
    let axes = shape.iter().zip(strides).rev();
    strides.is_empty()
        || axes.into_iter().all(|(&extent, &stride)| {
            let expected = step;
            step = step.saturating_mul(extent as i64);
            extent == 1 || stride == expected
        })
}

/// The owner of the memory of a tensor that another library has made.
struct Imported<M: DLManaged> {
    device: Device,
    _tensor: Managed<M>,
}

impl<M: DLManaged> Handover for Imported<M> {
    fn acquire(&self, _stream: *mut c_void) -> Result<()> {
        // Its work was ordered before the tensor was taken.
        Ok(())
    }

    fn release(&self, stream: *mut c_void) -> Result<()> {
        // A deleter has no stream to order the end of the memory on, so the work is waited for, as it is after an error.
        match stream.is_null() {
            true => Ok(()),
            false => Err(Error::unsupported(
                "the streams of other libraries' tensors",
                &self.device,
            )),
        }
    }
}

const _: () = {
    assert!(size_of::<DLTensor>() == 48 && size_of::<DLManagedTensor>() == 64);
    assert!(size_of::<DLManagedTensorVersioned>() == 80);
};
