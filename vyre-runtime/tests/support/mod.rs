//! Kernels written by hand, in the form that the generator gives them, and the devices to run them on.
#![allow(dead_code, unreachable_pub, reason = "each test file uses some of it")]

use std::ffi::c_void;
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use vyre_abi::kernel::{EntryInfo, Location, Site};
use vyre_runtime::body::{BlockContext, Memory, Slice, atomic::Global, memory::argument};
use vyre_runtime::kernel::{Arguments, Kernel, KernelCache, KernelInfo};
use vyre_runtime::{AtomicView, Device, Error, FaultKind, Launch, Result, View, ViewMut};

/// The first CUDA device, or a line that says that a test was skipped.
pub fn cuda(test: &str) -> Option<Device> {
    match Device::cuda(0) {
        Ok(device) => Some(device),
        Err(Error::NoDriver { .. } | Error::NoDevice { .. }) => {
            // Not by `println!`, which the test harness keeps to itself.
            let _ = writeln!(std::io::stderr(), "SKIP-GPU {test}: skipped: no CUDA device");
            None
        }
        Err(error) => panic!("the CUDA device cannot be opened: {error}"),
    }
}

/// Keeps other tests of the same process out, for waits for the device report anyone's faults, and
/// other work changes how long something takes.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The CPU, and the first CUDA device if there is one.
pub fn devices(test: &str) -> Vec<Device> {
    [Some(Device::cpu()), cuda(test)].into_iter().flatten().collect()
}

/// Threads of every block here.
pub const BLOCK: u32 = 256;

const fn location(line: u32) -> Location<'static> {
    Location {
        file: "support/kernels.rs",
        line,
        column: 9,
    }
}

const fn info(
    name: &'static str,
    parameters: &'static [&'static str],
    entries: &'static [EntryInfo],
    ptx: &'static str,
    sites: &'static [Site],
    host: vyre_runtime::kernel::HostBody,
) -> KernelInfo {
    KernelInfo {
        name,
        location: location(1),
        dimensions: 3,
        block: [BLOCK, 1, 1],
        cluster: &[],
        shared_bytes: 0,
        cooperative: false,
        parameters,
        constants: &[],
        entries,
        assumed: &[],
        cubins: &[],
        ptx,
        target: 70,
        newer: &[],
        program: "",
        sites,
        prints: &[],
        host,
        cache: KernelCache::new(),
    }
}

const fn shaped(mut info: KernelInfo, target: u32, block: [u32; 3]) -> KernelInfo {
    info.target = target;
    info.block = block;
    info
}

macro_rules! entry {
    ($name:literal) => {
        &[EntryInfo {
            symbol: $name,
            coarsening: 1,
        }]
    };
}

macro_rules! header {
    () => {
        ".version 6.4\n.target sm_70\n.address_size 64\n"
    };
}

/// The index of the thread in `%rd1`, and registers for the rest.
macro_rules! start {
    () => {
        "{
        .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<32>; .reg .f32 %f<8>;
        mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
        mul.wide.u32 %rd1, %r1, %r2; cvt.u64.u32 %rd2, %r3; add.u64 %rd1, %rd1, %rd2;\n"
    };
}

/// Reports a fault at site `%r9` with values `%rd20` and `%rd21`, and leaves.
macro_rules! fault {
    () => {
        "FAULT:
        ld.param.u64 %rd22, [channel]; ld.param.u64 %rd23, [channel+8]; ld.param.u64 %rd24, [channel+16];
        ld.global.u64 %rd25, [%rd22+40]; add.u64 %rd23, %rd23, %rd25;
        atom.relaxed.gpu.global.max.u64 %rd25, [%rd22], %rd23;
        setp.ge.u64 %p7, %rd25, %rd23; @%p7 bra DONE;
        atom.relaxed.gpu.global.exch.b64 %rd26, [%rd22+8], 0;
        setp.eq.u64 %p7, %rd26, 0; @%p7 bra DONE;
        ld.global.u64 %rd27, [%rd26+112]; st.global.u64 [%rd22+8], %rd27;
        st.global.u64 [%rd26], %rd24; st.global.u64 [%rd26+8], %rd23;
        st.global.u64 [%rd26+16], %rd20; st.global.u64 [%rd26+24], %rd21;
        mov.u32 %r11, %ctaid.x; st.global.u32 [%rd26+32], %r11;
        mov.u32 %r11, %ctaid.y; st.global.u32 [%rd26+36], %r11;
        mov.u32 %r11, %ctaid.z; st.global.u32 [%rd26+40], %r11;
        mov.u32 %r11, %tid.x; st.global.u32 [%rd26+44], %r11;
        mov.u32 %r11, %tid.y; st.global.u32 [%rd26+48], %r11;
        mov.u32 %r11, %tid.z; st.global.u32 [%rd26+52], %r11;
        st.global.u32 [%rd26+56], %r9;
        fence.acq_rel.sys;
        mov.u32 %r11, 1; st.global.u32 [%rd26+60], %r11;
        bra DONE;\n"
    };
}

// ---------------------------------------------------------------------------------------------------

/// `if i < y.len() { y[i] = a * x[i] + y[i] }`
pub struct Saxpy<'v> {
    pub a: f32,
    pub x: View<'v, f32>,
    pub y: ViewMut<'v, f32>,
}

pub fn saxpy<'v>(a: f32, x: impl Into<View<'v, f32>>, y: impl Into<ViewMut<'v, f32>>) -> Saxpy<'v> {
    Saxpy {
        a,
        x: x.into(),
        y: y.into(),
    }
}

impl Saxpy<'_> {
    pub fn over(self, n: usize) -> Launch<Self> {
        Launch::over(self, [n as u64, 1, 1])
    }

    pub fn grid(self, n: u32) -> Launch<Self> {
        Launch::grid(self, [n, 1, 1])
    }
}

pub const SAXPY_PTX: &str = concat!(
    header!(),
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 x_length, .param .u64 y, .param .u64 y_length,
        .param .align 8 .b8 channel[24]) .maxntid 256, 1, 1\n",
    start!(),
    "ld.param.u64 %rd3, [y_length]; setp.ge.u64 %p1, %rd1, %rd3; @%p1 bra DONE;
    ld.param.u64 %rd4, [x_length]; setp.ge.u64 %p2, %rd1, %rd4;
    mov.u32 %r9, 0; mov.b64 %rd20, %rd1; mov.b64 %rd21, %rd4; @%p2 bra FAULT;
    ld.param.f32 %f1, [a]; ld.param.u64 %rd5, [x]; ld.param.u64 %rd6, [y];
    shl.b64 %rd7, %rd1, 2; add.u64 %rd5, %rd5, %rd7; add.u64 %rd6, %rd6, %rd7;
    ld.global.f32 %f2, [%rd5]; ld.global.f32 %f3, [%rd6];
    mul.rn.f32 %f4, %f1, %f2; add.rn.f32 %f4, %f4, %f3; st.global.f32 [%rd6], %f4;
    bra DONE;\n",
    fault!(),
    "DONE: ret;\n}\n"
);

pub static SAXPY_SITES: [Site; 1] = [Site {
    kind: FaultKind::IndexOutOfBounds,
    location: location(4),
    message: "",
}];

unsafe fn saxpy_body(arguments: &[*const c_void], block: &BlockContext<'_>) {
    // SAFETY: these are the arguments that `Saxpy` pushes.
    let (a, x, y) = unsafe {
        (
            argument::<f32>(arguments, 0),
            Slice::<f32>::argument(arguments, 1),
            Slice::<f32>::argument(arguments, 3),
        )
    };
    block.set_sites(&SAXPY_SITES);
    block.each([BLOCK, 1, 1], |thread| {
        let i = thread.linear();
        if i < y.length {
            let at = thread.index(i, x.length, 0)?;
            // SAFETY: both indices are checked, and no other thread has this one.
            unsafe { *y.at(at) += a * *x.at(at) };
        }
        Ok(())
    });
}

static SAXPY: KernelInfo = info(
    "saxpy",
    &["a", "x", "y"],
    entry!("saxpy"),
    SAXPY_PTX,
    &SAXPY_SITES,
    saxpy_body,
);

// SAFETY: the PTX and the body take these arguments, check their indices, and write only `y`.
unsafe impl Kernel for Saxpy<'_> {
    fn info() -> &'static KernelInfo {
        &SAXPY
    }

    fn arguments<'a>(&'a self, arguments: &mut Arguments<'a>) {
        arguments.value(&self.a);
        arguments.view(&self.x);
        arguments.view_mut(&self.y);
    }
}

/// [`Saxpy`] for the CPU, as a kernel without fault sites: its PTX has no check left, and what its body reports is
/// the CPU's own, as of a block that waits for ever.
pub struct Unlisted<'v>(pub Saxpy<'v>);

static UNLISTED: KernelInfo = info("unlisted", &["a", "x", "y"], entry!("unlisted"), "", &[], saxpy_body);

// SAFETY: as of `Saxpy`; there is no PTX.
unsafe impl Kernel for Unlisted<'_> {
    fn info() -> &'static KernelInfo {
        &UNLISTED
    }

    fn arguments<'a>(&'a self, arguments: &mut Arguments<'a>) {
        self.0.arguments(arguments);
    }
}

// ---------------------------------------------------------------------------------------------------

/// `y[i] = y[i] * factor + x[i]`, with a delay: a GPU waits this many nanoseconds first. Does not
/// fault.
pub struct Slowly<'v> {
    pub nanoseconds: u64,
    pub factor: u32,
    pub x: View<'v, u32>,
    pub y: ViewMut<'v, u32>,
}

impl<'v> Slowly<'v> {
    pub fn new(
        nanoseconds: u64,
        factor: u32,
        x: impl Into<View<'v, u32>>,
        y: impl Into<ViewMut<'v, u32>>,
    ) -> Launch<Slowly<'v>> {
        let kernel = Slowly {
            nanoseconds,
            factor,
            x: x.into(),
            y: y.into(),
        };
        let n = kernel.y.len().min(kernel.x.len()) as u64;
        Launch::over(kernel, [n, 1, 1])
    }
}

const SLOWLY_PTX: &str = concat!(
    header!(),
    ".visible .entry slowly(.param .u64 nanoseconds, .param .u32 factor, .param .u64 x, .param .u64 x_length,
        .param .u64 y, .param .u64 y_length) .maxntid 256, 1, 1\n",
    start!(),
    "ld.param.u64 %rd3, [x_length]; ld.param.u64 %rd4, [y_length]; min.u64 %rd3, %rd3, %rd4;
    setp.ge.u64 %p1, %rd1, %rd3; @%p1 bra DONE;
    ld.param.u64 %rd5, [nanoseconds]; mov.u64 %rd6, %globaltimer;
    WAIT: mov.u64 %rd7, %globaltimer; sub.u64 %rd7, %rd7, %rd6; setp.lt.u64 %p2, %rd7, %rd5; @%p2 bra WAIT;
    ld.param.u64 %rd8, [x]; ld.param.u64 %rd9, [y]; shl.b64 %rd10, %rd1, 2;
    add.u64 %rd8, %rd8, %rd10; add.u64 %rd9, %rd9, %rd10;
    ld.param.u32 %r4, [factor]; ld.global.u32 %r5, [%rd8]; ld.global.u32 %r6, [%rd9];
    mad.lo.u32 %r6, %r6, %r4, %r5; st.global.u32 [%rd9], %r6;
    DONE: ret;\n}\n"
);

unsafe fn slowly_body(arguments: &[*const c_void], block: &BlockContext<'_>) {
    // SAFETY: these are the arguments that `Slowly` pushes.
    let (factor, x, y) = unsafe {
        (
            argument::<u32>(arguments, 1),
            Slice::<u32>::argument(arguments, 2),
            Slice::<u32>::argument(arguments, 4),
        )
    };
    block.each([BLOCK, 1, 1], |thread| {
        let i = thread.linear();
        if i < x.length && i < y.length {
            let at = i as usize;
            // SAFETY: the index is inside both, and no other thread has it.
            unsafe { *y.at(at) = (*y.at(at)).wrapping_mul(factor).wrapping_add(*x.at(at)) };
        }
        Ok(())
    });
}

static SLOWLY: KernelInfo = info(
    "slowly",
    &["nanoseconds", "factor", "x", "y"],
    entry!("slowly"),
    SLOWLY_PTX,
    &[],
    slowly_body,
);

// SAFETY: the PTX and the body take these arguments, check their indices, and write only `y`.
unsafe impl Kernel for Slowly<'_> {
    fn info() -> &'static KernelInfo {
        &SLOWLY
    }

    fn arguments<'a>(&'a self, arguments: &mut Arguments<'a>) {
        arguments.value(&self.nanoseconds);
        arguments.value(&self.factor);
        arguments.view(&self.x);
        arguments.view_mut(&self.y);
    }

    fn check(&self) -> Result<()> {
        let (first, second) = (self.x.len(), self.y.len());
        match first == second {
            true => Ok(()),
            false => Err(Error::LengthMismatch {
                first: "x".into(),
                first_length: first,
                second: "y".into(),
                second_length: second,
            }),
        }
    }
}

// ---------------------------------------------------------------------------------------------------

/// `total[0].fetch_add(1)` by each thread.
pub struct Count<'v> {
    pub total: AtomicView<'v, AtomicU32>,
}

pub fn count<'v>(total: impl Into<AtomicView<'v, AtomicU32>>) -> Count<'v> {
    Count { total: total.into() }
}

const COUNT_PTX: &str = concat!(
    header!(),
    ".visible .entry count(.param .u64 total, .param .u64 total_length, .param .align 8 .b8 channel[24])
        .maxntid 256, 1, 1\n",
    start!(),
    "ld.param.u64 %rd3, [total_length]; setp.eq.u64 %p1, %rd3, 0;
    mov.u32 %r9, 0; mov.u64 %rd20, 0; mov.u64 %rd21, 0; @%p1 bra FAULT;
    ld.param.u64 %rd4, [total]; atom.relaxed.gpu.global.add.u32 %r4, [%rd4], 1;
    bra DONE;\n",
    fault!(),
    "DONE: ret;\n}\n"
);

static COUNT_SITES: [Site; 1] = [Site {
    kind: FaultKind::IndexOutOfBounds,
    location: location(40),
    message: "",
}];

unsafe fn count_body(arguments: &[*const c_void], block: &BlockContext<'_>) {
    // SAFETY: this is the argument that `Count` pushes.
    let total = unsafe { Slice::<u32>::argument(arguments, 0) };
    block.set_sites(&COUNT_SITES);
    block.each([BLOCK, 1, 1], |thread| {
        let at = thread.index(0, total.length, 0)?;
        // SAFETY: the index is checked.
        unsafe { Global(total.at(at)).add(1, Ordering::Relaxed) };
        Ok(())
    });
}

static COUNT: KernelInfo = info(
    "count",
    &["total"],
    entry!("count"),
    COUNT_PTX,
    &COUNT_SITES,
    count_body,
);

// SAFETY: the PTX and the body take this argument, check the index, and access it atomically.
unsafe impl Kernel for Count<'_> {
    fn info() -> &'static KernelInfo {
        &COUNT
    }

    fn arguments<'a>(&'a self, arguments: &mut Arguments<'a>) {
        arguments.atomics(&self.total);
    }
}

// ---------------------------------------------------------------------------------------------------

/// The first thread panics; all others wait for a flag that it would have set.
pub struct Abandoned<'v> {
    pub flag: AtomicView<'v, AtomicU32>,
}

const ABANDONED_PTX: &str = concat!(
    header!(),
    ".visible .entry abandoned(.param .u64 flag, .param .u64 flag_length, .param .align 8 .b8 channel[24])
        .maxntid 256, 1, 1\n",
    start!(),
    "mov.u32 %r9, 0; mov.u64 %rd20, 0; mov.u64 %rd21, 0;
    setp.eq.u64 %p1, %rd1, 0; @%p1 bra FAULT;
    ld.param.u64 %rd4, [flag]; ld.param.u64 %rd5, [channel]; ld.param.u64 %rd6, [channel+8];
    WAIT: ld.relaxed.gpu.global.u64 %rd7, [%rd5]; setp.eq.u64 %p2, %rd7, %rd6; @%p2 bra DONE;
    ld.relaxed.gpu.global.u32 %r4, [%rd4]; setp.eq.u32 %p3, %r4, 0; @%p3 bra WAIT;
    bra DONE;\n",
    fault!(),
    "DONE: ret;\n}\n"
);

static ABANDONED_SITES: [Site; 1] = [Site {
    kind: FaultKind::Panic,
    location: location(60),
    message: "gone",
}];

unsafe fn abandoned_body(arguments: &[*const c_void], block: &BlockContext<'_>) {
    // SAFETY: this is the argument that `Abandoned` pushes.
    let flag = unsafe { Slice::<u32>::argument(arguments, 0) };
    block.set_sites(&ABANDONED_SITES);
    block.lockstep([BLOCK, 1, 1], |thread| async move {
        if thread.linear() == 0 {
            return Err(thread.fault(0, [0, 0]));
        }
        let at = thread.index(0, flag.length, 0)?;
        // SAFETY: the index is checked.
        while unsafe { u32::load(flag.at(at)) } == 0 {
            thread.give_way().await?;
        }
        Ok(())
    });
}

static ABANDONED: KernelInfo = info(
    "abandoned",
    &["flag"],
    entry!("abandoned"),
    ABANDONED_PTX,
    &ABANDONED_SITES,
    abandoned_body,
);

// SAFETY: the PTX and the body take this argument, of which the callers give one element.
unsafe impl Kernel for Abandoned<'_> {
    fn info() -> &'static KernelInfo {
        &ABANDONED
    }

    fn arguments<'a>(&'a self, arguments: &mut Arguments<'a>) {
        arguments.atomics(&self.flag);
    }
}

// ---------------------------------------------------------------------------------------------------

unsafe fn nothing(_: &[*const c_void], _: &BlockContext<'_>) {}

macro_rules! without_arguments {
    ($(#[$doc:meta])* $name:ident, $static:ident, $symbol:literal, $ptx:expr, $target:expr, $block:expr) => {
        $(#[$doc])*
        pub struct $name;

        static $static: KernelInfo = shaped(info($symbol, &[], entry!($symbol), $ptx, &[], nothing), $target, $block);

        // SAFETY: the PTX and the body take no arguments and do nothing.
        unsafe impl Kernel for $name {
            fn info() -> &'static KernelInfo {
                &$static
            }

            fn arguments<'a>(&'a self, _: &mut Arguments<'a>) {}
        }
    };
}

without_arguments! {
    /// Does nothing.
    Empty, EMPTY, "empty",
    concat!(header!(), ".visible .entry empty() { ret; }\n"), 70, [BLOCK, 1, 1]
}
/// Does nothing, and is launched as one that waits for the whole grid.
pub struct Together;

static TOGETHER: KernelInfo = {
    const PTX: &str = concat!(
        header!(),
        ".visible .entry together(.param .align 8 .b8 channel[24]) { ret; }\n"
    );
    let mut together = info("together", &[], entry!("together"), PTX, &[], nothing);
    together.cooperative = true;
    together
};

// SAFETY: the PTX and the body take no arguments and do nothing.
unsafe impl Kernel for Together {
    fn info() -> &'static KernelInfo {
        &TOGETHER
    }

    fn arguments<'a>(&'a self, _: &mut Arguments<'a>) {}
}

without_arguments! {
    /// Is not PTX.
    Damaged, DAMAGED, "damaged", concat!(header!(), ".visible .entry damaged() { bogus.u32; }\n"), 70, [1, 1, 1]
}
without_arguments! {
    /// Has no entry of its name.
    Nameless, NAMELESS, "nameless",
    concat!(header!(), ".visible .entry other() { ret; }\n"), 70, [1, 1, 1]
}
without_arguments! {
    /// Wants a PTX version that no driver has.
    TooNew, TOO_NEW, "too_new",
    ".version 99.0\n.target sm_70\n.address_size 64\n.visible .entry too_new() { ret; }\n", 70, [1, 1, 1]
}
without_arguments! {
    /// Wants a device that does not exist.
    Future, FUTURE, "future", "", 990, [1, 1, 1]
}
without_arguments! {
    /// Has a block that no device can run.
    Wide, WIDE, "wide",
    concat!(header!(), ".visible .entry wide() { ret; }\n"), 70, [64, 64, 1]
}
