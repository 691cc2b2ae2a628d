//! The memory of a device, from a pool of its own where the driver has pools.

use std::ffi::c_void;
use std::ptr;

use cudarc::driver::sys::{
    CUdeviceptr, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocationType, CUmemPool_attribute, CUmemoryPool,
    CUstream,
};

use super::Context;
use crate::cuda::driver::{DEINITIALIZED, OUT_OF_MEMORY, PoolProperties, SUCCESS, call};
use crate::error::{Error, Result};

impl Context {
    /// Allocates memory for later work on a stream.
    pub(in crate::cuda) fn allocate(&self, bytes: usize, stream: CUstream) -> Result<CUdeviceptr> {
        self.bind()?;
        if bytes > self.memory {
            return Err(self.out_of_memory(bytes));
        }
        // Atomics of 8 and 16 bits access the surrounding word.
        let bytes = bytes.next_multiple_of(4);
        let mut address = 0;
        let mut code = self.try_allocate(&mut address, bytes, stream);
        if code == OUT_OF_MEMORY {
            self.reclaim()?;
            code = self.try_allocate(&mut address, bytes, stream);
        }
        match code {
            OUT_OF_MEMORY => Err(self.out_of_memory(bytes)),
            code => {
                let call = match self.pool {
                    Some(_) => "cuMemAllocFromPoolAsync",
                    None => "cuMemAlloc_v2",
                };
                self.driver.check(call, code).map(|()| address)
            }
        }
    }

    fn try_allocate(&self, address: &mut CUdeviceptr, bytes: usize, stream: CUstream) -> u32 {
        // SAFETY: the context is current, the stream and the pool belong to it, and the pointer is
        // valid for the call.
        unsafe {
            match self.pool {
                Some(pool) => (self.driver.cuMemAllocFromPoolAsync)(address, bytes, pool, stream),
                None => (self.driver.cuMemAlloc_v2)(address, bytes),
            }
        }
    }

    /// Frees memory once the current work on a stream is done.
    ///
    /// # Safety
    /// The memory is from `allocate`, was not released before, and only this stream has work on it.
    pub(in crate::cuda) unsafe fn release(&self, address: CUdeviceptr, stream: CUstream) -> Result<()> {
        let driver = self.driver;
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
        let released = self.bind().and_then(|()| match self.pool {
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

    /// Returns freed memory to the device, once all work that might still use it is done.
    fn reclaim(&self) -> Result<()> {
        let Some(pool) = self.pool else { return Ok(()) };
        // SAFETY: the context is current, and the pool belongs to it.
        unsafe {
            call!(self.driver, cuCtxSynchronize())?;
            call!(self.driver, cuMemPoolTrimTo(pool, 0))
        }
    }

    fn out_of_memory(&self, bytes: usize) -> Error {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the context is current, and the pointers are valid for the call.
        let code = unsafe { (self.driver.cuMemGetInfo_v2)(&mut free, &mut total) };
        Error::OutOfMemory {
            requested: bytes as u64,
            free: (code == SUCCESS).then_some(free as u64),
        }
    }

    /// Creates a separate pool, so that nothing changes for other libraries in the process. It
    /// keeps freed memory, because allocating memory from the system takes longer than most kernels
    /// run.
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
        let mut threshold = u64::MAX;
        // SAFETY: the pointers are valid for the calls, and the attribute is a `u64`.
        unsafe {
            call!(self.driver, cuMemPoolCreate(&mut pool, (&raw const properties).cast()))?;
            let set = call!(
                self.driver,
                cuMemPoolSetAttribute(
                    pool,
                    CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                    (&raw mut threshold).cast::<c_void>()
                )
            );
            if let Err(error) = set {
                (self.driver.cuMemPoolDestroy)(pool);
                return Err(error);
            }
        }
        Ok(pool)
    }
}
