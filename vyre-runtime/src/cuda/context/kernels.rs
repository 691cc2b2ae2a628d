//! The kernels that a device has loaded, and what their entries need.

use std::ffi::c_int;
use std::sync::Arc;

use cudarc::driver::sys::{CUfunction, CUfunction_attribute as FunctionAttribute};
use vyre_abi::fault::{Fault, FaultKind, FaultRecord};
use vyre_abi::kernel::{EntryInfo, Location, Site};

use super::Context;
use crate::cuda::driver::call;
use crate::error::{Error, Result};
use crate::load::kernel::KernelDescription;

/// What the records of a kernel mean: copies, because it outlives the kernel, whose last records may be read later.
pub(in crate::cuda) struct Reports {
    name: String,
    sites: Vec<OwnSite>,
    prints: Vec<String>,
}

/// A [`Site`] with texts of its own.
struct OwnSite {
    kind: FaultKind,
    file: String,
    line: u32,
    column: u32,
    message: String,
}

impl Reports {
    fn of(kernel: &KernelDescription<'_>) -> Reports {
        let site = |site: &Site<'_>| OwnSite {
            kind: site.kind,
            file: site.location.file.to_owned(),
            line: site.location.line,
            column: site.location.column,
            message: site.message.to_owned(),
        };
        Reports {
            name: kernel.name.to_owned(),
            sites: kernel.sites.iter().map(site).collect(),
            prints: kernel.prints.iter().copied().map(str::to_owned).collect(),
        }
    }

    /// The fault that a record describes; `None` if the kernel has no such site.
    pub(in crate::cuda) fn fault(&self, record: &FaultRecord) -> Option<Fault> {
        let own = self.sites.get(record.site as usize)?;
        let site = Site {
            kind: own.kind,
            location: Location {
                file: &own.file,
                line: own.line,
                column: own.column,
            },
            message: &own.message,
        };
        Some(site.fault(&self.name, &record.message_values(), record.block, record.thread))
    }

    /// The template of a site that prints.
    pub(in crate::cuda) fn template(&self, site: u32) -> Option<&str> {
        Some(self.prints.get(site as usize)?)
    }
}

impl Context {
    /// An entry of a kernel, loaded on first use, and the number of the kernel.
    #[inline]
    pub(in crate::cuda) fn function<'k>(
        &self,
        kernel: &KernelDescription<'k>,
        entry: usize,
    ) -> Result<(CUfunction, &'k EntryInfo<'k>, u64)> {
        let new;
        let loaded = match kernel.cache.get(self.id) {
            Some(loaded) => loaded,
            None => {
                new = self.load(kernel)?;
                &new
            }
        };
        match (loaded.functions.get(entry), kernel.entries.get(entry)) {
            (Some(function), Some(entry)) => Ok((function.cast(), entry, loaded.number)),
            _ => Err(Error::Unsupported {
                feature: format!("kernel `{}` has no entry {entry}", kernel.name),
                device: self.name.clone(),
            }),
        }
    }

    /// The number of co-resident blocks of a function.
    pub(in crate::cuda) fn resident_blocks(
        &self,
        kernel: &KernelDescription<'_>,
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
    pub(in crate::cuda) fn allow_shared(
        &self,
        kernel: &KernelDescription<'_>,
        function: CUfunction,
        bytes: u32,
    ) -> Result<()> {
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

    /// Numbers a kernel that is loaded.
    pub(super) fn register(&self, kernel: &KernelDescription<'_>) -> u64 {
        let mut reports = self.reports.lock();
        reports.push(Arc::new(Reports::of(kernel)));
        reports.len() as u64
    }

    /// What the records of a kernel mean, by its number.
    pub(in crate::cuda) fn reports(&self, number: u64) -> Option<Arc<Reports>> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.reports.lock().get(index).cloned()
    }
}
