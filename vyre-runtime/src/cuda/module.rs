//! Loaded PTX modules.

use std::ffi::{CString, c_void};
use std::mem::ManuallyDrop;
use std::ptr;

use cudarc::driver::sys::{CUfunction, CUjit_option, CUmodule};

use super::driver::{Driver, INVALID_PTX, NOT_FOUND, SUCCESS};
use crate::error::{Error, Result};
use crate::load::kernel::KernelInfo;

/// A module, unloaded when dropped.
pub(super) struct Module {
    driver: &'static Driver,
    raw: CUmodule,
}

impl Module {
    /// Loads the PTX of a kernel into the current context.
    pub(super) fn load(driver: &'static Driver, kernel: &KernelInfo) -> Result<Module> {
        let Ok(ptx) = CString::new(kernel.ptx) else {
            return Err(rejected(
                driver,
                kernel,
                INVALID_PTX,
                "the text has a zero byte".to_owned(),
            ));
        };
        let mut log = vec![0u8; 16 * 1024];
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // The driver expects the size in place of a pointer.
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(log.len())];
        let mut raw = ptr::null_mut();
        // SAFETY: the context is current, the text ends with a zero, and there are two options,
        // with values of their types, valid for the call.
        let code = unsafe {
            (driver.cuModuleLoadDataEx)(
                &mut raw,
                ptx.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
        let log = String::from_utf8_lossy(&log[..end]).into_owned();
        match code {
            SUCCESS => Ok(Module { driver, raw }),
            // Invalid image or source, no code for the device, no compiler, or too new a version.
            200 | 209 | 218 | 220..=223 | 300 => Err(rejected(driver, kernel, code, log)),
            _ if !log.is_empty() => Err(rejected(driver, kernel, code, log)),
            _ => Err(Error::Driver {
                call: "cuModuleLoadDataEx",
                code,
                name: driver.name_of(code),
            }),
        }
    }

    /// An entry of the module.
    pub(super) fn function(&self, kernel: &KernelInfo, symbol: &str) -> Result<CUfunction> {
        let missing = || {
            rejected(
                self.driver,
                kernel,
                NOT_FOUND,
                format!("the PTX has no entry `{symbol}`"),
            )
        };
        let name = CString::new(symbol).map_err(|_| missing())?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, and the pointers are valid for the call.
        match unsafe { (self.driver.cuModuleGetFunction)(&mut function, self.raw, name.as_ptr()) } {
            SUCCESS => Ok(function),
            NOT_FOUND => Err(missing()),
            code => Err(rejected(self.driver, kernel, code, String::new())),
        }
    }

    /// Keeps the module and its functions loaded for the rest of the process.
    pub(super) fn keep(self) {
        let _ = ManuallyDrop::new(self);
    }
}

fn rejected(driver: &Driver, kernel: &KernelInfo, code: u32, log: String) -> Error {
    Error::PtxRejected {
        kernel: kernel.name,
        code,
        name: driver.name_of(code),
        log,
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: no function of it is in use, since `load` failed. Errors here are harmless.
        unsafe { (self.driver.cuModuleUnload)(self.raw) };
    }
}
