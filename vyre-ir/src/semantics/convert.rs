//! Conversions between scalar types. On Rust's primitives they are `as`,
//! [`to_bits`](vyre_abi::semantics::to_bits) and `from_bits`.

use vyre_abi::scalar::{Constant, Scalar};
use vyre_abi::semantics::Native;

use super::float::{narrowed, narrowed_wide, widened};

/// `value as to`, with Rust's semantics; see [`ExprKind::Cast`](crate::ir::ExprKind::Cast). A NaN
/// becomes the canonical one.
pub fn cast(value: Constant, to: Scalar) -> Constant {
    debug_assert!(to != Scalar::Bool, "nothing casts to bool");
    macro_rules! convert {
        ($value:expr) => {
            match to {
                Scalar::Bool => value,
                Scalar::I8 => ($value as i8).constant(),
                Scalar::I16 => ($value as i16).constant(),
                Scalar::I32 => ($value as i32).constant(),
                Scalar::I64 => ($value as i64).constant(),
                Scalar::U8 => ($value as u8).constant(),
                Scalar::U16 => ($value as u16).constant(),
                Scalar::U32 => ($value as u32).constant(),
                Scalar::U64 => ($value as u64).constant(),
                // An integer by way of `f32`.
                Scalar::F16 | Scalar::BF16 => narrowed(($value as f32).constant(), to).canonical(),
                Scalar::F32 => ($value as f32).constant().canonical(),
                Scalar::F64 => ($value as f64).constant().canonical(),
            }
        };
    }
    match value.scalar {
        Scalar::F64 if to.is_half() => narrowed_wide(f64::of(value), to).canonical(),
        Scalar::F16 | Scalar::BF16 => cast(widened(value), to),
        Scalar::F32 => convert!(f32::of(value)),
        Scalar::F64 => convert!(f64::of(value)),
        // Every integer is an `i128`, from which a cast truncates or rounds just as from its own type.
        _ => convert!(value.as_i128()),
    }
}

/// The same bits as another scalar of the same width, as
/// [`ExprKind::Bitcast`](crate::ir::ExprKind::Bitcast) says: to another type, a NaN becomes the
/// canonical one.
pub fn bitcast(value: Constant, to: Scalar) -> Constant {
    debug_assert!(value.scalar.bits() == to.bits(), "a bitcast keeps the width");
    let value = if to == value.scalar { value } else { value.canonical() };
    Constant::new(to, value.bits)
}
