//! An open CUDA device.

mod kernels;
mod load;
mod memory;
mod peers;
mod profile;
pub(super) mod reports;

use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use cudarc::driver::sys::{CUdevice, CUdevice_attribute as Attribute, CUmemoryPool};

use crate::backend::Limits;
use crate::cuda::calls::{Bound, Calls};
use crate::cuda::copies::Copies;
use crate::cuda::driver::{Driver, call};
use crate::cuda::event::{Handle, Time};
#[cfg(feature = "graphs")]
use crate::cuda::graph::GraphKernels;
use crate::error::Result;
use crate::load::cache::Loaded;
use crate::load::once::Once;
use crate::stats::Counters;
use crate::sync::Mutex;
use reports::ReportTable;

/// `CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH`, which CUDA 11.4 does not declare.
const CLUSTER_LAUNCH: u32 = 120;

/// The first `.target` with clusters.
const CLUSTER_TARGET: u32 = 90;

/// A device with its primary context, which it shares with CUDA's own runtime and other libraries.
pub(super) struct Context {
    calls: &'static Calls,
    device: CUdevice,
    /// The number of the opened device in this process.
    id: u32,
    name: String,
    /// The newest `.target` of PTX that loads: 90 for `sm_90`.
    target: u32,
    limits: Limits,
    multiprocessors: u32,
    /// The highest priority of streams, of which 0 is the ordinary one.
    max_priority: u32,
    /// Total memory of the device, in bytes.
    memory: usize,
    /// The pool that memory comes from; without one, allocating and freeing wait for the device.
    pool: Option<CUmemoryPool>,
    counters: Counters,
    /// Events that can be recorded again.
    events: [Mutex<Vec<Handle>>; 2],
    /// The bytes that the pool held after the last allocation.
    held: AtomicU64,
    /// The devices that were asked whether they can access this one's memory, and the answers.
    peers: Mutex<Vec<(CUdevice, bool)>>,
    /// The kernels that are being loaded, by address.
    loading: Once<usize, Arc<Loaded>>,
    /// The kernels that copy, once there are any.
    copies: Mutex<Option<Arc<Copies>>>,
    #[cfg(feature = "graphs")]
    pub(in crate::cuda) graph_kernels: GraphKernels,
}

// SAFETY: the driver accepts its handles from any thread; all else is shareable.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(super) fn open(driver: &'static Driver, ordinal: c_int, id: u32) -> Result<Context> {
        let (mut device, mut raw) = (0, ptr::null_mut());
        // SAFETY: the driver is initialised, and the pointers are valid for the calls.
        unsafe {
            call!(driver, cuDeviceGet(&mut device, ordinal))?;
            call!(driver, cuDevicePrimaryCtxRetain(&mut raw, device))?;
        }
        // From here on `Drop` releases the resources.
        let mut context = Context {
            calls: Calls::keep(driver, raw),
            device,
            id,
            name: String::new(),
            target: 0,
            limits: Limits::CUDA,
            multiprocessors: 0,
            max_priority: 0,
            memory: 0,
            pool: None,
            counters: Counters::default(),
            events: Default::default(),
            held: AtomicU64::new(0),
            peers: Mutex::default(),
            loading: Once::new(),
            copies: Mutex::new(None),
            #[cfg(feature = "graphs")]
            graph_kernels: GraphKernels::default(),
        };
        let driver = context.calls;
        let _bound = context.bind()?;
        context.name = context.query_name()?;
        driver.set_name(format!("{} (cuda:{ordinal})", context.name));
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
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: the context is current, and the pointers are valid for the call.
        unsafe { call!(driver, cuCtxGetStreamPriorityRange(&mut least, &mut greatest))? };
        // For the driver lower numbers are higher priorities.
        context.max_priority = greatest.min(0).unsigned_abs();
        for axis in 0..3 {
            context.limits.block[axis as usize] =
                context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X as u32 + axis)?;
            context.limits.grid[axis as usize] =
                context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X as u32 + axis)?;
        }
        // SAFETY: the pointer is valid for the call.
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
            unsafe { call!(self.calls, cuMemPoolDestroy(pool)) }.expect("the pool goes");
        }
        self
    }

    #[inline]
    pub(super) fn driver(&self) -> &'static Calls {
        self.calls
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

    pub(super) fn events(&self, time: Time) -> &Mutex<Vec<Handle>> {
        &self.events[time as usize]
    }

    /// The meaning of the records of kernels.
    pub(super) fn reports(&self) -> &ReportTable {
        self.calls.reports()
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(super) fn max_priority(&self) -> u32 {
        self.max_priority
    }

    #[inline]
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Makes this the current context of the calling thread, as long as the result lives; see [`Calls::bind`].
    #[inline]
    pub(super) fn bind(&self) -> Result<Bound> {
        self.calls.bind()
    }

    /// The same for calls that only queue work; see [`Calls::bind_to_queue`].
    #[inline]
    pub(super) fn bind_to_queue(&self) -> Result<Bound> {
        self.calls.bind_to_queue()
    }

    /// The kernels that copy.
    pub(super) fn copies(&self) -> Result<Arc<Copies>> {
        let mut copies = self.copies.lock();
        if let Some(known) = &*copies {
            return Ok(known.clone());
        }
        let new = Arc::new(Copies::load(self)?);
        Ok(copies.insert(new).clone())
    }

    fn attribute(&self, attribute: u32) -> Result<u32> {
        let mut value = 0;
        // SAFETY: the pointer is valid for the call, and the driver returns an error for an unknown
        // attribute.
        unsafe { call!(self.calls, cuDeviceGetAttribute(&mut value, attribute, self.device))? };
        Ok(value.unsigned_abs())
    }

    fn query_name(&self) -> Result<String> {
        let mut name = [0u8; 256];
        // SAFETY: the driver writes at most the given number of bytes, the last of them a zero.
        unsafe {
            call!(
                self.calls,
                cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as c_int, self.device)
            )?
        };
        let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
        Ok(String::from_utf8_lossy(&name[..end]).into_owned())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // Open devices stay for the rest of the process; this runs for one that failed to open.
        let mut current = ptr::null_mut();
        // SAFETY: nothing uses the pool or the context any more. Errors here are harmless.
        unsafe {
            for kept in &mut self.events {
                while let Some(Handle(event)) = kept.get_mut().pop() {
                    (self.calls.cuEventDestroy_v2)(event);
                }
            }
            if let Some(pool) = self.pool {
                (self.calls.cuMemPoolDestroy)(pool);
            }
            (self.calls.cuCtxGetCurrent)(&mut current);
            if current == self.calls.raw() {
                (self.calls.cuCtxSetCurrent)(ptr::null_mut());
            }
            (self.calls.cuDevicePrimaryCtxRelease_v2)(self.device);
        }
    }
}
