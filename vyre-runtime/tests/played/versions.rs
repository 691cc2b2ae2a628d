//! Inline PTX that names its version, on played drivers that read it and on ones that are too old.

use vyre::prelude::*;
use vyre::{Error, Result, Sequence, ptx};
use vyre_test_driver::{Driver, Stage};

/// Adds one, by an instruction that is said to be of PTX 8.6, which CUDA 12.7 brought.
#[vyre::kernel]
fn next(#[each] x: &u32, #[each] y: &mut u32) {
    // SAFETY: the instruction adds, as the block does.
    *y = unsafe { ptx!(version = "8.6", "add.u32 {result}, {0}, 1;", *x => u32 { *x + 1 }) };
}

/// Runs the body on a driver of a CUDA version, 12.2 as `12020`.
fn on_version(test: &str, version: &str, body: impl FnOnce(&Driver, &Device)) {
    if let Some(driver) = Driver::of(test) {
        body(&driver, &Device::cuda(0).unwrap());
    } else if let Some(mut stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), test) {
        stage.env("PLAYED_DRIVER_VERSION", version).run();
    }
}

/// Refused by the driver, with both versions in its log and what to do.
fn refused<T>(result: Result<T>) {
    let Err(error) = result else { panic!("it is loaded") };
    assert!(
        matches!(&error, Error::PtxRejected { kernel, code: 222, .. } if kernel == "next"),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains("update the NVIDIA driver"), "{text}");
    assert!(
        text.contains("Unsupported .version 8.6; current version is '8.2'"),
        "{text}"
    );
}

#[test]
fn a_driver_that_is_too_old_refuses_the_version() {
    on_version(
        "versions::a_driver_that_is_too_old_refuses_the_version",
        "12020",
        |driver, device| {
            let (x, mut y) = (device.zeros(4).unwrap(), device.zeros(4).unwrap());
            refused(device.load::<Next>());
            refused(next(&x, &mut y).launch(device));
            let mut steps = Sequence::new(device);
            refused(steps.launch(next(&x, &mut y).over(4)));
            refused(Next::dispatch(device, &[1], &mut [0]));
            assert_eq!((driver.calls("cuLaunchKernel"), driver.modules()), (0, 0));
            // On the CPU it runs, and the device stays usable.
            let mut z = [0; 2];
            Next::dispatch(&Device::cpu(), &[1, 2], &mut z).unwrap();
            assert_eq!((z, y.download().unwrap()), ([2, 3], vec![0; 4]));
        },
    );
}

#[test]
fn a_driver_of_the_version_takes_it() {
    on_version(
        "versions::a_driver_of_the_version_takes_it",
        "12070",
        |driver, device| {
            device.load::<Next>().unwrap();
            assert_eq!(driver.modules(), 1);
        },
    );
}

/// A program that comes at run time is refused before it is compiled.
#[cfg(feature = "programs")]
#[test]
fn a_program_of_the_version_is_refused() {
    use vyre_core::text;
    use vyre_runtime::Need;
    use vyre_runtime::kernel::Kernel;

    on_version(
        "versions::a_program_of_the_version_is_refused",
        "12020",
        |driver, device| {
            let program = text::parse(Next::info().program).unwrap();
            let missing = device.supports(&program).unwrap_err();
            assert_eq!(missing.len(), 1);
            assert_eq!((&missing[0].needs, &*missing[0].kernel), (&Need::Ptx(8, 6), "next"));
            assert!(
                missing[0]
                    .to_string()
                    .ends_with("which needs a driver that reads PTX 8.6")
            );
            // SAFETY: the instruction accesses no memory.
            let error = unsafe { device.compile_trusted(program) }.unwrap_err();
            assert!(matches!(error, Error::Unsupported { .. }), "{error}");
            assert!(
                error.to_string().contains("which needs a driver that reads PTX 8.6"),
                "{error}"
            );
            assert_eq!(driver.calls("cuLaunchKernel"), 0);
        },
    );
}
