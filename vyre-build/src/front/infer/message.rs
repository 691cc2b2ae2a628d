//! Inference and checks of messages: which values can be written, and how.

use vyre_core::format::{MAX_FAULT_VALUES, MAX_PRINT_VALUES, Spec, Style};

use super::super::tree::{ExprKind, Message, MessagePart, Tree};
use super::super::types::{Kind, Ty};
use super::Inference;
use crate::errors::{Code, Errors};
use crate::surface::Primitive;

impl Inference<'_> {
    pub(super) fn message(&mut self, message: &mut Message) {
        for value in &mut message.values {
            let ty = self.expr(value, None);
            // Rust writes what a reference refers to.
            self.through_reference_of(value, ty);
        }
    }
}

/// Checks the message of an expression, if it has one.
pub(super) fn check(tree: &Tree, kind: &ExprKind, errors: &mut Errors) {
    let (message, shown, most) = match kind {
        ExprKind::Print(message) => (message, 0, MAX_PRINT_VALUES),
        ExprKind::Assert(_, message, shows_sides) => (message, 2 * usize::from(*shows_sides), MAX_FAULT_VALUES),
        ExprKind::Panic(message) => (message, 0, MAX_FAULT_VALUES),
        _ => return,
    };
    let mut count = shown;
    for part in &message.parts {
        let MessagePart::Value(number, spec) = part else {
            continue;
        };
        let value = &message.values[*number];
        match scalars(tree, value.ty, spec) {
            Ok(scalars) => count = count.saturating_add(scalars),
            Err(Unwritten::Rust) => errors.leave_to_rustc(),
            Err(Unwritten::Lines) => errors.refuse(
                Code::Message,
                value.span,
                "a kernel writes a compound value in one line",
                "write `{:?}` in the place of `{:#?}`",
            ),
            Err(Unwritten::Kernel) => errors.refuse(
                Code::PrintedType,
                value.span,
                format_args!("a kernel does not print a value of `{}`", tree.types.show(value.ty)),
                "print its parts: numbers and `bool`s, and by `{:?}` tuples, arrays, and structs with `#[derive(Debug)]` below `#[vyre::device]`",
            ),
        }
    }
    if count > most {
        let span = message.values.last().map(|value| value.span);
        errors.refuse(
            Code::MessageSize,
            span.unwrap_or_else(proc_macro2::Span::call_site),
            format_args!("a message of {count} values: it has {most} at most"),
            "leave some out, or print them by several `println!`",
        );
    }
}

/// Who does not write a value.
enum Unwritten {
    /// Rust has no such way to write it, and rustc says so.
    Rust,
    /// Rust writes it in several lines.
    Lines,
    /// Rust writes it, and a kernel does not.
    Kernel,
}

/// The number of scalars that are written for a value.
fn scalars(tree: &Tree, ty: Ty, spec: &Spec) -> Result<usize, Unwritten> {
    let compound = match spec.style {
        Style::Debug if spec.alternate => Err(Unwritten::Lines),
        Style::Debug => Ok(()),
        _ => Err(Unwritten::Rust),
    };
    match tree.types.kind(ty) {
        Kind::Refused => Ok(0),
        Kind::Primitive(primitive) if writes(*primitive, spec.style) => Ok(1),
        Kind::Primitive(_) => Err(Unwritten::Rust),
        Kind::Tuple(fields) => {
            compound?;
            let mut sum = 0usize;
            for &field in fields {
                sum = sum.saturating_add(scalars(tree, field, spec)?);
            }
            Ok(sum)
        }
        Kind::Struct(number) if tree.types.structs[*number].shows => {
            compound?;
            let fields = &tree.types.structs[*number].fields;
            let mut sum = 0usize;
            for field in fields {
                sum = sum.saturating_add(scalars(tree, field.ty, spec)?);
            }
            Ok(sum)
        }
        Kind::Array(element, length) => {
            compound?;
            let length = usize::try_from(*length).unwrap_or(usize::MAX);
            Ok(scalars(tree, *element, spec)?.saturating_mul(length))
        }
        Kind::Unknown { .. } => Err(Unwritten::Rust),
        _ => Err(Unwritten::Kernel),
    }
}

/// Whether Rust writes a primitive in a style.
fn writes(primitive: Primitive, style: Style) -> bool {
    let scalar = primitive.scalar();
    match style {
        Style::Display | Style::Debug => true,
        Style::LowerExp | Style::UpperExp => scalar.is_integer() || scalar.is_float(),
        Style::LowerHex | Style::UpperHex | Style::Octal | Style::Binary => scalar.is_integer() || scalar.is_half(),
    }
}
