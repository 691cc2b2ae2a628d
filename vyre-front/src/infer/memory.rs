//! Checks what lies in memory: shared by a block, or of one thread.

use vyre_abi::order::sort_by_key;

use crate::errors::{Code, Errors};
use crate::surface::Primitive;
use crate::syntax::tree::{Callable, Expr, ExprKind, Shared, Statement, Tree};
use crate::types::{Kind, Ty, fragment};

/// Static shared memory that every GPU has, in bytes.
pub(crate) const SHARED_BYTES: u64 = 48 * 1024;

/// The most variables that a message lists.
const LISTED: usize = 4;

/// The most bytes that a thread has of its own.
pub(super) const PRIVATE_BYTES: u64 = 512 * 1024;

/// Checks what the body binds: locals and shared memory.
pub(super) fn bindings(tree: &Tree, errors: &mut Errors) {
    if errors.is_left_to_rustc() {
        return;
    }
    for local in &tree.locals {
        if !super::fragment::exists(&tree.types, local.ty)
            || !tree.types.is_plain(local.ty)
                && !matches!(
                    tree.types.kind(local.ty),
                    Kind::Reference(..) | Kind::Matrix(..) | Kind::Closure(_)
                )
                && tree.types.as_tagged(local.ty).is_none()
        {
            errors.mismatch();
        }
    }
    let (mut total, mut over) = (0u64, None);
    for shared in &tree.shared {
        let holds_fragments = tree
            .types
            .contains(shared.ty, &|kind| matches!(kind, Kind::Fragment(..)));
        match size(tree, shared.ty).filter(|_| !holds_fragments) {
            None if tree.types.contains(shared.ty, &|kind| matches!(kind, Kind::Refused)) => {}
            // The initial content of shared memory need not be a valid value.
            Some(_) if tree.types.contains(shared.ty, &|kind| tree.types.is_enum(kind)) => errors.refuse(
                Code::SharedType,
                shared.span,
                format_args!("shared memory cannot hold the enum in `{}`", tree.types.show(shared.ty)),
                "keep its discriminant, `kind as u32`: shared memory holds any bits before it is written",
            ),
            None => {
                let fault = format!("shared memory cannot hold `{}`", tree.types.show(shared.ty));
                let help = "it holds scalars, atomics, tuples and arrays of known length";
                errors.refuse(Code::SharedType, shared.span, fault, help);
            }
            Some(size) => {
                let before = total;
                total = total.saturating_add(size);
                if before <= SHARED_BYTES && total > SHARED_BYTES {
                    over = Some(shared.span);
                }
            }
        }
    }
    if let Some(span) = over {
        errors.refuse(
            Code::SharedSize,
            span,
            format_args!(
                "{total} bytes of shared memory: a block has {SHARED_BYTES}{}",
                largest(tree)
            ),
            "make the arrays smaller, or take dynamic shared memory, of which there is more: `shared::slice::<[f32; 64]>(n)`",
        );
    }
}

/// The variables that take most of the shared memory, the largest first: a list to stand behind the sum. Empty for one
/// variable, which is the sum.
fn largest(tree: &Tree) -> String {
    let sized = |shared: &Shared| Some((size(tree, shared.ty)?, shared.name.clone()));
    let mut sizes: Vec<_> = tree.shared.iter().filter_map(sized).collect();
    if sizes.len() < 2 {
        return String::new();
    }
    // Equal ones stay in the order of the source.
    sort_by_key(&mut sizes, |(bytes, _)| (u64::MAX - bytes).into());
    let shown: Vec<String> = sizes
        .iter()
        .take(LISTED)
        .map(|(bytes, name)| format!("`{name}` with {bytes}"))
        .collect();
    let rest = sizes.len().saturating_sub(LISTED);
    let rest = if rest == 0 {
        String::new()
    } else {
        format!(", and {rest} more")
    };
    format!("; the largest are {}{rest}", shown.join(", "))
}

/// The shared memory that a body names, in bytes.
pub(crate) fn shared_bytes(tree: &Tree) -> u64 {
    let sizes = tree.shared.iter().filter_map(|shared| size(tree, shared.ty));
    sizes.fold(0, u64::saturating_add)
}

/// The size of what may lie in shared memory.
pub(super) fn size(tree: &Tree, ty: Ty) -> Option<u64> {
    if let Some(cell) = tree.types.as_cell(ty) {
        return Some(u64::from(cell.scalar().size()));
    }
    if tree.types.as_wide(ty).is_some() {
        return Some(16);
    }
    match tree.types.kind(ty) {
        Kind::Atomic(primitive) => Some(u64::from(primitive.scalar().cell_size())),
        Kind::Barrier => Some(8),
        Kind::Fragment(..) => {
            let (role, shape) = fragment::fragment(&tree.types, ty)?;
            let (scalar, length) = shape.registers(role);
            Some(u64::from(scalar.size()) * length)
        }
        Kind::Array(element, length) => size(tree, *element)?.checked_mul(*length),
        Kind::Adt(_) => {
            let fields = tree.types.parts(ty).filter(|fields| !fields.is_empty())?;
            let mut sum = 0u64;
            for field in fields {
                sum = sum.checked_add(size(tree, field)?)?;
            }
            Some(sum)
        }
        _ => None,
    }
}

/// Checks what is looked for in another block: a shared variable by its name, or a part of one, which all blocks
/// have at the same place.
pub(super) fn mapped(tree: &Tree, variable: &Expr, errors: &mut Errors) {
    let is_shared = match variable.whole().kind {
        ExprKind::Local(local) => {
            let mut shared = tree.shared.iter();
            let is_static = shared.any(|shared| shared.local == Some(local) && shared.arrivals.is_none());
            is_static || is_dynamic(tree, local)
        }
        ExprKind::Refused => true,
        _ => false,
    };
    if !is_shared && !errors.is_left_to_rustc() {
        errors.refuse(
            Code::MappedShared,
            variable.span,
            "this is neither a variable in shared memory nor an element of one: only those have the same address in other blocks",
            "write `let tile = shared::<[f32; 256]>();`, and here `tile`, or `&tile[i]`",
        );
    }
}

/// True if a local names dynamic shared memory.
fn is_dynamic(tree: &Tree, local: usize) -> bool {
    tree.body.statements.iter().any(|statement| {
        let Statement::Let { local: named, init, .. } = statement else {
            return false;
        };
        *named == Some(local)
            && matches!(init, Some(init) if matches!(init.kind, ExprKind::Call(Callable::Dynamic(_), _)))
    })
}

/// Checks a slice in dynamic shared memory: its element type, and its position. Each begins after
/// the previous ones, so all threads take the same in the same order.
pub(super) fn dynamic(tree: &Tree, slice: &Expr, element: Ty, errors: &mut Errors) {
    // The initial content need not be a valid value of these.
    let is_picky = |kind: &Kind| matches!(kind, Kind::Primitive(Primitive::Bool)) || tree.types.is_enum(kind);
    let is_refused = tree.types.contains(element, &|kind| matches!(kind, Kind::Refused));
    let holds = size(tree, element).is_some() && !tree.types.contains(element, &is_picky);
    let is_small = |kind: &Kind| matches!(kind, Kind::Atomic(cell) if cell.scalar().cell_size() < 4);
    if tree.types.contains(element, &is_small) {
        errors.refuse(
            Code::SharedType,
            slice.span,
            format_args!(
                "an access to an atomic of `{}` is one to the word around it, and dynamic shared memory may end within a word",
                tree.types.show(element)
            ),
            "take `AtomicU32`, or as many as are known: `shared::<[AtomicBool; 64]>()`",
        );
    } else if !holds && !is_refused {
        errors.refuse(
            Code::SharedType,
            slice.span,
            format_args!("dynamic shared memory holds no `{}`", tree.types.show(element)),
            "it holds scalars, atomics, and arrays and structs of these: `shared::dynamic::<[f32; 4]>()`",
        );
    }
    let mut whole = false;
    for statement in &tree.body.statements {
        let Statement::Let { init: Some(init), .. } = statement else {
            continue;
        };
        let ExprKind::Call(Callable::Dynamic(_), length) = &init.kind else {
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
        whole |= length.is_empty();
    }
    errors.refuse(
        Code::SharedBinding,
        slice.span,
        "dynamic shared memory is taken in the outermost block of a kernel",
        "move this `let` out of the block, to the beginning of the kernel",
    );
}
