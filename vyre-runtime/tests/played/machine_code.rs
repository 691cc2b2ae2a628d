//! Kernels with machine code of the program, and kernels that are lowered again, on a driver that is played on the host.

use std::ffi::c_void;

use crate::kernels::{self, Entry, on_both_drivers};
use vyre_abi::kernel::{EntryInfo, Location, NewerPtx, Site};
use vyre_runtime::body::BlockContext;
use vyre_runtime::kernel::{Arguments, Kernel, KernelCache, KernelInfo};
use vyre_runtime::{Device, Error, FaultKind};
use vyre_test_driver::{Driver, Stage};

/// The numbers of machine code that was loaded and refused, and of PTX that was loaded.
fn loaded(device: &Device) -> [u64; 3] {
    let stats = device.stats();
    assert_eq!(stats.kernels_loaded, stats.cubins_loaded + stats.ptx_loaded);
    let audit = stats.load_audit();
    assert_eq!(
        (audit.hits, audit.misses, audit.unknowns),
        (stats.cubins_loaded, 0, stats.ptx_loaded)
    );
    [stats.cubins_loaded, stats.cubins_refused, stats.ptx_loaded]
}

/// The code for this architecture alone comes first. Other code, and the PTX, would be refused.
#[test]
fn the_code_for_the_device_is_loaded() {
    on_both_drivers(
        "machine_code::the_code_for_the_device_is_loaded",
        |driver, [load, _]| {
            let device = Device::cuda(0).unwrap();
            Entry::<{ kernels::AHEAD }>.launch(&device).unwrap();
            Entry::<{ kernels::AHEAD }>.launch(&device).unwrap();
            assert_eq!((driver.calls(load), driver.modules()), (1, 1));
            assert_eq!(loaded(&device), [1, 0, 0]);
        },
    );
}

/// The driver is not asked about code of other devices.
#[test]
fn code_for_other_devices_is_passed_over() {
    on_both_drivers(
        "machine_code::code_for_other_devices_is_passed_over",
        |driver, [load, _]| {
            let device = Device::cuda(0).unwrap();
            Entry::<{ kernels::ELSEWHERE }>.launch(&device).unwrap();
            assert_eq!(driver.calls(load), 1);
            assert_eq!(loaded(&device), [0, 0, 1]);
        },
    );
}

#[test]
fn ptx_takes_the_place_of_refused_code() {
    on_both_drivers("machine_code::ptx_takes_the_place_of_refused_code", |driver, _| {
        let device = Device::cuda(0).unwrap();
        Entry::<{ kernels::DAMAGED }>.launch(&device).unwrap();
        assert_eq!(loaded(&device), [0, 2, 1]);
        assert_eq!(driver.modules(), 1);
        let error = Entry::<{ kernels::NOTHING }>.launch(&device).unwrap_err();
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
    on_both_drivers(
        "machine_code::code_that_is_no_library_is_a_module",
        |driver, [load, _]| {
            let device = Device::cuda(0).unwrap();
            Entry::<{ kernels::AHEAD_SINGLE }>.launch(&device).unwrap();
            assert_eq!((driver.calls(load), driver.calls("cuModuleLoadDataEx")), (1, 1));
            assert_eq!(loaded(&device), [1, 0, 0]);
        },
    );
}

/// Want of memory says nothing about the code: PTX would need as much.
#[test]
fn want_of_memory_is_no_refusal() {
    on_both_drivers("machine_code::want_of_memory_is_no_refusal", |driver, _| {
        let device = Device::cuda(0).unwrap();
        driver.fail_allocations(0, 10);
        let error = Entry::<{ kernels::AHEAD }>.launch(&device).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        assert_eq!((loaded(&device), driver.modules()), ([0, 0, 0], 0));
        driver.fail_allocations(0, 0);
        Entry::<{ kernels::AHEAD }>.launch(&device).unwrap();
        assert_eq!(loaded(&device), [1, 0, 0]);
    });
}

/// A kernel of PTX that a device of 7.5 does not take, for a hint that changes nothing; `NEWER` says that its PTX is of
/// a version to come, `OTHER` that it has a site more than its program.
struct Hinted<const NEWER: bool, const OTHER: bool>;

const HINTED: &str = "vyre 1\ntype &mut [f32]\n\
    kernel hinted(y: &mut [f32]) dimensions 1 block 32 1 1 {\nentry hinted {\nstore y[unchecked 0u64].l2_evict_first = 1f32\n}\n}\n";

unsafe fn nothing(_: &[*const c_void], _: &BlockContext<'_>) {}

const PLACE: Location = Location {
    file: "",
    line: 0,
    column: 0,
};

const fn hinted(newer: bool, other: bool) -> KernelInfo {
    KernelInfo {
        name: "hinted",
        location: PLACE,
        dimensions: 1,
        block: [32, 1, 1],
        cluster: &[],
        shared_bytes: 0,
        cooperative: false,
        parameters: &["y"],
        constants: &[],
        entries: &[EntryInfo {
            symbol: "hinted",
            coarsening: 1,
        }],
        assumed: &[],
        cubins: &[],
        ptx: match newer {
            true => ".version 99.0\n.target sm_70\n.address_size 64\n",
            false => ".version 7.4\n.target sm_80\n.address_size 64\n",
        },
        target: if newer { 70 } else { 80 },
        newer: &[],
        program: HINTED,
        sites: match other {
            true => &[Site {
                kind: FaultKind::Panic,
                location: PLACE,
                message: "",
            }],
            false => &[],
        },
        prints: &[],
        host: nothing,
        cache: KernelCache::new(),
    }
}

/// By `NEWER` and `OTHER`.
static HINTED_KERNELS: [[KernelInfo; 2]; 2] = [
    [hinted(false, false), hinted(false, true)],
    [hinted(true, false), hinted(true, true)],
];

// SAFETY: it is loaded only.
unsafe impl<const NEWER: bool, const OTHER: bool> Kernel for Hinted<NEWER, OTHER> {
    fn info() -> &'static KernelInfo {
        &HINTED_KERNELS[usize::from(NEWER)][usize::from(OTHER)]
    }

    fn arguments<'a>(&'a self, _: &mut Arguments<'a>) {}
}

/// PTX with the entry, PTX without it, and PTX of a version to come.
const TEXTS: [&str; 3] = [
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry hinted() { ret; }\n",
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry other() { ret; }\n",
    ".version 99.0\n.target sm_80\n.address_size 64\n.visible .entry hinted() { ret; }\n",
];

/// By the numbers of its PTX and of its PTX for `sm_80`.
const fn of_both(all: usize, newer: usize) -> KernelInfo {
    const NEWER: [[NewerPtx; 1]; 3] = [
        [NewerPtx {
            target: 80,
            ptx: TEXTS[0],
        }],
        [NewerPtx {
            target: 80,
            ptx: TEXTS[1],
        }],
        [NewerPtx {
            target: 80,
            ptx: TEXTS[2],
        }],
    ];
    let mut info = hinted(false, false);
    info.ptx = TEXTS[all];
    info.target = 70;
    info.newer = &NEWER[newer];
    info
}

/// The PTX for newer devices has the entry, or the PTX for all, or that for newer devices is not read by the driver.
static OF_BOTH: [KernelInfo; 3] = [of_both(1, 0), of_both(0, 1), of_both(0, 2)];

struct OfBoth<const NUMBER: usize>;

// SAFETY: it is loaded only.
unsafe impl<const NUMBER: usize> Kernel for OfBoth<NUMBER> {
    fn info() -> &'static KernelInfo {
        &OF_BOTH[NUMBER]
    }

    fn arguments<'a>(&'a self, _: &mut Arguments<'a>) {}
}

#[test]
fn newer_devices_load_their_own_code() {
    on_both_drivers("machine_code::newer_devices_load_their_own_code", |_, _| {
        let device = Device::cuda(0).unwrap();
        device.load::<OfBoth<0>>().unwrap();
        device.load::<OfBoth<2>>().unwrap();
        let stats = device.stats();
        assert_eq!((stats.ptx_loaded, stats.programs_lowered), (2, 0));
        let error = device.load::<OfBoth<1>>().unwrap_err();
        assert!(error.to_string().contains("has no entry `hinted`"), "{error}");
    });
}

#[test]
fn older_devices_load_the_code_for_all() {
    on_turing("machine_code::older_devices_load_the_code_for_all", |_, device| {
        device.load::<OfBoth<1>>().unwrap();
        device.load::<OfBoth<2>>().unwrap();
        assert_eq!(device.stats().ptx_loaded, 2);
        let error = device.load::<OfBoth<0>>().unwrap_err();
        assert!(error.to_string().contains("has no entry `hinted`"), "{error}");
    });
}

/// Runs the body on a device of compute capability 7.5.
fn on_turing(test: &str, body: impl FnOnce(&Driver, &Device)) {
    if let Some(driver) = Driver::of(test) {
        let device = Device::cuda(0).unwrap();
        assert_eq!(device.compute_capability(), Some((7, 5)));
        body(&driver, &device);
    } else if let Some(mut stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), test) {
        stage.env("PLAYED_DRIVER_TARGET", "75").run();
    }
}

/// The driver refuses PTX of a newer target or version, and takes what is made for it.
#[cfg(feature = "programs")]
#[test]
fn a_program_is_lowered_again_for_an_older_device() {
    on_turing(
        "machine_code::a_program_is_lowered_again_for_an_older_device",
        |driver, device| {
            device.load::<Hinted<false, false>>().unwrap();
            device.load::<Hinted<true, false>>().unwrap();
            device.load::<Hinted<true, false>>().unwrap();
            let stats = device.stats();
            assert_eq!(
                (stats.programs_lowered, stats.ptx_loaded, stats.kernels_loaded),
                (2, 0, 2)
            );
            assert_eq!(driver.modules(), 2);
            // Code whose faults would mean something else is not taken.
            let error = device.load::<Hinted<false, true>>().unwrap_err();
            assert!(matches!(&error, Error::Unsupported { .. }), "{error}");
            let error = device.load::<Hinted<true, true>>().unwrap_err();
            assert!(matches!(&error, Error::PtxRejected { code: 222, .. }), "{error}");
            assert_eq!((device.stats().programs_lowered, driver.modules()), (2, 2));
        },
    );
}

#[cfg(not(feature = "programs"))]
#[test]
fn the_feature_that_lowers_again_is_named() {
    on_turing(
        "machine_code::the_feature_that_lowers_again_is_named",
        |driver, device| {
            for (error, beginning) in [
                (
                    device.load::<Hinted<false, false>>(),
                    "kernel `hinted` needs compute capability 8.0 (",
                ),
                (
                    device.load::<Hinted<true, false>>(),
                    "the driver refused the PTX of `hinted`: CUDA_ERROR_UNSUPPORTED",
                ),
            ] {
                let text = error.unwrap_err().to_string();
                assert!(
                    text.starts_with(beginning) && text.contains("the feature `programs` of vyre"),
                    "{text}"
                );
            }
            assert_eq!((device.stats().programs_lowered, driver.modules()), (0, 0));
        },
    );
}
