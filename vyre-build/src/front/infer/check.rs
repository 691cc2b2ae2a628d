//! Holds every operation against the types that inference found.
//!
//! What rustc refuses is left to it; what only kernels lack is refused here. After this the tree
//! lowers to a valid program.

use vyre_core::ir::Scalar;

use super::super::methods::Does;
use super::super::tree::{Block, Expr, ExprKind, Inline, MethodCall, Operator, Pattern, Statement, Tree};
use super::super::types::{Kind, Ty};
use super::super::vocabulary::Exchange;
use super::message;
use crate::errors::{Code, Errors};
use crate::surface::Primitive;

/// Static shared memory that every GPU has, in bytes.
const SHARED_BYTES: u64 = 48 * 1024;

/// The most bytes that a thread has of its own.
const PRIVATE_BYTES: u64 = 512 * 1024;

/// Checks that the types of constants from elsewhere are known; false where one is not. Those that
/// may say more of themselves are `wanted`.
pub(super) fn externals(tree: &Tree, errors: &mut Errors, wanted: &mut Vec<usize>) -> bool {
    if errors.is_left_to_rustc() {
        return true;
    }
    let mut known = true;
    for (number, external) in tree.externals.iter().enumerate() {
        match tree.types.kind(external.ty) {
            Kind::Primitive(_) | Kind::Refused => {}
            _ if !external.is_unmarked => {
                known = false;
                wanted.push(number);
            }
            Kind::Unknown { .. } => {
                known = false;
                errors.refuse(
                    Code::UntypedConstant,
                    external.span,
                    format_args!("nothing here tells vyre the type of `{}`", external.name),
                    format_args!(
                        "bind it with its type, `let value: u32 = {};`, or put `#[vyre::device]` on it",
                        external.name
                    ),
                );
            }
            _ => errors.refuse(
                Code::CompoundConstant,
                external.span,
                format_args!("vyre sees only the name of `{}`, so it must be a scalar", external.name),
                "put `#[vyre::device]` on it, or define the array inside the kernel",
            ),
        }
    }
    known
}

/// Leaves calls to rustc that nothing tells the instance of.
pub(super) fn instances(tree: &Tree, errors: &mut Errors) {
    let arguments = tree.calls.iter().flat_map(|callee| &callee.instance.arguments);
    for &argument in arguments {
        let is_open = tree
            .types
            .contains(argument, &|kind| matches!(kind, Kind::Unknown { .. }))
            || matches!(tree.types.kind(argument), Kind::Array(..)) && tree.types.length_of(argument).is_none();
        if is_open {
            errors.leave_to_rustc();
        }
    }
}

/// Checks what the body binds: locals and shared memory.
pub(super) fn bindings(tree: &Tree, errors: &mut Errors) {
    if errors.is_left_to_rustc() {
        return;
    }
    for local in &tree.locals {
        if let Kind::Exchanged(_) = tree.types.kind(local.ty) {
            errors.refuse(
                Code::ExchangeResult,
                local.name.span(),
                "the result of `compare_exchange` is not kept in a variable",
                "ask it at once: `if x.compare_exchange(..).is_ok() { .. }`, or `match` it",
            );
        } else if !tree.types.is_plain(local.ty) && !matches!(tree.types.kind(local.ty), Kind::Reference(..)) {
            errors.leave_to_rustc();
        }
    }
    let mut total = 0u64;
    for shared in &tree.shared {
        match size(tree, shared.ty) {
            None if matches!(tree.types.kind(shared.ty), Kind::Refused) => {}
            // What shared memory holds before it is written need not be one of its values.
            Some(_) if tree.types.contains(shared.ty, &|kind| matches!(kind, Kind::Enum(_))) => errors.refuse(
                Code::SharedType,
                shared.span,
                format_args!("shared memory cannot hold the enum in `{}`", tree.types.show(shared.ty)),
                "keep its number, `kind as u32`: shared memory holds any bits before it is written",
            ),
            None => errors.refuse(
                Code::SharedType,
                shared.span,
                format_args!("shared memory cannot hold `{}`", tree.types.show(shared.ty)),
                "it holds scalars, atomics, tuples and arrays of known length",
            ),
            Some(size) => {
                let before = total;
                total = total.saturating_add(size);
                if before <= SHARED_BYTES && total > SHARED_BYTES {
                    errors.refuse(
                        Code::SharedSize,
                        shared.span,
                        format_args!("{total} bytes of shared memory: a block has {SHARED_BYTES}"),
                        "make the arrays smaller, or use one array for two purposes",
                    );
                }
            }
        }
    }
}

/// The size of what may lie in shared memory.
fn size(tree: &Tree, ty: Ty) -> Option<u64> {
    match tree.types.kind(ty) {
        Kind::Primitive(primitive) | Kind::Atomic(primitive) => Some(u64::from(primitive.scalar().size())),
        Kind::Enum(number) => Some(u64::from(tree.types.enums[*number].cell.scalar().size())),
        Kind::Array(element, length) => size(tree, *element)?.checked_mul(*length),
        Kind::Tuple(_) | Kind::Struct(_) => {
            let fields = tree.types.fields(ty).filter(|fields| !fields.is_empty())?;
            let mut sum = 0u64;
            for field in fields {
                sum = sum.checked_add(size(tree, field)?)?;
            }
            Some(sum)
        }
        _ => None,
    }
}

pub(super) fn block(tree: &Tree, block: &Block, errors: &mut Errors) {
    for statement in &block.statements {
        match statement {
            Statement::Let { init, pattern, .. } => {
                if let Some(init) = init {
                    expr(tree, init, errors);
                    reference(tree, init, pattern, errors);
                }
            }
            Statement::Expr(e, _) => expr(tree, e, errors),
        }
    }
    if let Some(tail) = &block.tail {
        expr(tree, tail, errors);
    }
}

/// A variable holds a reference only as another name for what has one already.
fn reference(tree: &Tree, init: &Expr, pattern: &Pattern, errors: &mut Errors) {
    // What takes references apart was refused as a pattern.
    if !matches!(tree.types.kind(init.ty), Kind::Reference(..)) || !matches!(pattern, Pattern::Local(_)) {
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
    let plain = matches!(pattern, Pattern::Local(local)
        if !tree.locals[*local].mutable && same_form(tree, tree.locals[*local].ty, init.ty));
    match &init.kind {
        ExprKind::Local(_) | ExprKind::Shared(_) | ExprKind::Dynamic(..) if plain => return,
        ExprKind::Borrow(place, mutable) if plain && (!mutable || is_place(place)) => return,
        _ => {}
    }
    errors.refuse(
        Code::Reference,
        init.span,
        "a variable of a kernel refers to one place, for as long as it lives",
        "write `let r = &mut x[i];`, without `mut` and without a type, for a variable, a field or an element",
    );
}

/// Whether an expression names a place, and not a value that lies nowhere.
fn is_place(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Local(_) | ExprKind::Deref(_) => true,
        ExprKind::Index { base, .. } | ExprKind::Field(base, _) => is_place(base),
        _ => false,
    }
}

/// Whether both refer to slices, or neither does.
fn same_form(tree: &Tree, one: Ty, other: Ty) -> bool {
    let is_slice = |ty| matches!(tree.types.kind(tree.types.referent(ty)), Kind::Slice(_));
    is_slice(one) == is_slice(other)
}

/// Checks that PTX takes and yields what fits into its registers.
fn inline(tree: &Tree, inline: &Inline, span: proc_macro2::Span, errors: &mut Errors) {
    let operands = inline.operands.iter().map(|operand| (operand.ty, operand.span));
    let result = (!tree.types.is_unit(inline.result)).then_some((inline.result, span));
    for (ty, span) in operands.chain(result) {
        let fits = match tree.types.as_primitive(ty) {
            Some(primitive) => primitive.scalar().size() >= 4,
            None => matches!(tree.types.kind(ty), Kind::Refused | Kind::Unknown { .. }),
        };
        if !fits {
            errors.refuse(
                Code::InlinePtx,
                span,
                format_args!("PTX has no register for a value of `{}`", tree.types.show(ty)),
                "cast it to a number of 32 or 64 bits",
            );
        }
    }
}

pub(super) fn expr(tree: &Tree, e: &Expr, errors: &mut Errors) {
    let mut blocks = Vec::new();
    e.each_child(&mut |child| expr(tree, child, errors), &mut |inner| blocks.push(inner));
    for inner in blocks {
        block(tree, inner, errors);
    }
    message::check(tree, &e.kind, errors);
    if let ExprKind::Ptx(inline) = &e.kind {
        self::inline(tree, inline, e.span, errors);
    }
    let of = |e: &Expr| tree.types.as_primitive(e.ty).map(Primitive::scalar);
    let faultless = |e: &Expr| matches!(tree.types.kind(e.ty), Kind::Refused);
    let holds = match &e.kind {
        ExprKind::Negate(inner) => faultless(inner) || of(inner).is_some_and(|s| s.is_signed() || s.is_float()),
        ExprKind::Not(inner) => faultless(inner) || of(inner).is_some_and(|s| !s.is_float()),
        ExprKind::Binary(operator, left, right) => {
            faultless(left) || faultless(right) || operands(tree, *operator, left, right, errors)
        }
        ExprKind::AssignWith(operator, left, right) => {
            (faultless(left) || faultless(right) || operands(tree, *operator, left, right, errors))
                && assignable(tree, left, errors)
        }
        ExprKind::Assign(target, _) => assignable(tree, target, errors) && whole(tree, target, errors),
        ExprKind::Cast(inner, ty) => match (of(inner), tree.types.as_primitive(*ty).map(Primitive::scalar)) {
            _ if faultless(inner) || faultless(e) => true,
            (Some(from), Some(to)) if from == to => true,
            (Some(from), Some(to)) => to != Scalar::Bool && !(from == Scalar::Bool && to.is_float()),
            (None, Some(to)) => to.is_integer() && matches!(tree.types.kind(inner.ty), Kind::Enum(_)),
            _ => false,
        },
        ExprKind::From(to, inner) => match tree.types.as_primitive(inner.ty) {
            Some(from) => converts(from, *to),
            None => faultless(inner),
        },
        ExprKind::For(for_) => faultless(&for_.start) || of(&for_.start).is_some_and(Scalar::is_integer),
        ExprKind::Block(inner, None) if inner.statements.is_empty() => true,
        ExprKind::If(..) | ExprKind::Block(..) | ExprKind::Loop(..) => {
            if matches!(tree.types.kind(e.ty), Kind::Reference(..)) {
                errors.refuse(
                    Code::Reference,
                    e.span,
                    "a reference is not the value of a block in a kernel",
                    "index inside the block and yield the element",
                );
            }
            true
        }
        ExprKind::Exchange(exchange, arguments) => arguments.first().is_none_or(|value| {
            faultless(value)
                || match (exchange, of(value)) {
                    (_, None) => false,
                    (Exchange::Reduce(op) | Exchange::Scan(op, _), Some(scalar)) => {
                        op.accepts(scalar) && scalar != Scalar::Bool
                    }
                    (_, Some(_)) => true,
                }
        }),
        ExprKind::Method(call) => method(tree, call, errors),
        ExprKind::Dynamic(element, _) => {
            dynamic(tree, e, *element, errors);
            true
        }
        ExprKind::Attempt(inner) => faultless(e) || attempted(inner, errors),
        ExprKind::Borrow(place, true) => borrows(tree, place),
        ExprKind::Repeat(..) => {
            if size(tree, e.ty).is_none_or(|size| size > PRIVATE_BYTES) && tree.types.is_plain(e.ty) {
                errors.refuse(
                    Code::ThreadMemory,
                    e.span,
                    format_args!("`{}` is too large for the memory of one thread", tree.types.show(e.ty)),
                    "use a slice parameter, or `shared::<T>()` for memory that a block shares",
                );
            }
            true
        }
        _ => true,
    };
    let typed = !matches!(tree.types.kind(e.ty), Kind::Unknown { .. });
    if !holds || !typed {
        errors.leave_to_rustc();
    }
}

fn operands(tree: &Tree, operator: Operator, left: &Expr, right: &Expr, errors: &mut Errors) -> bool {
    let (l, r) = (tree.types.as_primitive(left.ty), tree.types.as_primitive(right.ty));
    match (l.map(Primitive::scalar), r.map(Primitive::scalar)) {
        (Some(l), Some(r)) if operator.is_shift() => l.is_integer() && r.is_integer(),
        (Some(l), Some(_)) => operator.binary().accepts(l),
        _ if matches!(operator, Operator::Eq | Operator::Ne) && tree.types.compares(left.ty) => true,
        _ if operator.is_comparison() && tree.types.is_plain(left.ty) && tree.types.is_plain(right.ty) => {
            let help = match tree.types.kind(left.ty) {
                Kind::Struct(_) => {
                    "compare the fields, or write `#[derive(PartialEq)]` below `#[vyre::device]`, where vyre sees it"
                }
                Kind::Enum(_) => {
                    "use `match`, or write `#[derive(PartialEq)]` below `#[vyre::device]`, where vyre sees it"
                }
                _ => "compare the parts one by one",
            };
            errors.refuse(
                Code::ComparedWhole,
                left.span,
                format_args!(
                    "values of `{}` are not compared as a whole in a kernel",
                    tree.types.show(left.ty)
                ),
                help,
            );
            true
        }
        _ => false,
    }
}

/// Whether an assignment may stand here: a place that is not behind a shared reference.
fn assignable(tree: &Tree, target: &Expr, errors: &mut Errors) -> bool {
    match &target.kind {
        ExprKind::Local(_) | ExprKind::Refused => true,
        ExprKind::Deref(inner) => match tree.types.kind(inner.ty) {
            Kind::Reference(_, mutable) => *mutable,
            Kind::Refused => true,
            _ => false,
        },
        ExprKind::Index { base, .. } | ExprKind::Field(base, _) => match tree.types.kind(base.ty) {
            Kind::Reference(_, mutable) => *mutable,
            _ => assignable(tree, base, errors),
        },
        ExprKind::External(number) => {
            errors.refuse_unknown(
                Code::AssignedConstant,
                target.span,
                format_args!(
                    "a kernel does not assign to `{}`, which stands outside of it",
                    tree.externals[*number].name
                ),
                "write results through a `&mut [T]` parameter",
            );
            true
        }
        _ => false,
    }
}

/// Whether `&mut` may stand on it: on a place that may be assigned to, or on a value.
fn borrows(tree: &Tree, place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Deref(inner) => !matches!(tree.types.kind(inner.ty), Kind::Reference(_, false)),
        ExprKind::Index { base, .. } | ExprKind::Field(base, _) => match tree.types.kind(base.ty) {
            Kind::Reference(_, mutable) => *mutable,
            _ => borrows(tree, base),
        },
        // As values these are put into variables.
        _ => true,
    }
}

/// Whether the target holds a value that an assignment copies.
fn whole(tree: &Tree, target: &Expr, errors: &mut Errors) -> bool {
    if let Kind::Reference(..) = tree.types.kind(target.ty) {
        errors.refuse(
            Code::Reference,
            target.span,
            "references are not assigned in a kernel",
            "assign an element: `x[i] = value`",
        );
        return true;
    }
    tree.types.is_plain(target.ty)
}

fn method(tree: &Tree, call: &MethodCall, errors: &mut Errors) -> bool {
    let Some(method) = call.method else { return true };
    let op = match method.does {
        Does::Atomic(op) => op,
        Does::Scope(_) => {
            errors.refuse(
                Code::AtomicPlace,
                call.name.span(),
                format_args!("`{}` stands before an access to the atomic", call.name),
                format_args!("write `counts[i].{}().fetch_add(1, Ordering::Relaxed)`", call.name),
            );
            return true;
        }
        Does::IsOk | Does::IsErr => return attempted(&call.receiver, errors),
        _ => return true,
    };
    let Kind::Atomic(cell) = *tree.types.kind(tree.types.referent(call.receiver.ty)) else {
        return true;
    };
    if !matches!(
        call.receiver.kind,
        ExprKind::Index { .. } | ExprKind::Local(_) | ExprKind::Deref(_) | ExprKind::Field(..) | ExprKind::Method(_)
    ) {
        errors.refuse(
            Code::AtomicPlace,
            call.receiver.span,
            "an atomic is accessed where it lies",
            "write `counts[i].fetch_add(1, Ordering::Relaxed)`",
        );
    }
    op.accepts(cell.scalar())
}

/// Whether what is asked for its result is an access itself; refuses others.
fn attempted(expr: &Expr, errors: &mut Errors) -> bool {
    if !matches!(expr.kind, ExprKind::Method(_) | ExprKind::Refused) {
        errors.refuse(
            Code::ExchangeResult,
            expr.span,
            "the result of `compare_exchange` is asked where it is called",
            "write `x.compare_exchange(..).is_ok()` or `match x.compare_exchange(..) { Ok(old) => .., Err(now) => .. }`",
        );
    }
    true
}

/// Checks a slice in dynamic shared memory: what it holds, and where it stands. Each begins behind
/// those before it, so all threads take the same in the same order.
fn dynamic(tree: &Tree, slice: &Expr, element: Ty, errors: &mut Errors) {
    let holds = match tree.types.kind(element) {
        Kind::Primitive(primitive) => *primitive != Primitive::Bool,
        Kind::Atomic(_) | Kind::Refused => true,
        _ => false,
    };
    if !holds {
        errors.refuse(
            Code::SharedType,
            slice.span,
            format_args!("dynamic shared memory holds no `{}`", tree.types.show(element)),
            "it holds numbers and atomics: `shared::dynamic::<f32>()`",
        );
    }
    let mut whole = false;
    for statement in &tree.body.statements {
        let Statement::Let { init: Some(init), .. } = statement else {
            continue;
        };
        let ExprKind::Dynamic(_, length) = &init.kind else {
            continue;
        };
        if std::ptr::eq(init, slice) {
            if whole {
                errors.refuse(
                    Code::SharedBinding,
                    slice.span,
                    "an earlier `shared::dynamic` has taken all of the dynamic shared memory",
                    "take slices of known length first: `shared::slice::<f32>(n)`",
                );
            }
            return;
        }
        whole |= length.is_none();
    }
    errors.refuse(
        Code::SharedBinding,
        slice.span,
        "dynamic shared memory is taken in the outermost block of a kernel",
        "move this `let` out of the block, to the beginning of the kernel",
    );
}

/// Whether `To: From<From>` among the primitives of kernels.
fn converts(from: Primitive, to: Primitive) -> bool {
    use Primitive::{Bool, F32, F64, I8, I16, I32, I64, Isize, U8, U16, U32, U64, Usize};
    if from == to {
        return true;
    }
    match to {
        Bool | I8 => to == I8 && from == Bool,
        U8 => from == Bool,
        U16 => matches!(from, Bool | U8),
        I16 => matches!(from, Bool | I8 | U8),
        U32 => matches!(from, Bool | U8 | U16),
        I32 => matches!(from, Bool | I8 | I16 | U8 | U16),
        U64 => matches!(from, Bool | U8 | U16 | U32),
        I64 => matches!(from, Bool | I8 | I16 | I32 | U8 | U16 | U32),
        Usize => matches!(from, Bool | U8 | U16),
        Isize => matches!(from, Bool | I8 | I16 | U8),
        F32 => matches!(from, Bool | I8 | I16 | U8 | U16),
        F64 => matches!(from, Bool | I8 | I16 | I32 | U8 | U16 | U32 | F32),
    }
}
