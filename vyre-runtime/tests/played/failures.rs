//! Drivers that lack a function or run out of memory, played on the host.

use crate::kernels::{self, Entry, on_both_drivers};
use vyre_runtime::{Device, DeviceBuffer, Error, Result, Stream};
use vyre_test_driver::{Driver, Stage, plays};

/// Set for a process: the function that its driver lacks.
const MISSING: &str = "VYRE_TEST_MISSING";

/// Functions of libraries, without which a driver loads modules.
const OPTIONAL: [&str; 6] = [
    "cuLibraryLoadData",
    "cuLibraryGetKernel",
    "cuKernelGetFunction",
    "cuLibraryUnload",
    "cuGraphAddNode",
    "cuGraphConditionalHandleCreate",
];

/// Functions that cudarc calls, and the runtime does not.
const OTHERS: [&str; 6] = [
    "cuGetErrorString",
    "cuCtxSynchronize",
    "cuStreamCreate",
    "cuMemAllocAsync",
    "cuStreamBeginCapture_v2",
    "cuStreamEndCapture",
];

/// Each function that the runtime needs is looked up at the start, and named if there is none. The played
/// driver has no others but those of libraries and of loops in graphs, each of which it may lack, and some for cudarc.
#[test]
fn each_missing_function_is_named() {
    const TEST: &str = "failures::each_missing_function_is_named";
    if plays(TEST) {
        let lacks = std::env::var(MISSING).unwrap();
        if OPTIONAL.contains(&&*lacks) || OTHERS.contains(&&*lacks) {
            return Entry::<0>.launch(&Device::cuda(0).unwrap()).unwrap();
        }
        assert_eq!(Device::best().unwrap(), Device::cpu());
        match Device::cuda(0).unwrap_err() {
            Error::DriverTooOld { found, missing, .. } if lacks == "cuDriverGetVersion" => {
                assert_eq!((found, missing), ((0, 0), None));
            }
            Error::DriverTooOld { found, missing, .. } => {
                assert_eq!((found, missing), ((13, 0), Some(&*lacks)));
            }
            other => panic!("without `{lacks}`: {other}"),
        }
    } else if let Some(stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
        let functions = stage.functions();
        assert!(functions.len() > 50, "{functions:?}");
        assert!(
            OPTIONAL
                .iter()
                .all(|optional| functions.iter().any(|name| name == optional))
        );
        for function in functions {
            stage.without(&function).env(MISSING, &function).run();
        }
    }
}

/// Fails the first allocation of `work`, then the second and so on, until it has no more; the device has no
/// memory for the second try either. Each time it is the error, what it has allocated is freed, and the
/// same work succeeds afterwards. Returns the number of allocations.
fn without_memory<T>(driver: &Driver, mut work: impl FnMut() -> Result<T>) -> u64 {
    for working in 0.. {
        let before = driver.allocations();
        driver.fail_allocations(working, 2);
        let result = work();
        driver.fail_allocations(0, 0);
        match result {
            Ok(_) => return working,
            Err(Error::OutOfMemory { .. }) => {}
            // Memory of the host has no second try.
            Err(Error::Driver {
                call: "cuMemHostAlloc",
                code: 2,
                ..
            }) => {}
            Err(other) => panic!("allocation {working}: {other}"),
        }
        assert_eq!(driver.allocations(), before, "allocation {working}");
    }
    unreachable!("the numbers do not end")
}

/// Uploads, clears, copies, launches and downloads.
fn script(device: &Device, stream: &Stream) -> Result<()> {
    let x: Vec<u32> = (0..1000).collect();
    let first = device.upload(&x)?;
    let zeros: DeviceBuffer<u32> = device.zeros(1000)?;
    let copy = first.try_clone()?;
    Entry::<0>.launch(device)?;
    stream.synchronize()?;
    assert_eq!(copy.download()?, x);
    assert_eq!(zeros.download()?, [0; 1000]);
    Ok(())
}

#[test]
fn no_memory_at_any_allocation_leaves_all_usable() {
    on_both_drivers(
        "failures::no_memory_at_any_allocation_leaves_all_usable",
        |driver, _| {
            // Two streams, each with memory of the device and of the host.
            assert!(without_memory(driver, || Device::cuda(0)) >= 4);
            let device = Device::cuda(0).unwrap();
            assert!(without_memory(driver, || device.stream()) >= 2);
            let stream = device.stream().unwrap();
            script(&device, &stream).unwrap();
            assert!(without_memory(driver, || script(&device, &stream)) >= 3);
            // A module needs memory, which the pool may hold: it is given back for a second try.
            let modules = driver.modules();
            assert_eq!(without_memory(driver, || Entry::<1>.launch(&device)), 1);
            assert_eq!(driver.modules(), modules + 1);
            driver.fail_allocations(0, 1);
            let trimmed = driver.calls("cuMemPoolTrimTo");
            Entry::<2>.launch(&device).unwrap();
            assert_eq!(driver.calls("cuMemPoolTrimTo"), trimmed + 1);
            // The text that kernels print has memory of its own, from the first such launch on.
            assert_eq!(
                without_memory(driver, || Entry::<{ kernels::PRINTS }>.launch(&device)),
                2
            );
            device.synchronize().unwrap();
            script(&device, &stream).unwrap();
        },
    );
}
