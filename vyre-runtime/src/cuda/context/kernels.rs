//! The kernels that a device has loaded, and what their entries need.

use std::ffi::{c_int, c_void};
use std::ptr;

use cudarc::driver::sys::{CUfunction, CUfunction_attribute as FunctionAttribute};
use vyre_abi::kernel::EntryInfo;

use super::Context;
use crate::cuda::driver::call;
use crate::cuda::module::Module;
use crate::error::{Error, LaunchLimit, Result};
use crate::load::cache::Loaded;
use crate::load::kernel::KernelInfo;

impl Context {
    /// An entry of a kernel, loaded on first use.
    #[inline]
    pub(in crate::cuda) fn function(
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
    pub(in crate::cuda) fn load(&self, kernel: &'static KernelInfo) -> Result<&'static Loaded> {
        let mut kernels = self.kernels.lock();
        if let Some(loaded) = kernel.cache.get(self.id) {
            return Ok(loaded);
        }
        if kernel.target > self.target {
            // The limits of devices without clusters do not include them: the missing feature is
            // the better message.
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

    /// The number of co-resident blocks of a function.
    pub(in crate::cuda) fn resident_blocks(
        &self,
        kernel: &KernelInfo,
        function: CUfunction,
        shared: u32,
    ) -> Result<u64> {
        if shared != 0 {
            self.allow_shared(kernel, function, shared)?;
        }
        let threads: u32 = kernel.block.iter().product();
        let mut each = 0;
        // SAFETY: the function is loaded, and the pointer is valid for the call.
        unsafe {
            call!(
                self.driver,
                cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut each, function, threads as c_int, shared as usize)
            )?
        };
        Ok(u64::from(each.unsigned_abs()) * u64::from(self.multiprocessors))
    }

    /// Raises a function's limit of dynamic shared memory, or fails if the device has less.
    pub(in crate::cuda) fn allow_shared(&self, kernel: &KernelInfo, function: CUfunction, bytes: u32) -> Result<()> {
        self.limits.check_dynamic(kernel, bytes)?;
        if kernel.shared_bytes + bytes <= self.limits.shared_bytes {
            return Ok(());
        }
        // Always the maximum, so that launches from several threads do not interfere.
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

    /// Refuses a kernel that has too few registers for a block.
    fn check_threads(&self, kernel: &KernelInfo, function: CUfunction) -> Result<()> {
        let mut most = 0;
        // SAFETY: the function was just loaded, and the pointer is valid for the call.
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

    /// The kernel at an address, if it was loaded here.
    pub(in crate::cuda) fn kernel(&self, address: u64) -> Option<&'static KernelInfo> {
        self.kernels
            .lock()
            .iter()
            .copied()
            .find(|&kernel| ptr::from_ref(kernel).addr() as u64 == address)
    }
}

/// `90` as `9.0`.
fn decimal(target: u32) -> String {
    format!("{}.{}", target / 10, target % 10)
}
