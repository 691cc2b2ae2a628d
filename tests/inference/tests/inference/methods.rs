//! Methods: the types that the receiver gives to arguments and result.

use vyre_semantics::agree;

agree! {
    fn count_ones_is_u32(a: u64) -> u32 { a.count_ones() + 1 }
    fn count_ones_of_a_byte(a: u8) -> u64 { (a.count_ones() << 30) as u64 }
    fn count_zeros_of_i8(a: i8) -> u32 { a.count_zeros() * 1000 }
    fn leading_zeros_of_i16(a: i16) -> i64 { a.leading_zeros() as i64 - 20 }
    fn trailing_zeros_of_zero(a: u8) -> u32 { (a & 0xf0).trailing_zeros() }
    fn leading_ones(a: u32) -> u32 { a.leading_ones() }
    fn trailing_ones(a: i64) -> u32 { a.trailing_ones() }
    fn rotate_by_a_literal(a: u8) -> u8 { let n = 3; a.rotate_left(n).rotate_right(11) }
    fn rotate_by_a_parameter(a: u16, b: u32) -> u16 { a.rotate_left(b) }
    fn rotate_amount_is_u32(a: u16) -> u32 { let n = 40; let r = a.rotate_left(n); (n << 28) + r as u32 }
    fn swap_and_reverse(a: u32) -> u32 { a.swap_bytes().reverse_bits() }
    fn min_with_a_literal(a: u8) -> u32 { let m = a.min(200); (m << 1) as u32 }
    fn max_with_a_binding(a: i8) -> i32 { let x = -100; let m = a.max(x); (x << 1) as i32 ^ (m as i32) }
    fn clamp_with_literals(a: i16) -> i16 { a.clamp(-300, 300) }
    fn clamp_of_floats(a: f32) -> f32 { a.clamp(-0.1, 0.7) }
    fn literal_receiver_with_a_suffix(a: u8) -> u8 { 100u8.max(a) }
    fn receiver_from_a_cast(a: i32) -> u8 { (a as u8).saturating_add(10) }
    fn receiver_from_a_binding(a: i32) -> u32 { let x = a; let y = x; y.unsigned_abs() }
    fn receiver_from_an_operation(a: u8, b: u8) -> u8 { (a ^ b).wrapping_mul(7) }
    fn receiver_from_a_block(a: u8) -> u32 { { a }.count_ones() }
    fn receiver_from_an_if(a: u8, b: bool) -> u8 { (if b { a } else { 255 }).wrapping_add(3) }
    fn receiver_from_an_index(a: u8) -> u8 { let t = [a, 3]; t[0].wrapping_add(t[1]) }
    fn receiver_decided_by_an_earlier_use(a: u8) -> u8 { let x = 200; let y = a ^ x; x.wrapping_add(y) }
    fn wrapping_arithmetic(a: i32, b: i32) -> i32 { a.wrapping_add(b).wrapping_mul(b).wrapping_sub(7).wrapping_neg() }
    fn wrapping_shifts(a: i16, b: u32) -> i16 { a.wrapping_shl(b) ^ a.wrapping_shr(b) }
    fn wrapping_division(a: i8, b: i8) -> i8 { let d = (b & 63) | 1; a.wrapping_neg() / d ^ a.wrapping_sub(3) % d }
    fn saturating_arithmetic(a: i8, b: i8) -> i32 { a.saturating_add(b) as i32 * 256 + a.saturating_sub(b) as i32 }
    fn absolute_values(a: i16) -> i32 { a.wrapping_abs() as i32 ^ (a.unsigned_abs() as i32) << 8 }
    fn absolute_difference(a: i8, b: i8) -> u32 { (a.abs_diff(b) << 1) as u32 }
    fn signum_of_an_integer(a: i64) -> i64 { a.signum() * 7 }
    fn signum_of_a_float(a: f32) -> f32 { a.signum() * 7.0 }
    fn sign_predicates(a: i8, b: f32) -> u8 { a.is_negative() as u8 + 2 * a.is_positive() as u8 + 4 * b.is_sign_negative() as u8 + 8 * b.is_sign_positive() as u8 } as { let b = if b.is_nan() { f32::NAN } else { b }; a.is_negative() as u8 + 2 * a.is_positive() as u8 + 4 * b.is_sign_negative() as u8 + 8 * b.is_sign_positive() as u8 }
    fn euclid(a: i32, b: i32) -> i32 { a.rem_euclid(b & 15 | 1) ^ a.div_euclid(b & 15 | 1) << 8 }
    fn integer_powers(a: u32) -> u32 { a.wrapping_pow(5) }
    fn power_of_two(a: u32) -> bool { a.is_power_of_two() }
    fn float_classes(a: f32) -> u8 { a.is_nan() as u8 + 2 * a.is_infinite() as u8 + 4 * a.is_finite() as u8 }
    fn float_bits(a: f32) -> u32 { if a.is_nan() { 7 } else { (a + 1.0).abs().to_bits() | 1 } }
    fn float_from_bits(a: u32) -> f32 { f32::from_bits(a) }
    fn double_bits(a: u64) -> u64 { f64::from_bits(a & 0x7fef_ffff_ffff_ffff).to_bits() }
    fn square_root_by_a_path(a: f32) -> f32 { f32::sqrt(a) }
    fn method_by_a_path(a: u8, b: u8) -> u8 { u8::wrapping_add(a, b) }
    fn max_by_a_path(a: f64, b: f64) -> bool { let m = f64::max(a.abs(), 1.0); m >= b }
    fn conversion_by_from(a: u8) -> u32 { u32::from(a) << 8 }
    fn fused_multiply_add(a: f32, b: f32) -> f32 { a.mul_add(b, 0.1) }
    fn fused_multiply_add_of_doubles(a: f64, b: f64) -> f64 { let c = 0.1; a.mul_add(c, b) }
    fn rounding(a: f64) -> f64 { a.floor() + 2.0 * a.ceil() - a.trunc() + 0.25 * a.round() }
    fn rounding_to_even(a: f32) -> f32 { a.round_ties_even() }
    fn fraction(a: f32) -> f32 { a.fract() }
    fn reciprocal(a: f32) -> f32 { a.recip() }
    fn sign_from_another(a: f32, b: f32) -> f32 { a.copysign(b) } as { a.copysign(if b.is_nan() { f32::NAN } else { b }) }
    fn float_remainder(a: f32, b: f32) -> f32 { a % b }
    fn double_remainder(a: f64, b: f64) -> f64 { a % b }
    fn float_minimum(a: f32, b: f32) -> f32 { if a == b { 0.0 } else { a.min(b) } }
    fn chain_of_methods(a: u32) -> u32 { a.rotate_left(7).wrapping_mul(0x85eb_ca6b).swap_bytes().count_ones().pow(2) }
    fn mixed_chain(a: f32) -> u32 { a.abs().sqrt().min(1000.0).floor() as u32 + 1 }
    fn hash_of_a_word(a: u32) -> u32 { let mut h = a; h ^= h >> 16; h = h.wrapping_mul(0x7feb_352d); h ^= h >> 15; h = h.wrapping_mul(0x846c_a68b); h ^ (h >> 16) }
    fn hash_of_two_words(a: u64, b: u64) -> u64 { let mut h = a ^ 0xcbf2_9ce4_8422_2325; for k in 0..8 { h = (h ^ ((b >> (8 * k)) & 0xff)).wrapping_mul(0x0100_0000_01b3); } h }
    fn xorshift(a: u64) -> u64 { let mut x = a | 1; for _ in 0..10 { x ^= x << 13; x ^= x >> 7; x ^= x << 17; } x }
    fn linear_congruence(a: u32) -> f32 { let x = a.wrapping_mul(1_664_525).wrapping_add(1_013_904_223); (x >> 8) as f32 / 16_777_216.0 }
    fn newton(a: f32) -> f32 { let x = a.abs().min(1e6).max(1e-6); let mut r = 0.5 * (x + 1.0); for _ in 0..20 { r = 0.5 * (r + x / r); } r }
    fn horner(a: f64) -> f64 { let x = a.clamp(-2.0, 2.0); let c = [1.0, -0.5, 0.25, 1e-3, 3.5]; let mut p = 0.0; for k in 0..5 { p = p * x + c[4 - k]; } p }
    fn distance(a: f32, b: f32) -> f32 { let dx = a - 1.0; let dy = b + 2.0; (dx * dx + dy * dy).sqrt() }
    fn luminance(a: u32) -> u8 { let r = (a >> 16 & 0xff) as f32; let g = (a >> 8 & 0xff) as f32; let b = (a & 0xff) as f32; (0.299 * r + 0.587 * g + 0.114 * b) as u8 }
    fn average_without_overflow(a: u32, b: u32) -> u32 { (a & b) + ((a ^ b) >> 1) }
    fn multiply_high(a: u32, b: u32) -> u32 { ((a as u64 * b as u64) >> 32) as u32 }
    fn divide_by_constants(a: u32) -> u32 { a / 3 + a / 7 + a / 10 + a / 641 + a / 1_000_000_007 + a % 3 + a % 10 }
    fn divide_signed_by_constants(a: i32) -> i32 { a / 3 ^ a / -7 ^ a / 8 ^ a / -16 ^ a % 3 ^ a % -8 }
    fn divide_words_by_constants(a: u64) -> u64 { a / 3 + a / 7 + a / 10 + a % 1_000_000_007 + a / 4_294_967_297 }
    fn divide_signed_words_by_constants(a: i64) -> i64 { a / 3 ^ a / -7 ^ a / 1024 ^ a % -1024 ^ a / 1_000_000_000_039 }
    fn divide_bytes_by_constants(a: u8, b: i8) -> i32 { (a / 3) as i32 + (a % 10) as i32 + (b / -3) as i32 + (b / 4) as i32 + (b % 7) as i32 }
    fn divide_shorts_by_constants(a: u16, b: i16) -> i32 { (a / 7) as i32 + (a % 100) as i32 + (b / -7) as i32 + (b / 64) as i32 + (b % 1000) as i32 }
    fn divide_by_one(a: i32, b: u32) -> i32 { a / 1 ^ a % 1 ^ (b / 1) as i32 ^ (b % 1) as i32 }
    fn divide_by_large(a: u32) -> u32 { a / 0x8000_0001 + a % 0xffff_ffff }
}
