//! The later passes invoked by reading: a length in a type must be known before reading continues,
//! so the constants in it are typed and, if they are more than an expression, evaluated.

use syn::ItemConst;

use super::tree::{Expr, Tree};
use crate::errors::Errors;
use crate::resolve::names::Names;
use crate::surface::Primitive;
use crate::types::Ty;

/// Passes of the layers above.
pub(crate) struct Passes {
    /// Types a constant expression as `ty`; the types of the tree from `first` on are its own. False where it was
    /// refused or left to rustc.
    pub(crate) infer: fn(tree: &mut Tree, errors: &mut Errors, expr: &mut Expr, ty: Ty, first: usize) -> bool,
    /// Computes a constant of numbers, in arrays of these lengths, the outermost first.
    pub(crate) run: fn(&ItemConst, Primitive, lengths: &[u64], &Names, &mut Errors) -> Computed,
}

/// The outcome of running a constant.
pub(crate) enum Computed {
    /// Its scalars in order of memory.
    Values(Vec<u64>),
    /// These must be brought here first.
    Wanted(Vec<syn::Path>),
    /// An error has been reported.
    Refused,
    /// It mentions what only rustc knows.
    Unknown,
}
