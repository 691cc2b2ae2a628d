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

/// Returns the function of an operation for a scalar of a class.
macro_rules! function_for {
    ([$($scalar:ident $native:ident),+] ($name:ident $given:ident)) => {
        #[allow(unreachable_patterns, reason = "the class `any` leaves nothing over")]
        match $given {
            $(Scalar::$scalar => return Some($name::<$native>),)+
            _ => {}
        }
    };
}

/// The result of an operation: a value, or possibly a fault.
pub(super) trait Outcome {
    fn outcome(self) -> Result<u64, FaultKind>;
}

impl<T: Native> Outcome for T {
    #[inline(always)]
    fn outcome(self) -> Result<u64, FaultKind> {
        Ok(word(self))
    }
}

impl<T: Native> Outcome for Result<T, FaultKind> {
    #[inline(always)]
    fn outcome(self) -> Result<u64, FaultKind> {
        self.map(word)
    }
}

/// The bits of a value; those of a NaN are canonical.
#[inline(always)]
fn word<T: Native>(value: T) -> u64 {
    value.constant().canonical().bits
}

/// The value of these bits.
#[inline(always)]
fn native<T: Native>(bits: u64) -> T {
    T::of(Constant {
        scalar: T::SCALAR,
        bits,
    })
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

        /// The operations on words, the bits of constants. A NaN is the canonical one. `None` if the operation is not
        /// defined on the scalar. Floats of 16 bits are computed in `f32`, so nothing is defined on them here.
        ///
        /// The functions are inline, so that only crates that call them, that is the compiler,
        /// contain their machine code.
        pub mod words {
            use super::{FaultKind, Outcome, Scalar, native, traits, word};
            use crate::ops::{BinaryOp, UnaryOp};

            /// An operation on the bits of one scalar.
            pub type Unary = fn(u64) -> u64;

            /// An operation on the bits of two scalars, or the fault of a division.
            pub type Binary = fn(u64, u64) -> Result<u64, FaultKind>;

            $(fn $unary_name<T: traits::$unary>($x: u64) -> u64 {
                word(T::apply(native::<T>($x)))
            })+
            $(fn $binary_name<T: traits::$binary<Output: Outcome>>(left: u64, right: u64) -> Result<u64, FaultKind> {
                T::apply(native::<T>(left), native(right)).outcome()
            })+

            /// The operation on a scalar.
            #[inline]
            pub fn unary(op: UnaryOp, scalar: Scalar) -> Option<Unary> {
                match op {
                    $(UnaryOp::$unary => {
                        $(class! { $unary_class function_for ($unary_name scalar) })+
                        None
                    })+
                }
            }

            /// The operation whose left operand is such a scalar.
            #[inline]
            pub fn binary(op: BinaryOp, scalar: Scalar) -> Option<Binary> {
                match op {
                    $(BinaryOp::$binary => {
                        $(class! { $class function_for ($binary_name scalar) })+
                        None
                    })+
                }
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
