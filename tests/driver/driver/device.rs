//! Initialisation, the device and its context.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use crate::memory::{MEMORY, synchronized};
use crate::result::*;
use crate::stream::GREATEST_PRIORITY;
use crate::target;

/// The context of the first device, which is a number as that of each.
const CONTEXT: usize = 0xc0;

/// The bytes of shared memory of a block, without asking and at most.
pub(crate) const BLOCK_SHARED: u32 = 48 * 1024;
pub(crate) const MOST_SHARED: u32 = 227 * 1024;

/// The number of multiprocessors.
pub(crate) const MULTIPROCESSORS: i32 = 4;

thread_local! {
    static CURRENT: Cell<*mut c_void> = const { Cell::new(ptr::null_mut()) };
}

/// The context of the thread; null for none.
pub(crate) fn current() -> *mut c_void {
    CURRENT.get()
}

/// True if the thread has a context.
pub(crate) fn has_context() -> bool {
    !CURRENT.get().is_null()
}

/// The number of devices.
fn devices() -> i32 {
    let set = std::env::var("PLAYED_DRIVER_DEVICES").ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// The name of a result.
fn name_of(code: u32) -> Option<&'static CStr> {
    Some(match code {
        SUCCESS => c"CUDA_SUCCESS",
        INVALID_VALUE => c"CUDA_ERROR_INVALID_VALUE",
        OUT_OF_MEMORY => c"CUDA_ERROR_OUT_OF_MEMORY",
        NOT_INITIALIZED => c"CUDA_ERROR_NOT_INITIALIZED",
        ILLEGAL_ADDRESS => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        CONTEXT_IS_DESTROYED => c"CUDA_ERROR_CONTEXT_IS_DESTROYED",
        DEVICE_UNAVAILABLE => c"CUDA_ERROR_DEVICE_UNAVAILABLE",
        INVALID_CONTEXT => c"CUDA_ERROR_INVALID_CONTEXT",
        PEER_ACCESS_UNSUPPORTED => c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
        INVALID_DEVICE => c"CUDA_ERROR_INVALID_DEVICE",
        NO_BINARY => c"CUDA_ERROR_NO_BINARY_FOR_GPU",
        INVALID_PTX => c"CUDA_ERROR_INVALID_PTX",
        UNSUPPORTED_PTX => c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
        INVALID_HANDLE => c"CUDA_ERROR_INVALID_HANDLE",
        NOT_FOUND => c"CUDA_ERROR_NOT_FOUND",
        NOT_READY => c"CUDA_ERROR_NOT_READY",
        CAPTURE_UNSUPPORTED => c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
        CAPTURE_INVALIDATED => c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
        CAPTURE_ISOLATION => c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
        CAPTURED_EVENT => c"CUDA_ERROR_CAPTURED_EVENT",
        UNKNOWN => c"CUDA_ERROR_UNKNOWN",
        _ => return None,
    })
}

functions! {
    fn cuDriverGetVersion(version: *mut i32) {
        *version = crate::version() as i32;
        SUCCESS
    }

    fn cuInit(_flags: u32) {
        SUCCESS
    }

    fn cuGetErrorName(code: u32, name: *mut *const c_char) {
        match name_of(code) {
            Some(text) => {
                *name = text.as_ptr();
                SUCCESS
            }
            None => INVALID_VALUE,
        }
    }

    fn cuGetErrorString(code: u32, text: *mut *const c_char) {
        match name_of(code) {
            Some(name) => {
                *text = name.as_ptr();
                SUCCESS
            }
            None => INVALID_VALUE,
        }
    }

    fn cuDeviceGetCount(count: *mut i32) {
        *count = devices();
        SUCCESS
    }

    fn cuDeviceGet(device: *mut i32, ordinal: i32) {
        *device = ordinal;
        if (0..devices()).contains(&ordinal) { SUCCESS } else { INVALID_DEVICE }
    }

    fn cuDeviceGetName(name: *mut c_char, size: i32, _device: i32) {
        let text = b"Played GPU\0";
        let count = text.len().min(size as usize);
        ptr::copy_nonoverlapping(text.as_ptr().cast(), name, count);
        SUCCESS
    }

    fn cuDeviceCanAccessPeer(can: *mut i32, device: i32, peer: i32) {
        if device == peer {
            return INVALID_DEVICE;
        }
        *can = i32::from(std::env::var_os("PLAYED_DRIVER_APART").is_none_or(|how| how == "refused"));
        SUCCESS
    }

    fn cuCtxEnablePeerAccess(context: *mut c_void, flags: u32) {
        if CURRENT.get().is_null() || CURRENT.get() == context || flags != 0 {
            return INVALID_VALUE;
        }
        match std::env::var_os("PLAYED_DRIVER_APART") {
            None => SUCCESS,
            Some(_) => PEER_ACCESS_UNSUPPORTED,
        }
    }

    fn cuDeviceTotalMem_v2(bytes: *mut usize, _device: i32) {
        *bytes = MEMORY as usize;
        SUCCESS
    }

    fn cuDeviceGetAttribute(value: *mut i32, attribute: u32, _device: i32) {
        // The numbers are those of `CUdevice_attribute`, the values those of an H100, but for the number of
        // multiprocessors and the size of the L2 cache, which it does not report.
        *value = match attribute {
            1..=3 => 1024,
            4 => 64,
            5 => i32::MAX,
            6 | 7 => 65535,
            8 => BLOCK_SHARED as i32,
            16 => MULTIPROCESSORS,
            // Clock of the memory in kHz, and bits of its bus.
            36 => 2_619_000,
            37 => 5120,
            39 => 2048,
            40 => 3,
            81 => 228 * 1024,
            82 => 65536,
            106 => 32,
            75 => target() as i32 / 10,
            76 => target() as i32 % 10,
            97 => MOST_SHARED as i32,
            // Cooperative launches, memory pools, clusters.
            95 | 115 | 120 => 1,
            _ => 0,
        };
        SUCCESS
    }

    fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: i32) {
        if std::env::var("PLAYED_DRIVER_TAKEN").is_ok_and(|taken| taken == device.to_string()) {
            return DEVICE_UNAVAILABLE;
        }
        *context = ptr::without_provenance_mut(CONTEXT + device as usize);
        SUCCESS
    }

    fn cuDevicePrimaryCtxRelease_v2(_device: i32) {
        SUCCESS
    }

    fn cuCtxGetCurrent(context: *mut *mut c_void) {
        *context = CURRENT.get();
        SUCCESS
    }

    fn cuCtxSetCurrent(context: *mut c_void) {
        CURRENT.set(context);
        SUCCESS
    }

    fn cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32) {
        (*least, *greatest) = (0, GREATEST_PRIORITY);
        SUCCESS
    }

    fn cuCtxSynchronize() {
        synchronized();
        SUCCESS
    }
}
