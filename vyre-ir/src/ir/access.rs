//! Cache operators of loads and stores.

use super::needs::Needs;

/// The cache operator, eviction priority or prefetch of a scalar load or store, or that it may meet accesses of other threads.
/// None affects the value, and on devices other than GPUs only [`Volatile`](Access::Volatile) has an effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Access {
    /// The hardware's default.
    #[default]
    Plain,
    /// Executed exactly as often as written, in program order among volatile accesses (PTX
    /// `.volatile`).
    Volatile,
    /// May meet accesses of other threads, which is no race; executed as a plain one.
    Relaxed,
    /// For data accessed once: evicted first (PTX `.cs`).
    Streaming,
    /// Bypasses L1 (PTX `.cg`).
    L2,
    /// A store written through to memory (PTX `.wt`). A load is a plain one.
    WriteThrough,
    /// Evicted first from L1 (PTX `.L1::evict_first`).
    EvictFirst,
    /// Evicted last from L1 (PTX `.L1::evict_last`).
    EvictLast,
    /// Not allocated in L1 (PTX `.L1::no_allocate`).
    NoAllocate,
    /// Evicted first from L2 (PTX `.L2::evict_first`).
    L2EvictFirst,
    /// Evicted last from L2 (PTX `.L2::evict_last`).
    L2EvictLast,
    /// A load that prefetches 64 bytes into L2 (PTX `.L2::64B`). A store is a plain one, also with
    /// the other prefetches.
    Ahead64,
    /// The same for 128 bytes (PTX `.L2::128B`).
    Ahead128,
    /// The same for 256 bytes (PTX `.L2::256B`).
    Ahead256,
    /// A load preceded by a prefetch of its line into L1 (PTX `prefetch.L1`); the load itself is
    /// removed if its value is unused.
    PrefetchL1,
    /// The same for L2 (PTX `prefetch.L2`).
    PrefetchL2,
}

impl Access {
    /// The lowest PTX `.version` and `.target` of an access to global memory.
    #[doc(hidden)]
    pub const fn needs(self, is_store: bool) -> Needs {
        let (version, target) = match self {
            Access::EvictFirst | Access::EvictLast | Access::NoAllocate => ((7, 4), 70),
            Access::L2EvictFirst | Access::L2EvictLast => ((7, 4), 80),
            Access::Ahead64 | Access::Ahead128 if !is_store => ((7, 4), 75),
            Access::Ahead256 if !is_store => ((7, 4), 80),
            _ => return Needs::ALWAYS,
        };
        Needs { version, target }
    }

    /// All variants.
    pub const ALL: &[Access] = &[
        Access::Plain,
        Access::Volatile,
        Access::Relaxed,
        Access::Streaming,
        Access::L2,
        Access::WriteThrough,
        Access::EvictFirst,
        Access::EvictLast,
        Access::NoAllocate,
        Access::L2EvictFirst,
        Access::L2EvictLast,
        Access::Ahead64,
        Access::Ahead128,
        Access::Ahead256,
        Access::PrefetchL1,
        Access::PrefetchL2,
    ];

    /// The name in the text form; empty for a plain one.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Plain => "",
            Access::Volatile => "volatile",
            Access::Relaxed => "relaxed",
            Access::Streaming => "streaming",
            Access::L2 => "l2",
            Access::WriteThrough => "write_through",
            Access::EvictFirst => "evict_first",
            Access::EvictLast => "evict_last",
            Access::NoAllocate => "no_allocate",
            Access::L2EvictFirst => "l2_evict_first",
            Access::L2EvictLast => "l2_evict_last",
            Access::Ahead64 => "ahead_64",
            Access::Ahead128 => "ahead_128",
            Access::Ahead256 => "ahead_256",
            Access::PrefetchL1 => "prefetch_l1",
            Access::PrefetchL2 => "prefetch_l2",
        }
    }

    /// True if a load prefetches the line even if its value is unused.
    pub const fn is_prefetch(self) -> bool {
        matches!(self, Access::PrefetchL1 | Access::PrefetchL2)
    }

    /// True if an access of another thread to the same place is no race.
    pub const fn is_concurrent(self) -> bool {
        matches!(self, Access::Volatile | Access::Relaxed)
    }

    /// True if loads of the same place can be neither merged nor removed.
    pub const fn is_effect(self) -> bool {
        matches!(self, Access::Volatile) || self.is_prefetch()
    }
}
