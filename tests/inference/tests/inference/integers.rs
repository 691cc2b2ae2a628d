//! The same small functions for every integer type: a literal's inferred type must give each of
//! them its own wrapping, shifts and casts.

macro_rules! functions {
    ($($T:ident)*) => {$(
        mod $T {
            use vyre_semantics::agree;

            agree! {
                fn literal_by_addition(a: $T) -> u64 { let x = 100; let y = x + a; ((y << 1) as u64) ^ ((x << 3) as u64) }
                fn literal_by_a_later_use(a: $T) -> i64 { let x = 77; let z = x << 2; let y = x ^ a; (z as i64) ^ (y as i64) }
                fn literal_by_comparison(a: $T) -> i32 { let x = 127; let c = a < x; ((x + 1) as i32) ^ (c as i32) }
                fn literal_by_a_branch(a: $T, c: bool) -> i64 { let v = if c { 99 } else { a }; (v << 2) as i64 }
                fn literal_by_an_argument(a: $T) -> i64 { let x = 127; let m = a.max(x); ((x << 1) as i64) ^ (m as i64) }
                fn literal_by_a_counter(a: $T) -> $T { let mut s = a; for k in 1..6 { s = s.wrapping_mul(k) ^ 3; } s }
                fn literal_by_an_array(a: $T, b: usize) -> i64 { let t = [1, a, 100]; (t[b % 3] << 3) as i64 }
                fn literal_by_assignment(a: $T) -> i64 { let mut x = 100; let y = x << 2; x = a; (x as i64) ^ (y as i64) }
                fn literal_as_the_result() -> $T { let x = 100; let y = x << 1; y }
                fn shift_amount_of_this_type(a: u32, b: $T) -> u32 { (a << b) ^ (a >> b) }
                fn shifts_of_this_type(a: $T, b: u32) -> $T { (a << b) ^ (a >> b) }
                fn literal_shifted_by_this_type(a: $T) -> i64 { (1 << a) as i64 }
                fn arithmetic_wraps(a: $T, b: $T) -> $T { (a + b) * 3 - (b ^ a) * a }
                fn division_by_odd(a: $T, b: $T) -> $T { let d = (b & 15) | 1; a / d ^ a % d }
                fn division_by_ten(a: $T) -> $T { a / 10 ^ (a % 10) << 3 }
                fn cast_chain_of_signs(a: $T) -> i64 { a as i8 as u16 as i64 ^ a as u8 as i16 as i64 }
                fn cast_to_float_and_back(a: $T) -> $T { (a as f32 * 0.5) as $T ^ (a as f64 * 0.25) as $T }
                fn compare_as_another_type(a: $T, b: $T) -> u8 { (a < b) as u8 | ((a as u8) < b as u8) as u8 * 2 | ((a as i64) < b as i64) as u8 * 4 }
                fn accumulates(a: $T, b: u8) -> $T { let mut s = a; let mut n = b & 15; while n > 0 { s = s * 5 + (n as $T); n -= 1; } s }
                fn bits_of_a_method(a: $T) -> u32 { a.count_ones() * 10_000 + a.leading_zeros() * 100 + a.trailing_zeros() }
                fn extremes(a: $T) -> $T { ($T::MAX ^ a).wrapping_add($T::MIN).wrapping_add(($T::BITS as $T) - 1) }
            }
        }
    )*};
}

functions!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
