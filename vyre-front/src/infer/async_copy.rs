//! Asynchronous copies.

use super::{Inference, memory, places};
use crate::errors::{Code, Errors};
use crate::syntax::tree::{Expr, Tree};
use crate::types::{Kind, Ty, is_known};

impl Inference<'_> {
    /// Both ends hold the same type.
    pub(super) fn copy(&mut self, counts: [Option<u64>; 2], arguments: &mut [Expr]) -> Ty {
        let (places, firsts) = arguments.split_at_mut(2);
        let mut firsts = firsts.iter_mut();
        let mut types = Vec::new();
        for (place, count) in places.iter_mut().zip(counts) {
            let first = count.and_then(|_| firsts.next());
            types.push(self.end_of_copy(place, first));
        }
        self.agree(types[1], types[0]);
        if counts[0].is_some() != counts[1].is_some() {
            self.errors.mismatch();
        }
        Ty::UNIT
    }

    /// The type of what is copied, or of its elements.
    fn end_of_copy(&mut self, place: &mut Expr, first: Option<&mut Expr>) -> Ty {
        let ty = self.expr(place, None);
        let Some(first) = first else {
            return match *self.tree.types.kind(ty) {
                Kind::Reference(inner, _) => inner,
                Kind::Refused => Ty::REFUSED,
                _ => self.no_part(place),
            };
        };
        self.expr(first, None);
        self.subscript(ty, first);
        match *self.tree.types.kind(self.tree.types.referent(ty)) {
            Kind::Array(element, _) | Kind::Slice(element, _) => element,
            Kind::Refused => Ty::REFUSED,
            _ => self.no_part(place),
        }
    }
}

/// True if an end may be the target; also of one that is refused.
fn is_written(tree: &Tree, place: &Expr, count: Option<u64>) -> bool {
    match (count, tree.types.kind(place.ty)) {
        (_, Kind::Refused) => true,
        (Some(_), _) => places::changes(tree, place),
        (None, Kind::Reference(_, mutable)) => *mutable,
        (None, _) => true,
    }
}

/// Refuses copies of what has no known size, and of what is not whole words; false for what rustc refuses.
pub(super) fn check(
    tree: &Tree,
    copy: &Expr,
    (counts, arguments): ([Option<u64>; 2], &[Expr]),
    errors: &mut Errors,
) -> bool {
    let [to, from, ..] = arguments else { return true };
    if !is_written(tree, to, counts[0]) {
        if is_written(tree, from, counts[1]) {
            errors.refuse(
                Code::AsyncCopy,
                to.span,
                "the target of an asynchronous copy comes first, and this is read only",
                "exchange the two: `pipeline::copy(&mut tile[t], &x[i])`",
            );
        }
        return errors.refuses();
    }
    let held = tree.types.referent(to.ty);
    let (held, count) = match (counts[0], tree.types.kind(held)) {
        (_, Kind::Refused) => return true,
        (None, Kind::Slice(..)) => {
            errors.refuse(
                Code::AsyncCopy,
                to.span,
                "the length of an asynchronous copy is known at compile time",
                "write the range: `&mut tile[i..i + 4], &x[j..j + 4]`",
            );
            return true;
        }
        (None, _) => (held, 1),
        (Some(count), &(Kind::Array(element, _) | Kind::Slice(element, _))) => (element, count),
        (Some(_), _) => return false,
    };
    let refused = |end: &Expr| matches!(tree.types.kind(tree.types.referent(end.ty)), Kind::Refused);
    if refused(to) || refused(from) {
        return true;
    }
    if let [Some(count), Some(other)] = counts
        && count != other
        && is_known(count)
        && is_known(other)
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
