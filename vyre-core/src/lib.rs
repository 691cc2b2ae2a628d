//! The optimising compiler of vyre, from the IR, [`ir::Program`], to PTX.
//!
//! ```
//! use vyre_core::build::{self, slice, slice_mut, value};
//! use vyre_core::{compile, ir::Program, validate::validate};
//!
//! let mut program = Program::default();
//! let parameters = (value::<f32>("a"), slice::<f32>("x"), slice_mut::<f32>("y"));
//! build::kernel(&mut program, "saxpy", &[256], parameters, |k, (a, x, y)| {
//!     let i = k.linear_index();
//!     k.if_(i.lt(y.len()), || y.set(i, a * x.at(i) + y.at(i)));
//! });
//! let valid = validate(&program).expect("the builder makes valid programs");
//! let module = compile(&valid, &Default::default()).expect("it is small");
//! assert!(module.ptx.contains(".entry saxpy("));
//! ```
//!
//! The passes, private, in the order in which a kernel goes through them: `ssa`, `analysis`, `opt`, `ptx`.
//! [`compile`](fn@compile) is the driver; [`report`] says what a kernel does to memory; `inspect`, with the feature `verify`, shows the graph after each pass to tools
//! and tests.
//!
//! The IR is the crate `vyre-ir`, whose modules are here too. This crate knows nothing of Rust syntax, the CUDA driver or
//! files.

#![warn(missing_debug_implementations)]

mod analysis;
mod driver;
#[cfg(feature = "verify")]
pub mod inspect;
mod opt;
mod ptx;
#[cfg(feature = "report")]
pub mod report;
mod ssa;

pub use driver::{CompileOptions, compile, compile_for_all};
pub use vyre_ir::module::CompileError;
#[cfg(feature = "programs")]
pub use vyre_ir::{
    build, reduce, requirements,
    transform::{externals, over_device, split, unchecked},
};
pub use vyre_ir::{
    interp, ir, module, semantics, text,
    transform::{coarsen, contract, fast},
    validate,
};
