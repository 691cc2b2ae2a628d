//! The operations that every integer type has.
//!
//! The body after `as` is the same in Rust, written without overflow where the kernel wraps.

macro_rules! operations {
    ($($T:ident)*) => {$(
        mod $T {
            use vyre_semantics::agree;

            agree! {
                fn add(a: $T, b: $T) -> $T { a + b } as { a.wrapping_add(b) }
                fn sub(a: $T, b: $T) -> $T { a - b } as { a.wrapping_sub(b) }
                fn mul(a: $T, b: $T) -> $T { a * b } as { a.wrapping_mul(b) }
                fn div(a: $T, b: $T) -> $T { if b == 0 || (b == !0 && a == $T::MIN) { 0 } else { a / b } }
                fn rem(a: $T, b: $T) -> $T { if b == 0 || (b == !0 && a == $T::MIN) { 0 } else { a % b } }
                fn add_assign(a: $T, b: $T) -> $T { let mut x = a; x += b; x } as { a.wrapping_add(b) }
                fn sub_assign(a: $T, b: $T) -> $T { let mut x = a; x -= b; x } as { a.wrapping_sub(b) }
                fn mul_assign(a: $T, b: $T) -> $T { let mut x = a; x *= b; x } as { a.wrapping_mul(b) }
                fn div_assign(a: $T, b: $T) -> $T { let mut x = a; if b > 0 { x /= b; x %= b } x }
                fn wrapping_add(a: $T, b: $T) -> $T { a.wrapping_add(b) }
                fn wrapping_sub(a: $T, b: $T) -> $T { a.wrapping_sub(b) }
                fn wrapping_mul(a: $T, b: $T) -> $T { a.wrapping_mul(b) }
                fn wrapping_neg(a: $T) -> $T { a.wrapping_neg() }
                fn saturating_add(a: $T, b: $T) -> $T { a.saturating_add(b) }
                fn saturating_sub(a: $T, b: $T) -> $T { a.saturating_sub(b) }
                fn checked_add(a: $T, b: $T) -> $T { a.checked_add(b).unwrap_or(99) }
                fn checked_sub(a: $T, b: $T) -> $T { match a.checked_sub(b) { Some(value) => value, None => 99 } }
                fn checked_div(a: $T, b: $T) -> $T { if let Some(value) = a.checked_div(b) { value } else { 99 } }
                fn checked_rem(a: $T, b: $T) -> $T { a.checked_rem(b).unwrap_or(99) }
                fn nothing_is_nothing(a: $T, b: $T) -> bool { a.checked_add(b) == b.checked_div(0) }
                fn overflowing_add(a: $T, b: $T) -> $T { let (sum, over) = a.overflowing_add(b); if over { !sum } else { sum } }
                fn overflowing_sub(a: $T, b: $T) -> $T { let it = a.overflowing_sub(b); if it.1 { !it.0 } else { it.0 } }
                fn wrapping_div(a: $T, b: $T) -> $T { if b == 0 { 0 } else { a.wrapping_div(b) } }
                fn wrapping_rem(a: $T, b: $T) -> $T { if b == 0 { 0 } else { a.wrapping_rem(b) } }
                fn ilog2(a: $T) -> u32 { if a > 0 { a.ilog2() } else { 0 } }

                fn and(a: $T, b: $T) -> $T { a & b }
                fn or(a: $T, b: $T) -> $T { a | b }
                fn xor(a: $T, b: $T) -> $T { a ^ b }
                fn not(a: $T) -> $T { !a }
                fn bit_assign(a: $T, b: $T) -> $T { let mut x = a; x &= 0x5b; x |= b; x ^= a; x }

                fn shl(a: $T, b: u32) -> $T { a << b } as { a.wrapping_shl(b) }
                fn shr(a: $T, b: u32) -> $T { a >> b } as { a.wrapping_shr(b) }
                fn shl_by_its_own_type(a: $T, b: $T) -> $T { a << b } as { a.wrapping_shl(b as u32) }
                fn shr_by_its_own_type(a: $T, b: $T) -> $T { a >> b } as { a.wrapping_shr(b as u32) }
                fn shl_by_a_signed_byte(a: $T, b: i8) -> $T { a << b } as { a.wrapping_shl(b as u32) }
                fn shr_by_a_long(a: $T, b: u64) -> $T { a >> b } as { a.wrapping_shr(b as u32) }
                fn shift_assign(a: $T, b: u32) -> $T { let mut x = a; x <<= b; x >>= 1; x } as { a.wrapping_shl(b) >> 1 }
                fn wrapping_shl(a: $T, b: u32) -> $T { a.wrapping_shl(b) }
                fn wrapping_shr(a: $T, b: u32) -> $T { a.wrapping_shr(b) }
                fn rotate_left(a: $T, b: u32) -> $T { a.rotate_left(b) }
                fn rotate_right(a: $T, b: u32) -> $T { a.rotate_right(b) }
                fn rotate_left_by_a_constant(a: $T) -> $T { a.rotate_left(3) }
                fn shifts_by_constants(a: $T) -> $T { (a << 3) ^ (a >> 5) }

                fn count_ones(a: $T) -> u32 { a.count_ones() }
                fn count_zeros(a: $T) -> u32 { a.count_zeros() }
                fn leading_zeros(a: $T) -> u32 { a.leading_zeros() }
                fn leading_ones(a: $T) -> u32 { a.leading_ones() }
                fn trailing_zeros(a: $T) -> u32 { a.trailing_zeros() }
                fn trailing_ones(a: $T) -> u32 { a.trailing_ones() }
                fn reverse_bits(a: $T) -> $T { a.reverse_bits() }
                fn swap_bytes(a: $T) -> $T { a.swap_bytes() }

                fn eq(a: $T, b: $T) -> bool { a == b }
                fn ne(a: $T, b: $T) -> bool { a != b }
                fn lt(a: $T, b: $T) -> bool { a < b }
                fn le(a: $T, b: $T) -> bool { a <= b }
                fn gt(a: $T, b: $T) -> bool { a > b }
                fn ge(a: $T, b: $T) -> bool { a >= b }
                fn min(a: $T, b: $T) -> $T { a.min(b) }
                fn max(a: $T, b: $T) -> $T { a.max(b) }
                fn clamp(a: $T, b: $T, c: $T) -> $T { a.clamp(b.min(c), b.max(c)) }
                fn abs_diff(a: $T, b: $T) -> u64 { a.abs_diff(b) as u64 }

                fn pow(a: $T, b: u32) -> $T { a.pow(b & 15) } as { a.wrapping_pow(b & 15) }
                fn wrapping_pow(a: $T, b: u32) -> $T { a.wrapping_pow(b) }
                fn rem_euclid(a: $T, b: $T) -> $T { if b == 0 || b == !0 { 0 } else { a.rem_euclid(b) } }
                fn div_euclid(a: $T, b: $T) -> $T { if b == 0 || b == !0 { 0 } else { a.div_euclid(b) } }
                fn div_by_constants(a: $T) -> $T { (a / 3) ^ (a / 10) ^ (a / 16) ^ (a / 127) ^ (a / 1) }
                fn rem_by_constants(a: $T) -> $T { (a % 3) ^ (a % 10) ^ (a % 16) ^ (a % 127) ^ (a % 1) }
            }
        }
    )*};
}

macro_rules! signed_operations {
    ($($module:ident: $T:ident)*) => {$(
        mod $module {
            use vyre_semantics::agree;

            agree! {
                fn neg(a: $T) -> $T { -a } as { a.wrapping_neg() }
                fn abs(a: $T) -> $T { a.abs() } as { a.wrapping_abs() }
                fn wrapping_abs(a: $T) -> $T { a.wrapping_abs() }
                fn unsigned_abs(a: $T) -> u64 { a.unsigned_abs() as u64 }
                fn abs_of_neg_max(a: $T, b: $T) -> $T { (-a).abs().max(b) } as { a.wrapping_abs().max(b) }
                fn neg_max_max(a: $T, b: $T, c: $T) -> $T { (-a).max(a | b).max(c) } as { a.wrapping_neg().max(a | b).max(c) }
                fn neg_min_min(a: $T, b: $T, c: $T) -> $T { (-a).min(-b).min(c) } as { a.wrapping_neg().min(b.wrapping_neg()).min(c) }
                fn abs_of_neg_min(a: $T, b: $T) -> $T { (-a).abs().min(-b) } as { a.wrapping_abs().min(b.wrapping_neg()) }
                fn signum(a: $T) -> $T { a.signum() }
                fn is_negative(a: $T) -> bool { a.is_negative() }
                fn is_positive(a: $T) -> bool { a.is_positive() }
                fn div_by_negative_constants(a: $T) -> $T { (a / -2) ^ (a / -3) ^ (a / -10) ^ (a / -128) }
                fn rem_by_negative_constants(a: $T) -> $T { (a % -2) ^ (a % -3) ^ (a % -10) ^ (a % -128) }
                fn wrapping_add_unsigned(a: $T, b: $T) -> $T { a.wrapping_add_unsigned(b.unsigned_abs()) }
                fn cast_unsigned(a: $T) -> u64 { a.cast_unsigned() as u64 }
            }
        }
    )*};
}

macro_rules! unsigned_operations {
    ($($module:ident: $T:ident)*) => {$(
        mod $module {
            use vyre_semantics::agree;

            agree! {
                fn is_power_of_two(a: $T) -> bool { a.is_power_of_two() }
                fn is_multiple_of(a: $T, b: $T) -> bool { a.is_multiple_of(b) }
                fn div_ceil(a: $T, b: $T) -> $T { if b == 0 { 0 } else { a.div_ceil(b) } }
                fn wrapping_add_signed(a: $T, b: $T) -> $T { a.wrapping_add_signed(b.cast_signed()) }
                fn cast_signed(a: $T) -> i64 { a.cast_signed() as i64 }
                fn next_power_of_two(a: $T) -> $T { a.next_power_of_two() }
                    as { a.checked_next_power_of_two().unwrap_or(0) }
            }
        }
    )*};
}
