//! Intrinsics: the functions of vyre that kernels call by name, one row each.

use proc_macro2::TokenStream;
use quote::quote;
use vyre_ir::ir::{Access, Axis, BinaryOp, Builtin, Intrinsic, MemoryScope, Shuffle, UnaryOp, WARP_SIZE};
use vyre_ir::transform::fast::Fast;

use super::collectives;
use crate::surface::Primitive;
use crate::types::Ty;
use crate::types::group::Group;

/// An intrinsic.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its path below `vyre`.
    pub(crate) path: &'static str,
    pub(crate) form: Form,
}

/// The form of an intrinsic's call.
#[derive(Debug)]
pub(crate) enum Form {
    /// A function on values.
    Call(Function),
    /// An intrinsic of the IR without operands and result.
    Do(Intrinsic),
    /// A fence; takes an `Ordering`.
    Fence(MemoryScope),
    /// `cluster::map_shared`: takes a shared variable and a `usize`, yields a reference.
    MapShared,
    /// Takes a reference to a scalar, yields the scalar, or of a prefetch nothing.
    Load(Access),
    /// Takes a `&mut` to a scalar, and one.
    Store(Access),
    /// `pipeline::copy(&mut to, &from)`.
    Copy,
    /// `pipeline::wait_prior::<1>()`.
    WaitForCopies,
    /// Yields a group of threads.
    Group(Group),
}

/// A function on values.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) takes: &'static [Takes],
    pub(crate) yields: Yields,
    pub(crate) does: Operation,
}

impl Function {
    /// Its path below `vyre`.
    pub(crate) fn path(&self) -> &'static str {
        let mut entries = FUNCTIONS.iter();
        let own = entries.find(|entry| matches!(&entry.form, Form::Call(known) if std::ptr::eq(known, self)));
        own.map_or("", |entry| entry.path)
    }
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Of(Ty),
    /// A scalar that the operation is defined on.
    Scalar,
    /// A fragment of a matrix.
    Fragment,
}

/// The type of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Yields {
    Of(Ty),
    /// `usize`s along the first axes, by their number.
    Tuple(u32),
    /// That of the first argument.
    First,
    /// The sum of a product of matrices.
    Fragment,
}

/// The operation of a function on values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    /// A value of the thread.
    Builtin(Builtin),
    /// Values of the thread along the axes of the result, a tuple or `Index3`.
    Axes(fn(Axis) -> Builtin),
    WarpSize,
    ClusterRank,
    ClusterBlocks,
    /// An intrinsic of the IR, among tiles of a number of lanes if it is a warp operation.
    Intrinsic(fn(u32) -> Intrinsic),
    Shuffle(Shuffle),
    Reduce(BinaryOp),
    Scan(BinaryOp, Scan),
    /// A vote.
    Vote(Voters, Asks),
    /// The lanes whose values are the same as this lane's.
    Match(Asks),
    /// The active lanes.
    ActiveMask,
    MultiplyAdd,
    /// A fast form of a function of mathematics.
    Fast(Fast),
    /// An operation without a method.
    Unary(UnaryOp),
}

/// The kind of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// Its own too.
    Inclusive,
    /// Those of the lanes below it.
    Exclusive,
}

/// The threads of a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voters {
    /// The lanes of a warp or tile.
    Warp,
    /// The threads of the block, at a barrier.
    Block,
}

/// The question of a vote or match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Which lanes, or how many threads of the block.
    Which,
    All,
    Any,
}

impl Entry {
    /// Number of arguments.
    pub(crate) fn arguments(&self) -> usize {
        match &self.form {
            Form::Call(function) => function.takes.len(),
            Form::Fence(_) | Form::Load(_) => 1,
            Form::Store(_) | Form::Copy | Form::MapShared => 2,
            Form::Do(_) | Form::WaitForCopies | Form::Group(_) => 0,
        }
    }

    /// Number of axes required by its use.
    pub(crate) fn axes(&self) -> u32 {
        match self.form {
            Form::Call(Function {
                yields: Yields::Tuple(axes),
                ..
            }) => axes,
            _ => 1,
        }
    }

    /// Its generic arguments, for example; `None` if it is not generic.
    pub(crate) fn generic_arguments(&self) -> Option<TokenStream> {
        match &self.form {
            Form::Call(function) => match function.takes.first()? {
                Takes::Of(_) => None,
                Takes::Scalar => Some(quote!(::<i32>)),
                Takes::Fragment => Some(quote!(::<f64, f64, f64, 8, 8, 4>)),
            },
            Form::Load(_) | Form::Store(_) | Form::Copy | Form::MapShared => Some(quote!(::<i32>)),
            Form::WaitForCopies => Some(quote!(::<0>)),
            Form::Group(group) => {
                let numbers = vec![quote!(2); group.numbers()];
                Some(quote!(::<#(#numbers),*>))
            }
            Form::Do(_) | Form::Fence(_) => None,
        }
    }

    /// True if it is generic, but called without generic arguments in kernels.
    pub(crate) fn infers_arguments(&self) -> bool {
        let takes_numbers = matches!(self.form, Form::Group(_) | Form::WaitForCopies);
        !takes_numbers && self.generic_arguments().is_some()
    }
}

/// All functions except `shared`, which has its own form of `let`.
pub(crate) static FUNCTIONS: [Entry; 97] = [
    value("thread::index", Ty::USIZE, Operation::Builtin(Builtin::LinearIndex)),
    call(
        "thread::index_2d",
        &[],
        Yields::Tuple(2),
        Operation::Axes(Builtin::GlobalIndex),
    ),
    call(
        "thread::index_3d",
        &[],
        Yields::Tuple(3),
        Operation::Axes(Builtin::GlobalIndex),
    ),
    indices("thread::idx", Builtin::ThreadIndex),
    value(
        "thread::clock",
        Ty::primitive(Primitive::U64),
        Operation::Intrinsic(|_| Intrinsic::Clock),
    ),
    call(
        "thread::nap",
        &[Takes::Of(Ty::U32)],
        Yields::Of(Ty::UNIT),
        Operation::Intrinsic(|_| Intrinsic::Nap),
    ),
    indices("block::idx", Builtin::BlockIndex),
    indices("block::dim", Builtin::BlockSize),
    entry("block::sync", Form::Do(Intrinsic::Barrier)),
    vote("block::sync_count", Ty::USIZE, Voters::Block, Asks::Which),
    vote("block::sync_and", Ty::BOOL, Voters::Block, Asks::All),
    vote("block::sync_or", Ty::BOOL, Voters::Block, Asks::Any),
    entry("block::fence", Form::Fence(MemoryScope::Block)),
    entry("grid::fence", Form::Fence(MemoryScope::Device)),
    entry("system::fence", Form::Fence(MemoryScope::System)),
    entry("grid::sync", Form::Do(Intrinsic::GridBarrier)),
    entry("cluster::sync", Form::Do(Intrinsic::ClusterBarrier)),
    value("cluster::block_rank", Ty::USIZE, Operation::ClusterRank),
    value("cluster::num_blocks", Ty::USIZE, Operation::ClusterBlocks),
    entry("cluster::map_shared", Form::MapShared),
    indices("cluster::block_idx", Builtin::ClusterBlock),
    indices("cluster::idx", Builtin::ClusterIndex),
    indices("cluster::dim", Builtin::ClusterSize),
    indices("grid::dim", Builtin::GridSize),
    value("lane::index", Ty::USIZE, Operation::Builtin(Builtin::LaneIndex)),
    value("warp::size", Ty::USIZE, Operation::WarpSize),
    shuffle("warp::shuffle", Shuffle::Index),
    shuffle("warp::shuffle_up", Shuffle::Up),
    shuffle("warp::shuffle_down", Shuffle::Down),
    shuffle("warp::shuffle_xor", Shuffle::Xor),
    combination("warp::sum", Operation::Reduce(BinaryOp::Add)),
    combination("warp::product", Operation::Reduce(BinaryOp::Mul)),
    combination("warp::min", Operation::Reduce(BinaryOp::Min)),
    combination("warp::max", Operation::Reduce(BinaryOp::Max)),
    combination("warp::and", Operation::Reduce(BinaryOp::And)),
    combination("warp::or", Operation::Reduce(BinaryOp::Or)),
    combination("warp::xor", Operation::Reduce(BinaryOp::Xor)),
    combination("warp::inclusive_sum", Operation::Scan(BinaryOp::Add, Scan::Inclusive)),
    combination("warp::inclusive_min", Operation::Scan(BinaryOp::Min, Scan::Inclusive)),
    combination("warp::inclusive_max", Operation::Scan(BinaryOp::Max, Scan::Inclusive)),
    combination("warp::exclusive_sum", Operation::Scan(BinaryOp::Add, Scan::Exclusive)),
    combination("warp::exclusive_min", Operation::Scan(BinaryOp::Min, Scan::Exclusive)),
    combination("warp::exclusive_max", Operation::Scan(BinaryOp::Max, Scan::Exclusive)),
    vote("warp::all", Ty::BOOL, Voters::Warp, Asks::All),
    vote("warp::any", Ty::BOOL, Voters::Warp, Asks::Any),
    vote("warp::ballot", Ty::U32, Voters::Warp, Asks::Which),
    match_lanes("warp::match_any", Ty::U32, Asks::Which),
    match_lanes("warp::match_all", Ty::BOOL, Asks::All),
    value("warp::active_mask", Ty::U32, Operation::ActiveMask),
    entry("warp::sync", Form::Do(Intrinsic::WarpBarrier { tile: WARP_SIZE })),
    entry("load::relaxed", Form::Load(Access::Relaxed)),
    entry("load::volatile", Form::Load(Access::Volatile)),
    entry("load::streaming", Form::Load(Access::Streaming)),
    entry("load::l2", Form::Load(Access::L2)),
    entry("load::evict_first", Form::Load(Access::EvictFirst)),
    entry("load::evict_last", Form::Load(Access::EvictLast)),
    entry("load::no_allocate", Form::Load(Access::NoAllocate)),
    entry("load::l2_evict_first", Form::Load(Access::L2EvictFirst)),
    entry("load::l2_evict_last", Form::Load(Access::L2EvictLast)),
    entry("load::ahead_64", Form::Load(Access::Ahead64)),
    entry("load::ahead_128", Form::Load(Access::Ahead128)),
    entry("load::ahead_256", Form::Load(Access::Ahead256)),
    entry("prefetch::l1", Form::Load(Access::PrefetchL1)),
    entry("prefetch::l2", Form::Load(Access::PrefetchL2)),
    entry("store::relaxed", Form::Store(Access::Relaxed)),
    entry("store::volatile", Form::Store(Access::Volatile)),
    entry("store::streaming", Form::Store(Access::Streaming)),
    entry("store::l2", Form::Store(Access::L2)),
    entry("store::write_through", Form::Store(Access::WriteThrough)),
    entry("store::evict_first", Form::Store(Access::EvictFirst)),
    entry("store::evict_last", Form::Store(Access::EvictLast)),
    entry("store::no_allocate", Form::Store(Access::NoAllocate)),
    entry("store::l2_evict_first", Form::Store(Access::L2EvictFirst)),
    entry("store::l2_evict_last", Form::Store(Access::L2EvictLast)),
    entry("pipeline::copy", Form::Copy),
    entry("pipeline::commit", Form::Do(Intrinsic::CopyCommit)),
    entry("pipeline::wait_prior", Form::WaitForCopies),
    entry("warp::tile", Form::Group(Group::Tile)),
    call(
        MULTIPLY_ADD,
        &[Takes::Fragment; 3],
        Yields::Fragment,
        Operation::MultiplyAdd,
    ),
    entry("block::barrier", Form::Group(Group::Barrier)),
    fast("fast::exp", Fast::Exp),
    fast("fast::exp2", Fast::Exp2),
    fast("fast::exp10", Fast::Exp10),
    fast("fast::ln", Fast::Ln),
    fast("fast::log2", Fast::Log2),
    fast("fast::log10", Fast::Log10),
    fast("fast::log", Fast::Log),
    fast("fast::sin", Fast::Sin),
    fast("fast::cos", Fast::Cos),
    fast("fast::tan", Fast::Tan),
    fast("fast::tanh", Fast::Tanh),
    fast("fast::sigmoid", Fast::Sigmoid),
    fast("fast::rsqrt", Fast::Rsqrt),
    fast("fast::recip", Fast::Recip),
    fast("fast::sqrt", Fast::Sqrt),
    fast("fast::div", Fast::Div),
    fast("fast::powf", Fast::Powf),
];

const fn entry(path: &'static str, form: Form) -> Entry {
    Entry { path, form }
}

const fn call(path: &'static str, takes: &'static [Takes], yields: Yields, does: Operation) -> Entry {
    entry(path, Form::Call(Function { takes, yields, does }))
}

/// Indices or extents along three axes.
const fn indices(path: &'static str, builtin: fn(Axis) -> Builtin) -> Entry {
    call(path, &[], Yields::Of(Ty::INDEX3), Operation::Axes(builtin))
}

const fn shuffle(path: &'static str, from: Shuffle) -> Entry {
    call(
        path,
        &[Takes::Scalar, Takes::Of(Ty::USIZE)],
        Yields::First,
        Operation::Shuffle(from),
    )
}

const fn vote(path: &'static str, yields: Ty, voters: Voters, asks: Asks) -> Entry {
    call(
        path,
        &[Takes::Of(Ty::BOOL)],
        Yields::Of(yields),
        Operation::Vote(voters, asks),
    )
}

const fn match_lanes(path: &'static str, yields: Ty, asks: Asks) -> Entry {
    call(path, &[Takes::Scalar], Yields::Of(yields), Operation::Match(asks))
}

/// A function without arguments.
const fn value(path: &'static str, yields: Ty, does: Operation) -> Entry {
    call(path, &[], Yields::Of(yields), does)
}

/// A reduction or scan.
const fn combination(path: &'static str, does: Operation) -> Entry {
    call(path, &[Takes::Scalar], Yields::First, does)
}

/// A fast form of a function, of `f32`.
const fn fast(path: &'static str, does: Fast) -> Entry {
    const F32: Takes = Takes::Of(Ty::primitive(Primitive::F32));
    let takes: &[Takes] = match does.arguments() {
        1 => &[F32],
        _ => &[F32; 2],
    };
    let yields = Yields::Of(Ty::primitive(Primitive::F32));
    call(path, takes, yields, Operation::Fast(does))
}

/// The functions with their own form of `let`, by path.
pub(crate) const SHARED: [&str; 4] = ["shared", "shared::slice", "shared::dynamic", "shared::barriers"];

/// The path of the function that whole warps call.
pub(crate) const MULTIPLY_ADD: &str = "mma::multiply_add";

/// The path that rustc compares if a body mentions only its module.
pub(crate) const OF_MATRICES: &str = "mma::";

/// The generic arguments of an intrinsic, for example, by its path; `None` if it is not generic.
pub(crate) fn generic_arguments(path: &str) -> Option<TokenStream> {
    match FUNCTIONS.iter().find(|entry| entry.path == path) {
        Some(entry) => entry.generic_arguments(),
        None if path == "shared::barriers" => Some(quote!(::<1, 1>)),
        None if collectives::takes_closure(path) => Some(quote!(::<i32, fn(i32, i32) -> i32>)),
        None if path == "warp::elect" => None,
        None if path == "block::sort_pairs" => Some(quote!(::<i32, i32>)),
        None if path == "block::sort_items" => Some(quote!(::<i32, 2>)),
        None if path == "block::sort_pair_items" => Some(quote!(::<i32, i32, 2>)),
        None if collectives::find(path).is_some() => Some(quote!(::<i32>)),
        None => SHARED.contains(&path).then(|| quote!(::<i32>)),
    }
}

/// The function of vyre's that a path names.
pub(crate) fn named(path: &[&str]) -> Option<&'static str> {
    let path = path.join("::");
    let is_it = |known: &str| known.contains("::") && known == path;
    for entry in &FUNCTIONS {
        if is_it(entry.path) {
            return Some(entry.path);
        }
    }
    SHARED.into_iter().find(|known| is_it(known))
}

/// The modules of intrinsics, including those reserved for later versions. `load`, `store`,
/// `prefetch`, `pipeline` and `fast` are not included, because users are likely to have modules of these
/// names.
pub(crate) const MODULES: [&str; 9] = [
    "thread", "lane", "warp", "block", "cluster", "grid", "system", "shared", "mma",
];
