//! The assembler, which looks at a few words of the PTX.

use std::ffi::c_void;
use std::ptr;

use crate::control::Assembling;
use crate::result::*;
use crate::{target, version};

/// `CU_JIT_ERROR_LOG_BUFFER`, and the size that follows it.
const LOG: u32 = 5;
const LOG_SIZE: u32 = 6;

/// Where errors go.
pub(crate) struct Log {
    text: *mut u8,
    size: usize,
}

impl Log {
    /// That of these options; others are refused.
    pub(crate) unsafe fn of(count: u32, options: *const u32, values: *const *mut c_void) -> Result<Log, u32> {
        let mut log = Log {
            text: ptr::null_mut(),
            size: 0,
        };
        for number in 0..count as usize {
            // SAFETY: the caller passes as many options and values.
            let (option, value) = unsafe { (*options.add(number), *values.add(number)) };
            match option {
                LOG => log.text = value.cast(),
                LOG_SIZE => log.size = value.addr(),
                _ => return Err(INVALID_VALUE),
            }
        }
        Ok(log)
    }

    /// Writes what fits, with a zero after it.
    pub(crate) unsafe fn tell(&self, message: &str) {
        let count = message.len().min(self.size.saturating_sub(1));
        if self.size > 0 && !self.text.is_null() {
            // SAFETY: by the contract of the driver, the buffer is valid, and has this size.
            unsafe {
                ptr::copy_nonoverlapping(message.as_ptr(), self.text, count);
                *self.text.add(count) = 0;
            }
        }
    }

    /// Assembles a text.
    pub(crate) unsafe fn assemble(&self, text: &str) -> u32 {
        match assemble(text) {
            Ok(()) => SUCCESS,
            Err((code, message)) => {
                // SAFETY: by the contract.
                unsafe { self.tell(&format!("ptxas fatal   : {message}")) };
                code
            }
        }
    }
}

/// The newest PTX that the driver reads, by the table of releases of the PTX ISA.
fn newest() -> (u32, u32) {
    let cuda = version();
    match (cuda / 1000, cuda % 1000 / 10) {
        (11, minor) => (7, minor),
        // CUDA 12.6 has the PTX of 12.5.
        (12, minor) => (8, minor - u32::from(minor >= 6)),
        (_, minor) => (9, minor),
    }
}

/// True if the device runs machine code of an architecture, `90` or `90a`.
fn runs(architecture: &str) -> bool {
    let number = architecture.trim_end_matches('a');
    let is_exact = number.len() < architecture.len();
    number.parse().is_ok_and(|number: u32| match is_exact {
        true => number == target(),
        false => number / 10 == target() / 10 && number <= target(),
    })
}

/// The outcome of assembling a PTX text, or of looking at machine code.
fn assemble(text: &str) -> Result<(), (u32, String)> {
    let assembling = Assembling::start();
    let error = |code, message: &str| Err((code, message.to_owned()));
    if let Some(code) = text.strip_prefix("\x7fELF sm_") {
        return match runs(code.lines().next().unwrap_or_default()) {
            true => Ok(()),
            false => error(NO_BINARY, "device kernel image is invalid"),
        };
    }
    if !text.starts_with(".version ") {
        return error(INVALID_PTX, "Missing .version directive at start of file");
    }
    let version = text.lines().next().and_then(|line| line.strip_prefix(".version "));
    if let Some(version) = version
        && version
            .split_once('.')
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
            > Some(newest())
    {
        let message = format!(
            "Unsupported .version {version}; current version is '{}.{}'",
            newest().0,
            newest().1
        );
        return error(UNSUPPORTED_PTX, &message);
    }
    let wanted = text.lines().find_map(|line| line.strip_prefix(".target sm_"));
    if wanted
        .and_then(|number| number.parse().ok())
        .is_some_and(|number: u32| number > target())
    {
        return error(NO_BINARY, "SM version is not supported");
    }
    for plan in text.lines().filter_map(|line| line.strip_prefix("// played: ")) {
        let done = match plan.split_once(' ').unwrap_or((plan, "")) {
            ("meets", count) => assembling.meets(count.parse().unwrap_or(u64::MAX)),
            ("held", _) => assembling.is_released(),
            ("error", _) => return error(INVALID_PTX, "Parsing error near 'played'"),
            _ => true,
        };
        if !done {
            return error(UNKNOWN, &format!("`{plan}` did not come in time"));
        }
    }
    Ok(())
}
