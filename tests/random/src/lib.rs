//! Runs kernels that are known only at run time on devices.

pub mod formulas;
pub mod kernel;
pub mod run;
pub mod source;
