//! Kernels for the driver that is played on the host, which looks for comments in their PTX.
#![allow(dead_code, unreachable_pub, reason = "each test file uses some of it")]

use std::ffi::c_void;

use vyre_abi::kernel::{Cubin, EntryInfo, Location, Site};
use vyre_abi::target::{Features, Target};
use vyre_runtime::body::BlockContext;
use vyre_runtime::kernel::{Arguments, Kernel, KernelCache, KernelInfo};
use vyre_runtime::{Device, FaultKind, Launch, Result};
use vyre_test_driver::{Driver, Stage};

/// Runs the body in a process on the played driver.
pub fn on_driver(test: &str, body: impl FnOnce(&Driver)) {
    if let Some(driver) = Driver::of(test) {
        body(&driver);
    } else if let Some(stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), test) {
        stage.run();
    }
}

/// Runs the body in a process on the played driver, and in one on a driver without libraries, with the names
/// of the driver's functions that load and unload a kernel there.
pub fn on_both_drivers(test: &str, body: impl FnOnce(&Driver, [&str; 2])) {
    const OLD: &str = "VYRE_TEST_OLD";
    if let Some(driver) = Driver::of(test) {
        body(
            &driver,
            match std::env::var_os(OLD) {
                None => ["cuLibraryLoadData", "cuLibraryUnload"],
                Some(_) => ["cuModuleLoadDataEx", "cuModuleUnload"],
            },
        );
    } else if let Some(stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), test) {
        stage.run();
        // One that is missing is enough.
        stage.without("cuKernelGetFunction").env(OLD, "1").run();
    }
}

/// Runs the body in a process on the played driver, whose graphs have loops, and in those on drivers that are too old for
/// them: one that lacks a function, and one of an older version.
pub fn on_drivers_with_loops_and_without(test: &str, body: impl FnOnce(&Driver, bool)) {
    const OLD: &str = "VYRE_TEST_OLD";
    if let Some(driver) = Driver::of(test) {
        body(&driver, std::env::var_os(OLD).is_none());
    } else if let Some(mut stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), test) {
        stage.run();
        let mut lacking = stage.without("cuGraphConditionalHandleCreate");
        lacking.env(OLD, "1").run();
        stage.env(OLD, "1").env("PLAYED_DRIVER_VERSION", "12030").run();
    }
}

/// A kernel by its index in [`KERNELS`].
pub struct Entry<const N: usize>;

impl<const N: usize> Entry<N> {
    pub fn launch(self, device: &Device) -> Result<()> {
        Launch::grid(self, [1, 1, 1]).launch(device)
    }
}

// SAFETY: the kernels take no arguments, and do nothing.
unsafe impl<const N: usize> Kernel for Entry<N> {
    fn info() -> &'static KernelInfo {
        &KERNELS[N]
    }

    fn arguments<'a>(&'a self, _: &mut Arguments<'a>) {}
}

unsafe fn nothing(_: &[*const c_void], _: &BlockContext<'_>) {}

static SITES: [Site; 1] = [Site {
    kind: FaultKind::Panic,
    location: Location {
        file: "played/kernels.rs",
        line: 1,
        column: 1,
    },
    message: "played",
}];

/// A kernel of this name, whose PTX has an entry of another name, and a comment.
macro_rules! kernel {
    ($name:literal, $entry:literal, $comment:literal, $sites:expr, $prints:expr) => {
        kernel!($name, $entry, $comment, $sites, $prints, &[])
    };
    ($name:literal, $entry:literal, $comment:literal, $sites:expr, $prints:expr, $cubins:expr) => {
        KernelInfo {
            name: $name,
            location: SITES[0].location,
            dimensions: 1,
            block: [32, 1, 1],
            cluster: &[],
            shared_bytes: 0,
            cooperative: false,
            parameters: &[],
            constants: &[],
            entries: &[EntryInfo {
                symbol: $name,
                coarsening: 1,
            }],
            assumed: &[],
            cubins: $cubins,
            ptx: concat!(
                ".version 6.4\n.target sm_70\n.address_size 64\n// ",
                $comment,
                "\n.visible .entry ",
                $entry,
                "(.param .align 8 .b8 channel[24]) { ret; }\n"
            ),
            target: 70,
            newer: &[],
            program: "",
            sites: $sites,
            prints: $prints,
            host: nothing,
            cache: KernelCache::new(),
        }
    };
    ($name:literal, $comment:literal) => {
        kernel!($name, $name, $comment, &[], &[])
    };
}

/// Machine code of an architecture, with a comment and an entry.
macro_rules! cubin {
    ($number:literal, $features:ident, $suffix:literal, $comment:literal, $entry:literal) => {
        Cubin {
            target: Target::new($number, Features::$features),
            code: concat!(
                "\x7fELF sm_",
                $number,
                $suffix,
                "\n// ",
                $comment,
                "\n.visible .entry ",
                $entry,
                "(.param .align 8 .b8 channel[24]) { ret; }\n\0"
            )
            .as_bytes(),
        }
    };
}

/// The first of four kernels whose assemblers meet.
pub const MEETS: usize = 4;
/// A kernel whose assembler waits for the test.
pub const HELD: usize = 8;
/// A kernel whose launches fault.
pub const FAULTS: usize = 9;
/// A kernel that is refused.
pub const BROKEN: usize = 10;
/// A kernel without an entry of its name.
pub const NAMELESS: usize = 11;
/// A kernel that may print.
pub const PRINTS: usize = 12;
/// A kernel that is refused when its code comes into the context.
pub const LATE: usize = 13;
/// A kernel that is refused as a library.
pub const SINGLE: usize = 14;

/// A kernel with machine code for the device, for this architecture alone and for all later ones, and for others.
pub const AHEAD: usize = 15;
/// A kernel with machine code for others only: for a later architecture, and for an older one alone.
pub const ELSEWHERE: usize = 16;
/// A kernel whose machine code the driver refuses, once at once and once for want of the entry.
pub const DAMAGED: usize = 17;
/// A kernel whose machine code and PTX the driver refuses.
pub const NOTHING: usize = 18;
/// A kernel whose machine code is refused as a library.
pub const AHEAD_SINGLE: usize = 19;

/// The kernels; the first four are plain.
pub static KERNELS: [KernelInfo; 20] = [
    kernel!("plain0", "plain"),
    kernel!("plain1", "plain"),
    kernel!("plain2", "plain"),
    kernel!("plain3", "plain"),
    kernel!("meets0", "played: meets 4"),
    kernel!("meets1", "played: meets 4"),
    kernel!("meets2", "played: meets 4"),
    kernel!("meets3", "played: meets 4"),
    kernel!("held", "played: held"),
    kernel!("faults", "faults", "played: fault", &SITES, &[]),
    kernel!("broken", "played: error"),
    kernel!("nameless", "other", "plain", &[], &[]),
    kernel!("prints", "prints", "plain", &[], &["printed"]),
    kernel!("late", "played: late error"),
    kernel!("single", "played: module"),
    kernel!(
        "ahead",
        "ahead",
        "played: error",
        &[],
        &[],
        &[
            cubin!(80, Baseline, "", "plain", "ahead"),
            cubin!(90, Baseline, "", "played: late error", "ahead"),
            cubin!(90, Architecture, "a", "plain", "ahead"),
            cubin!(100, Baseline, "", "plain", "ahead"),
        ]
    ),
    kernel!(
        "elsewhere",
        "elsewhere",
        "plain",
        &[],
        &[],
        &[
            cubin!(80, Architecture, "a", "plain", "elsewhere"),
            cubin!(80, Baseline, "", "plain", "elsewhere"),
            cubin!(100, Family, "", "plain", "elsewhere"),
        ]
    ),
    kernel!(
        "damaged",
        "damaged",
        "plain",
        &[],
        &[],
        &[
            cubin!(90, Baseline, "", "plain", "other"),
            cubin!(90, Architecture, "a", "played: late error", "damaged"),
        ]
    ),
    kernel!(
        "nothing",
        "nothing",
        "played: error",
        &[],
        &[],
        &[cubin!(90, Baseline, "", "played: late error", "nothing")]
    ),
    kernel!(
        "ahead_single",
        "ahead_single",
        "played: error",
        &[],
        &[],
        &[cubin!(90, Baseline, "", "played: module", "ahead_single")]
    ),
];
