//! Kernels with machine code of the program, on a driver that is played on the host.
#![cfg(target_os = "linux")]

mod played;

use played::{Entry, on_both_drivers};
use vyre_runtime::{Device, Error};

/// The numbers of machine code that was loaded and refused, and of PTX that was loaded.
fn loaded(device: &Device) -> [u64; 3] {
    let stats = device.stats();
    assert_eq!(stats.kernels_loaded, stats.cubins_loaded + stats.ptx_loaded);
    [stats.cubins_loaded, stats.cubins_refused, stats.ptx_loaded]
}

/// The code for this architecture alone comes first. Other code, and the PTX, would be refused.
#[test]
fn the_code_for_the_device_is_loaded() {
    on_both_drivers("the_code_for_the_device_is_loaded", |driver, [load, _]| {
        let device = Device::cuda(0).unwrap();
        Entry::<{ played::AHEAD }>.launch(&device).unwrap();
        Entry::<{ played::AHEAD }>.launch(&device).unwrap();
        assert_eq!((driver.calls(load), driver.modules()), (1, 1));
        assert_eq!(loaded(&device), [1, 0, 0]);
    });
}

/// The driver is not asked about code of other devices.
#[test]
fn code_for_other_devices_is_passed_over() {
    on_both_drivers("code_for_other_devices_is_passed_over", |driver, [load, _]| {
        let device = Device::cuda(0).unwrap();
        Entry::<{ played::ELSEWHERE }>.launch(&device).unwrap();
        assert_eq!(driver.calls(load), 1);
        assert_eq!(loaded(&device), [0, 0, 1]);
    });
}

#[test]
fn ptx_takes_the_place_of_refused_code() {
    on_both_drivers("ptx_takes_the_place_of_refused_code", |driver, _| {
        let device = Device::cuda(0).unwrap();
        Entry::<{ played::DAMAGED }>.launch(&device).unwrap();
        assert_eq!(loaded(&device), [0, 2, 1]);
        assert_eq!(driver.modules(), 1);
        let error = Entry::<{ played::NOTHING }>.launch(&device).unwrap_err();
        assert!(
            matches!(&error, Error::PtxRejected { kernel, log, .. } if kernel == "nothing" && log.contains("near 'played'")),
            "{error}"
        );
        assert_eq!(loaded(&device), [0, 3, 1]);
        assert_eq!(driver.modules(), 1);
    });
}

/// As a driver does that loads libraries into the contexts of other devices, too.
#[test]
fn code_that_is_no_library_is_a_module() {
    on_both_drivers("code_that_is_no_library_is_a_module", |driver, [load, _]| {
        let device = Device::cuda(0).unwrap();
        Entry::<{ played::AHEAD_SINGLE }>.launch(&device).unwrap();
        assert_eq!((driver.calls(load), driver.calls("cuModuleLoadDataEx")), (1, 1));
        assert_eq!(loaded(&device), [1, 0, 0]);
    });
}

/// Want of memory says nothing about the code: PTX would need as much.
#[test]
fn want_of_memory_is_no_refusal() {
    on_both_drivers("want_of_memory_is_no_refusal", |driver, _| {
        let device = Device::cuda(0).unwrap();
        driver.fail_allocations(0, 10);
        let error = Entry::<{ played::AHEAD }>.launch(&device).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        assert_eq!((loaded(&device), driver.modules()), ([0, 0, 0], 0));
        driver.fail_allocations(0, 0);
        Entry::<{ played::AHEAD }>.launch(&device).unwrap();
        assert_eq!(loaded(&device), [1, 0, 0]);
    });
}
