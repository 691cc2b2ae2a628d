//! Literals: the type of unsuffixed ones, and their value.

use vyre_semantics::agree;

agree! {
    // Only the default decides.
    fn defaults_to_i32(a: u8) -> u32 { let x = 200; let y = x + (a as i32); (y << 4) as u32 }
    fn default_survives_a_binding(a: i64) -> i64 { let x = 70_000; let y = x * x; (y as i64) ^ a }
    fn default_of_a_shifted_literal(a: u32) -> u64 { let x = 1 << 31; (x as u64) ^ (a as u64) }
    fn default_of_a_shift_under_a_cast(a: u32) -> u64 { ((1 << 31) as u64) ^ (a as u64) }
    fn default_of_a_shift_by_a_parameter(a: u32) -> u64 { (1 << a) as u64 }
    fn default_of_a_sum_under_a_cast(a: u64) -> u64 { ((2_147_483_647 - 5) as u64).wrapping_add(a) }
    fn default_of_a_complement(a: u64) -> u64 { let x = !0; (x as u64) ^ a }
    fn default_of_a_negative(a: u64) -> u64 { let x = -1; (x as u64).wrapping_add(a) }
    fn default_of_a_loop_counter(a: u64) -> u64 { let mut s = a; for k in 0..5 { s = s.wrapping_add((k - 2) as u64); } s }
    fn default_of_a_float(a: f32) -> f32 { let x = 0.1; ((x + 0.2) as f32) + a }
    fn default_of_a_quotient(a: f32) -> f32 { let x = 1.0 / 3.0; (x * 3.0) as f32 * a }
    fn default_of_float_bits(a: u64) -> u64 { let x = 0.1; (x as f64).to_bits() ^ a }
    fn default_of_an_array(a: usize) -> u64 { let t = [100_000, -3, 7, 65_536]; let v = t[a & 3]; (v * v) as u64 }
    fn default_of_a_comparison(a: i32) -> bool { let x = -1; x < a }
    fn default_in_a_condition(a: u8) -> u8 { let x = 3; if x > 2 { a } else { 0 } }
    fn default_of_an_if(a: bool) -> u64 { (if a { -1 } else { 1 }) as u64 }
    fn default_of_an_if_of_bytes(a: bool) -> u8 { (if a { 300 } else { 513 }) as u8 }
    fn default_of_a_block(a: u64) -> u64 { let v = { let x = 5; x - 7 }; (v as u64).wrapping_add(a) }

    // A use elsewhere decides.
    fn decided_by_an_operand_on_the_right(a: u8) -> u8 { a.wrapping_add(200) }
    fn decided_by_addition(a: u8) -> u8 { let x = 200; x + a }
    fn decided_by_addition_reversed(a: u8) -> u8 { let x = 200; a + x }
    fn decided_by_a_later_use(a: u16) -> u32 { let x = 255; let y = x; let z = y + a; ((y << 8) as u32) + (z as u32) }
    fn decided_through_a_chain(a: i8) -> i32 { let x = 100; let y = x; let z = y; let w = z + a; ((x << 1) as i32) + (w as i32) }
    fn decided_by_assignment(a: u8) -> u32 { let mut x = 100; let y = x << 2; x = a; (y as u32) + (x as u32) }
    fn decided_by_compound_assignment(a: u8) -> u32 { let mut x = 250; x += a; x as u32 }
    fn decided_by_a_comparison(a: u8) -> u32 { let x = 200; let b = x > a; ((x << 1) as u32) + (b as u32) }
    fn decided_by_equality(a: i8) -> i64 { let x = 127; let b = a == x; ((x + 1) as i64) + (b as i64) }
    fn decided_by_a_range(a: u8) -> u32 { let mut s = 250; let mut t = 0u32; for k in 0..(a & 15) { s += k; t += s as u32; } t }
    fn decided_by_the_end_of_a_range(a: u8) -> u32 { let n = a & 7; let mut t = 0; for k in 250..=(248 + n) { t += k as u32; } t }
    fn decided_by_the_counter(a: u8) -> u8 { let mut s = a; for k in 0..5 { s = s.wrapping_mul(3).wrapping_add(k); } s }
    fn decided_by_an_if(a: u8, c: bool) -> u32 { let v = if c { 200 } else { a }; (v << 1) as u32 }
    fn decided_by_the_other_branch(a: u8, c: bool) -> u32 { let v = if c { a } else { 200 }; (v << 1) as u32 }
    fn decided_by_an_else_if(a: i16, b: u8) -> i64 { let v = if b > 200 { 32767 } else if b > 100 { a } else { -1 }; (v + 1) as i64 }
    fn decided_by_a_block(a: u8) -> u32 { let v = { let x = 200; let y = x; y + a }; (v << 1) as u32 }
    fn decided_by_the_result() -> u16 { let x = 65_535; x }
    fn decided_by_the_result_of_a_shift(a: u32) -> u16 { let x = 65_535; x << (a & 15) }
    fn decided_by_an_array(a: u8, b: usize) -> u32 { let t = [200, a, 100]; (t[b % 3] << 1) as u32 }
    fn decided_by_an_element(a: u8, b: usize) -> u32 { let mut t = [200, 100, 50]; t[b % 3] = a; (t[0] << 1) as u32 }
    fn decided_by_an_annotation(a: u8) -> u32 { let x: u8 = 200; ((x << 1) as u32) + (a as u32) }
    fn decided_by_a_suffix(a: u8) -> u32 { let x = 200u8; ((x << 1) as u32) + (a as u32) }
    fn decided_by_a_suffix_elsewhere(a: u32) -> u32 { let x = 200; let y = x ^ 1u8; ((x << 1) as u32) + (y as u32) + (a & 255) }
    fn decided_by_a_deferred_assignment(a: u8, c: bool) -> u32 { let x; if c { x = 200; } else { x = a; } (x << 1) as u32 }
    fn decided_by_a_negative(a: i8) -> i64 { let x = -128; let y = x + a; (x as i64) * 1000 + (y as i64) }
    fn decided_by_an_argument(a: u8) -> u32 { let x = 200; let y = a.max(x); ((x << 1) as u32) + (y as u32) }
    fn decided_by_a_float(a: f32) -> f32 { let x = 0.1; let y = x + 0.2; y * a }
    fn decided_by_a_float_comparison(a: f32) -> bool { let x = 0.1; let b = x < a; b ^ (x + 0.2 == 0.3) }
    fn decided_by_a_float_branch(a: f32, c: bool) -> f64 { let v = if c { 0.1 } else { a }; v as f64 }
    fn decided_by_mul_add(a: f32) -> f64 { let x = 0.1; let y = a.mul_add(x, 0.3); (x as f64) + (y as f64) }
    fn two_literals_stay_apart(a: u8, b: i64) -> i64 { let x = 200; let y = 200; let p = x + a; let q = y + b; (p as i64) ^ q }
    fn literals_of_two_widths(a: u8, b: u16) -> u32 { let x = 255; let y = 255; ((x + a) as u32) | (((y + b) as u32) << 8) }

    // Shifts do not tie their sides together.
    fn shift_amount_defaults(a: u8) -> u8 { let s = 3; a << s }
    fn shift_amount_of_another_type(a: u64, b: u8) -> u64 { a >> b }
    fn shift_amount_signed(a: u32, b: i64) -> u32 { a << b }
    fn shift_amount_negative_literal(a: u32) -> u32 { let s = -1; a >> s }
    fn shift_amount_from_i8(a: i64, b: i8) -> i64 { a >> b }
    fn shift_amount_from_usize(a: u8, b: usize) -> u8 { a << b }
    fn shift_amount_wide(a: u8, b: u64) -> u8 { a.wrapping_add(1) >> b }
    fn shift_literal_by_a_byte(a: u8) -> i32 { 1 << a }
    fn shift_literal_into_u64(a: u8) -> u64 { 1 << a }
    fn shift_literal_into_i8(a: u8) -> i8 { 1 << a }
    fn shift_literal_with_operand(a: u8, b: u64) -> u64 { b ^ (1 << a) }
    fn shift_then_widen(a: u8) -> u32 { (a << 4) as u32 }
    fn widen_then_shift(a: u8) -> u32 { (a as u32) << 4 }
    fn shift_assign_by_a_byte(a: u32, b: u8) -> u32 { let mut x = a; x <<= b; x >>= 3u64; x }
    fn shift_assign_to_a_literal(a: u8) -> u32 { let mut x = 1; x <<= a; x as u32 }
    fn arithmetic_right_shift(a: i8) -> i32 { (a >> 3) as i32 }
    fn shift_of_a_negative_default(a: u8) -> u32 { (-8 >> (a & 3)) as u32 }
    fn shift_binds_after_addition(a: u32) -> u32 { 1 + 2 << 3 + (a & 1) }
    fn mask_of_a_variable_width(a: u32) -> u32 { let w = a & 31; (1u32 << w) - 1 }

    // Casts determine the type of a bare literal and of nothing else.
    fn cast_of_a_literal_to_u64(a: u64) -> u64 { (4_000_000_000 as u64) ^ a }
    fn cast_of_a_literal_to_f32(a: f32) -> f32 { (0.1 as f32) + a }
    fn cast_of_an_integer_to_f32(a: f32) -> f32 { (16_777_217 as f32) + a }
    fn cast_of_a_float_sum(a: f32) -> f32 { ((0.1 + 0.2) as f32) + a }
    fn cast_of_a_negative_literal(a: i64) -> i64 { (-9_000_000_000 as i64) ^ a }
    fn cast_of_a_complement(a: u64) -> u64 { (!0 as u64) ^ a }
    fn cast_of_a_parenthesised_literal(a: u64) -> u64 { ((4_000_000_000) as u64) ^ a }
    fn cast_of_a_block(a: u64) -> u64 { ({ 4_000_000_000 } as u64) ^ a }
    fn cast_of_a_float_to_a_byte(a: u8) -> u8 { (300.7 as u8) ^ a }
    fn cast_of_a_negative_float(a: u8) -> u8 { (-1.5 as u8) ^ a }
    fn cast_twice(a: u64) -> u64 { (-1 as i32 as u32 as u64) ^ a }
    fn cast_twice_of_a_literal(a: u64) -> u64 { (200 as u8 as i8 as u64) ^ a }
    fn cast_of_a_literal_binding(a: u32) -> u32 { let x = 255; let y = x as u8; ((y << 1) as u32) + ((x << 1) as u32) + (a & 1) }
    fn cast_in_a_shift_amount(a: u32) -> u32 { a << (7 as u8) }
    fn cast_to_an_inferred_type(a: u8) -> u32 { let x: u32 = a as _; x << 8 }
    fn cast_of_a_comparison(a: u8) -> u8 { (a > 100) as u8 + (a < 10) as u8 }
    fn cast_binds_before_shift(a: u8) -> u64 { a as u64 * 3 << 2 }
    fn cast_binds_before_comparison(a: i8) -> bool { (a as u8) < 200 }
    fn cast_of_a_negation(a: i8) -> u32 { -(a as i32) as u32 }
    fn cast_of_a_unary_minus(a: i8) -> i64 { -a as i64 }
    fn cast_of_a_not(a: bool) -> u8 { !a as u8 }
    fn cast_of_a_default_float(a: u32) -> u32 { let x = 3e9; (x as u32) ^ a }

    // Forms of literals.
    fn hexadecimal(a: u32) -> u32 { 0xdead_beef ^ a }
    fn octal(a: u32) -> u32 { 0o777 & a }
    fn binary(a: u8) -> u8 { 0b1010_0101 ^ a }
    fn suffix_with_an_underscore(a: u64) -> u64 { 1_000_000_000_000_u64 ^ a }
    fn hexadecimal_that_ends_in_a_suffix(a: u32) -> u32 { 0x1f32 ^ a }
    fn byte_literal(a: u8) -> u8 { b'a' ^ a }
    fn largest_u64(a: u64) -> u64 { 18_446_744_073_709_551_615 ^ a }
    fn least_i64(a: i64) -> i64 { -9_223_372_036_854_775_808 ^ a }
    fn least_i8(a: i8) -> i8 { -128 ^ a }
    fn least_i32_by_default(a: i64) -> i64 { let x = -2_147_483_648; (x as i64) ^ a }
    fn float_with_an_exponent(a: f32) -> f32 { 1.5e3 * a }
    fn float_with_a_negative_exponent(a: f64) -> f64 { 2E-3 * a }
    fn float_with_a_trailing_dot(a: f64) -> f64 { 2. * a }
    fn float_with_underscores(a: f64) -> f64 { 1_000.000_1 * a }
    fn float_with_a_suffix(a: f32) -> f32 { 3f32 + 1_f32 + 0.1_f32 + a }
    fn float_beyond_the_digits(a: f64) -> f64 { 0.1000000000000000055511151231257827021181583404541015625 + a }
    fn float_rounded_once(a: f32) -> f32 { 1.00000017881393432617187499 + a }
    fn float_smallest(a: f32) -> f32 { 1e-45 + a }
    fn float_largest(a: f32) -> f32 { 3.4028235e38 - a }
    fn float_negative_zero(a: f32) -> bool { (-0.0f32).to_bits() == a.to_bits() }
    fn boolean_literals(a: bool) -> bool { (true & a) | (false ^ !a) }
}
