//! Floats as constants: canonical NaNs, and half precision by way of `f32`.

use vyre_abi::scalar::{Constant, Scalar};
use vyre_abi::semantics::{BF16, F16, Half, Native, to_bits};

/// The constant with its NaN, if it is one, made the canonical one.
pub(super) fn canonical(constant: Constant) -> Constant {
    match constant.scalar {
        Scalar::F16 => Constant::new(Scalar::F16, u64::from(to_bits(F16::of(constant)))),
        Scalar::BF16 => Constant::new(Scalar::BF16, u64::from(to_bits(BF16::of(constant)))),
        Scalar::F32 => Constant::new(Scalar::F32, u64::from(to_bits(f32::of(constant)))),
        Scalar::F64 => Constant::new(Scalar::F64, to_bits(f64::of(constant))),
        _ => constant,
    }
}

/// A constant of 16 bits as `f32`, exactly; others as they are.
pub(super) fn widened(constant: Constant) -> Constant {
    match constant.scalar {
        Scalar::F16 => F16::of(constant).widen().constant(),
        Scalar::BF16 => BF16::of(constant).widen().constant(),
        _ => constant,
    }
}

/// An `f32` as a constant of 16 bits.
pub(super) fn narrowed(constant: Constant, to: Scalar) -> Constant {
    let value = f32::of(constant);
    match to {
        Scalar::F16 => F16::narrow(value).constant(),
        _ => BF16::narrow(value).constant(),
    }
}

/// An `f64` as a constant of 16 bits, rounded once.
pub(super) fn narrowed_wide(value: f64, to: Scalar) -> Constant {
    match to {
        Scalar::F16 => F16::narrow_wide(value).constant(),
        _ => BF16::narrow_wide(value).constant(),
    }
}
