//! Faults planted in kernels, for the tests of checking mode and for tools of GPUs.

pub mod planted;
