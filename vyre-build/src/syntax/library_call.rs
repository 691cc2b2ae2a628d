//! Calls of functions that are written in terms of others: [`crate::library`].

use std::rc::Rc;

use proc_macro2::Span;

use super::device_function::Called;
use super::tree::{Callee, Tree};
use super::{Reader, assoc_items, closure};
use crate::errors::Errors;
use crate::library::Row;
use crate::library::methods::owners;
use crate::resolve::names::{Names, hash};
use crate::surface::Primitive;
use crate::types::Ty;

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

/// As [`Reader::library`], during inference.
pub(crate) fn library(
    tree: &mut Tree,
    errors: &mut Errors,
    row: &Row,
    primitive: Option<Primitive>,
    types: &[Ty],
    span: Span,
) -> Option<Callee> {
    assoc_items::on(tree, errors, |reader| reader.library(row, primitive, types, span))
}
