//! GPU kernels as annotated Rust functions, on NVIDIA GPUs and, with the same bits, on the CPU.
//!
//! ```
//! use vyre::prelude::*;
//!
//! /// y += a*x
//! #[vyre::kernel]
//! fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = thread::index(); // this thread's index in the launch
//!     if i < y.len() {
//!         y[i] += a * x[i];
//!     }
//! }
//!
//! fn main() -> vyre::Result<()> {
//!     let device = Device::best()?; // the first CUDA device, else the CPU
//!     let x = device.upload(&[1.0f32; 4096])?; // stays on the device
//!     let mut y = device.upload(&[2.0f32; 4096])?;
//!     saxpy(3.0, &x, &mut y).over(4096).launch(&device)?;
//!     assert_eq!(y.download()?, [5.0; 4096]); // waits for the launch
//!     Ok(())
//! }
//! ```
//!
//! The attribute compiles the function to PTX while the crate compiles. It generates a launcher, here `Saxpy`, and a
//! constructor of it with the kernel's name. [`prelude`] has what most files need.
//!
//! # Where to look
//! The last column names the chapter of the book, which lies in the repository under `docs/book/src`. Begin with
//! `start.md` and `first-kernel.md`; `cuda.md` and `neighbours.md` translate from CUDA, other crates and rayon.
//!
//! | to | items | chapter |
//! |---|---|---|
//! | write a kernel | [`kernel`], [`device`], [`constant`] | `language/kernels.md` |
//! | know which thread runs | [`thread`], [`block`], [`grid`], [`lane`] | `language/thread-indices.md` |
//! | choose a device | [`Device`], [`Profile`], [`Version`] | `running/launches.md` |
//! | hold data on it | [`DeviceBuffer`], [`Element`] | `running/buffers.md` |
//! | pass a part of a buffer | [`View`], [`ViewMut`], [`AtomicView`] | `running/buffers.md` |
//! | index by integers of any type | [`Slice`] | `language/types.md` |
//! | pass a matrix | [`View2`], [`ViewMut2`]; [`Slice2`], [`SliceMut2`] in the kernel | `memory/matrices.md` |
//! | pass slices in a struct | [`device`], [`Views`] | `language/kernels.md` |
//! | copy while kernels run | [`Pinned`], [`Transfer`], [`Uninit`] | `running/buffers.md` |
//! | launch | [`Launch`], [`Stream`], [`Event`], [`Timing`] | `running/launches.md`, `running/events.md` |
//! | record work once and run it often | [`Sequence`], [`Graph`], [`Readback`] | `running/sequences.md` |
//! | handle errors | [`Error`], [`Fault`], [`Result`] | `running/errors.md` |
//! | share memory in a block | [`shared`](mod@shared), [`block::sync`], [`pipeline`] | `memory/shared-memory.md` |
//! | sum, scan, sort the values of a block | [`block::sum`], [`block::inclusive_scan`], [`block::sort`] | `cooperation/collectives.md` |
//! | exchange values in a warp | [`warp`], [`warp::tile`] | `cooperation/warps.md` |
//! | update from many threads | [`Scoped`], [`AtomicF32`], [`AtomicF64`] | `cooperation/atomics.md` |
//! | wait for other blocks | [`grid::sync`], [`cluster`] | `cooperation/barriers.md` |
//! | multiply matrices | [`mma`] | `tensor-cores.md` |
//! | compute | [`math`], [`Number`], [`Integer`], [`Float`] | `language/math.md` |
//! | compute fast rather than accurately | [`fast`] | `language/fast-math.md` |
//! | draw random numbers | [`random`] | `language/random.md` |
//! | sum, scan, sort, select whole arrays | the crate `vyre-primitives` | `running/primitives.md` |
//! | use several GPUs, in processes or threads | the crate `vyre-many` | `running/many.md` |
//! | compute with vectors, matrices, complex numbers | [`vector`], [`mod@complex`] | `language/vectors.md` |
//! | direct the caches | [`mod@load`], [`store`], [`prefetch`] | `memory/cache-hints.md` |
//! | write for several types | [`Kernel`], [`Number`] | `running/wrappers.md` |
//! | lay out a crate of kernels | | `running/crates.md` |
//! | launch from threads and async code | [`Stream`], [`Event::is_done`] | `running/async.md` |
//! | compile in a build script | [`include_kernels`], the crate `vyre-build` | `running/build-scripts.md` |
//! | make kernels while a program runs | `vyre::ir`, with the feature `programs` | `running/programs.md` |
//! | test | [`Device::all`] | `testing.md` |
//! | find a bug | `println!`, `assert!`, a debugger | `running/debugging.md` |
//! | measure | [`Launch::launch_timed`], [`Stats`] | `running/events.md`, `performance.md` |
//!
//! # Features
//! - `cpu`, on by default: [`Device::cpu`], and a body of each kernel that it runs.
//! - `graphs`, on by default: work that is recorded once and run many times, [`Sequence`] and [`Graph`].
//! - `half`: the scalars `f16` and `bf16`, from the crate `half`.
//! - `bytemuck`: `cast` and `cast_mut` view slices of types of other crates as elements.
//! - `dlpack`: the module of this name has tensors of other libraries as buffers, and buffers as tensors.
//! - `glam`, `mint`, `num-complex`: `From` between [`vector`], [`mod@complex`] and the types of these crates.
//! - `programs`: the compiler as a library, `vyre::ir`.
//! - `tracing`, `nvtx`: spans of launches, copies and waits, for subscribers and profilers.
//! - `serde`: profiles, statistics, faults and programs can be stored and sent.
//!
//! # The driver beside vyre
//! [`cudarc`](https://docs.rs/cudarc) is the crate whose declarations of CUDA vyre uses, for programs that call the driver beside vyre:
//! `vyre::cudarc::driver::sys`. Its functions panic on a machine without a driver; [`Device::cuda`] reports that
//! as an error, so open a device first.

#![warn(missing_debug_implementations)]

// Device functions of this crate name it as those of other crates do.
extern crate self as vyre;

mod atomic;
mod barrier;
pub mod block;
mod bundle;
pub mod cluster;
mod collective;
pub mod complex;
#[cfg(any(feature = "glam", feature = "mint", feature = "num-complex"))]
mod conversions;
pub mod fast;
pub mod grid;
#[cfg(feature = "half")]
mod halves;
mod index3;
mod inline;
pub mod lane;
pub mod load;
pub mod math;
mod maybe;
pub mod mma;
mod number;
pub mod pipeline;
pub mod prefetch;
pub mod prelude;
pub mod random;
pub mod shared;
pub mod store;
pub mod system;
pub mod thread;
mod tile;
pub mod vector;
pub mod warp;

/// The compiler as a library: programs built, printed, parsed, checked, interpreted and compiled to PTX.
///
/// With the feature `programs`. The chapter "Programs that make kernels" of the book has an example.
#[cfg(feature = "programs")]
pub mod ir {
    pub use vyre_core::ir::*;
    pub use vyre_core::{
        CompileError, CompileOptions, build, compile, contract, externals, fast, interp, module, requirements, text,
        unchecked, validate,
    };
}

#[doc(hidden)]
#[path = "private/mod.rs"]
#[allow(missing_debug_implementations, reason = "most are types that have no values")]
pub mod __private;

// Messages of rustc name these by their shortest path.
#[doc(hidden)]
pub use __private::{
    ptx as inline_ptx,
    unsaid::{HasBlock, HasDomain},
};

#[doc(hidden)]
#[path = "private/options.rs"]
pub mod kernel_options;

/// Takes in a module of kernels that `build.rs` has compiled, by `vyre_build::compile` or `vyre_build::Kernels`.
///
/// The name is that of the file, its path without `src` and extension: `src/filters/blur.rs` is `filters/blur`.
///
/// ```ignore
/// mod blur {
///     vyre::include_kernels!("filters/blur");
/// }
/// ```
#[macro_export]
macro_rules! include_kernels {
    ($name:literal) => {
        ::core::include!(::core::concat!(
            ::core::env!(
                "OUT_DIR",
                "the package has no build.rs, which compiles the kernels"
            ),
            "/vyre/",
            $name,
            ".rs"
        ));
    };
}

pub use atomic::Scoped;
pub use bundle::{Bundle, Views};
#[cfg(feature = "half")]
pub use half::{bf16, f16};
pub use index3::Index3;
pub use maybe::Maybe;
pub use number::{Float, Integer, Number};
pub use shared::shared;
/// Compiles a function as a GPU kernel.
///
/// The function runs once for each thread of a launch, on a GPU or on the CPU. The attribute replaces it by a
/// struct, the launcher, with the kernel's parameters as fields, and a constructor with the kernel's own name.
/// For slices the constructor takes views of [`DeviceBuffer`]s, to which `&buffer` and `&mut buffer` convert.
///
/// ```
/// use vyre::prelude::*;
///
/// /// y := a*x + y
/// #[vyre::kernel]
/// pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = thread::index();
///     if i < y.len() {
///         y[i] = a * x[i] + y[i];
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::cpu();
/// let x = device.upload(&[1.0f32; 1000])?;
/// let mut y = device.upload(&[2.0f32; 1000])?;
/// saxpy(3.0, &x, &mut y).over(1000).launch(&device)?;
/// assert_eq!(y.download()?, [5.0; 1000]);
/// # Ok(())
/// # }
/// ```
///
/// # Launching
/// - `.over(n)`, in two or three dimensions `.over([w, h])`, `.over([w, h, d])`, covers a domain with whole
///   blocks. The last block may reach beyond it, so the kernel compares its index. `.grid(..)` sets the number
///   of blocks. Both return a [`Launch`].
/// - `Saxpy::dispatch(&device, n, ..)` takes host slices, uploads them, runs the kernel, waits, and downloads
///   what the kernel may have written.
///
/// # Parameters
/// Scalars by value, `&[T]`, `&mut [T]`, and slices of atomics such as `&[AtomicU32]`. If all slices are
/// `#[each] x: &f32` or `#[each] y: &mut f32`, each thread sees one element of each, and `.launch(&device)`
/// needs no domain:
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel]
/// fn saxpy(a: f32, #[each] x: &f32, #[each] y: &mut f32) {
///     *y = a * *x + *y;
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [2.0; 10];
/// Saxpy::dispatch(&Device::cpu(), 3.0, &[1.0; 10], &mut y)?;
/// assert_eq!(y, [5.0; 10]);
/// # Ok(())
/// # }
/// ```
///
/// # Options
/// - `block = 128`, `block = [32, 8]`, `block = [8, 8, 4]`: the block size along each axis. By default 256, or
///   these in two and three dimensions, depending on what the kernel uses. The launch has as many axes: `[256, 1]` is a
///   block of one row in a grid of two.
/// - `cluster = 2`, `cluster = [2, 2]`: the number of blocks of a [`cluster`], at most 8. By default there are
///   no clusters.
/// - `min_blocks = 2`: the number of blocks that shall be resident on a multiprocessor at once, as the second
///   argument of CUDA's `__launch_bounds__`. A thread gets no more registers than leave room for them. By default
///   the assembler chooses.
/// - `contract`: products and sums of floats may fuse.
/// - `fast_math`: approximations in place of accurate functions and divisions, and `contract`.
/// - `deny(bounds_checks)`: the kernel does not compile if an index or a range is checked in launches for which its lengths,
///   scalars and grid decide the other checks, which `vyre show --facts` lists. A check that is moved before a loop is one.
///   All other launches run with all checks: their results are right, and they take longer.
/// - `allow(races)`: without it the kernel does not compile if an access to memory may race with one of another thread, or
///   threads may part before a barrier. `vyre show --races` lists what is proven. For single accesses there are
///   [`load::relaxed`] and [`store::relaxed`].
/// - `deny(races)`: where a proof depends on the launch, as `32 * grid.x <= width`, each launch is held against it, and answers
///   [`Error::MayRace`]; without it, where a launch that breaks the condition races. What only asynchronous barriers and the like
///   may order is an error, too.
/// - `launcher = Name`: the name of the launcher, by default the kernel's in camel case.
/// - `T = [f32, f64]`, `N = [16, 32]`: the instances of a generic kernel,
///   `fn name<T: Float, const N: usize>(..)`. The types of the arguments select one.
pub use vyre_macros::kernel;
#[cfg(feature = "half")]
pub use vyre_runtime::{AtomicBF16x2, AtomicF16x2};

/// Declares a constant that the host sets (CUDA `__constant__` and `cudaMemcpyToSymbol`).
///
/// Kernels and device functions, of any module and crate, read the static like a constant: `FILTER[i]`. A type
/// with the same name has the functions `FILTER::set(&device, &value)` and `FILTER::get(&device)`. Until it is
/// set on a device, it has the value of the static, which does not change on the host.
///
/// ```
/// use vyre::prelude::*;
///
/// #[vyre::constant]
/// static FILTER: [f32; 3] = [0.0, 1.0, 0.0];
///
/// #[vyre::kernel]
/// fn filter(x: &[f32], y: &mut [f32]) {
///     let i = thread::index();
///     if i < y.len() {
///         let mut sum = 0.0;
///         for k in 0..FILTER.len() {
///             sum += FILTER[k] * x[i + k];
///         }
///         y[i] = sum;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut y = [0.0; 2];
/// Filter::dispatch(&device, 2, &[1.0, 2.0, 4.0, 8.0], &mut y)?;
/// assert_eq!(y, [2.0, 4.0]);
///
/// FILTER::set(&device, &[0.25, 0.5, 0.25]);
/// Filter::dispatch(&device, 2, &[1.0, 2.0, 4.0, 8.0], &mut y)?;
/// assert_eq!(y, [2.25, 4.5]);
/// # Ok(())
/// # }
/// ```
///
/// A launch uses the values at the time when it is queued: `set` does not wait for launches, and later launches
/// on any stream see the new value.
///
/// The static is an array of numbers, nested or not. All constants and parameters of a kernel have about 32,000
/// bytes together: they lie among its parameters, in constant memory. With more than 4000 bytes the kernel
/// needs a driver of CUDA 12.1.
pub use vyre_macros::constant;

pub use vyre_macros::Atomics;
/// Makes a function, a constant, a struct, an enum or a type alias available to kernels.
///
/// The item does not change, and host code may use it. Kernels and other device functions refer to it by any
/// path: in the same module, another module, another crate, through imports, renamed or by a glob.
///
/// ```
/// use vyre::prelude::*;
///
/// mod numbers {
///     #[vyre::device]
///     pub const ROUNDS: usize = 4;
///
///     /// A step of Newton's method for the square root of `a`.
///     #[vyre::device]
///     pub fn step(a: f32, x: f32) -> f32 {
///         0.5 * (x + a / x)
///     }
/// }
/// use numbers::{ROUNDS, step as newton};
///
/// #[vyre::kernel]
/// fn roots(#[each] x: &mut f32) {
///     let mut tries = [1.0f32; ROUNDS + 1];
///     for i in 0..ROUNDS {
///         tries[i + 1] = newton(*x, tries[i]);
///     }
///     *x = tries[ROUNDS];
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x = [1.0, 4.0];
/// Roots::dispatch(&Device::cpu(), &mut x)?;
/// assert_eq!(x, [1.0, 2.0000000929222947f32]);
/// assert_eq!(numbers::step(4.0, 2.0), 2.0);
/// # Ok(())
/// # }
/// ```
///
/// # Functions
/// Parameters and results are scalars, device types, tuples and arrays of them. Parameters may also be
/// references to these, to atomics, and slices: `&T`, `&mut T`, `&[T]`, `&mut [T]`. A body may contain what a
/// kernel's body may, including barriers and shared memory. Functions cannot recurse.
///
/// Functions may be generic in types and lengths, `fn sum<T: Number, const N: usize>(x: [T; N]) -> T`, with the
/// traits [`Number`], [`Integer`] and [`Float`] and the operators of `core::ops` as bounds.
///
/// # Constants
/// Scalars and arrays of scalars, whose values may come from a `const fn` that is marked too. A kernel may use
/// any constant as a number. Constants whose value the compiler must know, such as the length of an array, and
/// those in device functions, must be marked.
///
/// # Types
/// Structs whose fields are scalars, arrays and other such types, with the layout of C; enums; aliases. Each derives
/// `Clone` and `Copy`. Structs, enums whose variants have fields, and other enums that have a `repr`, are [`Element`]s of
/// buffers, enums if the discriminant of one variant is 0. A struct becomes `#[repr(C)]`, an enum with fields
/// `#[repr(u32)]`, unless another `repr` is written.
///
/// ```
/// use vyre::prelude::*;
///
/// #[vyre::device]
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Point {
///     x: f32,
///     y: f32,
/// }
///
/// #[vyre::kernel]
/// fn mirror(#[each] p: &mut Point) {
///     *p = Point { x: p.y, y: p.x };
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut points = [Point { x: 1.0, y: 2.0 }; 3];
/// Mirror::dispatch(&Device::cpu(), &mut points)?;
/// assert_eq!(points, [Point { x: 2.0, y: 1.0 }; 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Structs of slices
/// A struct with a lifetime is one argument of a kernel, whose fields are slices and values. Beside a struct `Mesh` there is
/// then a struct `MeshViews` of the same visibility, with a buffer or view in the place of each slice: the launch takes it.
/// Device functions take `mesh: &Mesh<'_>`, `mesh: &mut Mesh<'_>` or `mesh: Mesh<'_>`.
///
/// ```
/// use vyre::prelude::*;
///
/// #[vyre::device]
/// struct Mesh<'a> {
///     x: &'a [f32],
///     out: &'a mut [f32],
///     n: u32,
/// }
///
/// #[vyre::kernel]
/// fn smooth(mesh: Mesh<'_>, k: f32) {
///     let i = thread::index();
///     if i < mesh.n as usize && i < mesh.out.len() {
///         mesh.out[i] = k * mesh.x[i];
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, mut out) = (device.upload(&[1.0, 2.0, 3.0])?, device.zeros(3)?);
/// smooth(MeshViews { x: &x, out: &mut out, n: 3 }, 0.5).over(3).launch(&device)?;
/// assert_eq!(out.download()?, [0.5, 1.0, 1.5]);
/// # Ok(())
/// # }
/// ```
///
/// # How it works
/// Next to the item there is a hidden macro of the same name, which carries the item's tokens to the places
/// that use it. rustc therefore reports mutual recursion as a
/// *macro* that it cannot find. In a module with a device function `vec`, the macro is written
/// `std::vec![..]`.
pub use vyre_macros::device;
#[cfg(feature = "check")]
pub use vyre_runtime::check;
#[doc(no_inline)]
pub use vyre_runtime::cudarc;
#[cfg(feature = "dlpack")]
pub use vyre_runtime::dlpack;
pub use vyre_runtime::kernel::{Kernel, KernelInfo};
#[cfg(feature = "programs")]
pub use vyre_runtime::{
    Argument, Batch, Call, Config, Domain, GivenProgram, Manifest, Need, Output, Outputs, OverDevice, Pipeline,
    PipelineCache, Plain, Unsupported,
};
pub use vyre_runtime::{
    ArgumentProblem, Atomic, AtomicElement, AtomicF32, AtomicF64, AtomicView, Atomics, BackendInfo, CacheAudit,
    CaptureProblem, Count, Device, DeviceBuffer, Element, Error, Event, Fault, FaultKind, Foreign, Handle,
    HandleProblem, Handles, Launch, LaunchLimit, Lent, LentMut, LostDevice, MemoryUsage, MissingDevice, Pending,
    Pinned, Profile, RaceProblem, RankProblem, Result, Slice, Slice2, SliceMut2, Stats, Stream, Timing, Transfer,
    Uninit, Version, View, View2, ViewMut, ViewMut2,
};
#[cfg(feature = "graphs")]
pub use vyre_runtime::{Graph, LaunchNode, Place, Readback, Recordable, Sequence};
#[cfg(feature = "bytemuck")]
pub use vyre_runtime::{cast, cast_mut};

/// The body of device functions on the host.
///
/// Kernels never call them: the compiler knows their meaning, on the GPU and on the CPU.
#[cold]
#[track_caller]
fn outside(name: &str) -> ! {
    panic!("`{name}` has a meaning only in a kernel; launch the kernel instead of calling it");
}

/// The programs of the README and of the book, as tests. `tests/pages.rs` expects every chapter with programs here.
#[cfg(doctest)]
mod pages {
    macro_rules! pages {
        ($($name:ident: $path:literal,)*) => { $(
            #[doc = include_str!($path)]
            struct $name;
        )* };
    }

    pages! {
        Readme: "../README.md",
        Introduction: "../docs/book/src/introduction.md",
        Start: "../docs/book/src/start.md",
        FirstKernel: "../docs/book/src/first-kernel.md",
        CheatSheet: "../docs/book/src/cheat-sheet.md",
        Porting: "../docs/book/src/porting.md",
        Neighbours: "../docs/book/src/neighbours.md",
        Kernels: "../docs/book/src/language/kernels.md",
        ThreadIndices: "../docs/book/src/language/thread-indices.md",
        Types: "../docs/book/src/language/types.md",
        StructsAndEnums: "../docs/book/src/language/structs-and-enums.md",
        MethodsAndTraits: "../docs/book/src/language/methods-and-traits.md",
        ControlFlow: "../docs/book/src/language/control-flow.md",
        Loops: "../docs/book/src/language/loops.md",
        FastMath: "../docs/book/src/language/fast-math.md",
        Math: "../docs/book/src/language/math.md",
        Random: "../docs/book/src/language/random.md",
        Vectors: "../docs/book/src/language/vectors.md",
        Constants: "../docs/book/src/language/constants.md",
        DeviceFunctions: "../docs/book/src/language/device-functions.md",
        GenericKernels: "../docs/book/src/language/generic-kernels.md",
        Faults: "../docs/book/src/language/faults.md",
        Printing: "../docs/book/src/language/printing.md",
        Unsafe: "../docs/book/src/language/unsafe.md",
        Matrices: "../docs/book/src/memory/matrices.md",
        SharedMemory: "../docs/book/src/memory/shared-memory.md",
        ConstantMemory: "../docs/book/src/memory/constant-memory.md",
        AsyncCopies: "../docs/book/src/memory/async-copies.md",
        CacheHints: "../docs/book/src/memory/cache-hints.md",
        Barriers: "../docs/book/src/cooperation/barriers.md",
        Races: "../docs/book/src/cooperation/races.md",
        AsyncBarriers: "../docs/book/src/cooperation/async-barriers.md",
        Warps: "../docs/book/src/cooperation/warps.md",
        Collectives: "../docs/book/src/cooperation/collectives.md",
        Atomics: "../docs/book/src/cooperation/atomics.md",
        Clusters: "../docs/book/src/cooperation/clusters.md",
        TensorCores: "../docs/book/src/tensor-cores.md",
        Launches: "../docs/book/src/running/launches.md",
        Buffers: "../docs/book/src/running/buffers.md",
        Events: "../docs/book/src/running/events.md",
        Sequences: "../docs/book/src/running/sequences.md",
        Errors: "../docs/book/src/running/errors.md",
        Life: "../docs/book/src/running/life.md",
        Interop: "../docs/book/src/running/interop.md",
        Wrappers: "../docs/book/src/running/wrappers.md",
        Crates: "../docs/book/src/running/crates.md",
        Async: "../docs/book/src/running/async.md",
        Debugging: "../docs/book/src/running/debugging.md",
        Profiling: "../docs/book/src/running/profiling.md",
        Statistics: "../docs/book/src/running/statistics.md",
        Loading: "../docs/book/src/running/loading.md",
        Cpu: "../docs/book/src/running/cpu.md",
        Testing: "../docs/book/src/testing.md",
    }

    #[cfg(feature = "half")]
    pages! {
        HalfPrecision: "../docs/book/src/language/half-precision.md",
    }

    #[cfg(feature = "check")]
    pages! {
        Checking: "../docs/book/src/checking.md",
    }

    #[cfg(feature = "programs")]
    pages! {
        Programs: "../docs/book/src/running/programs.md",
        Extents: "../docs/book/src/running/extents.md",
    }
}
