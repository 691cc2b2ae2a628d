//! The public IR of vyre, [`ir::Program`], and its meaning.
//!
//! The modules in the order in which a kernel passes through them:
//!
//! - [`ir`]: programs, and the untyped builder;
//! - `build`: the typed builder;
//! - [`text`]: their text form, printed and parsed;
//! - [`transform`]: programs into programs;
//! - [`validate`]: the validator, whose result every consumer requires;
//! - `requirements`: what a program needs of a device, before it is compiled;
//! - [`semantics`]: scalar operations on constants;
//! - [`interp`]: the reference interpreter, which defines the meaning of programs;
//! - [`module`]: the output of the compiler, which `vyre-core` makes and launchers embed.
//!
//! The feature `programs` has what programs that come at run time need beside: the typed builder, the parser, the
//! transforms of whole launches. A macro goes without.
//!
//! Fault and print records, and the semantics of scalar operations, are in `vyre-abi`, which the runtime shares. This
//! crate knows nothing of Rust syntax, PTX, the CUDA driver or files. The items that are hidden from its documentation
//! are for `vyre-core`.

#![warn(missing_debug_implementations)]

#[doc(hidden)]
pub mod append;
#[cfg(feature = "programs")]
pub mod build;
pub mod interp;
pub mod ir;
pub mod module;
#[cfg(feature = "programs")]
pub mod reduce;
#[cfg(feature = "programs")]
pub mod requirements;
pub mod semantics;
pub mod text;
pub mod transform;
pub mod validate;
