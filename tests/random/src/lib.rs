//! Runs kernels that are known at run time alone on devices.

pub mod formulas;
pub mod kernel;
pub mod run;
pub mod source;
