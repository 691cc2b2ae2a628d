//! Loaded modules: machine code, or PTX, which the driver assembles.
//!
//! A kernel is a library of the driver where it has these, for it assembles libraries of several threads at
//! the same time, and modules one after the other. What it refuses as a library is tried as a module:
//!
//! - A driver that loads eagerly loads a library into the contexts of all devices, some of which may be too
//!   old for it.
//! - The log of a module is written before the call returns, while a driver may use the options of a library
//!   as long as that exists.
//!
//! Nothing goes through the driver's linker: what it makes can be linked with more, so it takes more registers.

use std::ffi::{CStr, CString, c_void};
use std::mem::ManuallyDrop;
use std::ptr;

use cudarc::driver::sys::{CUfunction, CUjit_option, CUmodule};
use vyre_abi::kernel::{AssumedInfo, EntryInfo};

use super::calls::Calls;
use super::driver::{CUkernel, CUlibrary, Libraries, NOT_FOUND, OUT_OF_MEMORY, SUCCESS};

/// Bytes of the assembler's log of errors.
const LOG: usize = 16 * 1024;

/// A module, unloaded when dropped.
pub(super) struct Module {
    driver: &'static Calls,
    raw: Raw,
}

/// The image that a module is made of.
#[derive(Clone, Copy)]
pub(super) enum Image<'a> {
    /// A text, for the driver's assembler.
    Ptx(&'a CStr),
    /// Machine code, an ELF file.
    Cubin(&'a [u8]),
}

impl Image<'_> {
    fn address(self) -> *const c_void {
        match self {
            Image::Ptx(text) => text.as_ptr().cast(),
            Image::Cubin(code) => code.as_ptr().cast(),
        }
    }
}

/// The driver's handle of a module.
enum Raw {
    Library(&'static Libraries, CUlibrary),
    Module(CUmodule),
}

/// Why a module was not loaded.
pub(super) enum Failure {
    /// There is no memory for it.
    OutOfMemory,
    /// It has no entry of this name.
    NoEntry(String),
    /// A call failed.
    Call {
        /// The function.
        call: &'static str,
        /// Its result.
        code: u32,
        /// The assembler's errors.
        log: String,
    },
}

/// A module, with the functions of entries in their order.
pub(super) type Loaded = (Module, Vec<CUfunction>);

impl Module {
    /// Loads an image into the current context, where the machine code is when this returns.
    pub(super) fn load(driver: &'static Calls, image: Image<'_>, entries: &[EntryInfo<'_>]) -> Result<Loaded, Failure> {
        Module::load_with(driver, image, entries, &[])
    }

    /// The same with an entry for some launches behind the others, if the image has it.
    pub(super) fn load_with(
        driver: &'static Calls,
        image: Image<'_>,
        entries: &[EntryInfo<'_>],
        assumed: &[AssumedInfo<'_>],
    ) -> Result<Loaded, Failure> {
        if let Some(libraries) = &driver.libraries {
            let module = Module::as_library(driver, libraries, image);
            match module.and_then(|module| module.with_functions(entries, assumed)) {
                Err(Failure::Call { .. }) => {}
                done => return done,
            }
        }
        Module::as_module(driver, image)?.with_functions(entries, assumed)
    }

    fn as_library(driver: &'static Calls, libraries: &'static Libraries, image: Image<'_>) -> Result<Module, Failure> {
        let mut raw = CUlibrary::NULL;
        // SAFETY: a text ends with a zero, an ELF file is whole, and there are no options for the assembler and the library.
        let code = unsafe {
            (libraries.cuLibraryLoadData)(
                &mut raw,
                image.address(),
                ptr::null_mut(),
                ptr::null_mut(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
                0,
            )
        };
        check("cuLibraryLoadData", code, "")?;
        let raw = Raw::Library(libraries, raw);
        Ok(Module { driver, raw })
    }

    fn as_module(driver: &'static Calls, image: Image<'_>) -> Result<Module, Failure> {
        let mut log = vec![0u8; LOG];
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // The driver expects the size in place of a pointer.
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG)];
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        let mut raw = ptr::null_mut();
        // SAFETY: the context is current, a text ends with a zero, an ELF file is whole, and there are two options,
        // with values of their types, valid for the call.
        let code = unsafe { (driver.cuModuleLoadDataEx)(&mut raw, image.address(), 2, options, values) };
        let end = log.iter().position(|&byte| byte == 0).unwrap_or(LOG);
        check("cuModuleLoadDataEx", code, &String::from_utf8_lossy(&log[..end]))?;
        let raw = Raw::Module(raw);
        Ok(Module { driver, raw })
    }

    fn with_functions(self, entries: &[EntryInfo<'_>], assumed: &[AssumedInfo<'_>]) -> Result<Loaded, Failure> {
        let mut functions = Vec::with_capacity(entries.len());
        for entry in entries {
            functions.push(self.function(entry.symbol)?);
        }
        for entry in assumed {
            match self.function(entry.symbol) {
                Err(Failure::NoEntry(_)) => {}
                found => functions.push(found?),
            }
        }
        Ok((self, functions))
    }

    /// An entry of the module.
    fn function(&self, symbol: &str) -> Result<CUfunction, Failure> {
        let name = CString::new(symbol).map_err(|_| Failure::NoEntry(symbol.to_owned()))?;
        let found = |call, code| match code {
            NOT_FOUND => Err(Failure::NoEntry(symbol.to_owned())),
            code => check(call, code, ""),
        };
        let mut function = ptr::null_mut();
        match self.raw {
            Raw::Library(libraries, raw) => {
                let mut kernel = CUkernel::NULL;
                // SAFETY: the library is loaded, and the pointers are valid for the call.
                let code = unsafe { (libraries.cuLibraryGetKernel)(&mut kernel, raw, name.as_ptr()) };
                found("cuLibraryGetKernel", code)?;
                // A library that is loaded lazily, as is the default, comes into the context here.
                // SAFETY: the kernel is of the library, and the pointer is valid for the call.
                let code = unsafe { (libraries.cuKernelGetFunction)(&mut function, kernel) };
                check("cuKernelGetFunction", code, "")?;
            }
            Raw::Module(raw) => {
                // SAFETY: the module is loaded, and the pointers are valid for the call.
                let code = unsafe { (self.driver.cuModuleGetFunction)(&mut function, raw, name.as_ptr()) };
                found("cuModuleGetFunction", code)?;
            }
        }
        Ok(function)
    }
}

/// The result of a call as a `Result`, with the assembler's log.
fn check(call: &'static str, code: u32, log: &str) -> Result<(), Failure> {
    match code {
        SUCCESS => Ok(()),
        OUT_OF_MEMORY => Err(Failure::OutOfMemory),
        _ => Err(Failure::Call {
            call,
            code,
            log: log.to_owned(),
        }),
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: none of its functions is in use: they were not launched, or `InUse` has waited for
        // them. Errors here are harmless.
        unsafe {
            match self.raw {
                Raw::Library(libraries, raw) => (libraries.cuLibraryUnload)(raw),
                Raw::Module(raw) => (self.driver.cuModuleUnload)(raw),
            }
        };
    }
}

/// A module whose functions are launched. Dropped by whoever used it last, on any thread.
pub(super) struct InUse {
    module: ManuallyDrop<Module>,
}

// SAFETY: the driver accepts its handles from any thread.
unsafe impl Send for InUse {}
// SAFETY: as above.
unsafe impl Sync for InUse {}

impl InUse {
    /// A module of the device.
    pub(super) fn new(module: Module) -> InUse {
        let module = ManuallyDrop::new(module);
        InUse { module }
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let driver = self.module.driver;
        let Ok(_bound) = driver.bind_to_end() else { return };
        // The work of all streams is waited for, since a launch may still run. Where that fails, the context is lost, and the
        // module with it; or somebody captures one of the streams, and the module stays.
        if driver.wait_for_streams().is_ok() {
            // SAFETY: the context is current, and the module is dropped once.
            unsafe { ManuallyDrop::drop(&mut self.module) };
        }
    }
}
