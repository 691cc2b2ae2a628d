//! Loading kernels, each once, at the same time.

use std::ffi::{CStr, CString, c_int};
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{CUfunction, CUfunction_attribute as FunctionAttribute};
use vyre_abi::kernel::EntryInfo;

use super::Context;
use super::reports::ReportTable;
use crate::cuda::driver::{INVALID_PTX, NOT_FOUND, UNSUPPORTED_PTX, call};
use crate::cuda::module::{self, Failure, Image, InUse, Module};
use crate::error::{Error, LaunchLimit, Result};
use crate::load::cache::{Function, Loaded};
use crate::load::kernel::KernelDescription;
#[cfg(feature = "programs")]
use crate::load::lowering;
use crate::trace::span;

impl Context {
    /// Loads a kernel, once. A thread that asks for one that another thread loads waits for it.
    #[cold]
    pub(in crate::cuda) fn load(&self, kernel: &KernelDescription<'_>) -> Result<Arc<Loaded>> {
        let key = ptr::from_ref(kernel).addr();
        // A launch, which only queues work otherwise, may come by here.
        let _bound = self.bind()?;
        self.loading
            .run(key, || kernel.cache.get(self.id).cloned(), || self.load_now(kernel))
    }

    fn load_now(&self, kernel: &KernelDescription<'_>) -> Result<Arc<Loaded>> {
        let _span = span!("load", kernel = kernel.name);
        let lowered = match self.check_target(kernel) {
            Ok(()) => None,
            Err(error) => Some(self.lower(kernel).ok_or(error)?),
        };
        self.limits.check(kernel)?;
        let (module, functions) = match lowered {
            None => self.module(kernel)?,
            Some(ptx) => self.load_lowered(kernel, &ptx)?,
        };
        let mut checked = Vec::with_capacity(functions.len());
        for (entry, function) in functions.into_iter().enumerate() {
            match self.check_threads(kernel, function) {
                // There is another entry for all launches.
                Err(Error::TooLarge { .. }) if entry >= kernel.entries.len() => break,
                checked => checked?,
            }
            checked.push(Function {
                shared_bytes: self.own_shared_bytes(function)?,
                handle: function.cast(),
            });
        }
        let number = self.calls.reports().add(kernel);
        let loaded = Arc::new(Loaded {
            device: self.id,
            number,
            functions: checked.into(),
            _module: Box::new(Registered {
                _module: InUse::new(module),
                reports: self.calls.reports(),
                number,
            }),
        });
        kernel.cache.insert(loaded.clone());
        self.counters.kernels_loaded.add(1);
        Ok(loaded)
    }

    /// The module of a kernel, with the functions of its entries: of the best machine code that the driver accepts,
    /// else of its PTX, else of PTX that is made for this driver.
    fn module(&self, kernel: &KernelDescription<'_>) -> Result<module::Loaded> {
        for cubin in kernel.cubins_for(self.target) {
            match self.load_image(Image::Cubin(cubin.code), kernel) {
                Ok(loaded) => {
                    self.counters.cubins_loaded.add(1);
                    return Ok(loaded);
                }
                // Older code, or the PTX, may do.
                Err(Failure::NoEntry(_)) => {}
                Err(Failure::Call { code, .. }) if is_refusal(code) => {}
                Err(failure) => return Err(self.failed(kernel, failure, cubin.code.len())),
            }
            self.counters.cubins_refused.add(1);
        }
        let mut refused = Box::default();
        for ptx in kernel.texts_for(self.target) {
            match self.load_ptx(kernel, ptx) {
                Ok(loaded) => {
                    self.counters.ptx_loaded.add(1);
                    return Ok(loaded);
                }
                // An older driver may read the PTX for older devices.
                Err(Error::PtxRejected {
                    code: UNSUPPORTED_PTX,
                    log,
                    ..
                }) => refused = log,
                Err(error) => return Err(error),
            }
        }
        match self.lower(kernel) {
            Some(ptx) => self.load_lowered(kernel, &ptx),
            None => Err(self.rejected(kernel, UNSUPPORTED_PTX, &refused)),
        }
    }

    /// Loads PTX of a kernel.
    fn load_ptx(&self, kernel: &KernelDescription<'_>, ptx: &str) -> Result<module::Loaded> {
        let Ok(ptx) = CString::new(ptx) else {
            return Err(self.rejected(kernel, INVALID_PTX, "the text has a zero byte"));
        };
        self.load_image(Image::Ptx(&ptx), kernel)
            .map_err(|failure| self.failed(kernel, failure, ptx.count_bytes()))
    }

    /// Loads PTX that was made for this device.
    fn load_lowered(&self, kernel: &KernelDescription<'_>, ptx: &str) -> Result<module::Loaded> {
        let loaded = self.load_ptx(kernel, ptx)?;
        self.counters.programs_lowered.add(1);
        Ok(loaded)
    }

    /// Lowers the program of a kernel for this device and its driver, which do not take its PTX.
    #[cfg(feature = "programs")]
    fn lower(&self, kernel: &KernelDescription<'_>) -> Option<String> {
        let limits = vyre_core::ir::PtxLimits {
            version: lowering::ptx_version(self.calls.version()),
            target: self.target,
        };
        lowering::lowered(kernel, limits)
    }

    /// Without the compiler there is no other PTX.
    #[cfg(not(feature = "programs"))]
    fn lower(&self, _: &KernelDescription<'_>) -> Option<String> {
        None
    }

    /// Loads a kernel of the runtime itself, or several of one text, with their functions.
    pub(in crate::cuda) fn load_own(&self, ptx: &CStr, names: &[&str]) -> Result<module::Loaded> {
        let _bound = self.bind()?;
        let entry = |&symbol| EntryInfo { symbol, coarsening: 1 };
        let entries: Vec<EntryInfo<'_>> = names.iter().map(entry).collect();
        Module::load(self.calls, Image::Ptx(ptx), &entries).map_err(|failure| match failure {
            Failure::OutOfMemory => self.out_of_memory(ptx.count_bytes()),
            Failure::NoEntry(name) => Error::unsupported(
                &format!("the kernel `{name}` of vyre, which the driver does not find"),
                &self.name,
            ),
            Failure::Call { call, code, .. } => self.calls.error(call, code),
        })
    }

    /// Loads an image. Memory that was freed, which the pool keeps, is given back for it.
    fn load_image(&self, image: Image<'_>, kernel: &KernelDescription<'_>) -> Result<module::Loaded, Failure> {
        let load = || Module::load_with(self.calls, image, kernel.entries, kernel.assumed);
        match load() {
            Err(Failure::OutOfMemory) if self.reclaim().is_ok() => load(),
            done => done,
        }
    }

    /// The error of a kernel that was not loaded, from an image of so many bytes.
    fn failed(&self, kernel: &KernelDescription<'_>, failure: Failure, bytes: usize) -> Error {
        match failure {
            Failure::OutOfMemory => self.out_of_memory(bytes),
            Failure::NoEntry(symbol) => self.rejected(kernel, NOT_FOUND, &format!("the PTX has no entry `{symbol}`")),
            Failure::Call { code, log, .. } if is_refusal(code) || !log.is_empty() => self.rejected(kernel, code, &log),
            Failure::Call { call, code, .. } => self.calls.error(call, code),
        }
    }

    /// The error of a kernel whose PTX is refused.
    fn rejected(&self, kernel: &KernelDescription<'_>, code: u32, log: &str) -> Error {
        Error::PtxRejected {
            kernel: kernel.name.to_owned().into(),
            code,
            name: self.calls.name_of(code),
            log: log.into(),
        }
    }

    /// Refuses a kernel for newer devices.
    fn check_target(&self, kernel: &KernelDescription<'_>) -> Result<()> {
        if kernel.target <= self.target {
            return Ok(());
        }
        // The limits of devices without clusters do not include them: the missing feature is the
        // better message.
        let clusters = match kernel.cluster() {
            Some(cluster) => format!(" has clusters of {} blocks and", cluster.iter().product::<u32>()),
            None => String::new(),
        };
        let way_out = match cfg!(feature = "programs") {
            true => "",
            false => " (or the feature `programs` of vyre, which lowers it again if older PTX can do the same)",
        };
        let feature = format!(
            "kernel `{}`{clusters} needs compute capability {}{way_out}",
            kernel.name,
            decimal(kernel.target)
        );
        let device = format!("{}, of {},", self.name, decimal(self.target));
        Err(Error::Unsupported { feature, device })
    }

    /// The shared memory of a function that was just loaded, without what a launch gives it.
    fn own_shared_bytes(&self, function: CUfunction) -> Result<u32> {
        let bytes = self.attribute_of(function, FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        Ok(bytes.unsigned_abs())
    }

    fn attribute_of(&self, function: CUfunction, attribute: FunctionAttribute) -> Result<c_int> {
        let mut value = 0;
        // SAFETY: the function was just loaded, and the pointer is valid for the call.
        unsafe { call!(self.calls, cuFuncGetAttribute(&mut value, attribute, function))? };
        Ok(value)
    }

    /// Refuses a kernel that has too few registers for a block.
    fn check_threads(&self, kernel: &KernelDescription<'_>, function: CUfunction) -> Result<()> {
        let most = self.attribute_of(function, FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        let (requested, limit) = (
            kernel.block.iter().map(|&threads| u64::from(threads)).product(),
            most as u64,
        );
        match requested <= limit {
            true => Ok(()),
            false => Err(Error::TooLarge {
                kernel: kernel.name.to_owned().into(),
                what: LaunchLimit::Threads,
                requested,
                limit,
            }),
        }
    }
}

/// The module of a loaded kernel, of which records may come until it is dropped.
struct Registered {
    _module: InUse,
    reports: &'static ReportTable,
    number: u64,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.reports.end(self.number);
    }
}

/// True for results that speak of the image: invalid image or source, no code for the device, no assembler, or
/// too new a version.
fn is_refusal(code: u32) -> bool {
    matches!(code, 200 | 209 | 218 | 221..=223 | 300)
}

/// `90` as `9.0`.
fn decimal(target: u32) -> String {
    format!("{}.{}", target / 10, target % 10)
}
