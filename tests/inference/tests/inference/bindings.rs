//! Bindings: scope, shadowing, mutation, and evaluation order.

use vyre_semantics::agree;

agree! {
    // Shadowing.
    fn shadow_with_another_type(a: u8) -> u64 { let x = a; let x = (x as u32) << 4; let x = x as u64 * 3; x }
    fn shadow_in_a_block(a: u32) -> u32 { let x = a; { let x = 7; let _ = x + 1u8; } x }
    fn shadow_uses_the_outer(a: u32) -> u32 { let x = a; let y = { let x = x.wrapping_mul(3); x + 1 }; x ^ y }
    fn shadow_in_a_branch(a: u32) -> u32 { let x = a; if a > 10 { let x = 1; let _ = x + a; } x }
    fn shadow_in_a_loop(a: u32) -> u32 { let mut s = 0; let x = a & 15; for x in 0..x { let x = x * 2; s += x; } s + x }
    fn shadow_of_a_counter(a: u32) -> u32 { let mut s = 0; for k in 0..4 { let k = (k + 1) as u32; s += k * a; } s }
    fn shadow_of_a_parameter(a: u32) -> i32 { let a = a as i32; let a = -a; a }
    fn shadow_before_mutation(a: u32) -> u32 { let mut x = a; x += 1; let mut x = x; x += 1; x }
    fn shadow_of_a_loop_variable_type(a: u8) -> u64 { let mut s = 0; for a in 0..(a as u64 & 7) { s += a; } s + a as u64 }
    fn shadow_in_its_own_initialiser(a: u32) -> u32 { let x = a; let x = x + { let x = x >> 1; x }; x }
    fn shadow_a_type_name(a: u32) -> u32 { let u32 = a; u32 + 1u32 }
    fn shadow_a_module_name(a: u32) -> u32 { let thread = a; let block = thread + 1; block ^ thread }

    // Mutation.
    fn mutate_in_a_branch(a: u32, b: u32) -> u32 { let mut x = a; if b > 100 { x = b; } else if b > 10 { x += b; } x }
    fn mutate_in_a_block(a: u32) -> u32 { let mut x = a; { x = x.rotate_left(3); { x ^= 5; } } x }
    fn mutate_in_nested_loops(a: u32) -> u32 { let mut x = a; for i in 0..3 { for j in 0..(i + 1) { x = x.wrapping_mul(31).wrapping_add(j); } } x }
    fn mutate_in_a_condition_block(a: u32) -> u32 { let mut x = a; if { x += 1; x > 10 } { x *= 2; } x }
    fn mutate_and_break(a: u32) -> u32 { let mut x = a; let mut n = 0; while x != 1 { if n == 20 { break; } x = if x & 1 == 0 { x / 2 } else { x.wrapping_mul(3) + 1 }; n += 1; } x ^ n }
    fn mutate_and_continue(a: u32) -> u32 { let mut s = 0; for k in 0..16 { if (a >> k) & 1 == 0 { continue; } s += k; } s }
    fn mutate_in_a_loop_with_break(a: u32) -> u32 { let mut x = a | 1; loop { x = x.wrapping_mul(5); if x & 0x10 != 0 { break; } if x & 0x1000 != 0 { x += 1; break; } x += 2; } x }
    fn swap_by_hand(a: u32, b: u32) -> u32 { let mut x = a; let mut y = b; if x < y { let t = x; x = y; y = t; } x.wrapping_sub(y) }
    fn fibonacci(a: u8) -> u64 { let mut x = 0; let mut y = 1; for _ in 0..(a & 63) { let t = x + y; x = y; y = t; } x }
    fn greatest_common_divisor(a: u32, b: u32) -> u32 { let mut x = a; let mut y = b; while y != 0 { let t = x % y; x = y; y = t; } x }
    fn integer_square_root(a: u32) -> u32 { let mut r = 0u32; let mut bit = 1 << 30; let mut n = a; while bit > n { bit >>= 2; } while bit != 0 { if n >= r + bit { n -= r + bit; r = (r >> 1) + bit; } else { r >>= 1; } bit >>= 2; } r }
    fn collatz_steps(a: u16) -> u32 { let mut x = a as u64 + 1; let mut n = 0; while x != 1 { x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 }; n += 1; } n }
    fn parity_by_folding(a: u64) -> bool { let mut x = a; let mut width = 32; while width > 0 { x ^= x >> width; width /= 2; } x & 1 == 1 }
    fn reverse_by_hand(a: u32) -> u32 { let mut x = a; let mut r = 0; for _ in 0..32 { r = (r << 1) | (x & 1); x >>= 1; } r }

    // Labels.
    fn break_the_outer_loop(a: u32) -> u32 { let mut n = 0; 'outer: for i in 0..8u32 { for j in 0..8 { if i * j == (a & 31) + 1 { break 'outer; } n += 1; } } n }
    fn continue_the_outer_loop(a: u32) -> u32 { let mut n = 0; 'outer: for i in 0..8u32 { for j in 0..8 { if (i ^ j) == (a & 7) { continue 'outer; } n += j; } n += 100; } n }
    fn continue_a_while(a: u32) -> u32 { let mut i = 0; let mut n = 0; 'rows: while i < 6 { i += 1; let mut j = 0; while j < 6 { j += 1; if (i + j) & 3 == a & 3 { continue 'rows; } if j > i { break; } n += i * j; } } n }
    fn labels_three_deep(a: u32) -> u32 { let mut n = a & 3; 'a: loop { 'b: loop { loop { n += 1; if n % 5 == 0 { break 'a; } if n % 3 == 0 { continue 'a; } if n % 2 == 0 { break 'b; } } } n += 7; } n }
    fn one_label_twice(a: u32) -> u32 { let mut n = 0; 'l: for i in 0..5u32 { if i == a & 3 { break 'l; } n += 1; } 'l: for i in 0..5u32 { if i == a & 3 { continue 'l; } n += 10; } n }
    fn inner_label_shadows(a: u32) -> u32 { let mut n = 0; for i in 0..4u32 { for j in 0..4u32 { if i + j > a & 3 { break; } n += 1; } n += 10; } n }

    // Ranges.
    fn empty_range(a: u32) -> u32 { let mut n = a; for k in 5..5 { n += k; } for k in 6..2 { n += k; } n }
    fn inclusive_range(a: u8) -> u32 { let mut n = 0; for k in 0..=a { n += k as u32; } n }
    fn inclusive_range_to_the_end(a: u8) -> u32 { let mut n = 0u32; for k in a..=255 { n += k as u32; } n }
    fn signed_range(a: i8) -> i64 { let mut n = 0; for k in -5..(a & 15) { n = n * 3 + k as i64; } n }
    fn range_evaluated_once(a: u32) -> u32 { let mut end = a & 7; let mut n = 0; for _ in 0..end { end += 1; n += 1; } n * 100 + end }
    fn range_counter_is_a_copy(a: u32) -> u32 { let mut n = 0; for k in 0..(a & 7) { let mut k = k; k *= 10; n += k; } n }
    fn range_of_usize(a: usize) -> usize { let mut n = 0; for k in 0..(a & 15) { n += k * k; } n }
    fn range_from_a_parameter(a: i16, b: u8) -> i32 { let mut n = 0; for k in a..a.wrapping_add((b & 7) as i16) { n = n ^ k as i32; } n }

    // Order and short circuits.
    fn and_short_circuits(a: u32) -> u32 { let t = [3u32, 5, 7]; if (a as usize) < 3 && t[a as usize] > 4 { 1 } else { 0 } }
    fn or_short_circuits(a: u32, b: u32) -> bool { b == 0 || a / b > 3 }
    fn and_runs_its_right_side(a: u32) -> u32 { let mut n = 0; let c = a > 5 && { n += 1; a > 10 }; n * 2 + c as u32 }
    fn or_runs_its_right_side(a: u32) -> u32 { let mut n = 0; let c = a > 5 || { n += 1; a > 2 }; n * 2 + c as u32 }
    fn and_or_precedence(a: bool, b: bool) -> bool { a || b && !a || false }
    fn not_before_comparison(a: u32, b: u32) -> bool { !(a < b) == (a >= b) }
    fn left_operand_before_right(a: u32) -> u32 { let mut x = a; let y = { x += 1; x } - { x *= 2; x }; x ^ y }
    fn left_operand_read_before_right_writes(a: u32) -> u32 { let mut x = a; let y = x + { x = 5; x }; y ^ x }
    fn compound_assignment_reads_after_its_operand(a: u32) -> u32 { let mut x = a; x += { x = 7; 3 }; x }
    fn index_after_the_value(a: u32) -> u32 { let mut t = [0u32; 4]; let mut k = 0; t[k] = { k = 2; a }; t[0] ^ (t[2] << 1) ^ k as u32 }
    fn arguments_from_left_to_right(a: u32) -> u32 { let mut x = a & 7; let y = { x += 1; x }.max({ x *= 3; x }).wrapping_sub({ x += 5; x }); x ^ y }
    fn condition_before_branches(a: u32) -> u32 { let mut x = a; let y = if { x ^= 1; x & 1 == 0 } { x } else { !x }; x ^ y }
    fn minus_is_left_associative(a: i32, b: i32) -> i32 { a - b - 1 }
    fn division_is_left_associative(a: u32, b: u32) -> u32 { a / (b | 1) / 3 * 2 % 7 }
    fn bit_operators_by_precedence(a: u32, b: u32) -> u32 { a | b ^ a & b << 1 }
    fn comparison_after_bits(a: u32) -> bool { a & 1 == 1 }
    fn negation_before_method(a: i32) -> i32 { -a.wrapping_abs() }
    fn unary_twice(a: i32) -> i32 { - -a + !!a }

    // Values of branches and blocks.
    fn if_as_an_operand(a: u32) -> u32 { 3 + if a > 5 { a } else { 1 } * 2 }
    fn if_as_an_argument(a: u32, b: u32) -> u32 { a.max(if b > 7 { 7 } else { b }) }
    fn if_as_an_index(a: u32) -> u32 { let t = [10, 20]; t[if a > 5 { 1 } else { 0 }] }
    fn nested_ifs(a: u32, b: u32) -> u32 { if a > 5 { if b > 5 { 1 } else { 2 } } else if b > 5 { if a == 0 { 3 } else { 4 } } else { 5 } }
    fn branch_with_statements(a: u32) -> u32 { let v = if a & 1 == 0 { let h = a / 2; h + 1 } else { let mut t = a; t ^= 0xff; t }; v + 1 }
    fn branch_that_continues(a: u32) -> u32 { let mut n = 0; for k in 0..10u32 { let v = if k == a & 7 { continue } else { k * 2 }; n += v; } n }
    fn branch_that_breaks(a: u32) -> u32 { let mut n = 0; for k in 0..10u32 { n += if k > a & 7 { break } else { k }; } n }
    fn block_as_an_operand(a: u32) -> u32 { let v = { a + 1 } * { let b = a; b ^ 3 }; v }
    fn unit_bindings(a: u32) -> u32 { let mut x = a; let _u = x += 1; x }
    fn underscore_bindings(a: u32) -> u32 { let _ = a + 1; let _unused = a; a }
    fn wildcard_counter(a: u32) -> u32 { let mut n = 1u32; for _ in 0..a & 7 { n *= 3; } n }

    // Arrays.
    fn array_of_arrays(a: u32) -> u32 { let mut t = [[0u32; 3]; 2]; for i in 0..2 { for j in 0..3 { t[i][j] = a + (i * 3 + j) as u32; } } t[1][2] ^ t[0][1] }
    fn array_is_copied(a: u32) -> u32 { let t = [a, a + 1]; let mut s = t; s[0] = 9; t[0] ^ s[0] ^ s[1] }
    fn array_compound_assignment(a: u32, b: usize) -> u32 { let mut t = [1, 2, 3, 4]; t[b & 3] += a; t[(b + 1) & 3] <<= 2; t[0] ^ t[1] ^ t[2] ^ t[3] }
    fn array_length(a: usize) -> usize { let t = [a; 5]; t.len() + t[4] }
    fn array_of_bools(a: usize) -> bool { let t = [true, false, false, true]; t[a & 3] }
    fn array_of_floats(a: usize) -> f32 { let t = [0.1, 0.2, 0.3, 0.4]; let w: f32 = t[a & 3]; w * 3.0 }
    fn array_repeat_of_an_expression(a: u32) -> u32 { let t = [a.rotate_left(5); 4]; t[0] + t[3] }
    fn table_sorted(a: u32) -> u32 { let mut t = [a & 7, (a >> 3) & 7, (a >> 6) & 7, (a >> 9) & 7]; for i in 0..4usize { for j in 0..(3 - i) { if t[j] > t[j + 1] { let x = t[j]; t[j] = t[j + 1]; t[j + 1] = x; } } } t[0] | t[1] << 3 | t[2] << 6 | t[3] << 9 }

    // Constants.
    fn constant_in_the_kernel(a: u32) -> u32 { const K: u32 = 0x9e37_79b9; a.wrapping_mul(K) }
    fn constant_of_a_constant(a: u32) -> u32 { const A: u32 = 5; const B: u32 = A * 3 + 1; a % B }
    fn constant_array(a: usize) -> u32 { const T: [u32; 4] = [2, 3, 5, 7]; T[a & 3] * T[0] }
    fn constant_as_a_length(a: u32) -> u32 { const N: usize = 3; let mut t = [0; N]; t[N - 1] = a; t[2] }
    fn constant_in_a_block(a: u8) -> u32 { let x = { const K: u8 = 250; a.wrapping_add(K) }; const K: u32 = 1000; x as u32 + K }
    fn constant_before_its_definition(a: u32) -> u32 { let x = a ^ K; const K: u32 = 77; x }
    fn constant_float(a: f32) -> f32 { const K: f32 = 0.1; const H: f32 = K + 0.2; a * H }
    fn constant_decides_a_literal(a: u8) -> u32 { const K: u8 = 100; let x = 200; let y = x + K; (x << 1) as u32 ^ y as u32 ^ a as u32 }
    fn associated_constants(a: u32) -> u64 { (u32::MAX - a) as u64 + i8::MIN as u64 + u16::BITS as u64 + usize::MAX as u64 }
    fn associated_float_constants(a: f32) -> bool { a < f32::MAX && a > f32::MIN_POSITIVE && a != f32::INFINITY && f32::EPSILON > 0.0 }
    fn constants_of_the_standard_library(a: f32) -> f32 { a * core::f32::consts::PI + std::f32::consts::E }
}
