//! Ways of loads and stores through the caches.

/// How a load or store of a scalar goes through the caches of a GPU. None makes a difference to the
/// value, and elsewhere than on a GPU only [`Volatile`](Access::Volatile) to anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Access {
    /// As the hardware does by itself.
    #[default]
    Plain,
    /// Takes place as often as the program says, in the order of the program among its like (PTX
    /// `.volatile`).
    Volatile,
    /// Of what is accessed once: leaves the caches first (PTX `.cs`).
    Streaming,
    /// Passes by the cache of the multiprocessor (PTX `.cg`).
    L2,
    /// A store that passes by the caches, to memory (PTX `.wt`). A load is a plain one.
    WriteThrough,
    /// Leaves the cache of the multiprocessor first (PTX `.L1::evict_first`).
    EvictFirst,
    /// Leaves the cache of the multiprocessor last (PTX `.L1::evict_last`).
    EvictLast,
    /// Takes no place in the cache of the multiprocessor (PTX `.L1::no_allocate`).
    NoAllocate,
    /// Leaves the cache that all multiprocessors share first (PTX `.L2::evict_first`).
    L2EvictFirst,
    /// Leaves the cache that all multiprocessors share last (PTX `.L2::evict_last`).
    L2EvictLast,
    /// A load that brings 64 bytes into the cache that all multiprocessors share (PTX `.L2::64B`). A store is
    /// a plain one, and so it is with the others that bring something.
    Ahead64,
    /// The same of 128 bytes (PTX `.L2::128B`).
    Ahead128,
    /// The same of 256 bytes (PTX `.L2::256B`).
    Ahead256,
    /// A load in front of which the line is asked for, and which takes place only if somebody asks for the
    /// value (PTX `prefetch.L1`).
    PrefetchL1,
    /// The same for the cache that all multiprocessors share (PTX `prefetch.L2`).
    PrefetchL2,
}

impl Access {
    /// All of them.
    pub const ALL: &[Access] = &[
        Access::Plain,
        Access::Volatile,
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

    /// Whether a load asks for the line of the cache, even if nobody asks for the value.
    pub const fn is_prefetch(self) -> bool {
        matches!(self, Access::PrefetchL1 | Access::PrefetchL2)
    }

    /// Whether loads of the same place cannot be made one, nor left out.
    pub const fn is_effect(self) -> bool {
        matches!(self, Access::Volatile) || self.is_prefetch()
    }
}
