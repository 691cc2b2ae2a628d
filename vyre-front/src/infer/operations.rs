//! Holds every operation against the types that inference found.
//!
//! Faults that rustc reports are left to it; what only kernels lack is refused here. After this the tree
//! lowers to a valid program.

use vyre_ir::ir::{AtomicOp, Scalar};

use super::memory::{self, PRIVATE_BYTES};
use super::{call, closure, places, wide};
use crate::errors::{Code, Errors};
use crate::library::methods::{Does, Gives};
use crate::resolve::declared;
use crate::resolve::spelling::is_capitalized;
use crate::surface::Primitive;
use crate::syntax::tree::{Block, Callable, Expr, ExprKind, MethodCall, Operator, Statement, Tree};
use crate::types::adt::Form;
use crate::types::{Kind, Ty};

/// The help for a constant of another type, of which vyre sees the name alone.
pub(super) const NOT_SCALAR: &str = "put `#[vyre::device]` on the `const`, or define it inside the kernel; give the part of a \
     struct a constant of its own, and pass a static as a parameter";

/// Checks that the types of constants from elsewhere are known; false where one is not. Those that
/// may say more of themselves are `wanted`.
pub(super) fn externals(tree: &Tree, errors: &mut Errors, wanted: &mut Vec<usize>) -> bool {
    if errors.is_left_to_rustc() {
        return true;
    }
    let mut known = true;
    for (number, external) in tree.externals.iter().enumerate() {
        match tree.types.kind(external.ty) {
            Kind::Primitive(of) if !of.is_wide() => {}
            // Without a fault it was the operand of a method of an unknown type.
            Kind::Refused if !errors.is_empty() => {}
            _ if !external.is_unmarked => {
                known = false;
                wanted.push(number);
            }
            Kind::Unknown { .. } | Kind::Refused => {
                known = false;
                external.refuse(
                    errors,
                    Code::UntypedConstant,
                    format_args!("the type of `{}` cannot be inferred", external.name),
                    match (of_type(&external.name), declared::nearest(&external.name)) {
                        (Some(ty), _) => {
                            format!("put `#[vyre::device]` on `{ty}`, if it is an enum, or bind a number with its type")
                        }
                        (None, Some(meant)) => format!("did you mean `{meant}`?"),
                        (None, None) => format!(
                            "bind it with its type, `let value: u32 = {};`, or put `#[vyre::device]` on it; pass a static as a parameter",
                            external.name
                        ),
                    },
                );
            }
            Kind::Primitive(_) => external.refuse(
                errors,
                Code::CompoundConstant,
                format_args!(
                    "vyre sees only the name of `{}`, so it must be a scalar of up to 64 bits",
                    external.name
                ),
                "put `#[vyre::device]` on it, or define it inside the kernel",
            ),
            _ => external.refuse(
                errors,
                Code::CompoundConstant,
                format_args!("vyre sees only the name of `{}`, so it must be a scalar", external.name),
                NOT_SCALAR,
            ),
        }
    }
    known
}

/// Leaves calls with an undetermined instance to rustc.
pub(super) fn instances(tree: &Tree, errors: &mut Errors) {
    for callee in &tree.calls {
        for &argument in &callee.instance.arguments {
            let is_open = tree
                .types
                .contains(argument, &|kind| matches!(kind, Kind::Unknown { .. }));
            if is_open || tree.types.is_open(argument) {
                errors.mismatch();
            }
        }
    }
}

pub(super) fn block(tree: &Tree, block: &Block, errors: &mut Errors) {
    statements(tree, block, errors);
    if let Some(tail) = &block.tail {
        expr(tree, tail, errors);
        closure::misplaced(tree, tail, errors);
    }
}

fn statements(tree: &Tree, block: &Block, errors: &mut Errors) {
    for statement in &block.statements {
        match statement {
            &Statement::Let { ref init, local, .. } => {
                if let Some(init) = init {
                    let is_kept = local.is_some_and(|local| !tree.locals[local].mutable);
                    if !is_kept || !places::optional(tree, init, errors) {
                        expr(tree, init, errors);
                    }
                    if let Some(local) = local {
                        places::reference(tree, init, local, errors);
                    }
                }
            }
            Statement::Expr(e, _) => {
                expr(tree, e, errors);
                places::alone(tree, e, errors);
            }
        }
    }
}

/// A block whose value is taken apart.
pub(super) fn block_of(tree: &Tree, of: &Block, errors: &mut Errors) {
    let Some(tail) = &of.tail else {
        return block(tree, of, errors);
    };
    statements(tree, of, errors);
    if !places::optional(tree, tail, errors) {
        expr(tree, tail, errors);
    }
}

/// The operands of a method that finds an element, and the method.
pub(super) fn parts(tree: &Tree, e: &Expr, errors: &mut Errors) {
    e.each_child(&mut |child| expr(tree, child, errors), &mut |_| {});
    if let ExprKind::Method(call) = &e.kind
        && !method(tree, call, errors)
    {
        errors.mismatch();
    }
}

pub(super) fn expr(tree: &Tree, e: &Expr, errors: &mut Errors) {
    let mut blocks = Vec::new();
    let asks = places::asks(e);
    e.each_child(
        &mut |child| {
            if !asks || !places::optional(tree, child, errors) {
                expr(tree, child, errors);
            }
        },
        &mut |inner| blocks.push(inner),
    );
    places::sought(tree, e, errors);
    for inner in blocks {
        block(tree, inner, errors);
    }
    if !tree.types.closures.is_empty() {
        closure::check(tree, e, errors);
    }
    let of = |e: &Expr| tree.types.as_primitive(e.ty).map(Primitive::scalar);
    let faultless = |e: &Expr| matches!(tree.types.kind(e.ty), Kind::Refused);
    let holds = match &e.kind {
        ExprKind::Unary(op, inner) => faultless(inner) || of(inner).is_some_and(|scalar| op.accepts(scalar)),
        ExprKind::Binary(operator, left, right) => {
            faultless(left) || faultless(right) || operands(tree, *operator, left, right, errors)
        }
        ExprKind::Assign(Some(operator), left, right) => {
            (faultless(left) || faultless(right) || operands(tree, *operator, left, right, errors))
                && places::assignable(tree, left, errors)
        }
        ExprKind::Assign(None, target, value) if !places::element(target, value, errors) => true,
        ExprKind::Assign(None, target, _) => {
            places::assignable(tree, target, errors) && places::whole(tree, target, errors)
        }
        ExprKind::Cast(inner, ty) => match (of(inner), tree.types.as_primitive(*ty).map(Primitive::scalar)) {
            _ if faultless(inner) || faultless(e) => true,
            (Some(from), Some(to)) if from == to => true,
            // Rust only casts primitives.
            (Some(from), Some(to)) if from.is_half() || to.is_half() => false,
            (Some(from), Some(to)) => to != Scalar::Bool && !(from == Scalar::Bool && to.is_float()),
            (None, Some(to)) => to.is_integer() && tree.types.as_cell(inner.ty).is_some(),
            _ => false,
        },
        ExprKind::For(for_) => {
            if let Some(wide) = tree.types.as_wide(for_.start.ty) {
                let (wide, word) = (wide.name(), wide.scalar().name());
                errors.refuse(
                    Code::LoopRange,
                    for_.start.span,
                    format_args!("a loop does not count in `{wide}` in a kernel"),
                    format_args!(
                        "count in `{word}`, and convert: `for i in 0..n as {word} {{ let i = {wide}::from(i); .. }}`, or \
                         write a `while`"
                    ),
                );
            }
            faultless(&for_.start) || of(&for_.start).is_some_and(Scalar::is_integer)
        }
        ExprKind::Block(inner, None) if inner.statements.is_empty() => true,
        ExprKind::If(..) | ExprKind::Block(..) | ExprKind::Loop(_, None, _) => {
            if let Kind::Matrix(..) = tree.types.kind(e.ty) {
                errors.refuse(
                    Code::Reference,
                    e.span,
                    "a matrix is not the value of a block in a kernel",
                    "index inside the block and yield the element",
                );
            }
            true
        }
        ExprKind::Break(_, Some(value)) => {
            places::refers_to(tree, value, errors);
            true
        }
        ExprKind::Make { of, fields, .. } if tree.types.as_tagged(of.of).is_some() => {
            for (_, value) in fields.iter().filter(|(_, value)| !tree.types.has_slot(value.ty)) {
                errors.refuse(
                    Code::FieldType,
                    value.span,
                    format_args!("a field of a variant cannot be `{}`", tree.types.show(value.ty)),
                    "use the element, or an index",
                );
            }
            if !tree.types.is_open(e.ty) {
                let parts = tree.types.parts(e.ty).unwrap_or_default();
                let sizes = parts.iter().map(|&part| tree.types.size_and_align(part).0);
                if sizes.fold(0, u64::saturating_add) > PRIVATE_BYTES {
                    refuse_large(tree, e, errors);
                }
            }
            true
        }
        ExprKind::Method(call) if call.does(Does::Cast) => faultless(e) || of(e).is_some_and(|to| to != Scalar::Bool),
        ExprKind::Method(call) => method(tree, call, errors),
        ExprKind::Call(callable, arguments) => call::check(tree, e, (callable, arguments), errors),
        ExprKind::Borrow(place, true) => places::borrows(tree, place),
        ExprKind::Make { of, fields, .. } if tree.types.is_tuple(of.of) => {
            places::no_parts(tree, e, fields.iter().map(|(_, part)| part), errors);
            true
        }
        ExprKind::Array(_) | ExprKind::Repeat(..) if has_sizeless_elements(tree, e.ty) => {
            errors.refuse(
                Code::UnsupportedType,
                e.span,
                format_args!("the elements of `{}` have no size", tree.types.show(e.ty)),
                "leave the array out, or give its elements a value",
            );
            true
        }
        ExprKind::Array(parts) => {
            places::no_parts(tree, e, parts, errors);
            true
        }
        ExprKind::Repeat(..) => {
            let is_open = |kind: &Kind| matches!(kind, Kind::Unknown { .. } | Kind::Refused);
            let is_large = memory::size(tree, e.ty).is_none_or(|size| size > PRIVATE_BYTES);
            if is_large && tree.types.is_plain(e.ty) && !tree.types.contains(e.ty, &is_open) {
                refuse_large(tree, e, errors);
            }
            true
        }
        _ => true,
    };
    if wide::operation(&tree.types, e).is_some() {
        tree.has_wide.set(true);
    }
    let holds = holds && super::fragment::exists(&tree.types, e.ty);
    let kind = tree.types.kind(e.ty);
    let mut arguments = tree.types.arguments(kind).iter();
    let typed = !matches!(kind, Kind::Unknown { .. }) && !arguments.any(|&argument| tree.types.is_open(argument));
    if !holds || !typed {
        errors.mismatch();
    }
}

fn operands(tree: &Tree, operator: Operator, left: &Expr, right: &Expr, errors: &mut Errors) -> bool {
    let (l, r) = (tree.types.as_primitive(left.ty), tree.types.as_primitive(right.ty));
    match (l.map(Primitive::scalar), r.map(Primitive::scalar)) {
        (Some(l), Some(r)) if operator.is_shift() => l.is_integer() && r.is_integer(),
        (Some(l), Some(_)) if operator == Operator::BitXor && l.is_float() && is_literal(right) => {
            errors.refuse(
                Code::UnknownFunction,
                left.span,
                "`^` is the exclusive or of integers",
                "of a float write `x.powi(2)`, or `x.powf(y)`",
            );
            true
        }
        (Some(l), Some(_)) => operator.binary().accepts(l),
        _ if matches!(operator, Operator::Eq | Operator::Ne) && tree.types.compares(left.ty) => true,
        _ if operator.is_comparison()
            && !matches!(operator, Operator::Eq | Operator::Ne)
            && tree.types.orders(left.ty) =>
        {
            true
        }
        _ if operator.is_comparison() && tree.types.is_plain(left.ty) && tree.types.is_plain(right.ty) => {
            let is_equality = matches!(operator, Operator::Eq | Operator::Ne);
            let help = match tree.types.form(tree.types.kind(left.ty)) {
                Some(Form::Struct | Form::Fieldless { .. }) if !is_equality => {
                    "compare the fields, or derive `PartialEq` and `PartialOrd` below `#[vyre::device]`, where vyre sees it"
                }
                Some(Form::Struct) => {
                    "compare the fields, or write `#[derive(PartialEq)]` below `#[vyre::device]`, where vyre sees it"
                }
                form if matches!(form, Some(Form::Fieldless { .. })) || is_equality && tree.types.is_own(left.ty) => {
                    "use `match`, or write `#[derive(PartialEq)]` below `#[vyre::device]`, where vyre sees it"
                }
                _ if *tree.types.kind(left.ty) == Kind::Index3 => "compare one of them: `thread::idx().x`",
                _ => "compare the parts one by one",
            };
            let fault = match tree.types.kind(left.ty) {
                Kind::Index3 => "indices along x, y and z are not compared as a whole in a kernel".to_owned(),
                _ => format!(
                    "values of `{}` are not compared as a whole in a kernel",
                    tree.types.show(left.ty)
                ),
            };
            errors.refuse(Code::ComparedWhole, left.span, fault, help);
            true
        }
        _ if !operator.is_comparison() && (is_slice(tree, left) || is_slice(tree, right)) => {
            errors.refuse(
                Code::Expression,
                if is_slice(tree, left) { left.span } else { right.span },
                format_args!("`{}` does not apply to a whole slice", operator.symbol()),
                "a thread computes its element: `let i = thread::index();`, `y[i] = x[i] * 2.0;`",
            );
            errors.hide();
            true
        }
        _ if operator.is_comparison() && is_slice(tree, left) && is_slice(tree, right) => {
            errors.refuse(
                Code::ComparedWhole,
                left.span,
                "slices are compared by `==` and `!=` alone in a kernel",
                "compare the elements in a loop",
            );
            true
        }
        _ => false,
    }
}

/// True of a number that is written out.
fn is_literal(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Integer(..) | ExprKind::Float(..))
}

/// True of an array whose elements are of no bytes.
fn has_sizeless_elements(tree: &Tree, ty: Ty) -> bool {
    match *tree.types.kind(ty) {
        Kind::Array(element, _) => tree.types.scalars(element) == 0,
        _ => false,
    }
}

fn is_slice(tree: &Tree, expr: &Expr) -> bool {
    matches!(tree.types.kind(tree.types.referent(expr.ty)), Kind::Slice(..))
}

fn method(tree: &Tree, call: &MethodCall, errors: &mut Errors) -> bool {
    let Some(method) = call.method else { return true };
    let op = match method.does {
        Does::Atomic(op) => op,
        Does::Wait => AtomicOp::BarrierOpened,
        Does::Scope(_) => {
            errors.refuse(
                Code::AtomicPlace,
                call.name.span(),
                format_args!("`{}` is followed by an access to the atomic", call.name),
                format_args!("write `counts[i].{}().fetch_add(1, Ordering::Relaxed)`", call.name),
            );
            return true;
        }
        _ if matches!(
            method.gives,
            Gives::Element(true) | Gives::Row(true) | Gives::Sought(true)
        ) =>
        {
            return places::changes(tree, &call.receiver);
        }
        _ => return true,
    };
    let cell = match *tree.types.kind(tree.types.referent(call.receiver.ty)) {
        Kind::Atomic(cell) => cell,
        Kind::Barrier => Primitive::U64,
        _ => return true,
    };
    if !matches!(
        call.receiver.kind,
        ExprKind::Index { .. }
            | ExprKind::Local(_)
            | ExprKind::Deref(_)
            | ExprKind::Field(..)
            | ExprKind::Call(Callable::MapShared, _)
            | ExprKind::Method(_)
    ) {
        errors.refuse(
            Code::AtomicPlace,
            call.receiver.span,
            "an atomic is accessed in place",
            "write `counts[i].fetch_add(1, Ordering::Relaxed)`",
        );
    }
    op.accepts(cell.scalar())
}

/// The type before the last name of a path, `Color` of `Color::Red`.
fn of_type(path: &str) -> Option<&str> {
    let (before, _) = path.rsplit_once("::")?;
    let ty = before.rsplit("::").next()?;
    is_capitalized(ty).then_some(ty)
}

fn refuse_large(tree: &Tree, e: &Expr, errors: &mut Errors) {
    errors.refuse(
        Code::ThreadMemory,
        e.span,
        format_args!("`{}` is too large for the memory of one thread", tree.types.show(e.ty)),
        "use a slice parameter, or `shared::<T>()` for memory that a block shares",
    );
}
