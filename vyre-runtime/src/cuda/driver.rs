//! The functions of the CUDA driver that vyre calls.
//!
//! They are looked up all at once, so that a driver which lacks one is refused before any is called.
//! What they return is kept as a number, for a newer driver returns codes that nobody here knows.
//!
//! The types are those of the [driver API], each function's in the section that is named above it.
//!
//! [driver API]: https://docs.nvidia.com/cuda/cuda-driver-api/modules.html

use std::ffi::{CStr, c_char, c_int, c_uint, c_ushort, c_void};
use std::sync::OnceLock;
use std::{mem, ptr};

use super::library::{Library, Symbol};
use crate::error::{Error, Result};

/// The version of CUDA that the driver must support, as the driver writes it.
const NEEDED: c_int = 12000;

/// The results that are told apart.
pub(super) const SUCCESS: u32 = 0;
pub(super) const OUT_OF_MEMORY: u32 = 2;
pub(super) const DEINITIALIZED: u32 = 4;
pub(super) const NO_DEVICE: u32 = 100;

/// `CUdeviceptr`, a device address.
pub(super) type Address = u64;

/// Handles: pointers to what only the driver knows.
macro_rules! handles {
    ($($name:ident = *mut $target:ident;)*) => {$(
        #[repr(C)]
        pub(super) struct $target([u8; 0]);
        pub(super) type $name = *mut $target;
    )*};
}

handles! {
    CUcontext = *mut Context;
    CUmodule = *mut Module;
    CUfunction = *mut Function;
    CUstream = *mut Stream;
    CUevent = *mut Event;
    CUmemoryPool = *mut MemoryPool;
}

macro_rules! functions {
    ($($name:ident($($argument:ty),* $(,)?);)*) => {
        /// The driver.
        #[allow(non_snake_case, reason = "the names are the driver's")]
        pub(super) struct Driver {
            devices: usize,
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> u32,)*
        }

        impl Driver {
            /// Looks all functions up; the name of one that is missing else.
            fn load(library: Library) -> std::result::Result<Driver, &'static str> {
                Ok(Driver {
                    devices: 0,
                    $($name: {
                        let found = library.function(stringify!($name)).ok_or(stringify!($name))?;
                        // SAFETY: the function has this type in the driver's interface, which never
                        // changes under one name.
                        unsafe { mem::transmute::<Symbol, unsafe extern "C" fn($($argument),*) -> u32>(found) }
                    },)*
                })
            }
        }
    };
}

functions! {
    // Initialization, error handling, version management. `CUresult` is a 32-bit number.
    cuInit(c_uint);
    cuGetErrorName(u32, *mut *const c_char);

    // Device management. `CUdevice` and `CUdevice_attribute` are `int`.
    cuDeviceGetCount(*mut c_int);
    cuDeviceGet(*mut c_int, c_int);
    cuDeviceGetName(*mut c_char, c_int, c_int);
    cuDeviceGetAttribute(*mut c_int, c_int, c_int);
    cuDeviceTotalMem_v2(*mut usize, c_int);

    // Primary context management, context management.
    cuDevicePrimaryCtxRetain(*mut CUcontext, c_int);
    cuDevicePrimaryCtxRelease_v2(c_int);
    cuCtxGetCurrent(*mut CUcontext);
    cuCtxSetCurrent(CUcontext);
    cuCtxSynchronize();

    // Module management, execution control. `CUjit_option` and `CUfunction_attribute` are `int`.
    cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    cuModuleUnload(CUmodule);
    cuFuncGetAttribute(*mut c_int, c_int, CUfunction);
    cuFuncSetAttribute(CUfunction, c_int, c_int);
    cuLaunchKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void,
        *mut *mut c_void,
    );
    cuLaunchCooperativeKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void,
    );
    cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, CUfunction, c_int, usize);

    // Stream management, event management.
    cuStreamCreate(*mut CUstream, c_uint);
    cuStreamDestroy_v2(CUstream);
    cuStreamSynchronize(CUstream);
    cuStreamQuery(CUstream);
    cuStreamWaitEvent(CUstream, CUevent, c_uint);
    cuEventCreate(*mut CUevent, c_uint);
    cuEventDestroy_v2(CUevent);
    cuEventRecord(CUevent, CUstream);

    // Memory management.
    cuMemGetInfo_v2(*mut usize, *mut usize);
    cuMemAlloc_v2(*mut Address, usize);
    cuMemFree_v2(Address);
    cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
    cuMemHostGetDevicePointer_v2(*mut Address, *mut c_void, c_uint);
    cuMemFreeHost(*mut c_void);
    cuMemcpyHtoDAsync_v2(Address, *const c_void, usize, CUstream);
    cuMemcpyDtoHAsync_v2(*mut c_void, Address, usize, CUstream);
    cuMemcpyDtoDAsync_v2(Address, Address, usize, CUstream);
    cuMemsetD8Async(Address, u8, usize, CUstream);
    cuMemsetD16Async(Address, c_ushort, usize, CUstream);
    cuMemsetD32Async(Address, c_uint, usize, CUstream);

    // Stream ordered memory allocator. `CUmemPool_attribute` is `int`.
    cuMemPoolCreate(*mut CUmemoryPool, *const PoolProperties);
    cuMemPoolDestroy(CUmemoryPool);
    cuMemPoolSetAttribute(CUmemoryPool, c_int, *mut c_void);
    cuMemPoolTrimTo(CUmemoryPool, usize);
    cuMemAllocFromPoolAsync(*mut Address, usize, CUmemoryPool, CUstream);
    cuMemFreeAsync(Address, CUstream);
}

/// `CUmemPoolProps`.
#[repr(C)]
pub(super) struct PoolProperties {
    pub(super) allocation_type: c_int,
    pub(super) handle_types: c_int,
    pub(super) location_type: c_int,
    pub(super) location_id: c_int,
    pub(super) security_attributes: *mut c_void,
    pub(super) reserved: [u8; 64],
}

const _: () = assert!(size_of::<PoolProperties>() == 88);

/// Calls a function of the driver; what it returns becomes a `Result`. Unsafe as the function is.
macro_rules! call {
    ($driver:expr, $name:ident($($argument:expr),* $(,)?)) => {
        $driver.check(stringify!($name), ($driver.$name)($($argument),*))
    };
}
pub(super) use call;

/// The driver of this machine, looked for once.
pub(super) fn driver() -> Result<&'static Driver> {
    static DRIVER: OnceLock<Result<Driver>> = OnceLock::new();
    DRIVER.get_or_init(probe).as_ref().map_err(Error::clone)
}

fn probe() -> Result<Driver> {
    let library = Library::find().map_err(|searched| Error::NoDriver {
        searched: searched
            .iter()
            .map(|name| name.to_string_lossy().into_owned())
            .collect(),
    })?;
    let version = version(library);
    if version < NEEDED {
        return Err(too_old(version, None));
    }
    let mut driver = Driver::load(library).map_err(|missing| too_old(version, Some(missing)))?;
    // SAFETY: 0 is the only value for the flags, and this call may come at any time.
    let initialised = unsafe { (driver.cuInit)(0) };
    if initialised == NO_DEVICE {
        return Ok(driver);
    }
    driver.check("cuInit", initialised)?;
    let mut count = 0;
    // SAFETY: the driver is initialised, and the pointer good for the call.
    unsafe { call!(driver, cuDeviceGetCount(&mut count))? };
    driver.devices = usize::try_from(count).unwrap_or(0);
    Ok(driver)
}

/// The version of CUDA that the driver supports; 0 where it cannot tell.
fn version(library: Library) -> c_int {
    let Some(found) = library.function("cuDriverGetVersion") else {
        return 0;
    };
    // SAFETY: the function has this type.
    let get = unsafe { mem::transmute::<Symbol, unsafe extern "C" fn(*mut c_int) -> u32>(found) };
    let mut version = 0;
    // SAFETY: the function may be called before all others, and the pointer is good for the call.
    match unsafe { get(&mut version) } {
        SUCCESS => version,
        _ => 0,
    }
}

pub(super) fn too_old(found: c_int, missing: Option<&'static str>) -> Error {
    let parts = |version: c_int| (version.unsigned_abs() / 1000, version.unsigned_abs() % 1000 / 10);
    Error::DriverTooOld {
        found: parts(found),
        needed: parts(NEEDED),
        missing,
    }
}

impl Driver {
    /// How many devices there are.
    pub(super) fn devices(&self) -> usize {
        self.devices
    }

    /// What a call has returned, as a `Result`.
    #[inline]
    pub(super) fn check(&self, call: &'static str, code: u32) -> Result<()> {
        match code {
            SUCCESS => Ok(()),
            _ => Err(self.error(call, code)),
        }
    }

    #[cold]
    fn error(&self, call: &'static str, code: u32) -> Error {
        Error::Driver {
            call,
            code,
            name: self.name_of(code),
        }
    }

    /// The name of a result.
    pub(super) fn name_of(&self, code: u32) -> String {
        let mut name = ptr::null();
        // SAFETY: the pointer is good for the call, and any code may be asked for.
        if unsafe { (self.cuGetErrorName)(code, &mut name) } != SUCCESS || name.is_null() {
            return "an unknown error".to_owned();
        }
        // SAFETY: the driver gives a string that lives as long as it.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }
}
