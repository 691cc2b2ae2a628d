//! Limits of a program, which validation enforces.

pub use vyre_abi::limits::{MAX_CLUSTER_BLOCKS, NAMED_BARRIERS, SHARED_ALIGN};

/// Limit of the nesting of expressions and blocks of a body.
pub const MAX_DEPTH: u32 = 256;
/// Limit of the nesting of types.
pub const MAX_TYPE_DEPTH: u32 = 64;
/// Limit of the scalars of a kernel parameter passed by value.
pub const MAX_PARAMETER_SCALARS: u64 = 64;
/// Limit of the types that a type consists of, counted with repetition.
pub const MAX_PARTS: u32 = 4096;
/// The largest size of a type, in bytes.
pub const MAX_SIZE: u64 = 1 << 32;
/// Limit of the call depth.
pub const MAX_CALLS: u32 = 64;
/// Limit of the variables of a body in bytes: the local memory of a thread.
pub const MAX_LOCALS: u64 = 512 << 10;
/// Limit of the operations of an entry, which validation does not know: past it the compiler inlines no more calls, and gives
/// up.
pub const MAX_OPERATIONS: usize = 1 << 20;
/// Limit of the static shared memory of a kernel, in bytes.
pub const MAX_SHARED: u64 = 48 << 10;
/// The most threads that a multiprocessor of any GPU runs at once.
pub const MAX_RESIDENT_THREADS: u64 = 2048;
/// The most blocks that a multiprocessor of any GPU runs at once.
pub const MAX_RESIDENT_BLOCKS: u32 = 32;
/// Limit of the parameters of a kernel and its host constants in bytes: the hardware's 32764 less
/// the [`FaultChannel`](vyre_abi::fault::FaultChannel).
pub const MAX_PARAMETERS: u64 = 32_760 - size_of::<vyre_abi::fault::FaultChannel>() as u64;
