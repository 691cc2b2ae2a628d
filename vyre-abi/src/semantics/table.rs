//! The table of scalar operations.
//!
//! A row reads: variant of the enum, name, operands, and the body for each class of types. Within a
//! body `Self` is the type. The result type is `Self` by default.

use super::float::to_bits;
use super::native::Native;
use super::rounding::Whole;
use crate::fault::FaultKind;
use crate::math::normal;
use crate::math::single::{exp, hyperbolic, log, roots, trig};
use crate::scalar::{Constant, Scalar};

/// Invokes a macro with the types of a class before its arguments.
macro_rules! class {
    (bool $macro:ident $rest:tt) => {
        $macro! { [Bool bool] $rest }
    };
    (signed $macro:ident $rest:tt) => {
        $macro! { [I8 i8, I16 i16, I32 i32, I64 i64] $rest }
    };
    (unsigned $macro:ident $rest:tt) => {
        $macro! { [U8 u8, U16 u16, U32 u32, U64 u64] $rest }
    };
    (float $macro:ident $rest:tt) => {
        $macro! { [F32 f32, F64 f64] $rest }
    };
    (single $macro:ident $rest:tt) => {
        $macro! { [F32 f32] $rest }
    };
    (integer $macro:ident $rest:tt) => {
        $macro! { [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64] $rest }
    };
    (any $macro:ident $rest:tt) => {
        $macro! {
            [Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64] $rest
        }
    };
}

/// The second type if there is one, else the first.
macro_rules! given {
    ($default:ty,) => {
        $default
    };
    ($default:ty, $given:ty) => {
        $given
    };
}

macro_rules! implement_unary {
    ([$($scalar:ident $native:ident),+] ($variant:ident $a:ident $body:expr)) => {
        $(impl traits::$variant for $native {
            #[inline(always)]
            fn apply($a: Self) -> Self { $body }
        })+
    };
}

/// The type of the right operand, given that of the left.
macro_rules! right {
    (($a:ident, $b:ident) $left:ty) => {
        $left
    };
    (($a:ident, $b:ident: $right:ty) $left:ty) => {
        $right
    };
}

macro_rules! implement_binary {
    ($natives:tt ($variant:ident ($a:ident, $b:ident) $output:ty => $body:expr)) => {
        implement_binary! { $natives ($variant ($a, $b: Self) $output => $body) }
    };
    (
        [$($scalar:ident $native:ident),+]
        ($variant:ident ($a:ident, $b:ident: $right:ty) $output:ty => $body:expr)
    ) => {
        $(impl traits::$variant for $native {
            type Output = $output;
            #[inline(always)]
            fn apply($a: Self, $b: $right) -> $output { $body }
        })+
    };
}

macro_rules! compute_unary {
    ([$($scalar:ident $native:ident),+] ($variant:ident $a:ident)) => {
        match $a.scalar {
            $(Scalar::$scalar => return Some(traits::$variant::apply($native::of($a)).constant()),)+
            _ => {}
        }
    };
}

macro_rules! compute_binary {
    ([$($scalar:ident $native:ident),+] ($variant:ident $left:ident $right:ident)) => {
        #[allow(unreachable_patterns, reason = "the class `any` leaves nothing over")]
        match $left.scalar {
            $(Scalar::$scalar => {
                return Some(traits::$variant::apply($native::of($left), Native::of($right)).outcome());
            })+
            _ => {}
        }
    };
}

/// The result of an operation: a value, or possibly a fault.
pub(super) trait Outcome {
    fn outcome(self) -> Result<Constant, FaultKind>;
}

impl<T: Native> Outcome for T {
    fn outcome(self) -> Result<Constant, FaultKind> {
        Ok(self.constant())
    }
}

impl<T: Native> Outcome for Result<T, FaultKind> {
    fn outcome(self) -> Result<Constant, FaultKind> {
        self.map(T::constant)
    }
}

macro_rules! operations {
    (
        unary { $($unary:ident $unary_name:ident($x:ident) { $($unary_class:ident => $unary_body:expr;)+ })+ }
        binary { $(
            $binary:ident $binary_name:ident $operands:tt {
                $($class:ident $(-> $output:ty)? => $body:expr;)+
            }
        )+ }
    ) => {
        /// One trait per operation, implemented by the types that it is defined on.
        pub mod traits {
            use super::Native;

            $(
                #[doc = concat!("The types of [`UnaryOp::", stringify!($unary), "`](crate::ops::UnaryOp::", stringify!($unary), ").")]
                pub trait $unary: Native {
                    /// The operation.
                    fn apply($x: Self) -> Self;
                }
            )+
            $(
                #[doc = concat!("The types of [`BinaryOp::", stringify!($binary), "`](crate::ops::BinaryOp::", stringify!($binary), ").")]
                pub trait $binary: Native {
                    /// The result: a value, or a `Result` if the operation faults on some operands.
                    type Output;
                    /// The operation.
                    fn apply(left: Self, right: right!($operands Self)) -> Self::Output;
                }
            )+
        }

        $(
            #[doc = concat!("[`UnaryOp::", stringify!($unary), "`](crate::ops::UnaryOp::", stringify!($unary), ").")]
            #[inline(always)]
            pub fn $unary_name<T: traits::$unary>($x: T) -> T {
                T::apply($x)
            }
            $(class! { $unary_class implement_unary ($unary $x $unary_body) })+
        )+

        $(
            #[doc = concat!("[`BinaryOp::", stringify!($binary), "`](crate::ops::BinaryOp::", stringify!($binary), ").")]
            #[inline(always)]
            pub fn $binary_name<T: traits::$binary>(left: T, right: right!($operands T)) -> T::Output {
                T::apply(left, right)
            }
            $(class! {
                $class implement_binary
                ($binary $operands given!(Self, $($output)?) => $body)
            })+
        )+

        /// The operations on constants: `None` if the operation is not defined on the scalar.
        /// Floats of 16 bits are computed in `f32`, so nothing is defined on them here.
        ///
        /// The functions are inline, so that only crates that call them, that is the compiler,
        /// contain their machine code.
        pub mod constants {
            use super::{Constant, FaultKind, Native, Outcome, Scalar, traits};
            use crate::ops::{BinaryOp, UnaryOp};

            $(#[inline]
            fn $unary_name($x: Constant) -> Option<Constant> {
                $(class! { $unary_class compute_unary ($unary $x) })+
                None
            })+
            $(#[inline]
            fn $binary_name(left: Constant, right: Constant) -> Option<Result<Constant, FaultKind>> {
                $(class! { $class compute_binary ($binary left right) })+
                None
            })+

            /// The operation on a constant.
            #[inline]
            pub fn unary(op: UnaryOp, operand: Constant) -> Option<Constant> {
                match op { $(UnaryOp::$unary => $unary_name(operand),)+ }
            }

            /// The operation on two constants, or the fault of a division.
            #[inline]
            pub fn binary(
                op: BinaryOp,
                left: Constant,
                right: Constant,
            ) -> Option<Result<Constant, FaultKind>> {
                match op { $(BinaryOp::$binary => $binary_name(left, right),)+ }
            }
        }
    };
}

operations! {
    unary {
        Neg neg(a) { signed => a.wrapping_neg(); float => -a; }
        Not not(a) { integer => !a; bool => !a; }
        Abs abs(a) { signed => a.wrapping_abs(); float => a.abs(); }
        Sqrt sqrt(a) { float => a.sqrt(); }
        Floor floor(a) { float => Whole::floor(a); }
        Ceil ceil(a) { float => Whole::ceil(a); }
        Trunc trunc(a) { float => Whole::trunc(a); }
        Round round(a) { float => Whole::round(a); }
        RoundTiesEven round_ties_even(a) { float => Whole::round_ties_even(a); }
        ReverseBits reverse_bits(a) { integer => a.reverse_bits(); }
        SwapBytes swap_bytes(a) { integer => a.swap_bytes(); }
        CountOnes count_ones(a) { integer => a.count_ones() as Self; }
        LeadingZeros leading_zeros(a) { integer => a.leading_zeros() as Self; }
        TrailingZeros trailing_zeros(a) { integer => a.trailing_zeros() as Self; }
        // Any result within the bound would do: these are the same on every host.
        ApproxExp2 approx_exp2(a) { single => exp::exp2(a); }
        ApproxLog2 approx_log2(a) { single => log::log2(a); }
        ApproxSin approx_sin(a) { single => trig::sin(a); }
        ApproxCos approx_cos(a) { single => trig::cos(a); }
        ApproxTanh approx_tanh(a) { single => hyperbolic::tanh(a); }
        ApproxRsqrt approx_rsqrt(a) { single => roots::rsqrt(a); }
        ApproxRecip approx_recip(a) { single => 1.0 / a; }
        ApproxSqrt approx_sqrt(a) { single => a.sqrt(); }
        NormalRecip normal_recip(a) { single => normal::normal_recip(a); }
        NormalSqrt normal_sqrt(a) { single => normal::normal_sqrt(a); }
        NormalRsqrt normal_rsqrt(a) { single => normal::normal_rsqrt(a); }
    }
    binary {
        Add add(a, b) { integer => a.wrapping_add(b); float => a + b; }
        Sub sub(a, b) { integer => a.wrapping_sub(b); float => a - b; }
        Mul mul(a, b) { integer => a.wrapping_mul(b); float => a * b; }
        Div div(a, b) {
            integer -> Result<Self, FaultKind> => a.checked_div(b).ok_or(division_fault(b == 0));
            float => a / b;
        }
        Rem rem(a, b) {
            integer -> Result<Self, FaultKind> => a.checked_rem(b).ok_or(division_fault(b == 0));
            float => a % b;
        }
        And and(a, b) { integer => a & b; bool => a & b; }
        Or or(a, b) { integer => a | b; bool => a | b; }
        Xor xor(a, b) { integer => a ^ b; bool => a ^ b; }
        Shl shl(a, b: u32) { integer => a.wrapping_shl(b); }
        Shr shr(a, b: u32) { integer => a.wrapping_shr(b); }
        RotateLeft rotate_left(a, b: u32) { integer => a.rotate_left(b % Self::BITS); }
        RotateRight rotate_right(a, b: u32) { integer => a.rotate_right(b % Self::BITS); }
        MulHigh mul_high(a, b) {
            signed => ((a as i128 * b as i128) >> Self::BITS) as Self;
            unsigned => ((a as u128 * b as u128) >> Self::BITS) as Self;
        }
        // Equal floats have the same bits or are two zeros, whose sign bits the masks combine.
        Min min(a, b) {
            integer => Ord::min(a, b);
            float => if b.is_nan() {
                a
            } else if a == b {
                Self::from_bits(a.to_bits() | b.to_bits())
            } else if a < b {
                a
            } else {
                b
            };
        }
        Max max(a, b) {
            integer => Ord::max(a, b);
            float => if b.is_nan() {
                a
            } else if a == b {
                Self::from_bits(a.to_bits() & b.to_bits())
            } else if a > b {
                a
            } else {
                b
            };
        }
        // The sign of a NaN is that of the canonical one.
        Copysign copysign(a, b) { float => a.copysign(if b.is_nan() { 0.0 } else { b }); }
        Eq eq(a, b) { any -> bool => a == b; }
        Ne ne(a, b) { any -> bool => a != b; }
        Lt lt(a, b) { any -> bool => PartialOrd::lt(&a, &b); }
        Le le(a, b) { any -> bool => a <= b; }
        Gt gt(a, b) { any -> bool => PartialOrd::gt(&a, &b); }
        Ge ge(a, b) { any -> bool => a >= b; }
        SameBits same_bits(a, b) { float -> bool => to_bits(a) == to_bits(b); }
        ApproxDiv approx_div(a, b) { single => a / b; }
    }
}

/// The fault of a checked division without quotient.
#[inline(always)]
fn division_fault(by_zero: bool) -> FaultKind {
    if by_zero {
        FaultKind::DivisionByZero
    } else {
        FaultKind::DivisionOverflow
    }
}
