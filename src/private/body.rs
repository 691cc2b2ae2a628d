//! Names used by the bodies of kernels, imported at once: `use ::vyre::__private::body::*;`.
//!
//! They begin with underscores to avoid collisions with names of the user, but for the primitive types, which the user's
//! may hide. Scalar operations are those of `vyre_abi::semantics`.

pub use super::launcher::view as __view;
pub use core::primitive::{bool, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize};
pub use core::result::Result::{Err as __Err, Ok as __Ok};
pub use core::sync::atomic::Ordering as __Ordering;
pub use vyre_abi::semantics::{
    BF16 as __BF16, F16 as __F16, Half as __Half, abs as __abs, add as __add, and as __and, approx_cos as __approx_cos,
    approx_div as __approx_div, approx_exp2 as __approx_exp2, approx_log2 as __approx_log2,
    approx_recip as __approx_recip, approx_rsqrt as __approx_rsqrt, approx_sin as __approx_sin,
    approx_sqrt as __approx_sqrt, approx_tanh as __approx_tanh, ceil as __ceil, copysign as __copysign,
    count_ones as __count_ones, div as __div, eq as __eq, floor as __floor, ge as __ge, gt as __gt, le as __le,
    leading_zeros as __leading_zeros, lt as __lt, max as __max, min as __min, mul as __mul, mul_add as __mul_add,
    mul_high as __mul_high, ne as __ne, neg as __neg, normal_recip as __normal_recip, normal_rsqrt as __normal_rsqrt,
    normal_sqrt as __normal_sqrt, not as __not, or as __or, rem as __rem, reverse_bits as __reverse_bits,
    rotate_left as __rotate_left, rotate_right as __rotate_right, round as __round,
    round_ties_even as __round_ties_even, same_bits as __same_bits, shl as __shl, shr as __shr, sqrt as __sqrt,
    sub as __sub, swap_bytes as __swap_bytes, to_bits as __to_bits, trailing_zeros as __trailing_zeros,
    trunc as __trunc, xor as __xor,
};
pub use vyre_runtime::body::Slice as __Slice;
#[cfg(feature = "cpu")]
pub use vyre_runtime::body::atomic::{Global as __Global, Local as __Local, fence as __fence};
pub use vyre_runtime::body::memory::{
    copy as __copy, load as __load, store as __store, truth as __truth, zero as __zero,
};
#[cfg(feature = "cpu")]
pub use vyre_runtime::body::print::word as __word;
#[cfg(feature = "cpu")]
pub use vyre_runtime::body::{Left as __Left, Run as __Run, Thread as __Thread, quotient as __quotient};
pub use vyre_runtime::kernel::download_own as __download;
