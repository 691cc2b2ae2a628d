//! Asynchronous copies.

use super::{Inference, memory, places};
use crate::errors::{Code, Errors};
use crate::syntax::tree::{End, Expr, Tree};
use crate::types::{Kind, Ty, is_known};

impl Inference<'_> {
    /// Both ends hold the same type.
    pub(super) fn copy(&mut self, ends: &mut [End; 2]) -> Ty {
        let parts = ends.iter().filter(|end| end.part.is_some()).count();
        let [to, from] = ends;
        let (to, from) = (self.end_of_copy(to), self.end_of_copy(from));
        self.agree(from, to);
        if parts == 1 {
            self.errors.mismatch();
        }
        Ty::UNIT
    }

    /// The type of what is copied, or of its elements.
    fn end_of_copy(&mut self, end: &mut End) -> Ty {
        let place = self.expr(&mut end.place, None);
        let Some((start, _)) = &mut end.part else {
            return match *self.tree.types.kind(place) {
                Kind::Reference(inner, _) => inner,
                Kind::Refused => Ty::REFUSED,
                _ => self.no_part(&end.place),
            };
        };
        self.expr(start, None);
        self.subscript(place, start);
        match *self.tree.types.kind(self.tree.types.referent(place)) {
            Kind::Array(element, _) | Kind::Slice(element, _) => element,
            Kind::Refused => Ty::REFUSED,
            _ => self.no_part(&end.place),
        }
    }
}

/// True if an end may be the target; also of one that is refused.
fn is_written(tree: &Tree, end: &End) -> bool {
    match (&end.part, tree.types.kind(end.place.ty)) {
        (_, Kind::Refused) => true,
        (Some(_), _) => places::changes(tree, &end.place),
        (None, Kind::Reference(_, mutable)) => *mutable,
        (None, _) => true,
    }
}

/// Refuses copies of what has no known size, and of what is not whole words; false for what rustc refuses.
pub(super) fn check(tree: &Tree, copy: &Expr, ends: &[End; 2], errors: &mut Errors) -> bool {
    let [to, from] = ends;
    if !is_written(tree, to) {
        if is_written(tree, from) {
            errors.refuse(
                Code::AsyncCopy,
                to.place.span,
                "the target of an asynchronous copy comes first, and this is read only",
                "exchange the two: `pipeline::copy(&mut tile[t], &x[i])`",
            );
        }
        return errors.refuses();
    }
    let held = tree.types.referent(to.place.ty);
    let (held, count) = match (&to.part, tree.types.kind(held)) {
        (_, Kind::Refused) => return true,
        (None, Kind::Slice(..)) => {
            errors.refuse(
                Code::AsyncCopy,
                to.place.span,
                "the length of an asynchronous copy is known at compile time",
                "write the range: `&mut tile[i..i + 4], &x[j..j + 4]`",
            );
            return true;
        }
        (None, _) => (held, 1),
        (Some((_, count)), &(Kind::Array(element, _) | Kind::Slice(element, _))) => (element, *count),
        (Some(_), _) => return false,
    };
    let refused = |end: &End| matches!(tree.types.kind(tree.types.referent(end.place.ty)), Kind::Refused);
    if ends.iter().any(refused) {
        return true;
    }
    if let [Some((_, count)), Some((_, other))] = ends.each_ref().map(|end| end.part.as_ref())
        && count != other
        && is_known(*count)
        && is_known(*other)
    {
        errors.refuse(
            Code::AsyncCopy,
            copy.span,
            format_args!("{other} elements do not fit into {count}"),
            "write two ranges of one length: `&mut tile[i..i + 4], &x[j..j + 4]`",
        );
        return true;
    }
    if !tree.types.is_plain(held) {
        return false;
    }
    let size = memory::size(tree, held).and_then(|size| size.checked_mul(count));
    if is_known(count) && size.is_some_and(|size| size == 0 || size % 4 != 0) {
        errors.refuse(
            Code::AsyncCopy,
            copy.span,
            format_args!(
                "an asynchronous copy takes 4 bytes or a multiple of them, and {} has {}",
                match count {
                    1 => format!("`{}`", tree.types.show(held)),
                    count => format!("a part of {count} elements `{}`", tree.types.show(held)),
                },
                size.unwrap_or(0)
            ),
            "copy several neighbours at once, `&mut tile[i..i + 4], &x[j..j + 4]`, or assign the element",
        );
    }
    true
}
