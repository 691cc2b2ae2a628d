//! Launches through the CUDA driver directly, without vyre.

use std::ffi::{CStr, c_void};
use std::ptr;

use vyre::cudarc::driver::sys::{
    CUfunction, CUresult, CUstream, CUstream_flags, cuLaunchKernel, cuModuleGetFunction, cuModuleLoadData,
    cuStreamCreate, cuStreamSynchronize,
};

/// A kernel of a module, and a stream of its own.
pub(crate) struct Raw {
    function: CUfunction,
    stream: CUstream,
}

impl Raw {
    /// Loads a kernel into the current context, which is that of the most recently opened device.
    ///
    /// # Panics
    /// If the driver returns an error.
    pub(crate) fn load(ptx: &CStr, symbol: &CStr) -> Raw {
        let (mut module, mut function, mut stream) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the driver is initialised, since a device is open, and the pointers are valid for
        // the calls.
        unsafe {
            check(cuModuleLoadData(&mut module, ptx.as_ptr().cast()));
            check(cuModuleGetFunction(&mut function, module, symbol.as_ptr()));
            check(cuStreamCreate(&mut stream, flags));
        }
        Raw { function, stream }
    }

    /// Launches one block.
    ///
    /// # Safety
    /// The parameters are those of the kernel, and the memory that they point to lives until
    /// `synchronize`.
    #[inline]
    pub(crate) unsafe fn launch_block(&self, block: [u32; 3], parameters: &mut [*mut c_void]) {
        // SAFETY: the contract is the same.
        unsafe { self.launch([1; 3], block, parameters) };
    }

    /// Launches a grid of blocks.
    ///
    /// # Safety
    /// As of [`Raw::launch_block`].
    #[inline]
    pub(crate) unsafe fn launch(&self, [x, y, z]: [u32; 3], block: [u32; 3], parameters: &mut [*mut c_void]) {
        let [width, height, depth] = block;
        let (f, s, p) = (self.function, self.stream, parameters.as_mut_ptr());
        // SAFETY: the contract is the same.
        check(unsafe { cuLaunchKernel(f, x, y, z, width, height, depth, 0, s, p, ptr::null_mut()) });
    }

    /// Waits for all launches.
    pub(crate) fn synchronize(&self) {
        // SAFETY: the stream was created in `load`.
        check(unsafe { cuStreamSynchronize(self.stream) });
    }
}

#[inline]
fn check(result: CUresult) {
    assert_eq!(result, CUresult::CUDA_SUCCESS);
}
