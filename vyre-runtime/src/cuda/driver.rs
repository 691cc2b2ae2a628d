//! The functions of the CUDA driver that vyre calls, with the types declared by `cudarc`.
//!
//! They are all looked up at once, so that a driver which lacks one is refused before any is
//! called: cudarc's own functions panic if one is missing, and with its feature `dynamic-linking`,
//! which another crate of the tree may enable, a program does not start without a driver. Only the functions of
//! libraries and those of nodes with conditions may be missing: kernels are loaded as modules then, and the host repeats
//! what a graph repeats.
//!
//! Results are numbers. cudarc's `CUresult` is an enum, and a newer driver may return codes that it
//! does not have, which would be undefined behaviour. For the same reason a device attribute is a
//! number: cudarc declares the CUDA version of the toolkit that it finds, 11.4 at the oldest, and
//! nothing newer than that is used from it.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_ushort, c_void};
use std::mem::{self, ManuallyDrop, offset_of};
use std::ops::Deref;
use std::sync::OnceLock;
use std::{process, ptr};

use cudarc::driver::sys::{
    self, CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUfunction_attribute, CUjit_option, CUmemAccessDesc,
    CUmemAllocationHandleType, CUmemAllocationType, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps,
    CUmemoryPool, CUmodule, CUresult, CUstream,
};
#[cfg(feature = "graphs")]
use cudarc::driver::sys::{CUgraph, CUgraphExec, CUgraphNode};
use libloading::Library;

#[cfg(feature = "graphs")]
use super::graph::nodes::{ConditionalNode, LaunchAttribute, MemcpyNode, MemsetNode};
use super::library;
use crate::error::{Error, Result};

/// The CUDA version that the driver must support, in the driver's encoding.
const NEEDED: c_int = 12000;

/// The version from which on the body of a loop may copy and set memory, and launch cooperatively.
#[cfg(feature = "graphs")]
const CONDITIONS: c_int = 12040;

/// The results that are handled specially.
pub(super) const SUCCESS: u32 = CUresult::CUDA_SUCCESS as u32;
pub(super) const OUT_OF_MEMORY: u32 = CUresult::CUDA_ERROR_OUT_OF_MEMORY as u32;
pub(super) const NOT_INITIALIZED: u32 = CUresult::CUDA_ERROR_NOT_INITIALIZED as u32;
pub(super) const DEINITIALIZED: u32 = CUresult::CUDA_ERROR_DEINITIALIZED as u32;
pub(super) const NO_DEVICE: u32 = CUresult::CUDA_ERROR_NO_DEVICE as u32;
pub(super) const INVALID_PTX: u32 = CUresult::CUDA_ERROR_INVALID_PTX as u32;
pub(super) const UNSUPPORTED_PTX: u32 = CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION as u32;
pub(super) const NOT_READY: u32 = CUresult::CUDA_ERROR_NOT_READY as u32;
pub(super) const PEER_ACCESS_ALREADY_ENABLED: u32 = CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED as u32;
pub(super) const NOT_FOUND: u32 = CUresult::CUDA_ERROR_NOT_FOUND as u32;

/// Declares a table of functions of the driver.
///
/// Those after `declared` have the arguments of cudarc's declarations. The results and attributes of those after `numbers`
/// come from the driver, or are newer than CUDA 11.4; or the declarations of CUDA 13 have them under another name, while
/// drivers have both.
macro_rules! table {
    (
        $(#[$about:meta])* $table:ident
        declared { $($name:ident($($argument:ty),* $(,)?);)* }
        numbers { $($numeric:ident($($number:ty),* $(,)?);)* }
    ) => {
        $(#[$about])*
        #[allow(non_snake_case, reason = "the names are the driver's")]
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub(super) struct $table {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> u32,)*
            $(pub(super) $numeric: unsafe extern "C" fn($($number),*) -> u32,)*
        }

        impl $table {
            /// Looks up all of them; fails with the name of the first one that is missing.
            fn load(library: &Library) -> std::result::Result<$table, &'static str> {
                const NAMES: &[&str] = &[$(stringify!($name),)* $(stringify!($numeric),)*];
                let mut addresses = [ptr::null_mut(); NAMES.len()];
                look_up(library, NAMES, &mut addresses)?;
                // SAFETY: the fields are pointers to functions, in the order of the names, and no address is null. cudarc
                // or CUDA declares the functions with these arguments, and `CUresult`, as other enums, is passed as 32 bits.
                Ok(unsafe { mem::transmute::<[*mut c_void; NAMES.len()], $table>(addresses) })
            }
        }

        // The arguments are those of cudarc's declarations.
        $(const _: unsafe fn($($argument),*) -> CUresult = sys::$name;)*
    };
}

/// The addresses of functions. A loop over names, so that its code does not grow with their number.
fn look_up(
    library: &Library,
    names: &'static [&'static str],
    addresses: &mut [*mut c_void],
) -> std::result::Result<(), &'static str> {
    for (&name, address) in names.iter().zip(addresses) {
        // SAFETY: the table has the type of the function; here it is an address.
        *address = *unsafe { library.get::<*mut c_void>(name) }.map_err(|_| name)?;
        if address.is_null() {
            return Err(name);
        }
    }
    Ok(())
}

table! {
    /// The functions that each driver must have.
    Functions
    declared {
        // Initialization.
        cuInit(c_uint);

        // Device management.
        cuDeviceGetCount(*mut c_int);
        cuDeviceGet(*mut CUdevice, c_int);
        cuDeviceGetName(*mut c_char, c_int, CUdevice);
        cuDeviceTotalMem_v2(*mut usize, CUdevice);
        cuDeviceCanAccessPeer(*mut c_int, CUdevice, CUdevice);

        // Primary context management, context management.
        cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
        cuDevicePrimaryCtxRelease_v2(CUdevice);
        cuCtxGetCurrent(*mut CUcontext);
        cuCtxSetCurrent(CUcontext);
        cuCtxEnablePeerAccess(CUcontext, c_uint);

        // Module management, execution control.
        cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void);
        cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
        cuModuleUnload(CUmodule);
        cuFuncGetAttribute(*mut c_int, CUfunction_attribute, CUfunction);
        cuFuncSetAttribute(CUfunction, CUfunction_attribute, c_int);
        cuLaunchKernel(
            CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void,
            *mut *mut c_void,
        );
        cuLaunchCooperativeKernel(
            CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void,
        );
        cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, CUfunction, c_int, usize);

        // Stream management, event management.
        cuCtxGetStreamPriorityRange(*mut c_int, *mut c_int);
        cuStreamCreateWithPriority(*mut CUstream, c_uint, c_int);
        cuStreamDestroy_v2(CUstream);
        cuStreamSynchronize(CUstream);
        cuStreamQuery(CUstream);
        cuStreamWaitEvent(CUstream, CUevent, c_uint);
        cuEventCreate(*mut CUevent, c_uint);
        cuEventDestroy_v2(CUevent);
        cuEventRecord(CUevent, CUstream);
        cuEventQuery(CUevent);
        cuEventSynchronize(CUevent);

        // Memory management.
        cuMemGetInfo_v2(*mut usize, *mut usize);
        cuMemAlloc_v2(*mut CUdeviceptr, usize);
        cuMemFree_v2(CUdeviceptr);
        cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
        cuMemHostGetDevicePointer_v2(*mut CUdeviceptr, *mut c_void, c_uint);
        cuMemFreeHost(*mut c_void);
        cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
        cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
        cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
        cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, usize, CUstream);
        cuMemsetD8Async(CUdeviceptr, c_uchar, usize, CUstream);
        cuMemsetD16Async(CUdeviceptr, c_ushort, usize, CUstream);
        cuMemsetD32Async(CUdeviceptr, c_uint, usize, CUstream);

        // Stream ordered memory allocator.
        cuMemPoolCreate(*mut CUmemoryPool, *const CUmemPoolProps);
        cuMemPoolDestroy(CUmemoryPool);
        cuMemPoolGetAttribute(CUmemoryPool, CUmemPool_attribute, *mut c_void);
        cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, *mut c_void);
        cuMemPoolSetAccess(CUmemoryPool, *const CUmemAccessDesc, usize);
        cuMemPoolTrimTo(CUmemoryPool, usize);
        cuMemAllocFromPoolAsync(*mut CUdeviceptr, usize, CUmemoryPool, CUstream);
        cuMemFreeAsync(CUdeviceptr, CUstream);
    }
    numbers {
        cuEventElapsedTime(*mut f32, CUevent, CUevent);
        cuGetErrorName(u32, *mut *const c_char);
        cuStreamIsCapturing(CUstream, *mut u32);
        cuThreadExchangeStreamCaptureMode(*mut u32);
        cuDeviceGetAttribute(*mut c_int, u32, CUdevice);
        cuOccupancyMaxActiveClusters(*mut c_int, CUfunction, *const LaunchConfig);
    }
}

#[cfg(feature = "graphs")]
table! {
    /// The functions of graphs, which each driver must have.
    Graphs
    declared {
        cuGraphCreate(*mut CUgraph, c_uint);
        cuGraphDestroy(CUgraph);
        cuGraphAddEmptyNode(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize);
        cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, u64);
        cuGraphLaunch(CUgraphExec, CUstream);
        cuGraphExecDestroy(CUgraphExec);
    }
    numbers {
        cuGraphAddKernelNode(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const KernelNode);
        cuGraphAddMemcpyNode(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const MemcpyNode, CUcontext);
        cuGraphAddMemsetNode(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const MemsetNode, CUcontext);
        cuGraphKernelNodeSetAttribute(CUgraphNode, u32, *const LaunchAttribute);
        cuGraphExecKernelNodeSetParams(CUgraphExec, CUgraphNode, *const KernelNode);
    }
}

table! {
    /// Functions of libraries, of CUDA 12.0, newer than cudarc's declarations may be. An option of a library is a number and
    /// a value; none is used.
    Libraries
    declared {}
    numbers {
        cuLibraryLoadData(
            *mut CUlibrary, *const c_void, *mut CUjit_option, *mut *mut c_void, c_uint, *mut c_uint,
            *mut *mut c_void, c_uint,
        );
        cuLibraryGetKernel(*mut CUkernel, CUlibrary, *const c_char);
        cuKernelGetFunction(*mut CUfunction, CUkernel);
        cuLibraryUnload(CUlibrary);
    }
}

#[cfg(feature = "graphs")]
table! {
    /// Functions of nodes with conditions, of CUDA 12.3.
    Conditions
    declared {}
    numbers {
        cuGraphConditionalHandleCreate(*mut u64, CUgraph, CUcontext, c_uint, c_uint);
        cuGraphAddNode(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *mut ConditionalNode);
    }
}

/// The driver.
#[derive(Clone)]
pub(super) struct Driver {
    /// The process in which it was initialised.
    process: u32,
    devices: usize,
    version: c_int,
    functions: Functions,
    #[cfg(feature = "graphs")]
    pub(super) graphs: Graphs,
    /// `None` if the driver lacks one of them.
    pub(super) libraries: Option<Libraries>,
    /// `None` if the driver lacks one of them, or is older than their nodes are whole.
    #[cfg(feature = "graphs")]
    pub(super) conditions: Option<Conditions>,
}

impl Deref for Driver {
    type Target = Functions;

    #[inline]
    fn deref(&self) -> &Functions {
        &self.functions
    }
}

/// A library: a module that the driver loads into each context that asks for one of its kernels.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct CUlibrary(*mut c_void);

impl CUlibrary {
    pub(super) const NULL: CUlibrary = CUlibrary(ptr::null_mut());
}

/// A kernel of a library.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct CUkernel(*mut c_void);

impl CUkernel {
    pub(super) const NULL: CUkernel = CUkernel(ptr::null_mut());
}

/// `CUmemPoolProps` as of CUDA 12.0: cudarc's field names differ between versions.
#[repr(C)]
pub(super) struct PoolProperties {
    pub(super) allocation_type: CUmemAllocationType,
    pub(super) handle_types: CUmemAllocationHandleType,
    pub(super) location_type: CUmemLocationType,
    pub(super) location_id: c_int,
    pub(super) security_attributes: *mut c_void,
    pub(super) reserved: [u8; 64],
}

/// `CUmemAccessDesc` as of CUDA 12.0, for the same reason.
#[repr(C)]
pub(super) struct PoolAccess {
    pub(super) location_type: CUmemLocationType,
    pub(super) location_id: c_int,
    /// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE` is 3.
    pub(super) flags: c_uint,
}

/// `CUlaunchConfig` as of CUDA 11.8, newer than cudarc's declarations may be.
#[repr(C)]
pub(super) struct LaunchConfig {
    pub(super) grid: [c_uint; 3],
    pub(super) block: [c_uint; 3],
    pub(super) shared_bytes: c_uint,
    pub(super) stream: CUstream,
    pub(super) attributes: *const ClusterAttribute,
    pub(super) attribute_count: c_uint,
}

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[repr(C)]
pub(super) struct KernelNode {
    pub(super) function: CUfunction,
    pub(super) grid: [c_uint; 3],
    pub(super) block: [c_uint; 3],
    pub(super) shared_bytes: c_uint,
    pub(super) parameters: *mut *mut c_void,
    pub(super) extra: *mut *mut c_void,
}

impl KernelNode {
    /// A launch of one thread. The parameters are read when the node is added.
    pub(super) fn single(function: CUfunction, parameters: &mut [*mut c_void]) -> KernelNode {
        KernelNode {
            function,
            grid: [1; 3],
            block: [1; 3],
            shared_bytes: 0,
            parameters: parameters.as_mut_ptr(),
            extra: ptr::null_mut(),
        }
    }
}

/// `CUlaunchAttribute` with the blocks of a cluster. Its value has 64 bytes.
#[repr(C)]
pub(super) struct ClusterAttribute {
    id: c_uint,
    padding: c_uint,
    cluster: [c_uint; 3],
    unused: [c_uint; 13],
}

impl ClusterAttribute {
    pub(super) fn new(cluster: [u32; 3]) -> ClusterAttribute {
        ClusterAttribute {
            // `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION` is 4.
            id: 4,
            padding: 0,
            cluster,
            unused: [0; 13],
        }
    }
}

const _: () = {
    assert!(size_of::<KernelNode>() == size_of::<sys::CUDA_KERNEL_NODE_PARAMS_st>());
    assert!(size_of::<LaunchConfig>() == 56 && size_of::<ClusterAttribute>() == 72);
    assert!(size_of::<PoolAccess>() == size_of::<CUmemAccessDesc>());
    assert!(size_of::<PoolProperties>() == size_of::<CUmemPoolProps>());
    assert!(offset_of!(PoolProperties, location_type) == offset_of!(CUmemPoolProps, location));
    assert!(offset_of!(PoolProperties, security_attributes) == offset_of!(CUmemPoolProps, win32SecurityAttributes));
};

/// Calls a function of the driver and converts its return code to a `Result`. Unsafe as the
/// function is.
macro_rules! call {
    ($driver:expr, $name:ident($($argument:expr),* $(,)?)) => {
        $driver.check(stringify!($name), ($driver.$name)($($argument),*))
    };
}
pub(super) use call;

/// The driver of this machine, looked up once. One that fails to start, for want of memory for instance, is tried again.
pub(super) fn driver() -> Result<&'static Driver> {
    static DRIVER: OnceLock<Result<Driver>> = OnceLock::new();
    if let Some(found) = DRIVER.get() {
        return found.as_ref().map_err(Error::clone);
    }
    match probe() {
        Err(error @ Error::Driver { .. }) => Err(error),
        found => DRIVER.get_or_init(|| found).as_ref().map_err(Error::clone),
    }
}

fn probe() -> Result<Driver> {
    let library = library::find().map_err(|searched| Error::NoDriver {
        searched: searched.iter().map(|&name| name.to_owned()).collect(),
    })?;
    // It stays loaded for the rest of the process: the driver starts its own threads.
    let library = ManuallyDrop::new(library);
    let version = version(&library);
    if version < NEEDED {
        return Err(too_old(version, None));
    }
    let missing = |name| too_old(version, Some(name));
    let mut driver = Driver {
        process: process::id(),
        devices: 0,
        version,
        functions: Functions::load(&library).map_err(missing)?,
        #[cfg(feature = "graphs")]
        graphs: Graphs::load(&library).map_err(missing)?,
        libraries: Libraries::load(&library).ok(),
        #[cfg(feature = "graphs")]
        conditions: match version < CONDITIONS {
            true => None,
            false => Conditions::load(&library).ok(),
        },
    };
    // SAFETY: 0 is the only value for the flags, and this call is allowed at any time.
    let initialised = unsafe { (driver.cuInit)(0) };
    if initialised == NO_DEVICE {
        return Ok(driver);
    }
    driver.check("cuInit", initialised)?;
    let mut count = 0;
    // SAFETY: the driver is initialised, and the pointer is valid for the call.
    unsafe { call!(driver, cuDeviceGetCount(&mut count))? };
    driver.devices = usize::try_from(count).unwrap_or(0);
    Ok(driver)
}

/// The CUDA version that the driver supports; 0 if unknown.
fn version(library: &Library) -> c_int {
    // SAFETY: the function has this type.
    let found = unsafe { library.get::<unsafe extern "C" fn(*mut c_int) -> u32>("cuDriverGetVersion") };
    let Ok(get) = found else { return 0 };
    let mut version = 0;
    // SAFETY: the function may be called before all others, and the pointer is valid for the call.
    match unsafe { get(&mut version) } {
        SUCCESS => version,
        _ => 0,
    }
}

pub(super) fn too_old(found: c_int, missing: Option<&'static str>) -> Error {
    Error::DriverTooOld {
        found: parts(found),
        needed: parts(NEEDED),
        missing,
    }
}

/// Major and minor version from the driver's encoding.
fn parts(version: c_int) -> (u32, u32) {
    (version.unsigned_abs() / 1000, version.unsigned_abs() % 1000 / 10)
}

impl Driver {
    /// The CUDA version that it supports.
    pub(super) fn version(&self) -> (u32, u32) {
        parts(self.version)
    }

    /// True in a process that was forked from the one in which the driver was initialised.
    pub(super) fn is_forked(&self) -> bool {
        process::id() != self.process
    }

    /// The number of devices.
    pub(super) fn devices(&self) -> usize {
        self.devices
    }

    /// The result of a call as a `Result`.
    #[inline]
    pub(super) fn check(&self, call: &'static str, code: u32) -> Result<()> {
        match code {
            SUCCESS => Ok(()),
            _ => Err(self.error(call, code)),
        }
    }

    #[cold]
    pub(super) fn error(&self, call: &'static str, code: u32) -> Error {
        Error::Driver {
            call,
            code,
            name: self.name_of(code),
        }
    }

    /// The name of a return code.
    pub(super) fn name_of(&self, code: u32) -> String {
        let mut name = ptr::null();
        // SAFETY: the pointer is valid for the call, and any code is allowed.
        if unsafe { (self.cuGetErrorName)(code, &mut name) } != SUCCESS || name.is_null() {
            return "an unknown error".to_owned();
        }
        // SAFETY: the driver returns a string that lives as long as the driver.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }
}
