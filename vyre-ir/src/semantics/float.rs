//! Half precision by way of `f32`.

use vyre_abi::scalar::{Constant, Scalar};
use vyre_abi::semantics::{BF16, F16, Half, Native};

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
