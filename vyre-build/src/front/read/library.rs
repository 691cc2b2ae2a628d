//! Calls of functions that are written in terms of others: [`super::super::library`].

use std::rc::Rc;

use proc_macro2::Span;

use super::super::library::Row;
use super::super::methods::owners;
use super::super::names::{Names, hash};
use super::super::tree::{Callee, Tree};
use super::super::types::Ty;
use super::function::Called;
use super::{Reader, behaviour, closure};
use crate::errors::Errors;
use crate::surface::Primitive;

impl Reader<'_> {
    /// A call of such a function, on a number of this type where it is one of numbers.
    pub(super) fn library(
        &mut self,
        row: &Row,
        primitive: Option<Primitive>,
        types: &[Ty],
        span: Span,
    ) -> Option<Callee> {
        let item = row.item(primitive, span)?;
        let owner = primitive.map_or_else(|| owners(row.on).replace('`', ""), |it| it.name().to_owned());
        let place = match row.faults {
            true => format!("{:?}", (span.start(), span.end())),
            false => String::new(),
        };
        let called = Called {
            item: Rc::new(closure::named(&item).into_owned()),
            names: Names::of_library(self.tree.traits.here.file.clone()),
            key: hash(&["library", &owner, row.name(), &place]),
            owner: Some(owner),
            of: None,
            skipped: row.of_receiver(),
            types,
        };
        self.callee(called, None, span)
    }
}

/// As [`Reader::library`], of what inference finds out.
pub(in super::super) fn library(
    tree: &mut Tree,
    errors: &mut Errors,
    row: &Row,
    primitive: Option<Primitive>,
    types: &[Ty],
    span: Span,
) -> Option<Callee> {
    behaviour::on(tree, errors, |reader| reader.library(row, primitive, types, span))
}
