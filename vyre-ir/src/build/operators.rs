//! Operators between values, and between values and numbers.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use super::Value;
use crate::ir::{BinaryOp, UnaryOp};

/// `value op value`, `value op number` and `number op value`.
macro_rules! binary {
    ($($trait:ident $method:ident: $($ty:ty)+;)+) => {$($(
        impl<'b> $trait for Value<'b, $ty> {
            type Output = Self;

            fn $method(self, right: Self) -> Self {
                self.binary(BinaryOp::$trait, right)
            }
        }

        impl<'b> $trait<$ty> for Value<'b, $ty> {
            type Output = Self;

            fn $method(self, right: $ty) -> Self {
                self.binary(BinaryOp::$trait, Value::constant(self.build(), right))
            }
        }

        impl<'b> $trait<Value<'b, $ty>> for $ty {
            type Output = Value<'b, $ty>;

            fn $method(self, right: Value<'b, $ty>) -> Value<'b, $ty> {
                Value::constant(right.build(), self).binary(BinaryOp::$trait, right)
            }
        }
    )+)+};
}

binary! {
    Add add: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    Sub sub: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    Mul mul: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    Div div: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    Rem rem: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
}

/// `value op value` and `value op number`, of operations on bits.
macro_rules! bitwise {
    ($($ty:ty)+) => {$(
        bitwise!($ty: BitAnd bitand And);
        bitwise!($ty: BitOr bitor Or);
        bitwise!($ty: BitXor bitxor Xor);
    )+};
    ($ty:ty: $trait:ident $method:ident $op:ident) => {
        impl<'b> $trait for Value<'b, $ty> {
            type Output = Self;

            fn $method(self, right: Self) -> Self {
                self.binary(BinaryOp::$op, right)
            }
        }

        impl<'b> $trait<$ty> for Value<'b, $ty> {
            type Output = Self;

            fn $method(self, right: $ty) -> Self {
                self.binary(BinaryOp::$op, Value::constant(self.build(), right))
            }
        }
    };
}

bitwise!(bool i8 i16 i32 i64 u8 u16 u32 u64);

/// Shifts, by a `u32` modulo the width.
macro_rules! shifts {
    ($($ty:ty)+) => {$(
        impl<'b> Shl<Value<'b, u32>> for Value<'b, $ty> {
            type Output = Self;

            fn shl(self, right: Value<'b, u32>) -> Self {
                self.binary(BinaryOp::Shl, right)
            }
        }

        impl Shl<u32> for Value<'_, $ty> {
            type Output = Self;

            fn shl(self, right: u32) -> Self {
                self.binary(BinaryOp::Shl, Value::constant(self.build(), right))
            }
        }

        impl<'b> Shr<Value<'b, u32>> for Value<'b, $ty> {
            type Output = Self;

            fn shr(self, right: Value<'b, u32>) -> Self {
                self.binary(BinaryOp::Shr, right)
            }
        }

        impl Shr<u32> for Value<'_, $ty> {
            type Output = Self;

            fn shr(self, right: u32) -> Self {
                self.binary(BinaryOp::Shr, Value::constant(self.build(), right))
            }
        }
    )+};
}

shifts!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Negations and complements.
macro_rules! unary {
    ($($trait:ident $method:ident: $($ty:ty)+;)+) => {$($(
        impl $trait for Value<'_, $ty> {
            type Output = Self;

            fn $method(self) -> Self {
                self.unary(UnaryOp::$trait)
            }
        }
    )+)+};
}

unary! {
    Neg neg: i8 i16 i32 i64 f32 f64;
    Not not: bool i8 i16 i32 i64 u8 u16 u32 u64;
}
