//! NaNs where a sign, bits or an order are read: each is the canonical one, positive and quiet, be it loaded, computed or
//! constant, whatever the processor or a compiler has made of it.

macro_rules! operations {
    ($($T:ident $nan:literal { $one:expr })*) => {$(
        mod $T {
            #[allow(unused_imports, reason = "they are primitive types, or those of the crate `half`")]
            use vyre::{bf16, f16};
            use vyre_semantics::agree;

            /// The sign, bits and order of a value in a kernel.
            fn seen(x: $T) -> $T {
                if x.is_nan() { $T::from_bits($nan) } else { x }
            }

            fn is_negative(x: $T) -> bool {
                seen(x).is_sign_negative()
            }

            agree! {
                fn loaded(a: $T) -> bool { a.is_sign_negative() } as { is_negative(a) }
                fn loaded_positive(a: $T) -> bool { a.is_sign_positive() } as { !is_negative(a) }
                fn negated(a: $T) -> bool { (-a).is_sign_negative() } as { is_negative(-a) }
                fn sum(a: $T, b: $T) -> bool { (a + b).is_sign_negative() } as { is_negative(a + b) }
                fn difference(a: $T, b: $T) -> bool { (a - b).is_sign_negative() } as { is_negative(a - b) }
                fn product(a: $T, b: $T) -> bool { (a * b).is_sign_negative() } as { is_negative(a * b) }
                fn quotient(a: $T, b: $T) -> bool { (a / b).is_sign_negative() } as { is_negative(a / b) }
                fn quotient_positive(a: $T, b: $T) -> bool { (a / b).is_sign_positive() } as { !is_negative(a / b) }
                fn quotient_by_itself(a: $T) -> bool { (a / a).is_sign_negative() } as { false }
                fn least(a: $T, b: $T) -> bool { a.min(b).is_sign_negative() } as {
                    if a == b { is_negative(a) || is_negative(b) } else { is_negative(if a < b || b.is_nan() { a } else { b }) }
                }
                fn greatest(a: $T, b: $T) -> bool { a.max(b).is_sign_negative() } as {
                    if a == b { is_negative(a) && is_negative(b) } else { is_negative(if a > b || b.is_nan() { a } else { b }) }
                }
                fn of_signum(a: $T, b: $T) -> bool { (a / b).signum().is_sign_negative() } as { is_negative(a / b) }
                fn signum(a: $T, b: $T) -> $T { (a / b).signum() } as { (a / b).signum() }
                fn copied(a: $T, b: $T) -> $T { a.copysign(b) } as { a.copysign(seen(b)) }
                fn copied_from_quotient(a: $T, b: $T) -> $T { $one.copysign(a / b) } as { $one.copysign(seen(a / b)) }
                fn copied_twice(a: $T, b: $T) -> $T { $one.copysign(a.copysign(b)) } as {
                    $one.copysign(if a.is_nan() { $one } else { seen(b) })
                }
                // Rules for sums with a zero and products with one may keep the operand as it is.
                fn unchanged(a: $T) -> bool { ((a + -($one - $one)) * $one / $one).is_sign_negative() } as {
                    is_negative(a)
                }
                fn chosen(a: $T, b: $T) -> bool { (if a < b { a } else { -b }).is_sign_negative() } as {
                    is_negative(if a < b { a } else { -b })
                }
                // Where it is known to be a number.
                fn of_a_number(a: $T) -> $T { if a <= a { $one.copysign(a) } else { a } } as {
                    if a.is_nan() { a } else { $one.copysign(a) }
                }
                fn constants() -> u8 {
                    let zero = $one - $one;
                    let computed = zero / zero;
                    computed.is_sign_negative() as u8
                        | (-computed).is_sign_negative() as u8
                        | (-$T::NAN).is_sign_negative() as u8
                        | ($T::INFINITY - $T::INFINITY).is_sign_negative() as u8
                        | ($one.copysign(-$T::NAN) < zero) as u8
                        | ($one.copysign($T::from_bits(!0)) < zero) as u8
                        | ($T::from_bits(!0).is_sign_negative()) as u8
                        | ($T::from_bits(!0).to_bits() != $nan) as u8
                        | ((-computed).to_bits() != $nan) as u8
                        | (-$T::NAN).is_sign_positive() as u8 * 2
                        | computed.is_sign_positive() as u8 * 4
                } as { 6 }
            }
        }
    )*};
}

operations! {
    f32 0x7fc0_0000 { 1.0f32 }
    f64 0x7ff8_0000_0000_0000 { 1.0f64 }
    f16 0x7e00 { f16::ONE }
    bf16 0x7fc0 { bf16::ONE }
}

/// Operations that `f16` and `bf16` lack.
macro_rules! wide_operations {
    ($($module:ident $T:ident $nan:literal $other:ident)*) => {$(
        mod $module {
            use vyre::math;
            use vyre_semantics::agree;

            fn seen(x: $T) -> $T {
                if x.is_nan() { $T::from_bits($nan) } else { x }
            }

            fn is_negative(x: $T) -> bool {
                seen(x).is_sign_negative()
            }

            agree! {
                fn magnitude(a: $T) -> bool { a.abs().is_sign_positive() } as { true }
                fn remainder(a: $T, b: $T) -> bool { (a % b).is_sign_negative() } as { is_negative(a % b) }
                fn fused(a: $T, b: $T, c: $T) -> bool { a.mul_add(b, c).is_sign_negative() } as {
                    is_negative(a.mul_add(b, c))
                }
                fn root(a: $T) -> bool { a.sqrt().is_sign_negative() } as { is_negative(a.sqrt()) }
                fn fraction(a: $T) -> bool { a.fract().is_sign_negative() } as { is_negative(a.fract()) }
                fn rounded(a: $T) -> bool { (a.round() + a.floor()).is_sign_negative() } as {
                    is_negative(a.round() + a.floor())
                }
                fn next(a: $T) -> bool { a.next_down().is_sign_negative() } as { is_negative(a.next_down()) }
                fn converted(a: $T) -> bool { (a as $other).is_sign_negative() } as {
                    !a.is_nan() && (a as $other).is_sign_negative()
                }
                fn there_and_back(a: $T) -> bool { (a as $other as $T).is_sign_negative() } as {
                    is_negative(a as $other as $T)
                }
                fn first_byte(a: $T, b: $T) -> u8 { (a / b).to_be_bytes()[0] } as { seen(a / b).to_be_bytes()[0] }
                fn total_cmp(a: $T, b: $T) -> i8 { a.total_cmp(&b) as i8 } as { seen(a).total_cmp(&seen(b)) as i8 }
                fn total_cmp_of_quotients(a: $T, b: $T) -> i8 { (a / a).total_cmp(&(b / a)) as i8 } as {
                    seen(a / a).total_cmp(&seen(b / a)) as i8
                }
                fn total_cmp_by_path(a: $T, b: $T) -> bool { $T::total_cmp(&a, &-b).is_lt() } as {
                    seen(a).total_cmp(&seen(-b)).is_lt()
                }
                fn logarithm(a: $T) -> bool { a.ln().is_sign_negative() } as { is_negative(math::ln(a)) }
                fn arc_sine(a: $T) -> bool { a.asin().is_sign_negative() } as { is_negative(math::asin(a)) }
                fn angle(a: $T, b: $T) -> bool { a.atan2(b).is_sign_negative() } as { is_negative(math::atan2(a, b)) }
                fn hyperbolic(a: $T) -> bool { (a.tanh() + a.sinh()).is_sign_negative() } as {
                    is_negative(math::tanh(a) + math::sinh(a))
                }
                fn cube_root(a: $T) -> $T { a.cbrt() } as { math::cbrt(a) }
                fn power(a: $T, b: $T) -> bool { a.powf(b).is_sign_negative() } as { is_negative(math::powf(a, b)) }
            }
        }
    )*};
}

wide_operations! {
    single f32 0x7fc0_0000 f64
    double f64 0x7ff8_0000_0000_0000 f32
}
