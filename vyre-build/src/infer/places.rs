//! Checks of the operands of references and assignments.

use crate::errors::{Code, Errors};
use crate::library::methods::Does;
use crate::syntax::tree::{Expr, ExprKind, Origin, Tree};
use crate::types::{Kind, Ty, Types};

/// A variable holds a reference only as another name for what has one already.
pub(super) fn reference(tree: &Tree, init: &Expr, local: usize, errors: &mut Errors) {
    let local = &tree.locals[local];
    let refers = |kind: &Kind| matches!(kind, Kind::Reference(..) | Kind::Matrix(..));
    if *tree.types.kind(local.ty) == Kind::Refused || !refers(tree.types.kind(init.ty)) {
        return;
    }
    let is_refused = |kind: &Kind| matches!(kind, Kind::Refused);
    if matches!(init.kind, ExprKind::If(..) | ExprKind::Block(..) | ExprKind::Loop(..))
        || tree.types.contains(init.ty, &is_refused)
    {
        // Refused as an expression.
        return;
    }
    if matches!(&init.kind, ExprKind::Method(call) if call.method.is_some_and(|m| matches!(m.does, Does::Scope(_)))) {
        // Refused as a method.
        return;
    }
    if tree.types.is_matrix(init.ty) && names_matrix(init) {
        return;
    }
    let plain = !local.mutable && same_form(tree, local.ty, init.ty);
    match &init.kind {
        ExprKind::Local(_) | ExprKind::Shared(_) | ExprKind::Dynamic(..) | ExprKind::MapShared(..) if plain => return,
        ExprKind::Method(call) if plain && call.method.is_some_and(|method| method.does == Does::Row) => return,
        ExprKind::Borrow(place, mutable) if plain && (!mutable || is_place(place)) => return,
        // Payloads bound by patterns, and placeholders for values.
        ExprKind::Payload(..) if plain => return,
        ExprKind::Method(_) if plain && tree.types.is_plain(tree.types.by_value(init.ty)) => return,
        _ => {}
    }
    errors.refuse(
        Code::Reference,
        init.span,
        "a reference variable of a kernel has one referent, for as long as it lives",
        "write `let r = &mut x[i];`, without `mut` and without a type, for a variable, a field or an element",
    );
}

/// True if a pattern matches the result of a method that finds an element: only there a mutable
/// reference may be bound.
pub(super) fn finds(tree: &Tree, init: &Expr, local: Option<usize>) -> bool {
    let is_hidden = local.is_some_and(|local| tree.locals[local].origin == Origin::Matched);
    is_hidden && matches!(&init.kind, ExprKind::Method(call) if call.does(Does::Seek))
}

/// True if an expression tests or unwraps the result of such a method.
pub(super) fn asks(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Is(..) | ExprKind::Payload(..) => true,
        ExprKind::Method(call) => call.method.is_some_and(|method| matches!(method.does, Does::Is(_))),
        _ => false,
    }
}

/// Checks references inside values: mutable ones must be bound by patterns.
pub(super) fn sought(tree: &Tree, e: &Expr, errors: &mut Errors) {
    let finds = match e.kind {
        ExprKind::Local(local) => tree.locals[local].origin == Origin::Matched,
        ExprKind::Method(_) => true,
        _ => false,
    };
    if finds && tree.types.as_tagged(e.ty).is_some() && tree.types.is_place(e.ty) {
        errors.refuse(
            Code::Reference,
            e.span,
            "a mutable reference is not a field of a value in a kernel",
            "bind it directly: `if let Some(x) = y.get_mut(i) { .. }`",
        );
    }
}

/// Refuses what lies somewhere as a part of a tuple or array.
pub(super) fn no_parts<'t>(tree: &Tree, of: &Expr, parts: impl IntoIterator<Item = &'t Expr>, errors: &mut Errors) {
    let is_said = |ty| tree.types.as_tagged(ty).is_some() || matches!(tree.types.kind(ty), Kind::Closure(_));
    let is_place = |part: &&Expr| tree.types.is_place(part.ty) && !is_said(part.ty);
    if let Some(part) = parts.into_iter().find(is_place) {
        let (what, help) = match tree.types.is_matrix(part.ty) {
            true => ("a matrix is", "give it a name of its own: `let b = a;`"),
            false => (
                "a slice or a mutable reference is",
                "give it a name of its own: destructure the pair, `(a, b)`, or use a `let`",
            ),
        };
        let fault = format!("{what} not a part of another value in a kernel");
        errors.refuse(Code::Reference, of.span, fault, help);
    }
}

/// True if an expression names a matrix that has a name already.
pub(crate) fn names_matrix(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(_) => true,
        ExprKind::Borrow(inner, _) | ExprKind::Deref(inner) => names_matrix(inner),
        ExprKind::Method(call) => {
            call.method.is_some_and(|method| method.does == Does::Reborrow) && names_matrix(&call.receiver)
        }
        _ => false,
    }
}

/// True if an expression names a place, and not a value that lies nowhere.
fn is_place(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Local(_) | ExprKind::Deref(_) => true,
        ExprKind::Index { base, .. }
        | ExprKind::Part(base, ..)
        | ExprKind::Field(base, _)
        | ExprKind::Payload(base, ..) => is_place(base),
        _ => false,
    }
}

/// True if a pattern names a part that it reaches through references, and may change it through them. Such names are
/// references to the parts.
pub(super) fn through_matched(types: &Types, part: &Expr) -> Option<bool> {
    let ExprKind::Payload(base, ..) = &part.kind else {
        return None;
    };
    let mut found = through_matched(types, base);
    let mut ty = base.ty;
    while let Kind::Reference(inner, mutable) = *types.kind(ty) {
        found = Some(mutable && found.unwrap_or(true));
        ty = inner;
    }
    found
}

/// True if both refer to slices, or neither does.
fn same_form(tree: &Tree, one: Ty, other: Ty) -> bool {
    tree.types.is_slice(one) == tree.types.is_slice(other)
}

/// True if the target of an assignment is valid: a place that is not behind a shared reference.
pub(super) fn assignable(tree: &Tree, target: &Expr, errors: &mut Errors) -> bool {
    match &target.kind {
        ExprKind::Local(_) | ExprKind::Refused => true,
        ExprKind::Deref(inner) => match tree.types.kind(inner.ty) {
            Kind::Reference(_, mutable) => *mutable,
            Kind::Refused => true,
            _ => false,
        },
        ExprKind::Index { base, .. } if tree.types.is_matrix(base.ty) => tree.types.is_written(base.ty),
        ExprKind::Index { base, .. } | ExprKind::Field(base, _) => match tree.types.kind(base.ty) {
            Kind::Reference(_, mutable) => *mutable,
            _ => assignable(tree, base, errors),
        },
        ExprKind::Part(base, ..) => {
            errors.refuse(
                Code::PartOfSlice,
                base.span,
                "an element of a subslice is not assigned to in the same expression",
                "give the part a name, `let part = &mut x[a..b];`, or index the whole slice: `x[a + i] = value`",
            );
            true
        }
        ExprKind::External(number) => {
            errors.refuse_unknown(
                Code::AssignedConstant,
                target.span,
                format_args!(
                    "a kernel does not assign to `{}`, which is defined outside of it",
                    tree.externals[*number].name
                ),
                "write results through a `&mut [T]` parameter",
            );
            true
        }
        _ => false,
    }
}

/// True if `&mut` may be applied: to an assignable place, or to a value.
pub(super) fn borrows(tree: &Tree, place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Deref(inner) => !matches!(tree.types.kind(inner.ty), Kind::Reference(_, false)),
        ExprKind::Index { base, .. } if tree.types.is_matrix(base.ty) => tree.types.is_written(base.ty),
        ExprKind::Index { base, .. } | ExprKind::Part(base, ..) | ExprKind::Field(base, _) => {
            match tree.types.kind(base.ty) {
                Kind::Reference(_, mutable) => *mutable,
                _ => borrows(tree, base),
            }
        }
        // Values are stored in temporaries.
        _ => true,
    }
}

/// True if a method may change what its receiver is, or refers to.
pub(super) fn changes(tree: &Tree, receiver: &Expr) -> bool {
    match *tree.types.kind(receiver.ty) {
        Kind::Reference(inner, mutable) => mutable && (!tree.types.is_matrix(inner) || tree.types.is_written(inner)),
        Kind::Matrix(_, is_written) => is_written,
        Kind::Refused => true,
        _ => borrows(tree, receiver),
    }
}

/// A place as a statement of its own is moved out of: what is not copied stays where it lies, says rustc.
pub(super) fn alone(tree: &Tree, place: &Expr, errors: &mut Errors) {
    let moved = |kind: &Kind| matches!(kind, Kind::Atomic(_) | Kind::Barrier | Kind::Slice(_));
    if matches!(
        place.kind,
        ExprKind::Index { .. } | ExprKind::Field(..) | ExprKind::Deref(_)
    ) && !matches!(tree.types.kind(place.ty), Kind::Reference(..))
        && tree.types.contains(place.ty, &moved)
    {
        errors.leave_to_rustc();
    }
}

/// True if the target holds a value that an assignment copies.
pub(super) fn whole(tree: &Tree, target: &Expr, errors: &mut Errors) -> bool {
    if let kind @ (Kind::Reference(..) | Kind::Matrix(..)) = tree.types.kind(target.ty) {
        let (fault, help) = match kind {
            Kind::Matrix(..) => (
                "matrices are not assigned in a kernel",
                "assign an element, `a[[row, col]] = value`, or give the other matrix a new name",
            ),
            _ => (
                "references are not assigned in a kernel",
                "assign an element: `x[i] = value`",
            ),
        };
        errors.refuse(Code::Reference, target.span, fault, help);
        return true;
    }
    tree.types.is_plain(target.ty)
}
