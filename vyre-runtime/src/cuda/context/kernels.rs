//! Resources of the entries of loaded kernels.

use std::ffi::{c_int, c_void};
use std::ptr;

use cudarc::driver::sys::CUfunction_attribute as FunctionAttribute;
use vyre_abi::assumption;
use vyre_abi::kernel::EntryInfo;

use super::Context;
use crate::backend::number;
use crate::cuda::driver::{ClusterAttribute, LaunchConfig, call};
use crate::error::{Error, Result};
use crate::load::cache::{Function, Loaded};
use crate::load::kernel::KernelDescription;

impl Context {
    /// An entry of a kernel, loaded on first use, and the number of the kernel.
    #[inline]
    pub(in crate::cuda) fn function<'k>(
        &self,
        kernel: &KernelDescription<'k>,
        entry: usize,
    ) -> Result<(Function, &'k EntryInfo<'k>, u64)> {
        match kernel.cache.get(self.id) {
            Some(loaded) => self.entry(kernel, loaded, entry),
            None => self.load_entry(kernel, entry),
        }
    }

    #[cold]
    fn load_entry<'k>(
        &self,
        kernel: &KernelDescription<'k>,
        entry: usize,
    ) -> Result<(Function, &'k EntryInfo<'k>, u64)> {
        self.entry(kernel, &*self.load(kernel)?, entry)
    }

    #[inline]
    fn entry<'k>(
        &self,
        kernel: &KernelDescription<'k>,
        loaded: &Loaded,
        entry: usize,
    ) -> Result<(Function, &'k EntryInfo<'k>, u64)> {
        match (loaded.functions.get(entry), kernel.entries.get(entry)) {
            (Some(function), Some(entry)) => Ok((*function, entry, loaded.number)),
            _ => Err(self.no_entry(kernel, entry)),
        }
    }

    /// The function that a launch takes in place of the last entry, if it keeps the conditions of that.
    ///
    /// # Safety
    /// The pointers are to the arguments of the kernel, in order.
    #[inline]
    pub(in crate::cuda) unsafe fn assumed(
        &self,
        kernel: &KernelDescription<'_>,
        entry: &EntryInfo<'_>,
        grid: [u32; 3],
        shared_bytes: u64,
        pointers: &[*const c_void],
    ) -> Option<Function> {
        let ([assumed], Some(last)) = (kernel.assumed, kernel.entries.last()) else {
            return None;
        };
        if !ptr::eq(entry, last) {
            return None;
        }
        let function = *kernel.cache.get(self.id)?.functions.get(kernel.entries.len())?;
        // SAFETY: by the contract; the compiler asks for scalars within the arguments.
        let value = |source| unsafe { number(source, pointers, grid.map(u64::from), shared_bytes) };
        assumption::holds(assumed.needs, value).then_some(function)
    }

    #[cold]
    fn no_entry(&self, kernel: &KernelDescription<'_>, entry: usize) -> Error {
        Error::unsupported(&format!("kernel `{}` has no entry {entry}", kernel.name), &self.name)
    }

    /// The number of co-resident blocks of a function.
    pub(in crate::cuda) fn resident_blocks(
        &self,
        kernel: &KernelDescription<'_>,
        function: Function,
        shared: u64,
    ) -> Result<u64> {
        let shared = self.allow_shared(kernel, function, shared)?;
        if let Some(cluster) = kernel.cluster() {
            return self.resident_clusters(kernel, function, shared, cluster);
        }
        let threads: u32 = kernel.block.iter().product();
        let mut each = 0;
        // SAFETY: the function is loaded, and the pointer is valid for the call.
        unsafe {
            call!(
                self.calls,
                cuOccupancyMaxActiveBlocksPerMultiprocessor(
                    &mut each,
                    function.handle.cast(),
                    threads as c_int,
                    shared as usize
                )
            )?
        };
        Ok(u64::from(each.unsigned_abs()) * u64::from(self.multiprocessors))
    }

    /// The number of co-resident blocks of a function with clusters: a cluster lies within one group of
    /// multiprocessors, so some of these may stay idle.
    fn resident_clusters(
        &self,
        kernel: &KernelDescription<'_>,
        function: Function,
        shared_bytes: u32,
        cluster: [u32; 3],
    ) -> Result<u64> {
        let attribute = ClusterAttribute::new(cluster);
        let config = LaunchConfig {
            grid: cluster,
            block: kernel.block,
            shared_bytes,
            stream: ptr::null_mut(),
            attributes: &raw const attribute,
            attribute_count: 1,
        };
        let mut clusters = 0;
        // SAFETY: the function is loaded, and the pointers are valid for the call.
        unsafe {
            call!(
                self.calls,
                cuOccupancyMaxActiveClusters(&mut clusters, function.handle.cast(), &raw const config)
            )?
        };
        let each: u32 = cluster.iter().product();
        Ok(u64::from(clusters.unsigned_abs()) * u64::from(each))
    }

    /// Raises a function's limit of dynamic shared memory, or fails if the device has less. The bytes, which fit.
    #[inline]
    pub(in crate::cuda) fn allow_shared(
        &self,
        kernel: &KernelDescription<'_>,
        function: Function,
        bytes: u64,
    ) -> Result<u32> {
        match bytes {
            0 => Ok(0),
            _ => self.allow_some(kernel, function, bytes),
        }
    }

    /// The limit is one of the sum with what the function has of its own, and so is the maximum that may be asked for.
    fn allow_some(&self, kernel: &KernelDescription<'_>, function: Function, bytes: u64) -> Result<u32> {
        let own = function.shared_bytes;
        let bytes = self.limits.check_shared(kernel, own.into(), bytes)?;
        if own + bytes <= self.limits.shared_bytes {
            return Ok(bytes);
        }
        // Always the maximum, so that launches from several threads do not interfere.
        let most = self.limits.all_shared_bytes - own;
        // SAFETY: the function is loaded, and the attribute is one that may be set.
        unsafe {
            call!(
                self.calls,
                cuFuncSetAttribute(
                    function.handle.cast(),
                    FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    most as c_int
                )
            )?
        };
        Ok(bytes)
    }
}
