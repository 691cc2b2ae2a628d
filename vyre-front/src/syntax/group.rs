//! Groups of threads: their types, and the functions that make them.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{GenericArgument, Path, PathArguments, Type};
use vyre_ir::ir::{NAMED_BARRIERS, WARP_SIZE, is_tile};

use super::res::value;
use super::tree::{Callable, Expr};
use super::{Binding, Reader};
use crate::errors::Code;
use crate::types::group::Group;
use crate::types::{Kind, Ty, is_known};

impl Reader<'_> {
    /// `warp::tile::<8>()`, `block::barrier::<1, 64>()`.
    pub(super) fn group(&mut self, group: Group, path: &Path, span: Span) -> Expr {
        self.note_bare(path, group.function());
        match self.group_type(group, path) {
            Ty::REFUSED => self.refused(span),
            ty => Expr::call(Callable::NewGroup(ty), Vec::new(), span),
        }
    }

    /// The type of a group, by the numbers in the last segment of the path.
    pub(super) fn group_type(&mut self, group: Group, path: &Path) -> Ty {
        let mut given = Vec::new();
        if let Some(PathArguments::AngleBracketed(arguments)) = path.segments.last().map(|last| &last.arguments) {
            given.extend(&arguments.args);
        }
        let mut numbers = [0; 2];
        if !given.is_empty() && given.len() != group.numbers() {
            self.errors.mismatch();
            return Ty::REFUSED;
        }
        for (place, number) in numbers.iter_mut().enumerate().take(group.numbers()) {
            *number = match given.get(place) {
                None | Some(GenericArgument::Type(Type::Infer(_))) => self.tree.types.unknown_length(),
                Some(given) => match self.group_number(given) {
                    Some(number) => number,
                    None => return Ty::REFUSED,
                },
            };
        }
        self.tree.has_groups = true;
        if let Some((fault, help)) = fault(group, numbers)
            && !self.is_template
        {
            let span = path.segments.last().map_or(Span::call_site(), Spanned::span);
            self.errors.refuse(Code::Group, span, fault, help);
            return Ty::REFUSED;
        }
        self.tree.types.add(Kind::Group(group, numbers))
    }

    pub(super) fn group_number(&mut self, given: &GenericArgument) -> Option<u64> {
        match given {
            GenericArgument::Const(value) => self.length(value),
            GenericArgument::Type(Type::Path(path)) if self.is_variable(&path.path) => {
                self.errors.refuse_all(
                    Code::UnknownLength,
                    path,
                    format_args!(
                        "`{}` is a variable, and this number is known when the kernel is compiled",
                        path.to_token_stream()
                    ),
                    "write the number, or a constant: `const THREADS: u32 = 64;`",
                );
                None
            }
            // A constant by its name looks like a type.
            GenericArgument::Type(Type::Path(path)) => self.length(&value(path.path.clone())),
            _ => {
                self.errors.mismatch();
                None
            }
        }
    }
}

impl Reader<'_> {
    /// True if a path is the name of a variable.
    fn is_variable(&mut self, path: &Path) -> bool {
        let name = path.get_ident();
        name.is_some_and(|name| matches!(self.lookup(name), Some(Binding::Local(_))))
    }
}

/// The fault and help for the numbers of a group, as far as they are known.
fn fault(group: Group, numbers: [u64; 2]) -> Option<(String, &'static str)> {
    match (group, numbers) {
        (Group::Tile, [lanes, _]) if is_known(lanes) && !u32::try_from(lanes).is_ok_and(is_tile) => Some((
            format!("a warp is not cut into tiles of {lanes} lanes"),
            "a tile has 2, 4, 8, 16 or 32 lanes: `warp::tile::<8>()`",
        )),
        (Group::Barrier, [0, _]) => Some((
            "barrier 0 of a block is that of all its threads".to_owned(),
            "call `block::sync()`, or count the others from 1: `block::barrier::<1, 64>()`",
        )),
        (Group::Barrier, [barrier, _]) if is_known(barrier) && barrier >= NAMED_BARRIERS.into() => Some((
            format!("a block has no barrier {barrier}"),
            "their ids are 1 to 15: `block::barrier::<1, 64>()`",
        )),
        (Group::Barrier, [_, threads])
            if is_known(threads) && (threads == 0 || !threads.is_multiple_of(WARP_SIZE.into())) =>
        {
            Some((
                format!("whole warps wait at a barrier, and {threads} threads are none"),
                "name a multiple of 32 threads: `block::barrier::<1, 64>()`",
            ))
        }
        _ => None,
    }
}
