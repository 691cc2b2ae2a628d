//! Kernels that use device functions, types and constants of another crate, in every place: the interpreter,
//! a machine that runs PTX, the CPU and, where there is one, a GPU.

mod accumulators;
mod behaviour;
mod block_extents;
mod bounds;
mod calls;
mod closures;
mod const_parameters;
mod constants;
mod cooperative;
mod empty_arrays;
mod enums_in_memory;
mod generic;
mod idioms;
mod kernels;
mod kernels_of_traits;
mod large_locals;
mod many;
mod named_alike;
mod parameters;
mod patterns;
mod patterns_of_parameters;
mod references;
mod split_writes;
mod sums;
mod traits_in_scope;
mod types;
mod unit_structs;
