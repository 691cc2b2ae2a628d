//! The crates whose macros kernels know, for a glob import in generated code.

pub use crate as vyre;
pub use ::{core, std};
