//! Parts of the tool `vyre` that the workspace's tests share: reduction of failing programs, and
//! search for the tools of the CUDA toolkit.

pub mod reduce;

pub use vyre_build::toolkit;
