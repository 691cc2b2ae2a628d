//! An open CUDA device.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdevice_attribute as Attribute, CUdeviceptr, CUfunction,
    CUfunction_attribute as FunctionAttribute, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocationType,
    CUmemPool_attribute, CUmemoryPool, CUstream,
};
use vyre_abi::kernel::EntryInfo;

use super::driver::{DEINITIALIZED, Driver, OUT_OF_MEMORY, PoolProperties, SUCCESS, call};
use super::module::Module;
use crate::backend::Limits;
use crate::error::{Error, LaunchLimit, Result};
use crate::load::cache::Loaded;
use crate::load::kernel::KernelInfo;

/// `CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH`, which CUDA 11.4 does not declare.
const CLUSTER_LAUNCH: u32 = 120;

/// The first `.target` with clusters.
const CLUSTER_TARGET: u32 = 90;

/// A device with its primary context, which CUDA's own runtime and other libraries share.
pub(super) struct Context {
    driver: &'static Driver,
    device: CUdevice,
    /// The number of the device in this process.
    id: u32,
    raw: CUcontext,
    name: String,
    /// The `.target` up to which PTX loads: 90 for `sm_90`.
    target: u32,
    limits: Limits,
    multiprocessors: u32,
    /// All memory of the device, in bytes.
    memory: usize,
    /// Where memory is from; without it, allocating and freeing wait for the device.
    pool: Option<CUmemoryPool>,
    /// The kernels that were loaded. Held while one is.
    kernels: Mutex<Vec<&'static KernelInfo>>,
}

// SAFETY: the driver takes its handles from any thread; all else is shareable.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(super) fn open(driver: &'static Driver, ordinal: c_int, id: u32) -> Result<Context> {
        let (mut device, mut raw) = (0, ptr::null_mut());
        // SAFETY: the driver is initialised, and the pointers are good for the calls.
        unsafe {
            call!(driver, cuDeviceGet(&mut device, ordinal))?;
            call!(driver, cuDevicePrimaryCtxRetain(&mut raw, device))?;
        }
        // From here on `Drop` releases what was taken.
        let mut context = Context {
            driver,
            device,
            id,
            raw,
            name: String::new(),
            target: 0,
            limits: Limits::CUDA,
            multiprocessors: 0,
            memory: 0,
            pool: None,
            kernels: Mutex::default(),
        };
        context.bind()?;
        context.name = context.query_name()?;
        context.target = 10 * context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as u32)?
            + context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as u32)?;
        context.limits.threads = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK as u32)?;
        context.limits.shared_bytes =
            context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK as u32)?;
        context.limits.all_shared_bytes =
            context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN as u32)?;
        context.limits.cooperative = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH as u32)? != 0;
        // A driver from before clusters does not know the attribute.
        let has_clusters = context.target >= CLUSTER_TARGET && context.attribute(CLUSTER_LAUNCH)? != 0;
        if !has_clusters {
            context.limits.cluster = 1;
        }
        context.multiprocessors = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT as u32)?;
        for axis in 0..3 {
            context.limits.block[axis as usize] =
                context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X as u32 + axis)?;
            context.limits.grid[axis as usize] =
                context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X as u32 + axis)?;
        }
        // SAFETY: the pointer is good for the call.
        unsafe { call!(driver, cuDeviceTotalMem_v2(&mut context.memory, device))? };
        if context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED as u32)? != 0 {
            context.pool = Some(context.create_pool()?);
        }
        Ok(context)
    }

    /// The same device as if it had no memory pools.
    #[cfg(test)]
    pub(super) fn without_pool(mut self) -> Context {
        if let Some(pool) = self.pool.take() {
            // SAFETY: nothing was allocated from the pool yet.
            unsafe { call!(self.driver, cuMemPoolDestroy(pool)) }.expect("the pool goes");
        }
        self
    }

    #[inline]
    pub(super) fn driver(&self) -> &'static Driver {
        self.driver
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn target(&self) -> u32 {
        self.target
    }

    pub(super) fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    #[inline]
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Makes this the context of the calling thread. Asks first, for that is cheaper, and other
    /// libraries may have set theirs since the last call.
    #[inline]
    pub(super) fn bind(&self) -> Result<()> {
        let mut current = ptr::null_mut();
        // SAFETY: the driver is initialised, the pointer is good for the call, and the context lives.
        unsafe {
            call!(self.driver, cuCtxGetCurrent(&mut current))?;
            if current != self.raw {
                call!(self.driver, cuCtxSetCurrent(self.raw))?;
            }
        }
        Ok(())
    }

    /// Memory for work that follows on a stream.
    pub(super) fn allocate(&self, bytes: usize, stream: CUstream) -> Result<CUdeviceptr> {
        self.bind()?;
        if bytes > self.memory {
            return Err(self.out_of_memory(bytes));
        }
        // Atomics of 8 and 16 bits access the word around them.
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
        // SAFETY: the context is current, the stream and the pool are of it, and the pointer is good
        // for the call.
        unsafe {
            match self.pool {
                Some(pool) => (self.driver.cuMemAllocFromPoolAsync)(address, bytes, pool, stream),
                None => (self.driver.cuMemAlloc_v2)(address, bytes),
            }
        }
    }

    /// Frees memory once the work that is on a stream now is done.
    ///
    /// # Safety
    /// The memory is from `allocate`, was not released before, and only this stream has work on it.
    pub(super) unsafe fn release(&self, address: CUdeviceptr, stream: CUstream) -> Result<()> {
        let driver = self.driver;
        // The program is ending, and the driver has ended before.
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
            // SAFETY: by the contract the memory may go, in the order of this stream.
            Some(_) => unsafe { call!(driver, cuMemFreeAsync(address, stream)) },
            // SAFETY: by the contract only this stream has work on the memory, and it is waited for.
            None => unsafe {
                call!(driver, cuStreamSynchronize(stream)).and_then(|()| call!(driver, cuMemFree_v2(address)))
            },
        });
        if over(&released) { Ok(()) } else { released }
    }

    /// Gives freed memory back to the device, once all work is done that might still use it.
    fn reclaim(&self) -> Result<()> {
        let Some(pool) = self.pool else { return Ok(()) };
        // SAFETY: the context is current, and the pool is of it.
        unsafe {
            call!(self.driver, cuCtxSynchronize())?;
            call!(self.driver, cuMemPoolTrimTo(pool, 0))
        }
    }

    fn out_of_memory(&self, bytes: usize) -> Error {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the context is current, and the pointers are good for the call.
        let code = unsafe { (self.driver.cuMemGetInfo_v2)(&mut free, &mut total) };
        Error::OutOfMemory {
            requested: bytes as u64,
            free: (code == SUCCESS).then_some(free as u64),
        }
    }

    /// A pool of its own, so that nothing changes for other libraries in the process. It keeps what
    /// was freed, for to get memory from the system takes longer than most kernels run.
    fn create_pool(&self) -> Result<CUmemoryPool> {
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
        // SAFETY: the pointers are good for the calls, and the attribute is a `u64`.
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

    /// An entry of a kernel, loaded if it was not.
    #[inline]
    pub(super) fn function(
        &self,
        kernel: &'static KernelInfo,
        entry: usize,
    ) -> Result<(CUfunction, &'static EntryInfo)> {
        let loaded = match kernel.cache.get(self.id) {
            Some(loaded) => loaded,
            None => self.load(kernel)?,
        };
        match (loaded.functions.get(entry), kernel.entries.get(entry)) {
            (Some(function), Some(entry)) => Ok((function.cast(), entry)),
            _ => Err(Error::Unsupported {
                feature: format!("kernel `{}` has no entry {entry}", kernel.name),
                device: self.name.clone(),
            }),
        }
    }

    /// Loads a kernel, once.
    #[cold]
    pub(super) fn load(&self, kernel: &'static KernelInfo) -> Result<&'static Loaded> {
        let mut kernels = self.kernels();
        if let Some(loaded) = kernel.cache.get(self.id) {
            return Ok(loaded);
        }
        if kernel.target > self.target {
            // Clusters are not among the limits of devices that have none: what is missing says more.
            let clusters = match kernel.cluster() {
                Some(cluster) => format!(" has clusters of {} blocks and", cluster.iter().product::<u32>()),
                None => String::new(),
            };
            let feature = format!(
                "kernel `{}`{clusters} needs compute capability {}",
                kernel.name,
                decimal(kernel.target)
            );
            let device = format!("{}, of {},", self.name, decimal(self.target));
            return Err(Error::Unsupported { feature, device });
        }
        self.limits.check(kernel)?;
        let module = Module::load(self.driver, kernel)?;
        let functions = kernel.entries.iter().map(|entry| {
            let function = module.function(kernel, entry.symbol)?;
            self.check_threads(kernel, function)?;
            Ok(function.cast::<c_void>())
        });
        let functions = functions.collect::<Result<Box<[_]>>>()?;
        module.keep();
        kernels.push(kernel);
        Ok(kernel.cache.insert(self.id, functions))
    }

    /// How many blocks of a function run at the same time.
    pub(super) fn resident_blocks(&self, kernel: &KernelInfo, function: CUfunction, shared: u32) -> Result<u64> {
        if shared != 0 {
            self.allow_shared(kernel, function, shared)?;
        }
        let threads: u32 = kernel.block.iter().product();
        let mut each = 0;
        // SAFETY: the function is loaded, and the pointer is good for the call.
        unsafe {
            call!(
                self.driver,
                cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut each, function, threads as c_int, shared as usize)
            )?
        };
        Ok(u64::from(each.unsigned_abs()) * u64::from(self.multiprocessors))
    }

    /// Lets a function have so much dynamic shared memory, or says that there is not as much.
    pub(super) fn allow_shared(&self, kernel: &KernelInfo, function: CUfunction, bytes: u32) -> Result<()> {
        self.limits.check_dynamic(kernel, bytes)?;
        if kernel.shared_bytes + bytes <= self.limits.shared_bytes {
            return Ok(());
        }
        // Always the most that there is, so that launches from several threads do not disturb each other.
        let most = self.limits.all_shared_bytes - kernel.shared_bytes;
        // SAFETY: the function is loaded, and the attribute is one that may be set.
        unsafe {
            call!(
                self.driver,
                cuFuncSetAttribute(
                    function,
                    FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    most as c_int
                )
            )
        }
    }

    /// Refuses a kernel whose registers do not suffice for a block.
    fn check_threads(&self, kernel: &KernelInfo, function: CUfunction) -> Result<()> {
        let mut most = 0;
        // SAFETY: the function was just loaded, and the pointer is good for the call.
        unsafe {
            call!(
                self.driver,
                cuFuncGetAttribute(
                    &mut most,
                    FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                    function
                )
            )?
        };
        let (requested, limit) = (
            kernel.block.iter().map(|&threads| u64::from(threads)).product(),
            most as u64,
        );
        match requested <= limit {
            true => Ok(()),
            false => Err(Error::TooLarge {
                kernel: kernel.name,
                what: LaunchLimit::Threads,
                requested,
                limit,
            }),
        }
    }

    /// The kernel of an address, if it is that of one that was loaded here.
    pub(super) fn kernel(&self, address: u64) -> Option<&'static KernelInfo> {
        self.kernels()
            .iter()
            .copied()
            .find(|&kernel| ptr::from_ref(kernel).addr() as u64 == address)
    }

    fn kernels(&self) -> MutexGuard<'_, Vec<&'static KernelInfo>> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attribute(&self, attribute: u32) -> Result<u32> {
        let mut value = 0;
        // SAFETY: the pointer is good for the call, and the driver knows the attribute or says so.
        unsafe { call!(self.driver, cuDeviceGetAttribute(&mut value, attribute, self.device))? };
        Ok(value.unsigned_abs())
    }

    fn query_name(&self) -> Result<String> {
        let mut name = [0u8; 256];
        // SAFETY: the driver writes at most as many bytes as it is told, the last of them a zero.
        unsafe {
            call!(
                self.driver,
                cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as c_int, self.device)
            )?
        };
        let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
        Ok(String::from_utf8_lossy(&name[..end]).into_owned())
    }
}

/// `90` as `9.0`.
fn decimal(target: u32) -> String {
    format!("{}.{}", target / 10, target % 10)
}

impl Drop for Context {
    fn drop(&mut self) {
        // A device stays open for the rest of the process; this is for one that could not be opened.
        let mut current = ptr::null_mut();
        // SAFETY: nothing uses the pool or the context any more. What fails here harms nobody.
        unsafe {
            if let Some(pool) = self.pool {
                (self.driver.cuMemPoolDestroy)(pool);
            }
            (self.driver.cuCtxGetCurrent)(&mut current);
            if current == self.raw {
                (self.driver.cuCtxSetCurrent)(ptr::null_mut());
            }
            (self.driver.cuDevicePrimaryCtxRelease_v2)(self.device);
        }
    }
}
