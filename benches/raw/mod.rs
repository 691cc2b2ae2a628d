//! The functions of the CUDA driver that a bench calls itself, past vyre.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr;

use libloading::Library;

type Handle = *mut c_void;
type LaunchKernel = unsafe extern "C" fn(
    Handle,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    Handle,
    *mut Handle,
    *mut Handle,
) -> u32;

/// A kernel of a module, and a stream of its own to launch it on.
pub(crate) struct Raw {
    launch: LaunchKernel,
    synchronize: unsafe extern "C" fn(Handle) -> u32,
    function: Handle,
    stream: Handle,
}

impl Raw {
    /// Loads a kernel into the current context, which is that of the device opened last.
    ///
    /// # Panics
    /// If the driver refuses.
    pub(crate) fn load(ptx: &CStr, symbol: &CStr) -> Raw {
        // SAFETY: the driver was loaded before, for a device is open; the functions have these types,
        // and the pointers are good for the calls.
        unsafe {
            let name = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
            let driver: &Library = Box::leak(Box::new(Library::new(name).unwrap()));
            let load = driver.get::<unsafe extern "C" fn(*mut Handle, *const c_char) -> u32>("cuModuleLoadData");
            let get =
                driver.get::<unsafe extern "C" fn(*mut Handle, Handle, *const c_char) -> u32>("cuModuleGetFunction");
            let create = driver.get::<unsafe extern "C" fn(*mut Handle, c_uint) -> u32>("cuStreamCreate");
            let (mut module, mut function, mut stream) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
            assert_eq!(load.unwrap()(&mut module, ptx.as_ptr()), 0, "the module loads");
            assert_eq!(
                get.unwrap()(&mut function, module, symbol.as_ptr()),
                0,
                "the kernel is there"
            );
            // CU_STREAM_NON_BLOCKING
            assert_eq!(create.unwrap()(&mut stream, 1), 0, "a stream is created");
            Raw {
                launch: *driver.get("cuLaunchKernel").unwrap(),
                synchronize: *driver.get("cuStreamSynchronize").unwrap(),
                function,
                stream,
            }
        }
    }

    /// Launches one block.
    ///
    /// # Safety
    /// The parameters are those of the kernel, and what they point at lives until `synchronize`.
    #[inline]
    pub(crate) unsafe fn launch_block(&self, [width, height, depth]: [u32; 3], parameters: &mut [*mut c_void]) {
        let (f, s, p) = (self.function, self.stream, parameters.as_mut_ptr());
        // SAFETY: the contract is the same.
        let code = unsafe { (self.launch)(f, 1, 1, 1, width, height, depth, 0, s, p, ptr::null_mut()) };
        assert_eq!(code, 0, "cuLaunchKernel");
    }

    /// Waits for all that was launched.
    pub(crate) fn synchronize(&self) {
        // SAFETY: the stream was created in `load`.
        assert_eq!(unsafe { (self.synchronize)(self.stream) }, 0, "cuStreamSynchronize");
    }
}
