//! Checks of the operands of references and assignments.

use vyre_ir::ir::{Axis, Builtin};

use crate::errors::{Code, Errors};
use crate::library::methods::Does;
use crate::syntax::tree::{Callable, Expr, ExprKind, External, Origin, Tree};
use crate::types::adt::OPTION;
use crate::types::{Kind, Ty, Types};

/// A variable refers to what has a name already.
pub(super) fn reference(tree: &Tree, init: &Expr, local: usize, errors: &mut Errors) {
    let local = &tree.locals[local];
    let refers = |kind: &Kind| matches!(kind, Kind::Reference(..) | Kind::Matrix(..));
    if *tree.types.kind(local.ty) == Kind::Refused || !refers(tree.types.kind(init.ty)) {
        return;
    }
    let is_refused = |kind: &Kind| matches!(kind, Kind::Refused);
    if tree.types.contains(init.ty, &is_refused) {
        // Refused as an expression.
        return;
    }
    refers_to(tree, init, errors);
}

/// Checks what a reference in a variable refers to: in all branches, where there are some.
pub(super) fn refers_to(tree: &Tree, init: &Expr, errors: &mut Errors) {
    match &init.kind {
        ExprKind::If(_, then, Some(otherwise)) => {
            then.tail.iter().for_each(|tail| refers_to(tree, tail, errors));
            return refers_to(tree, otherwise, errors);
        }
        ExprKind::Block(block, _) => {
            return block.tail.iter().for_each(|tail| refers_to(tree, tail, errors));
        }
        // Each `break` is checked where it is.
        ExprKind::Loop(_, None, _)
        | ExprKind::Break(..)
        | ExprKind::Continue(_)
        | ExprKind::Return(_)
        | ExprKind::Call(Callable::Panic(_), _) => {
            return;
        }
        _ if !tree.types.is_reference(init.ty) && !tree.types.is_matrix(init.ty) => return,
        _ => {}
    }
    if matches!(&init.kind, ExprKind::Method(call) if call.method.is_some_and(|m| matches!(m.does, Does::Scope(_)))) {
        // Refused as a method.
        return;
    }
    if tree.types.is_matrix(init.ty) && names_matrix(init) {
        return;
    }
    match &init.kind {
        ExprKind::Local(_) | ExprKind::Shared(_) | ExprKind::Regroup(..) => return,
        ExprKind::Method(call) if call.does(Does::Row) || call.does(Does::Unwrap) => return,
        ExprKind::Borrow(place, mutable) if !mutable || is_place(place) => return,
        // Payloads bound by patterns, and placeholders for values.
        ExprKind::Payload(..) => return,
        // rustc says what an intrinsic takes and yields.
        ExprKind::Call(Callable::Row(_) | Callable::Dynamic(_) | Callable::MapShared, _) => return,
        _ if tree.types.is_plain(tree.types.by_value(init.ty)) => return,
        _ => {}
    }
    errors.refuse(
        Code::Reference,
        init.span,
        "this reference refers to nothing that has a name in a kernel",
        "bind the value first, and refer to the variable: `let mut v = value; let r = &mut v;`",
    );
}

/// Checks what a variable or pattern takes apart: an `Option` of what lies somewhere, `y.get_mut(i)`, through branches.
/// False if it is another expression.
pub(super) fn optional(tree: &Tree, e: &Expr, errors: &mut Errors) -> bool {
    if !is_optional(tree, e.ty) {
        return false;
    }
    match &e.kind {
        ExprKind::Method(call) if call.does(Does::Seek) => super::operations::parts(tree, e, errors),
        ExprKind::Local(_) => {}
        ExprKind::If(condition, then, Some(otherwise)) => {
            super::operations::expr(tree, condition, errors);
            super::operations::block_of(tree, then, errors);
            optional(tree, otherwise, errors);
        }
        ExprKind::Block(block, None) => super::operations::block_of(tree, block, errors),
        ExprKind::Make { of, fields, .. } if of.key == OPTION => {
            for (_, field) in fields {
                super::operations::expr(tree, field, errors);
                refers_to(tree, field, errors);
            }
        }
        _ => return false,
    }
    true
}

/// True if a type is an `Option` or another enum of what lies somewhere.
pub(super) fn is_optional(tree: &Tree, ty: Ty) -> bool {
    tree.types.as_tagged(ty).is_some() && tree.types.is_place(ty)
}

/// True if an expression tests or unwraps the result of such a method.
pub(super) fn asks(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Call(Callable::Is(_), _) | ExprKind::Payload(..) => true,
        ExprKind::Method(call) => call
            .method
            .is_some_and(|method| matches!(method.does, Does::Is(_) | Does::Unwrap)),
        _ => false,
    }
}

/// Checks references inside values: only the variables and patterns that take such a value apart hold it.
pub(super) fn sought(tree: &Tree, e: &Expr, errors: &mut Errors) {
    let is_held = match e.kind {
        // The value of a variable that changes is refused where it comes from.
        ExprKind::Local(local) => !tree.locals[local].mutable,
        ExprKind::Method(_) => true,
        _ => false,
    };
    if is_held && is_optional(tree, e.ty) {
        errors.refuse(
            Code::Reference,
            e.span,
            "an `Option` of a mutable reference, slice or atomic is not a part of a value or an argument in a kernel",
            "take it apart where it is found: `if let Some(x) = y.get_mut(i) { .. }`",
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

/// True if a pattern names the elements that `..` stands for.
pub(super) fn is_rest(tree: &Tree, part: &Expr) -> bool {
    let ExprKind::Part(base, ..) = &part.kind else {
        return false;
    };
    let mut of = &**base;
    while let ExprKind::Payload(inner, ..) | ExprKind::Deref(inner) = &of.kind {
        of = inner;
    }
    matches!(of.kind, ExprKind::Local(local) if tree.locals[local].origin == Origin::Matched)
}

/// True if an expression names a place, and not a value that lies nowhere.
fn is_place(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Local(_) | ExprKind::Deref(_) | ExprKind::Shared(_) | ExprKind::Call(Callable::Dynamic(_), _) => true,
        ExprKind::Regroup(..) => false,
        _ => place.base().is_some_and(is_place),
    }
}

/// True if a pattern names a part that it reaches through references, and may change it through them. Such names are
/// references to the parts.
pub(super) fn through_matched(types: &Types, part: &Expr) -> Option<bool> {
    let (ExprKind::Payload(base, ..) | ExprKind::Part(base, ..)) = &part.kind else {
        let ExprKind::If(_, then, Some(otherwise)) = &part.kind else {
            return None;
        };
        // The cases of an or-pattern.
        let one = through_matched(types, then.tail.as_deref()?)?;
        return Some(one && through_matched(types, otherwise)?);
    };
    let mut found = through_matched(types, base);
    let mut ty = base.ty;
    while let Kind::Reference(inner, mutable) = *types.kind(ty) {
        found = Some(mutable && found.unwrap_or(true));
        ty = inner;
    }
    found
}

/// True if the target is no part of a slice, `x[a..b] = y`, to which `value` is assigned as a whole.
pub(super) fn element(target: &Expr, value: &Expr, errors: &mut Errors) -> bool {
    let is_part = |of: &Expr| match &of.kind {
        ExprKind::Deref(inner) | ExprKind::Borrow(inner, _) => matches!(inner.kind, ExprKind::Part(..)),
        kind => matches!(kind, ExprKind::Part(..)),
    };
    if is_part(target) {
        let help = match is_part(value) {
            true => "copy the elements: `y[a..b].copy_from_slice(&x[c..d]);`",
            false => "write `y[a..b].fill(value);` for one value in all of them, or loop over the indices",
        };
        errors.refuse(
            Code::PartOfSlice,
            target.span,
            "a part of a slice is not assigned as a whole",
            help,
        );
    }
    !is_part(target)
}

/// True if the target of an assignment is valid: a place that is not behind a shared reference.
pub(super) fn assignable(tree: &Tree, target: &Expr, errors: &mut Errors) -> bool {
    match &target.kind {
        ExprKind::Refused => true,
        // A variable that has a value already is declared `mut`, says rustc.
        ExprKind::Local(local) => {
            let local = &tree.locals[*local];
            local.mutable || !matches!(local.origin, Origin::Parameter | Origin::Let(_))
        }
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
                "give the part a name, `let part = &mut x[a..b];`, or index the whole slice: `x[a + i] = value`; `copy_from_slice` assigns all of them",
            );
            true
        }
        // The content of what vyre sees the name of alone has been refused.
        ExprKind::External(_) if matches!(tree.types.kind(target.ty), Kind::Refused) && errors.refuses() => true,
        ExprKind::Call(Callable::Axis(_), of) => {
            let (fault, help) = match of[0].kind.along_axes().map(|values| values(Axis::X)) {
                Some(Builtin::BlockSize(_)) => (
                    "a kernel does not set the size of its blocks",
                    "write it in the attribute: `#[vyre::kernel(block = 64)]`",
                ),
                _ => (
                    "an index or a size of the launch is not assigned to",
                    "compute from it in a variable: `let i = thread::idx().x + 1;`",
                ),
            };
            errors.refuse(Code::AssignedConstant, target.span, fault, help);
            true
        }
        ExprKind::External(number) => {
            refuse_outside(&tree.externals[*number], errors);
            true
        }
        _ => false,
    }
}

/// Refuses to assign to what is defined outside of the kernel, or to a part of it.
pub(super) fn refuse_outside(external: &External, errors: &mut Errors) {
    errors.refuse(
        Code::AssignedConstant,
        external.span,
        format_args!(
            "a kernel does not assign to `{}`, which is defined outside of it",
            external.name
        ),
        "write results through a `&mut [T]` parameter, and what the threads of a block share to \
         `let tile = shared::<[f32; 256]>();`",
    );
}

/// True if `&mut` may be applied: to an assignable place, or to a value.
pub(super) fn borrows(tree: &Tree, place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Local(local) => tree.locals[*local].mutable,
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
    let moved = |kind: &Kind| matches!(kind, Kind::Atomic(_) | Kind::Barrier | Kind::Slice(..));
    if matches!(
        place.kind,
        ExprKind::Index { .. } | ExprKind::Field(..) | ExprKind::Deref(_)
    ) && !matches!(tree.types.kind(place.ty), Kind::Reference(..))
        && tree.types.contains(place.ty, &moved)
    {
        errors.mismatch();
    }
}

/// True if the target holds a value that an assignment copies.
pub(super) fn whole(tree: &Tree, target: &Expr, errors: &mut Errors) -> bool {
    if tree.types.is_reference(target.ty) && matches!(target.kind, ExprKind::Local(_)) {
        return true;
    }
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
