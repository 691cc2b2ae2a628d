//! Intrinsics: the functions of vyre that kernels call by name.

use proc_macro2::TokenStream;
use quote::quote;
use vyre_core::ir::{Access, Axis, BinaryOp, Builtin, MemoryScope, Shuffle};

use crate::types::group::Group;

/// The operation of an intrinsic.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Function {
    /// Yields a `usize`.
    Value(Builtin),
    /// Yields a tuple of `usize`s along the first axes, by their number.
    Tuple(fn(Axis) -> Builtin, u32),
    /// Yields an `Index3`.
    Index3(fn(Axis) -> Builtin),
    /// `warp::size()`: yields a `usize`.
    WarpSize,
    /// `block::sync()`.
    Barrier,
    /// `warp::sync()`.
    WarpBarrier,
    /// `grid::sync()`.
    GridBarrier,
    /// `cluster::sync()`.
    ClusterBarrier,
    /// `cluster::block_rank()`: yields a `usize`.
    ClusterRank,
    /// `cluster::num_blocks()`: yields a `usize`.
    ClusterBlocks,
    /// Takes a shared variable and a `usize`, yields a reference.
    MapShared,
    /// `thread::clock()`: yields a `u64`.
    Clock,
    /// Takes an `Ordering`.
    Fence(MemoryScope),
    /// Takes what this lane gives, and yields what comes of it.
    Exchange(Exchange),
    /// Takes a reference to a scalar, yields the scalar, or of a prefetch nothing.
    Load(Access),
    /// Takes a `&mut` to a scalar, and one.
    Store(Access),
    /// `pipeline::copy(&mut to, &from)`.
    Copy,
    /// `pipeline::commit()`.
    CommitCopies,
    /// `pipeline::wait_prior::<1>()`.
    WaitForCopies,
    /// Yields a group of threads.
    Group(Group),
}

/// An exchange among the threads of a warp, or a vote among those of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exchange {
    /// Takes a scalar and a `usize`, yields a scalar.
    Shuffle(Shuffle),
    /// Takes a number, yields one.
    Reduce(BinaryOp),
    /// Takes a number, yields one: an inclusive or exclusive scan.
    Scan(BinaryOp, Scan),
    /// Takes a `bool`, yields one: whether all give `true`.
    All,
    /// Takes a `bool`, yields one: whether one gives `true`.
    Any,
    /// Takes a `bool`, yields a `u32`.
    Ballot,
    /// Takes a scalar, yields a `u32`: the lanes that give the same.
    MatchAny,
    /// Takes a scalar, yields a `bool`: whether all give the same.
    MatchAll,
    /// Takes nothing, yields a `u32`: the active lanes.
    ActiveMask,
    /// Takes three fragments, yields one.
    MultiplyAdd,
    /// Takes a `bool`, yields a `usize`: how many threads of the block give `true`.
    BlockCount,
    /// Takes a `bool`, yields one: whether all threads of the block give `true`.
    BlockAll,
    /// Takes a `bool`, yields one: whether one thread of the block gives `true`.
    BlockAny,
}

/// The kind of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// Its own too.
    Inclusive,
    /// Those of the lanes below it.
    Exclusive,
}

impl Function {
    /// Number of arguments.
    pub(crate) fn arguments(self) -> usize {
        match self {
            Function::Exchange(Exchange::Shuffle(_)) => 2,
            Function::Exchange(Exchange::ActiveMask) => 0,
            Function::Exchange(Exchange::MultiplyAdd) => 3,
            Function::Exchange(_) | Function::Fence(_) | Function::Load(_) => 1,
            Function::Store(_) | Function::Copy | Function::MapShared => 2,
            _ => 0,
        }
    }

    /// True if it is generic over a scalar.
    pub(crate) fn is_generic(self) -> bool {
        let exchange = match self {
            Function::Load(_) | Function::Store(_) | Function::Copy | Function::MapShared => return true,
            Function::Exchange(exchange) => exchange,
            _ => return false,
        };
        matches!(
            exchange,
            Exchange::Shuffle(_)
                | Exchange::Reduce(_)
                | Exchange::Scan(..)
                | Exchange::MatchAny
                | Exchange::MatchAll
                | Exchange::MultiplyAdd
        )
    }
}

/// An intrinsic.
pub(crate) struct Entry {
    /// Its path below `vyre`.
    pub(crate) path: &'static str,
    pub(crate) function: Function,
    /// Number of axes required by its use.
    pub(crate) axes: u32,
}

/// All functions except `shared`, which has its own form of `let`.
pub(crate) const FUNCTIONS: [Entry; 76] = [
    entry("thread::index", Function::Value(Builtin::LinearIndex), 1),
    entry("thread::index_2d", Function::Tuple(Builtin::GlobalIndex, 2), 2),
    entry("thread::index_3d", Function::Tuple(Builtin::GlobalIndex, 3), 3),
    entry("thread::idx", Function::Index3(Builtin::ThreadIndex), 1),
    entry("thread::clock", Function::Clock, 1),
    entry("block::idx", Function::Index3(Builtin::BlockIndex), 1),
    entry("block::dim", Function::Index3(Builtin::BlockSize), 1),
    entry("block::sync", Function::Barrier, 1),
    exchange("block::sync_count", Exchange::BlockCount),
    exchange("block::sync_and", Exchange::BlockAll),
    exchange("block::sync_or", Exchange::BlockAny),
    entry("block::fence", Function::Fence(MemoryScope::Block), 1),
    entry("grid::fence", Function::Fence(MemoryScope::Device), 1),
    entry("system::fence", Function::Fence(MemoryScope::System), 1),
    entry("grid::sync", Function::GridBarrier, 1),
    entry("cluster::sync", Function::ClusterBarrier, 1),
    entry("cluster::block_rank", Function::ClusterRank, 1),
    entry("cluster::num_blocks", Function::ClusterBlocks, 1),
    entry("cluster::map_shared", Function::MapShared, 1),
    entry("cluster::block_idx", Function::Index3(Builtin::ClusterBlock), 1),
    entry("cluster::idx", Function::Index3(Builtin::ClusterIndex), 1),
    entry("cluster::dim", Function::Index3(Builtin::ClusterSize), 1),
    entry("grid::dim", Function::Index3(Builtin::GridSize), 1),
    entry("lane::index", Function::Value(Builtin::LaneIndex), 1),
    entry("warp::size", Function::WarpSize, 1),
    exchange("warp::shuffle", Exchange::Shuffle(Shuffle::Index)),
    exchange("warp::shuffle_up", Exchange::Shuffle(Shuffle::Up)),
    exchange("warp::shuffle_down", Exchange::Shuffle(Shuffle::Down)),
    exchange("warp::shuffle_xor", Exchange::Shuffle(Shuffle::Xor)),
    exchange("warp::sum", Exchange::Reduce(BinaryOp::Add)),
    exchange("warp::min", Exchange::Reduce(BinaryOp::Min)),
    exchange("warp::max", Exchange::Reduce(BinaryOp::Max)),
    exchange("warp::and", Exchange::Reduce(BinaryOp::And)),
    exchange("warp::or", Exchange::Reduce(BinaryOp::Or)),
    exchange("warp::xor", Exchange::Reduce(BinaryOp::Xor)),
    exchange("warp::inclusive_sum", Exchange::Scan(BinaryOp::Add, Scan::Inclusive)),
    exchange("warp::inclusive_min", Exchange::Scan(BinaryOp::Min, Scan::Inclusive)),
    exchange("warp::inclusive_max", Exchange::Scan(BinaryOp::Max, Scan::Inclusive)),
    exchange("warp::exclusive_sum", Exchange::Scan(BinaryOp::Add, Scan::Exclusive)),
    exchange("warp::exclusive_min", Exchange::Scan(BinaryOp::Min, Scan::Exclusive)),
    exchange("warp::exclusive_max", Exchange::Scan(BinaryOp::Max, Scan::Exclusive)),
    exchange("warp::all", Exchange::All),
    exchange("warp::any", Exchange::Any),
    exchange("warp::ballot", Exchange::Ballot),
    exchange("warp::match_any", Exchange::MatchAny),
    exchange("warp::match_all", Exchange::MatchAll),
    exchange("warp::active_mask", Exchange::ActiveMask),
    entry("warp::sync", Function::WarpBarrier, 1),
    entry("load::volatile", Function::Load(Access::Volatile), 1),
    entry("load::streaming", Function::Load(Access::Streaming), 1),
    entry("load::l2", Function::Load(Access::L2), 1),
    entry("load::evict_first", Function::Load(Access::EvictFirst), 1),
    entry("load::evict_last", Function::Load(Access::EvictLast), 1),
    entry("load::no_allocate", Function::Load(Access::NoAllocate), 1),
    entry("load::l2_evict_first", Function::Load(Access::L2EvictFirst), 1),
    entry("load::l2_evict_last", Function::Load(Access::L2EvictLast), 1),
    entry("load::ahead_64", Function::Load(Access::Ahead64), 1),
    entry("load::ahead_128", Function::Load(Access::Ahead128), 1),
    entry("load::ahead_256", Function::Load(Access::Ahead256), 1),
    entry("prefetch::l1", Function::Load(Access::PrefetchL1), 1),
    entry("prefetch::l2", Function::Load(Access::PrefetchL2), 1),
    entry("store::volatile", Function::Store(Access::Volatile), 1),
    entry("store::streaming", Function::Store(Access::Streaming), 1),
    entry("store::l2", Function::Store(Access::L2), 1),
    entry("store::write_through", Function::Store(Access::WriteThrough), 1),
    entry("store::evict_first", Function::Store(Access::EvictFirst), 1),
    entry("store::evict_last", Function::Store(Access::EvictLast), 1),
    entry("store::no_allocate", Function::Store(Access::NoAllocate), 1),
    entry("store::l2_evict_first", Function::Store(Access::L2EvictFirst), 1),
    entry("store::l2_evict_last", Function::Store(Access::L2EvictLast), 1),
    entry("pipeline::copy", Function::Copy, 1),
    entry("pipeline::commit", Function::CommitCopies, 1),
    entry("pipeline::wait_prior", Function::WaitForCopies, 1),
    entry("warp::tile", Function::Group(Group::Tile), 1),
    exchange("mma::multiply_add", Exchange::MultiplyAdd),
    entry("block::barrier", Function::Group(Group::Barrier), 1),
];

const fn entry(path: &'static str, function: Function, axes: u32) -> Entry {
    Entry { path, function, axes }
}

const fn exchange(path: &'static str, exchange: Exchange) -> Entry {
    entry(path, Function::Exchange(exchange), 1)
}

/// The functions with their own form of `let`, by path.
pub(crate) const SHARED: [&str; 4] = ["shared", "shared::slice", "shared::dynamic", "shared::barriers"];

/// The path of the function that whole warps call.
pub(crate) const MULTIPLY_ADD: &str = "mma::multiply_add";

/// The path that rustc compares if a body mentions only its module.
pub(crate) const OF_MATRICES: &str = "mma::";

/// Example generic arguments of an intrinsic, by its path as [`Entry`] has it; `None` if it is
/// not generic.
pub(crate) fn generic_arguments(path: &str) -> Option<TokenStream> {
    let entry = FUNCTIONS.iter().find(|entry| entry.path == path);
    match entry.map(|entry| entry.function) {
        Some(Function::Group(group)) => {
            let numbers = vec![quote!(2); group.numbers()];
            Some(quote!(::<#(#numbers),*>))
        }
        Some(Function::WaitForCopies) => Some(quote!(::<0>)),
        Some(Function::Exchange(Exchange::MultiplyAdd)) => Some(quote!(::<f64, f64, f64, 8, 8, 4>)),
        Some(function) if !function.is_generic() => None,
        None if !SHARED.contains(&path) => None,
        None if path == "shared::barriers" => Some(quote!(::<1, 1>)),
        _ => Some(quote!(::<i32>)),
    }
}

/// The modules of intrinsics, including those reserved for later versions. `load`, `store`,
/// `prefetch` and `pipeline` are not included, because users are likely to have modules of these
/// names.
pub(crate) const MODULES: [&str; 9] = [
    "thread", "lane", "warp", "block", "cluster", "grid", "system", "shared", "mma",
];
