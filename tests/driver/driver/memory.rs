//! Memory: addresses of the device are those of the host.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::capture;
use crate::control::fails_allocation;
use crate::graph::Work;
use crate::order::work;
use crate::result::*;

/// The sizes of live allocations by address.
static LIVE: Mutex<Option<HashMap<u64, usize>>> = Mutex::new(None);

const ALIGNMENT: usize = 256;

unsafe fn allocate(address: *mut u64, bytes: usize) -> u32 {
    let Ok(layout) = Layout::from_size_align(bytes.max(1), ALIGNMENT) else {
        return INVALID_VALUE;
    };
    if fails_allocation() {
        return OUT_OF_MEMORY;
    }
    // SAFETY: the size is not zero.
    let new = unsafe { alloc(layout) };
    if new.is_null() {
        return OUT_OF_MEMORY;
    }
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    live.get_or_insert_default().insert(new.addr() as u64, layout.size());
    // SAFETY: the caller passes a place for the address.
    unsafe { *address = new.expose_provenance() as u64 };
    SUCCESS
}

unsafe fn free(address: u64) -> u32 {
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(size) = live.get_or_insert_default().remove(&address) else {
        return INVALID_VALUE;
    };
    // SAFETY: it was allocated with this layout, and is not live any more.
    unsafe { dealloc(at(address), Layout::from_size_align_unchecked(size, ALIGNMENT)) };
    SUCCESS
}

/// The memory of a device, in bytes.
pub(crate) const MEMORY: u64 = 1 << 30;

/// A pool grows by multiples of this, as the driver's does.
const CHUNK: u64 = 2 << 20;

/// The bytes of the pool, which all devices have in common.
struct Pool {
    used: u64,
    reserved: u64,
    /// The bytes that the pool keeps at a synchronization.
    threshold: u64,
}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    used: 0,
    reserved: 0,
    threshold: 0,
});

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Gives back what is reserved and not used, down to so many bytes.
    fn trim(&mut self, kept: u64) {
        let kept = kept.max(self.used.next_multiple_of(CHUNK));
        self.reserved = self.reserved.min(kept);
    }
}

/// Work was waited for.
pub(crate) fn synchronized() {
    let mut pool = pool();
    let kept = pool.threshold;
    pool.trim(kept);
}

/// The size of a live allocation; 0 for none.
fn size(address: u64) -> u64 {
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    live.get_or_insert_default()
        .get(&address)
        .map_or(0, |&size| size as u64)
}

/// The number of live allocations.
pub(crate) fn live() -> u64 {
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    live.get_or_insert_default().len() as u64
}

/// The memory at an address.
fn at<T>(address: u64) -> *mut T {
    ptr::with_exposed_provenance_mut(address as usize)
}

functions! {
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        (*free, *total) = (1 << 29, 1 << 30);
        SUCCESS
    }

    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) {
        allocate(address, bytes)
    }

    fn cuMemFree_v2(address: u64) {
        free(address)
    }

    fn cuMemHostAlloc(memory: *mut *mut c_void, bytes: usize, _flags: u32) {
        allocate(memory.cast(), bytes)
    }

    fn cuMemHostGetDevicePointer_v2(address: *mut u64, memory: *mut c_void, _flags: u32) {
        *address = memory.expose_provenance() as u64;
        SUCCESS
    }

    fn cuMemFreeHost(memory: *mut c_void) {
        free(memory.addr() as u64)
    }

    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: *mut c_void) {
        if !work(stream) {
            return INVALID_CONTEXT;
        }
        let copy = || Work::Copy(to as usize, from.expose_provenance(), bytes);
        if let Some(code) = capture::take(stream, copy) {
            return code;
        }
        ptr::copy(from.cast::<u8>(), at(to), bytes);
        SUCCESS
    }

    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: *mut c_void) {
        if !work(stream) {
            return INVALID_CONTEXT;
        }
        let copy = || Work::Copy(to.expose_provenance(), from as usize, bytes);
        if let Some(code) = capture::take(stream, copy) {
            return code;
        }
        ptr::copy(at::<u8>(from), to.cast(), bytes);
        SUCCESS
    }

    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: *mut c_void) {
        if !work(stream) {
            return INVALID_CONTEXT;
        }
        if let Some(code) = capture::take(stream, || Work::Copy(to as usize, from as usize, bytes)) {
            return code;
        }
        ptr::copy(at::<u8>(from), at(to), bytes);
        SUCCESS
    }

    fn cuMemcpyPeerAsync(
        to: u64, own: *mut c_void, from: u64, peer: *mut c_void, bytes: usize, stream: *mut c_void,
    ) {
        if own == peer || own.is_null() || peer.is_null() {
            return INVALID_VALUE;
        }
        if !work(stream) {
            return INVALID_CONTEXT;
        }
        if let Some(code) = capture::take(stream, || Work::Copy(to as usize, from as usize, bytes)) {
            return code;
        }
        ptr::copy(at::<u8>(from), at(to), bytes);
        SUCCESS
    }

    fn cuMemsetD8Async(address: u64, value: u8, count: usize, stream: *mut c_void) {
        if !work(stream) {
            return INVALID_CONTEXT;
        }
        let set = || Work::Set(address as usize, value.to_le_bytes().to_vec(), count);
        if let Some(code) = capture::take(stream, set) {
            return code;
        }
        std::slice::from_raw_parts_mut(at::<u8>(address), count).fill(value);
        SUCCESS
    }

    fn cuMemsetD16Async(address: u64, value: u16, count: usize, stream: *mut c_void) {
        if !work(stream) {
            return INVALID_CONTEXT;
        }
        let set = || Work::Set(address as usize, value.to_le_bytes().to_vec(), count);
        if let Some(code) = capture::take(stream, set) {
            return code;
        }
        std::slice::from_raw_parts_mut(at::<u16>(address), count).fill(value);
        SUCCESS
    }

    fn cuMemsetD32Async(address: u64, value: u32, count: usize, stream: *mut c_void) {
        if !work(stream) {
            return INVALID_CONTEXT;
        }
        let set = || Work::Set(address as usize, value.to_le_bytes().to_vec(), count);
        if let Some(code) = capture::take(stream, set) {
            return code;
        }
        std::slice::from_raw_parts_mut(at::<u32>(address), count).fill(value);
        SUCCESS
    }

    fn cuMemPoolCreate(pool: *mut *mut c_void, _properties: *const c_void) {
        *pool = ptr::without_provenance_mut(0xb0);
        SUCCESS
    }

    fn cuMemPoolDestroy(_pool: *mut c_void) {
        SUCCESS
    }

    fn cuMemPoolSetAttribute(_pool: *mut c_void, attribute: u32, value: *mut c_void) {
        // The numbers are those of `CUmemPool_attribute`.
        match attribute {
            4 => pool().threshold = value.cast::<u64>().read(),
            _ => return INVALID_VALUE,
        }
        SUCCESS
    }

    fn cuMemPoolGetAttribute(_pool: *mut c_void, attribute: u32, value: *mut c_void) {
        let pool = pool();
        value.cast::<u64>().write(match attribute {
            4 => pool.threshold,
            5 => pool.reserved,
            7 => pool.used,
            _ => return INVALID_VALUE,
        });
        SUCCESS
    }

    fn cuMemPoolSetAccess(_pool: *mut c_void, access: *const u32, count: usize) {
        // A location of the kind device, its number, and access for reading and writing.
        match (count, *access, *access.add(2)) {
            (1, 1, 3) if std::env::var_os("PLAYED_DRIVER_APART").is_some() => PEER_ACCESS_UNSUPPORTED,
            (1, 1, 3) => SUCCESS,
            _ => INVALID_VALUE,
        }
    }

    fn cuMemPoolTrimTo(_pool: *mut c_void, bytes: usize) {
        pool().trim(bytes as u64);
        SUCCESS
    }

    fn cuMemAllocFromPoolAsync(address: *mut u64, bytes: usize, _pool: *mut c_void, _stream: *mut c_void) {
        let mut pool = pool();
        if pool.used + bytes as u64 > MEMORY {
            return OUT_OF_MEMORY;
        }
        let code = allocate(address, bytes);
        if code == SUCCESS {
            pool.used += size(*address);
            pool.reserved = pool.reserved.max(pool.used.next_multiple_of(CHUNK));
        }
        code
    }

    fn cuMemAllocAsync(address: *mut u64, bytes: usize, stream: *mut c_void) {
        if !work(stream) {
            return INVALID_CONTEXT;
        }
        // The device's own pool is not counted.
        allocate(address, bytes)
    }

    fn cuMemFreeAsync(address: u64, stream: *mut c_void) {
        if !work(stream) {
            return INVALID_CONTEXT;
        }
        // A graph frees only what it allocates.
        if capture::is_captured(stream) {
            return INVALID_VALUE;
        }
        let mut pool = pool();
        let bytes = size(address).min(pool.used);
        let code = free(address);
        if code == SUCCESS {
            pool.used -= bytes;
        }
        code
    }
}
