//! Limits that the compiler relies on and the runtime keeps.

/// The most blocks of a cluster, on every GPU that has clusters.
pub const MAX_CLUSTER_BLOCKS: u32 = 8;

/// The barriers of a block, of which the first is that of all its threads and has no name.
pub const NAMED_BARRIERS: u32 = 16;

/// What slices in dynamic shared memory are aligned to, in bytes.
pub const SHARED_ALIGN: u64 = 16;
