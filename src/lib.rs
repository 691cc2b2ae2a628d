//! GPU kernels as ordinary annotated Rust functions.
