//! Drivers that are too old, or broken, played by a library of that name.
//!
//! The test compiles a small `libcuda` and runs itself again in a process that finds that library
//! first, for a process looks for the driver once.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use vyre_runtime::{Device, Error};

/// Set for the process that plays a part: what the driver is.
const PART: &str = "VYRE_TEST_DRIVER";

/// A driver that supports a version and has no functions but these, each of which returns a number.
fn source(version: u32, functions: &[(&str, u32)]) -> String {
    let mut source = format!(
        "#[unsafe(no_mangle)] pub extern \"C\" fn cuDriverGetVersion(v: *mut i32) -> u32 {{ unsafe {{ *v = {version} }}; 0 }}\n"
    );
    for (name, result) in functions {
        source += &format!("#[unsafe(no_mangle)] pub extern \"C\" fn {name}() -> u32 {{ {result} }}\n");
    }
    source
}

/// All functions that the runtime looks up. Where one is missing here, `cuInit` is never reached and
/// the last test fails.
const FUNCTIONS: &str = "cuInit cuGetErrorName cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceGetAttribute cuDeviceTotalMem_v2 \
    cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2 cuCtxGetCurrent cuCtxSetCurrent cuCtxSynchronize \
    cuModuleLoadDataEx cuModuleGetFunction cuModuleUnload cuFuncGetAttribute cuFuncSetAttribute cuStreamCreate cuStreamDestroy_v2 \
    cuStreamSynchronize cuStreamQuery cuStreamWaitEvent cuEventCreate cuEventDestroy_v2 cuEventQuery cuEventRecord \
    cuMemGetInfo_v2 cuMemAlloc_v2 cuMemFree_v2 cuMemPoolCreate cuMemPoolDestroy cuMemPoolSetAttribute \
    cuMemPoolTrimTo cuMemAllocFromPoolAsync cuMemFreeAsync cuMemHostAlloc cuMemHostGetDevicePointer_v2 \
    cuMemFreeHost cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemsetD8Async cuMemsetD16Async \
    cuMemsetD32Async cuLaunchKernel cuLaunchCooperativeKernel cuOccupancyMaxActiveBlocksPerMultiprocessor";

fn functions(init: u32) -> Vec<(&'static str, u32)> {
    FUNCTIONS
        .split_whitespace()
        .map(|name| (name, if name == "cuInit" { init } else { 1 }))
        .collect()
}

/// Compiles the library and runs this test again with it; false where there is no compiler.
fn with_driver(test: &str, source: &str) -> bool {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let library = folder.join("libcuda.so.1");
    if std::fs::create_dir_all(&folder).is_err() || !compile(source, &library) {
        let _ = writeln!(std::io::stderr(), "skipped {test}: no rustc to make a driver with");
        return false;
    }
    let paths = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env("LD_LIBRARY_PATH", format!("{}:{paths}", folder.display()))
        .env(PART, test)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

fn compile(source: &str, library: &Path) -> bool {
    let file = library.with_extension("rs");
    std::fs::write(&file, source).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compile = Command::new(rustc)
        .args(["--crate-name=libcuda", "--crate-type=cdylib", "--edition=2024", "-o"])
        .arg(library)
        .arg(&file)
        .output();
    match compile {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            true
        }
        Err(_) => false,
    }
}

/// The error of the driver that this process has.
fn error(test: &str) -> Option<Error> {
    (std::env::var(PART).as_deref() == Ok(test)).then(|| {
        assert_eq!(Device::best().unwrap(), Device::cpu());
        let error = Device::cuda(0).unwrap_err();
        assert_eq!(Device::cuda(1).unwrap_err(), error);
        error
    })
}

#[test]
fn an_old_driver_is_refused() {
    const TEST: &str = "an_old_driver_is_refused";
    match error(TEST) {
        Some(error) => assert_eq!(
            error,
            Error::DriverTooOld {
                found: (11, 4),
                needed: (12, 0),
                missing: None
            }
        ),
        None => _ = with_driver(TEST, &source(11040, &[])),
    }
}

#[test]
fn a_driver_that_lacks_a_function_is_refused() {
    const TEST: &str = "a_driver_that_lacks_a_function_is_refused";
    match error(TEST) {
        Some(error) => {
            let missing = Some("cuMemPoolCreate");
            assert_eq!(
                error,
                Error::DriverTooOld {
                    found: (12, 2),
                    needed: (12, 0),
                    missing
                }
            );
        }
        None => {
            let mut functions = functions(0);
            functions.retain(|&(name, _)| name != "cuMemPoolCreate");
            with_driver(TEST, &source(12020, &functions));
        }
    }
}

/// An unknown code is a number like any other.
#[test]
fn a_driver_that_does_not_start_says_why() {
    const TEST: &str = "a_driver_that_does_not_start_says_why";
    match error(TEST) {
        Some(error) => {
            let name = "an unknown error".to_owned();
            assert_eq!(
                error,
                Error::Driver {
                    call: "cuInit",
                    code: 4242,
                    name
                }
            );
        }
        None => _ = with_driver(TEST, &source(13000, &functions(4242))),
    }
}

#[test]
fn a_driver_without_devices_says_so() {
    const TEST: &str = "a_driver_without_devices_says_so";
    if std::env::var(PART).as_deref() == Ok(TEST) {
        assert_eq!(Device::cuda(3).unwrap_err(), Error::NoDevice { index: 3, count: 0 });
        assert_eq!(Device::best().unwrap(), Device::cpu());
    } else {
        with_driver(TEST, &source(13000, &functions(100)));
    }
}
