//! Tensors of other libraries, against a reader and a writer of the structures that are written here after `dlpack.h`: on
//! the CPU, and on a GPU if there is one.
#![cfg(feature = "dlpack")]

mod support;

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::{alone, devices};
use vyre_runtime::dlpack::{DLManagedTensor, DLManagedTensorVersioned, Managed};
use vyre_runtime::{Device, DeviceBuffer, Error};

/// `DLManagedTensorVersioned`, as the specification has it, field by field.
#[repr(C)]
struct Versioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

/// `DLManagedTensor`.
#[repr(C)]
struct Unversioned {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Unversioned)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Tensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// What a reader sees of a tensor: the elements of the CPU at their steps, in order.
fn read<T: Copy>(tensor: &Tensor) -> Vec<T> {
    let ndim = tensor.ndim as usize;
    // SAFETY: the lists have a number for each axis, and the elements are in bounds.
    unsafe {
        let [shape, strides] = [tensor.shape, tensor.strides].map(|list| std::slice::from_raw_parts(list, ndim));
        let count: i64 = shape.iter().product();
        let first = tensor.data.byte_add(tensor.byte_offset as usize).cast::<T>();
        let at = |mut number: i64| {
            let mut place = 0;
            for axis in (0..ndim).rev() {
                place += number % shape[axis] * strides[axis];
                number /= shape[axis];
            }
            *first.offset(place as isize)
        };
        (0..count).map(at).collect()
    }
}

#[test]
fn buffers_become_tensors() {
    let _alone = alone();
    for device in devices("buffers_become_tensors") {
        let x: Vec<i16> = (0..24).collect();
        let buffer = device.upload(&x).unwrap();
        let address = buffer.as_view().address();
        let before = device.stats().frees;
        let managed = buffer.into_dlpack::<DLManagedTensorVersioned>(&[2, 3, 4]).unwrap();
        assert_eq!(managed.shape(), [2, 3, 4]);
        let raw = managed.into_raw().cast::<Versioned>();
        // SAFETY: the structure has this layout, and is read until its deleter is called, once.
        unsafe {
            let Versioned {
                major, flags, tensor, ..
            } = raw.as_ref();
            assert_eq!((*major, *flags, tensor.byte_offset), (1, 0, 0));
            assert_eq!(tensor.device_type, if device.is_cuda() { 2 } else { 1 });
            assert_eq!((tensor.code, tensor.bits, tensor.lanes), (0, 16, 1));
            assert_eq!(tensor.data.addr() as u64, address);
            assert_eq!(std::slice::from_raw_parts(tensor.strides, 3), [12, 4, 1]);
            if !device.is_cuda() {
                assert_eq!(read::<i16>(tensor), x);
            }
            assert_eq!(device.stats().frees, before);
            (raw.as_ref().deleter.unwrap())(raw.as_ptr());
        }
        assert_eq!(device.stats().frees, before + 1);
        // The older structure, one element, and none.
        let managed = device
            .upload(&[2.5f64])
            .unwrap()
            .into_dlpack::<DLManagedTensor>(&[])
            .unwrap();
        let raw = managed.into_raw();
        // SAFETY: as above.
        unsafe {
            let Unversioned { tensor, .. } = raw.cast().as_ref();
            assert_eq!((tensor.ndim, tensor.code, tensor.bits), (0, 2, 64));
            drop(Managed::from_raw(raw));
        }
        let none = device
            .zeros::<u8>(0)
            .unwrap()
            .into_dlpack::<DLManagedTensor>(&[3, 0])
            .unwrap();
        assert_eq!(none.shape(), [3, 0]);
        drop(none);
        // Steps past the range of numbers, which are never taken.
        let shape = [0, 1 << 40, 1 << 40];
        let none = device.zeros::<u8>(0).unwrap();
        let none = none.into_dlpack::<DLManagedTensor>(&shape).unwrap();
        assert_eq!(none.shape(), shape);
        drop(none);
        assert_eq!(device.stats().frees, before + 2);
        let error = device
            .upload(&x)
            .unwrap()
            .into_dlpack::<DLManagedTensor>(&[5, 5])
            .unwrap_err();
        assert!(matches!(
            error,
            Error::LengthMismatch {
                first_length: 25,
                second_length: 24,
                ..
            }
        ));
    }
}

/// A tensor of another library, whose end is counted.
struct Made {
    structure: Versioned,
    values: Vec<f32>,
    shape: Vec<i64>,
    strides: Vec<i64>,
    ends: Arc<AtomicUsize>,
}

fn made(values: Vec<f32>, shape: &[i64], strides: &[i64], ends: &Arc<AtomicUsize>) -> Box<Made> {
    unsafe extern "C" fn end(structure: *mut Versioned) {
        // SAFETY: the context is the box that was given away.
        let made = unsafe { Box::from_raw((*structure).context.cast::<Made>()) };
        made.ends.fetch_add(1, Ordering::SeqCst);
    }
    let tensor = Tensor {
        data: ptr::null_mut(),
        device_type: 1,
        device_id: 0,
        ndim: shape.len() as i32,
        code: 2,
        bits: 32,
        lanes: 1,
        shape: ptr::null_mut(),
        strides: ptr::null_mut(),
        byte_offset: 0,
    };
    let mut made = Box::new(Made {
        structure: Versioned {
            major: 1,
            minor: 1,
            context: ptr::null_mut(),
            deleter: Some(end),
            flags: 0,
            tensor,
        },
        values,
        shape: shape.to_vec(),
        strides: strides.to_vec(),
        ends: Arc::clone(ends),
    });
    made.structure.tensor.data = made.values.as_mut_ptr().cast();
    made.structure.tensor.shape = made.shape.as_mut_ptr();
    if !strides.is_empty() {
        made.structure.tensor.strides = made.strides.as_mut_ptr();
    }
    made
}

/// Gives the tensor away.
fn given(made: Box<Made>) -> Managed<DLManagedTensorVersioned> {
    let made = Box::into_raw(made);
    // SAFETY: the structure is that of the specification, and its deleter frees the box.
    unsafe {
        (*made).structure.context = made.cast();
        let structure = NonNull::new_unchecked(&raw mut (*made).structure);
        Managed::from_raw(structure.cast())
    }
}

#[test]
fn tensors_become_buffers() {
    let _alone = alone();
    let ends = Arc::new(AtomicUsize::new(0));
    for (shape, strides) in [
        (&[2, 3][..], &[][..]),
        (&[2, 3], &[3, 1]),
        // A step along an axis of one is never taken.
        (&[2, 1, 3], &[3, 77, 1]),
    ] {
        let before = ends.load(Ordering::SeqCst);
        let mut tensor = made((0..7).map(|i| i as f32).collect(), shape, strides, &ends);
        tensor.structure.tensor.byte_offset = 4;
        let first = tensor.values.as_ptr();
        // SAFETY: the elements are floats, which nobody else uses.
        let (mut buffer, found) = unsafe { DeviceBuffer::<f32>::from_dlpack(given(tensor)) }.unwrap();
        assert_eq!(found.iter().map(|&n| n as i64).collect::<Vec<_>>(), shape);
        assert_eq!((buffer.device(), buffer.len()), (Device::cpu(), 6));
        assert_eq!(buffer.as_view().address(), first.addr() as u64 + 4);
        assert_eq!(buffer.download().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        buffer.slice_mut(..1).unwrap().fill(9.0).unwrap();
        // It goes on to another library, and comes back.
        let managed = buffer.into_dlpack::<DLManagedTensor>(&[6]).unwrap();
        // SAFETY: it is that of the line above.
        let (buffer, _) = unsafe { DeviceBuffer::<f32>::from_dlpack(managed) }.unwrap();
        assert_eq!(buffer.download().unwrap()[..2], [9.0, 2.0]);
        assert_eq!(ends.load(Ordering::SeqCst), before);
        drop(buffer);
        assert_eq!(ends.load(Ordering::SeqCst), before + 1);
    }
}

/// Each is refused for its reason, and given back.
#[test]
fn tensors_that_are_no_buffers_are_refused() {
    let _alone = alone();
    let ends = Arc::new(AtomicUsize::new(0));
    let make = || made(vec![0.0; 6], &[2, 3], &[3, 1], &ends);
    type Change = fn(&mut Made);
    let changes: [(Change, &str); 9] = [
        (|made| made.structure.major = 2, "DLPack 2.1"),
        (|made| made.structure.flags = 1, "may not be written"),
        (|made| made.structure.tensor.code = 0, "elements"),
        (|made| made.structure.tensor.bits = 64, "elements"),
        (|made| made.structure.tensor.lanes = 4, "elements"),
        (|made| made.structure.tensor.device_type = 10, "a device of kind 10"),
        (|made| made.strides[0] = 4, "gaps"),
        (|made| made.strides.copy_from_slice(&[1, 2]), "gaps"),
        (|made| made.shape[1] = -3, "shape [2, -3]"),
    ];
    for (number, (change, reason)) in changes.into_iter().enumerate() {
        let mut tensor = make();
        change(&mut tensor);
        // SAFETY: it is refused.
        let error = unsafe { DeviceBuffer::<f32>::from_dlpack(given(tensor)) }.unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(ends.load(Ordering::SeqCst), number + 1);
    }
    // Another version may have other things in the places of the fields.
    let mut tensor = make();
    (tensor.structure.major, tensor.structure.tensor.device_type) = (2, 10);
    tensor.structure.tensor.shape = ptr::without_provenance_mut(8);
    let tensor = given(tensor);
    assert!(tensor.shape().is_empty());
    // SAFETY: it is refused.
    let error = unsafe { DeviceBuffer::<f32>::from_dlpack(tensor) }.unwrap_err();
    assert!(error.to_string().contains("DLPack 2.1"), "{error}");
    assert_eq!(ends.load(Ordering::SeqCst), 10);
    // Elements that begin at an odd address.
    let mut tensor = make();
    tensor.structure.tensor.byte_offset = 2;
    // SAFETY: it is refused.
    assert!(unsafe { DeviceBuffer::<f32>::from_dlpack(given(tensor)) }.is_err());
    assert_eq!(ends.load(Ordering::SeqCst), 11);
}

/// Memory of a GPU that goes there and back is still used by a launch when it is dropped.
#[test]
fn tensors_of_a_gpu_become_buffers() {
    let _alone = alone();
    for device in devices("tensors_of_a_gpu_become_buffers") {
        let x = device.upload(&vec![3u32; 1 << 20]).unwrap();
        let managed = x.into_dlpack::<DLManagedTensorVersioned>(&[1 << 10, 1 << 10]).unwrap();
        // SAFETY: it is that of the line above.
        let (mut y, shape) = unsafe { DeviceBuffer::<u32>::from_dlpack(managed) }.unwrap();
        assert_eq!((shape, y.device()), (vec![1 << 10, 1 << 10], device.clone()));
        y.fill(5).unwrap();
        let mut z = device.zeros::<u32>(1 << 20).unwrap();
        z.copy_from(&y).unwrap();
        drop(y);
        assert!(z.download().unwrap().iter().all(|&z| z == 5));
        device.synchronize().unwrap();
    }
}
