//! Inference and checks of messages: which values can be written, and how.

use vyre_abi::format::{Count, Style};

use super::Inference;
use crate::errors::{Code, Errors};
use crate::surface::Primitive;
use crate::syntax::tree::{Expr, MessagePart, Tree};
use crate::types::adt::PHANTOM;
use crate::types::slots::Place;
use crate::types::{Kind, Ty, Types};

impl Inference<'_> {
    pub(super) fn message(&mut self, parts: &[MessagePart], values: &mut [Expr]) {
        for value in &mut *values {
            let ty = self.expr(value, None);
            // Rust writes what a reference refers to.
            self.through_reference_of(value, ty);
        }
        for number in counts(parts) {
            self.agree(values[number].ty, Ty::USIZE);
        }
    }
}

/// The values of a message that are widths and precisions.
fn counts(parts: &[MessagePart]) -> Vec<usize> {
    let mut counts = Vec::new();
    for part in parts {
        if let MessagePart::Value(_, spec) = part {
            for count in [Some(spec.width), spec.precision] {
                if let Some(Count::Value(number)) = count {
                    counts.push(number);
                }
            }
        }
    }
    counts
}

/// Checks a message, which has at `most` so many values.
pub(super) fn check(tree: &Tree, message: (&[MessagePart], &[Expr]), most: usize, errors: &mut Errors) -> bool {
    let (parts, values) = message;
    let mut distinct: Vec<usize> = Vec::new();
    for count in counts(parts) {
        if !distinct.contains(&count) {
            distinct.push(count);
        }
    }
    let mut count = distinct.len();
    for part in parts {
        let MessagePart::Value(number, spec) = part else {
            continue;
        };
        let value = &values[*number];
        match written(&tree.types, value.ty, spec.style) {
            Ok(scalars) => count = count.saturating_add(scalars),
            Err(Unwritten::Rust) => errors.mismatch(),
            Err(Unwritten::Underived(ty)) => errors.refuse(
                Code::PrintedType,
                value.span,
                format_args!("vyre does not see how `{}` is written", tree.types.show(ty)),
                "put `#[derive(Debug)]` on the type, below `#[vyre::device]` if it has that, and write `{:?}`; or print its fields",
            ),
            // Rust does not print it by `{}` either.
            Err(Unwritten::Kernel(ty)) if matches!(tree.types.kind(tree.types.referent(ty)), Kind::Slice(..)) => {
                errors.refuse(
                    Code::PrintedType,
                    value.span,
                    format_args!("a kernel does not print a value of `{}`", tree.types.show(ty)),
                    "print its elements, in a loop",
                );
            }
            Err(Unwritten::Kernel(ty)) => errors.refuse(
                Code::PrintedType,
                value.span,
                format_args!("a kernel does not print a value of `{}`", tree.types.show(ty)),
                "print its fields: scalars, and by `{:?}` tuples, arrays, and types with `#[derive(Debug)]`",
            ),
        }
    }
    if count > most {
        let span = values.last().map(|value| value.span);
        errors.refuse(
            Code::MessageSize,
            span.unwrap_or_else(proc_macro2::Span::call_site),
            format_args!("a message of {count} values: it has {most} at most"),
            "leave some out, or print them by several `println!`",
        );
    }
    true
}

/// Why a value is not written.
pub(crate) enum Unwritten {
    /// Rust has no such way to write it, and rustc says so.
    Rust,
    /// Rust may write this type of the user in this way, and vyre does not see how.
    Underived(Ty),
    /// Rust writes this type, and a kernel does not.
    Kernel(Ty),
}

/// The number of scalars by which a value is written.
pub(crate) fn written(types: &Types, ty: Ty, style: Style) -> Result<usize, Unwritten> {
    let all = |parts: &[Ty]| {
        let mut parts = parts.iter();
        parts.try_fold(0usize, |sum, &part| {
            Ok(sum.saturating_add(written(types, types.by_value(part), style)?))
        })
    };
    let shows = match types.kind(ty) {
        Kind::Refused => return Ok(0),
        Kind::Primitive(primitive) if writes(*primitive, style) => return Ok(if primitive.is_wide() { 2 } else { 1 }),
        Kind::Primitive(_) | Kind::Unknown { .. } => return Err(Unwritten::Rust),
        // Rust writes the name of its type.
        Kind::Adt(number) if types.adts[*number].key == PHANTOM => return Err(Unwritten::Kernel(ty)),
        Kind::Adt(number) if types.is_own(ty) => types.adts[*number].shows,
        Kind::Array(..) | Kind::Adt(_) if style.is_debug() => true,
        Kind::Array(..) | Kind::Adt(_) => return Err(Unwritten::Rust),
        _ => return Err(Unwritten::Kernel(ty)),
    };
    if !shows || !style.is_debug() {
        return Err(Unwritten::Underived(ty));
    }
    match *types.kind(ty) {
        Kind::Array(element, length) => {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            Ok(written(types, element, style)?.saturating_mul(length))
        }
        _ if types.as_cell(ty).is_some() => Ok(1),
        _ => match types.slots(ty) {
            Some(slots) => {
                let fields = types
                    .adt(ty)
                    .into_iter()
                    .flat_map(|of| &of.variants)
                    .flat_map(|it| &it.fields);
                let (mut parts, mut known) = (Vec::new(), Vec::new());
                for (field, place) in fields.zip(slots.places.iter().flatten()) {
                    // Variants share slots; what lies in several is written for itself.
                    if !matches!(place, Place::Slot(_)) || !known.contains(place) {
                        parts.push(field.ty);
                        known.push(*place);
                    }
                }
                Ok(all(&parts)?.saturating_add(1))
            }
            None => all(&types.fields(ty).unwrap_or_default()),
        },
    }
}

/// True if Rust writes a primitive in a style.
fn writes(primitive: Primitive, style: Style) -> bool {
    let scalar = primitive.scalar();
    match style {
        Style::Display | Style::Debug | Style::DebugLowerHex | Style::DebugUpperHex => true,
        Style::LowerExp | Style::UpperExp => scalar.is_integer() || scalar.is_float(),
        Style::LowerHex | Style::UpperHex | Style::Octal | Style::Binary => scalar.is_integer() || scalar.is_half(),
    }
}
