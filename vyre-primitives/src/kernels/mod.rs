//! The kernels of the primitives, and the device functions that they are made of.

pub mod confirm;
pub mod histogram;
pub mod look_back;
pub mod queue;
pub mod reduce;
pub mod scan;
pub mod segments;
pub mod select;
pub mod sort;
