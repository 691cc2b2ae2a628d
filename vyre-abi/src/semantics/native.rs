//! The Rust primitives that implement scalars.

use crate::scalar::{Constant, Scalar};

/// A Rust primitive that implements a [`Scalar`].
pub trait Native: Copy {
    /// The scalar.
    const SCALAR: Scalar;

    /// The value as a constant.
    fn constant(self) -> Constant;

    /// The value of a constant, whose scalar is [`SCALAR`](Native::SCALAR).
    fn of(constant: Constant) -> Self;
}

macro_rules! natives {
    ($($scalar:ident $native:ty, |$value:ident| $to:expr, |$bits:ident| $from:expr;)+) => {
        $(impl Native for $native {
            const SCALAR: Scalar = Scalar::$scalar;

            #[inline(always)]
            fn constant(self) -> Constant {
                let $value = self;
                Constant::new(Scalar::$scalar, $to)
            }

            #[inline(always)]
            fn of(constant: Constant) -> Self {
                let $bits = constant.bits;
                $from
            }
        }

        impl From<$native> for Constant {
            fn from(value: $native) -> Constant {
                value.constant()
            }
        })+
    };
}

natives! {
    Bool bool, |value| value as u64, |bits| bits != 0;
    I8 i8, |value| value as u64, |bits| bits as i8;
    I16 i16, |value| value as u64, |bits| bits as i16;
    I32 i32, |value| value as u64, |bits| bits as i32;
    I64 i64, |value| value as u64, |bits| bits as i64;
    U8 u8, |value| value as u64, |bits| bits as u8;
    U16 u16, |value| value as u64, |bits| bits as u16;
    U32 u32, |value| value as u64, |bits| bits as u32;
    U64 u64, |value| value, |bits| bits;
    F32 f32, |value| value.to_bits() as u64, |bits| f32::from_bits(bits as u32);
    F64 f64, |value| value.to_bits(), |bits| f64::from_bits(bits);
}

impl From<usize> for Constant {
    fn from(value: usize) -> Constant {
        Constant::u64(value as u64)
    }
}

impl From<isize> for Constant {
    fn from(value: isize) -> Constant {
        Constant::new(Scalar::I64, value as u64)
    }
}
