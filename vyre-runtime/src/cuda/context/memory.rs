//! The memory of a device, from a pool of its own where the driver has pools.

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering;

use cudarc::driver::sys::{
    CU_MEMHOSTALLOC_PORTABLE, CUdeviceptr, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocationType,
    CUmemPool_attribute, CUmemoryPool, CUstream,
};

use super::Context;
use crate::cuda::driver::{DEINITIALIZED, OUT_OF_MEMORY, PoolProperties, SUCCESS, call};
use crate::error::{Error, Result};
use crate::stats::PoolUsage;

/// The pool keeps at most the device's memory divided by this once it is not used any more.
const KEPT: u64 = 2;

impl Context {
    /// Allocates memory for later work on a stream.
    pub(in crate::cuda) fn allocate(&self, bytes: usize, stream: CUstream) -> Result<CUdeviceptr> {
        let _bound = self.bind()?;
        if bytes > self.memory {
            return Err(self.out_of_memory(bytes));
        }
        // Atomics of 8 and 16 bits access the surrounding word.
        let bytes = bytes.next_multiple_of(4);
        let mut address = 0;
        let mut code = self.try_allocate(&mut address, bytes, stream);
        if code == OUT_OF_MEMORY {
            match self.reclaim() {
                Ok(()) => code = self.try_allocate(&mut address, bytes, stream),
                // There is no waiting for it.
                Err(Error::StreamCaptured { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        match code {
            OUT_OF_MEMORY => Err(self.out_of_memory(bytes)),
            SUCCESS => {
                self.count_pool_hit();
                Ok(address)
            }
            code => {
                let call = match self.pool {
                    Some(_) => "cuMemAllocFromPoolAsync",
                    None => "cuMemAlloc_v2",
                };
                self.calls.check(call, code).map(|()| address)
            }
        }
    }

    /// Counts an allocation for which the pool did not grow.
    fn count_pool_hit(&self) {
        let Some(pool) = self.pool else { return };
        // An error here is no fault of the allocation.
        let Ok(held) = self.pool_attribute(pool, CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) else {
            return;
        };
        if held <= self.held.swap(held, Ordering::Relaxed) {
            self.counters.pool_hits.add(1);
        }
    }

    fn pool_attribute(&self, pool: CUmemoryPool, attribute: CUmemPool_attribute) -> Result<u64> {
        let mut value = 0u64;
        // SAFETY: the pool is live, and the attributes asked for are of eight bytes.
        unsafe {
            call!(
                self.calls,
                cuMemPoolGetAttribute(pool, attribute, (&raw mut value).cast::<c_void>())
            )?
        };
        Ok(value)
    }

    /// The memory that the pool holds and keeps.
    pub(in crate::cuda) fn pool_usage(&self) -> Result<PoolUsage> {
        let _bound = self.bind()?;
        let attribute = |attribute| self.pool.map(|pool| self.pool_attribute(pool, attribute)).transpose();
        Ok(PoolUsage {
            held: attribute(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?,
            kept: attribute(CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)?.unwrap_or(0),
            limit: Some(self.memory as u64),
        })
    }

    /// Keeps at most so many bytes that are not used any more.
    pub(in crate::cuda) fn keep_memory(&self, bytes: u64) -> Result<()> {
        let _bound = self.bind()?;
        match self.pool {
            Some(pool) => self.set_threshold(pool, bytes),
            None => Ok(()),
        }
    }

    /// Gives freed memory back to the system whose last use is over.
    pub(in crate::cuda) fn trim_memory(&self) -> Result<()> {
        let Some(pool) = self.pool else { return Ok(()) };
        let _bound = self.bind()?;
        // SAFETY: the context is current, and the pool belongs to it.
        unsafe { call!(self.calls, cuMemPoolTrimTo(pool, 0)) }
    }

    fn set_threshold(&self, pool: CUmemoryPool, mut bytes: u64) -> Result<()> {
        // SAFETY: the pool is live, and the attribute is a `u64`.
        unsafe {
            call!(
                self.calls,
                cuMemPoolSetAttribute(
                    pool,
                    CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                    (&raw mut bytes).cast::<c_void>()
                )
            )
        }
    }

    fn try_allocate(&self, address: &mut CUdeviceptr, bytes: usize, stream: CUstream) -> u32 {
        // SAFETY: the context is current, the stream and the pool belong to it, and the pointer is
        // valid for the call.
        unsafe {
            match self.pool {
                Some(pool) => (self.calls.cuMemAllocFromPoolAsync)(address, bytes, pool, stream),
                None => (self.calls.cuMemAlloc_v2)(address, bytes),
            }
        }
    }

    /// Frees memory once the current work on a stream is done.
    ///
    /// # Safety
    /// The memory is from `allocate`, was not released before, and only this stream has work on it.
    pub(in crate::cuda) unsafe fn release(&self, address: CUdeviceptr, stream: CUstream) -> Result<()> {
        let driver = self.calls;
        // The process is exiting, and the driver has already shut down.
        let over = |result: &Result<()>| {
            matches!(
                result,
                Err(Error::Driver {
                    code: DEINITIALIZED,
                    ..
                })
            )
        };
        let released = self.calls.bind_to_end().and_then(|_bound| match self.pool {
            // SAFETY: by the contract the memory may be freed, in the order of this stream.
            Some(_) => unsafe { call!(driver, cuMemFreeAsync(address, stream)) },
            // SAFETY: by the contract only this stream has work on the memory, and it is
            // synchronized.
            None => unsafe {
                call!(driver, cuStreamSynchronize(stream)).and_then(|()| call!(driver, cuMemFree_v2(address)))
            },
        });
        if over(&released) { Ok(()) } else { released }
    }

    /// Memory of the host that the device copies from and to by itself, for all contexts of the process, zeroed.
    pub(in crate::cuda) fn allocate_host(&self, bytes: usize) -> Result<NonNull<u8>> {
        let _bound = self.bind()?;
        let mut memory = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { (self.calls.cuMemHostAlloc)(&mut memory, bytes.max(1), CU_MEMHOSTALLOC_PORTABLE) };
        let memory = match (code, NonNull::new(memory.cast::<u8>())) {
            (OUT_OF_MEMORY, _) | (SUCCESS, None) => {
                return Err(Error::out_of_memory(bytes));
            }
            (SUCCESS, Some(memory)) => memory,
            (code, _) => return Err(self.calls.error("cuMemHostAlloc", code)),
        };
        // SAFETY: the memory has this many bytes.
        unsafe { memory.write_bytes(0, bytes) };
        Ok(memory)
    }

    /// Frees memory of the host.
    ///
    /// # Safety
    /// The memory is from `allocate_host`, was not released before, and no copy uses it.
    pub(in crate::cuda) unsafe fn release_host(&self, memory: NonNull<u8>) {
        // That of a lost device stays.
        let Ok(_bound) = self.calls.bind_to_end() else { return };
        // SAFETY: by the contract. Errors here are harmless.
        unsafe { (self.calls.cuMemFreeHost)(memory.as_ptr().cast()) };
    }

    /// Waits for the work of all streams, and gives back what is not used.
    pub(in crate::cuda) fn close(&self) -> Result<()> {
        self.calls.close();
        let _bound = self.calls.bind_to_end()?;
        self.calls.wait_for_streams()?;
        // SAFETY: the context is current, and the pool belongs to it.
        unsafe {
            match self.pool {
                Some(pool) => call!(self.calls, cuMemPoolTrimTo(pool, 0)),
                None => Ok(()),
            }
        }
    }

    /// Returns freed memory to the device, once all work that might still use it is done.
    pub(in crate::cuda) fn reclaim(&self) -> Result<()> {
        let Some(pool) = self.pool else { return Ok(()) };
        let _bound = self.bind()?;
        self.calls.wait_for_streams()?;
        // SAFETY: the context is current, and the pool belongs to it.
        unsafe { call!(self.calls, cuMemPoolTrimTo(pool, 0)) }
    }

    pub(in crate::cuda) fn out_of_memory(&self, bytes: usize) -> Error {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the context is current, and the pointers are valid for the call.
        let code = unsafe { (self.calls.cuMemGetInfo_v2)(&mut free, &mut total) };
        Error::OutOfMemory {
            requested: bytes as u64,
            free: (code == SUCCESS).then_some(free as u64),
        }
    }

    /// Creates a separate pool, so that nothing changes for other libraries in the process. It
    /// keeps freed memory, because allocating memory from the system takes longer than most kernels
    /// run, up to a share that leaves the rest to others.
    pub(super) fn create_pool(&self) -> Result<CUmemoryPool> {
        let properties = PoolProperties {
            allocation_type: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handle_types: CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location_type: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            location_id: self.device,
            security_attributes: ptr::null_mut(),
            reserved: [0; 64],
        };
        let mut pool = ptr::null_mut();
        // SAFETY: the pointers are valid for the call.
        unsafe { call!(self.calls, cuMemPoolCreate(&mut pool, (&raw const properties).cast()))? };
        if let Err(error) = self.set_threshold(pool, self.memory as u64 / KEPT) {
            // SAFETY: nothing was allocated from the pool.
            unsafe { (self.calls.cuMemPoolDestroy)(pool) };
            return Err(error);
        }
        Ok(pool)
    }
}
