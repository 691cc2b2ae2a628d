//! Drivers that are too old, or broken, played by a library of that name.
//!
//! The test compiles a small `libcuda` and runs itself again in a process that finds it.

use vyre_runtime::{Device, Error};
use vyre_test_driver::{Stage, plays};

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

/// All functions that the runtime must have. Where one is missing here, `cuInit` is never reached and
/// the last test fails.
const FUNCTIONS: &str = "cuInit cuGetErrorName cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceGetAttribute cuDeviceTotalMem_v2 cuDeviceCanAccessPeer \
    cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2 cuCtxGetCurrent cuCtxSetCurrent cuStreamIsCapturing cuThreadExchangeStreamCaptureMode cuCtxEnablePeerAccess \
    cuModuleLoadDataEx cuModuleGetFunction cuModuleUnload cuFuncGetAttribute cuFuncSetAttribute cuCtxGetStreamPriorityRange cuStreamCreateWithPriority cuStreamDestroy_v2 \
    cuStreamSynchronize cuStreamQuery cuStreamWaitEvent cuEventCreate cuEventDestroy_v2 cuEventQuery cuEventRecord cuEventSynchronize cuEventElapsedTime \
    cuMemGetInfo_v2 cuMemAlloc_v2 cuMemFree_v2 cuMemPoolCreate cuMemPoolDestroy cuMemPoolGetAttribute cuMemPoolSetAttribute cuMemPoolSetAccess \
    cuMemPoolTrimTo cuMemAllocFromPoolAsync cuMemFreeAsync cuMemHostAlloc cuMemHostGetDevicePointer_v2 \
    cuMemFreeHost cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemcpyPeerAsync cuMemsetD8Async cuMemsetD16Async \
    cuMemsetD32Async cuLaunchKernel cuLaunchCooperativeKernel cuOccupancyMaxActiveBlocksPerMultiprocessor \
    cuOccupancyMaxActiveClusters \
    cuGraphCreate cuGraphDestroy cuGraphAddEmptyNode cuGraphAddKernelNode cuGraphAddMemcpyNode cuGraphAddMemsetNode cuGraphKernelNodeSetAttribute \
    cuGraphInstantiateWithFlags cuGraphExecKernelNodeSetParams cuGraphLaunch cuGraphExecDestroy";

fn functions(init: u32) -> Vec<(&'static str, u32)> {
    FUNCTIONS
        .split_whitespace()
        .map(|name| (name, if name == "cuInit" { init } else { 1 }))
        .collect()
}

/// Runs this test again with the driver of this source.
fn with_driver(test: &str, source: &str) {
    if let Some(stage) = Stage::with_source(env!("CARGO_TARGET_TMPDIR"), test, source) {
        stage.run();
    }
}

/// The error of the driver that this process has.
fn error(test: &str) -> Option<Error> {
    plays(test).then(|| {
        assert_eq!(Device::best().unwrap(), Device::cpu());
        let error = Device::cuda(0).unwrap_err();
        assert_eq!(Device::cpu().why(), Some(error.clone()));
        assert_eq!(Device::backends()[0].error, Some(error.clone()));
        assert_eq!(Device::open("cuda").unwrap_err(), error);
        assert!(Device::missing().is_empty() && Device::all() == [Device::cpu()]);
        assert_eq!(Device::cuda(1).unwrap_err(), error);
        error
    })
}

#[test]
fn an_old_driver_is_refused() {
    const TEST: &str = "old_driver::an_old_driver_is_refused";
    match error(TEST) {
        Some(error) => assert_eq!(
            error,
            Error::DriverTooOld {
                found: (11, 4),
                needed: (12, 0),
                missing: None
            }
        ),
        None => with_driver(TEST, &source(11040, &[])),
    }
}

#[test]
fn a_driver_that_lacks_a_function_is_refused() {
    const TEST: &str = "old_driver::a_driver_that_lacks_a_function_is_refused";
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
    const TEST: &str = "old_driver::a_driver_that_does_not_start_says_why";
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
        None => with_driver(TEST, &source(13000, &functions(4242))),
    }
}

/// The toolkit has a library of the driver's name for the linker, which answers each call with a code of its own.
#[test]
fn the_stub_of_the_toolkit_is_no_driver() {
    const TEST: &str = "old_driver::the_stub_of_the_toolkit_is_no_driver";
    match error(TEST) {
        Some(error) => {
            assert!(matches!(
                error,
                Error::Driver {
                    call: "cuInit",
                    code: 34,
                    ..
                }
            ));
            assert!(error.to_string().contains("the toolkit's stub"), "{error}");
        }
        None => with_driver(TEST, &source(13000, &functions(34))),
    }
}

#[test]
fn a_driver_without_devices_says_so() {
    const TEST: &str = "old_driver::a_driver_without_devices_says_so";
    if plays(TEST) {
        assert_eq!(Device::cuda(3).unwrap_err(), Error::NoDevice { index: 3, count: 0 });
        assert_eq!(Device::best().unwrap(), Device::cpu());
        let why = Device::cpu().why().unwrap().to_string();
        assert!(
            why.starts_with("there is no CUDA device 0: the driver sees none"),
            "{why}"
        );
        let cuda = &Device::backends()[0];
        assert_eq!(
            (cuda.devices, &cuda.error),
            (0, &Some(Error::NoDevice { index: 0, count: 0 }))
        );
    } else {
        with_driver(TEST, &source(13000, &functions(100)));
    }
}
