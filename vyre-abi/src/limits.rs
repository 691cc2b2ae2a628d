//! Limits that the compiler relies on and the runtime enforces.

/// Maximum of the blocks of a cluster, portable to every GPU with clusters.
pub const MAX_CLUSTER_BLOCKS: u32 = 8;

/// Barriers of a block; the first one is the unnamed barrier of all its threads.
pub const NAMED_BARRIERS: u32 = 16;

/// Alignment of slices in dynamic shared memory, in bytes.
pub const SHARED_ALIGN: u64 = 16;
