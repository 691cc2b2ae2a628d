//! The functions that kernels call by name: vyre's own vocabulary.

use vyre_core::ir::{Axis, Builtin};

/// A function of the vocabulary that takes nothing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    /// Yields a `usize`.
    Value(Builtin),
    /// Yields `usize`s along the first so many axes, as a tuple.
    Tuple(fn(Axis) -> Builtin, u32),
    /// Yields an `Index3`.
    Index3(fn(Axis) -> Builtin),
    /// `block::sync()`.
    Barrier,
}

/// A function of the vocabulary.
pub(super) struct Entry {
    /// Its path below `vyre`.
    pub(super) path: &'static str,
    pub(super) function: Function,
    /// How many axes its use asks for.
    pub(super) axes: u32,
}

/// All of them. `shared` is not among them: it stands in a `let` of its own form.
pub(super) const FUNCTIONS: [Entry; 8] = [
    entry("thread::index", Function::Value(Builtin::LinearIndex), 1),
    entry("thread::index_2d", Function::Tuple(Builtin::GlobalIndex, 2), 2),
    entry("thread::index_3d", Function::Tuple(Builtin::GlobalIndex, 3), 3),
    entry("thread::idx", Function::Index3(Builtin::ThreadIndex), 1),
    entry("block::idx", Function::Index3(Builtin::BlockIndex), 1),
    entry("block::dim", Function::Index3(Builtin::BlockSize), 1),
    entry("block::sync", Function::Barrier, 1),
    entry("grid::dim", Function::Index3(Builtin::GridSize), 1),
];

const fn entry(path: &'static str, function: Function, axes: u32) -> Entry {
    Entry { path, function, axes }
}

/// The modules of the vocabulary, those included that later versions fill.
pub(super) const MODULES: [&str; 6] = ["thread", "lane", "warp", "block", "cluster", "grid"];
