//! Items outside of the function: available ones, and those that must be carried.

use proc_macro2::Span;
use syn::{Item, Path};

use super::Reader;
use super::intrinsic_call::bare;
use super::tree::{Expr, ExprKind};
use crate::errors::Code;
use crate::resolve::names::{Found, Names, plain};
use crate::resolve::{declared, transport};

/// The item that a path leads to.
pub(super) enum Outside {
    /// An item, with the names in scope at its definition and its key.
    Found(Box<Item>, Names, u64),
    /// An item that was refused, which is reported at its definition; or an unresolved name, which
    /// rustc reports.
    Refused,
    /// Nothing that is in the file.
    Missing,
    /// An item without the attribute, which is all that can be known of it.
    Unmarked,
    /// An item that must be brought here by a chain of macros.
    Elsewhere,
}

impl Reader<'_> {
    /// The item that a path outside of the function leads to.
    pub(super) fn leads_to(&self, path: &Path) -> Outside {
        match self.names.find_path(path) {
            Some(Found {
                item: Item::Verbatim(_),
                ..
            }) => Outside::Refused,
            Some(Found { item, names, key }) => Outside::Found(Box::new(item.clone()), names, key),
            None if self.names.complete => Outside::Missing,
            None if self.names.may_ask(&transport::text(path)) && !self.is_of_std(path) => Outside::Elsewhere,
            None if path
                .segments
                .last()
                .is_some_and(|last| declared::has_failed(&plain(&last.ident))) =>
            {
                Outside::Refused
            }
            None if declared::is_in_refused_module(path) => Outside::Refused,
            None => Outside::Unmarked,
        }
    }

    /// True of a path into the standard library, which has no device items.
    fn is_of_std(&self, path: &Path) -> bool {
        let first = path.segments.first().map(|first| plain(&first.ident));
        let library =
            first.filter(|first| ["alloc", "core", "std"].contains(&first.as_str()) && path.segments.len() > 1);
        library.is_some_and(|library| !self.is_elsewhere && self.file().is_some_and(|file| file.lacks(&library)))
    }

    /// Refuses a path that leads to no device item. rustc reports the import of a longer one that does not exist.
    pub(super) fn refuse_item(&mut self, path: &Path, (code, span): (Code, Span), fault: &str, help: &str) {
        let line = self.line_unmarked(path).filter(|_| !self.is_elsewhere);
        let help = match line {
            Some(line) => format!("put `#[vyre::device]` on it, in line {line}"),
            None => help.to_owned(),
        };
        // rustc reports one that does not exist where the launcher has it, and the import of a path.
        match line.is_some() || self.is_elsewhere || path.segments.len() == 1 && self.launcher.is_none() {
            true => self.errors.refuse(code, span, fault, help),
            false => self.errors.conditional(code, span, fault, help),
        }
    }

    /// The line of an item beside this one without a mark.
    pub(super) fn line_unmarked(&self, path: &Path) -> Option<usize> {
        const ITEMS: [&str; 5] = ["const", "enum", "fn", "struct", "type"];
        let (keyword, line) = self.file()?.unmarked(&ITEMS, &plain(path.get_ident()?))?;
        (keyword != "kernel").then_some(line)
    }

    /// Requests the item of a path. The current reading is discarded until it arrives.
    pub(super) fn want(&mut self, path: &Path) {
        self.tree.wanted.push(bare(path));
    }

    /// Requests the imported constants in an expression whose value must be known.
    pub(super) fn want_constants(&mut self, expr: &Expr) {
        let mut externals = Vec::new();
        mentioned(expr, &mut externals);
        self.tree.want(externals);
    }
}

fn mentioned(expr: &Expr, externals: &mut Vec<usize>) {
    if let ExprKind::External(number) = expr.kind {
        externals.push(number);
    }
    expr.each_child(&mut |child| mentioned(child, externals), &mut |_| {});
}
