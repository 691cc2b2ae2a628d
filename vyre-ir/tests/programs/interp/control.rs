//! Control flow, and expressions that evaluate only some of their operands.

use super::on_words;

#[test]
fn if_takes_one_side() {
    let body = "
        let i: u64
        store i = global_index.x
        if lt(i, 3u64) {
            if eq(i, 1u64) {
                store out[i] = 10u32
            } else {
                store out[i] = 20u32
            }
        } else {
            store out[i] = 30u32
        }";
    assert_eq!(
        on_words("", "5 1 1", body, [1; 3], &[0; 5]).unwrap(),
        [20, 10, 20, 30, 30]
    );
}

#[test]
fn nested_loops_break_and_continue_by_depth() {
    let body = "
        let i: u32
        let j: u32
        let sum: u32
        loop {
            if ge(i, 10u32) {
                break 0
            }
            store j = 0u32
            loop {
                if eq(j, 7u32) {
                    break 0
                }
                if gt(j, i) {
                    continue 1
                }
                if eq(rem(j, 2u32), 1u32) {
                    continue 0
                }
                if eq(mul(i, j), 48u32) {
                    break 1
                }
                store sum = add(mul(sum, 3u32), add(mul(i, 10u32), j))
            } step {
                store j = add(j, 1u32)
            }
            store sum = xor(sum, 1u32)
        } step {
            store i = add(i, 1u32)
        }
        store out[0u64] = sum
        store out[1u64] = i";
    let (mut i, mut sum) = (0u32, 0u32);
    'outer: while i < 10 {
        let mut j = 0;
        'inner: while j != 7 {
            if j > i {
                i += 1;
                continue 'outer;
            }
            if j % 2 == 1 {
                j += 1;
                continue 'inner;
            }
            if i * j == 48 {
                break 'outer;
            }
            sum = sum.wrapping_mul(3).wrapping_add(i * 10 + j);
            j += 1;
        }
        sum ^= 1;
        i += 1;
    }
    assert_eq!(i, 8, "the loops end by the outer break");
    assert_eq!(on_words("", "1 1 1", body, [1; 3], &[0; 2]).unwrap(), [sum, i]);
}

/// A `break` in the step of a loop leaves that loop.
#[test]
fn steps_may_break() {
    let body = "
        let n: u32
        loop {
            store out[0u64] = add(out[0u64], 1u32)
        } step {
            store n = add(n, 1u32)
            if eq(n, 5u32) {
                break 0
            }
        }";
    assert_eq!(on_words("", "1 1 1", body, [1; 3], &[0]).unwrap(), [5]);
}

#[test]
fn return_leaves_at_once() {
    let body = "
        let i: u64
        store i = global_index.x
        loop {
            if eq(i, 2u64) {
                return
            }
            break 0
        }
        store out[i] = 1u32";
    assert_eq!(on_words("", "4 1 1", body, [1; 3], &[0; 4]).unwrap(), [1, 1, 0, 1]);
}

/// Unevaluated expressions do not fault: index 9 is out of bounds.
#[test]
fn short_circuits_evaluate_a_part() {
    let body = "
        let a: bool
        let b: bool
        store a = and_then(false, eq(out[9u64], 0u32))
        store b = or_else(true, eq(out[9u64], 0u32))
        store out[0u64] = select(b, 7u32, out[9u64])
        store out[1u64] = select(a, out[9u64], 8u32)
        store out[2u64] = select(and_then(b, not(a)), 1u32, 0u32)
        store out[3u64] = select(or_else(a, not(b)), 1u32, 0u32)";
    assert_eq!(on_words("", "1 1 1", body, [1; 3], &[9; 4]).unwrap(), [7, 8, 1, 0]);
}

#[test]
fn locals_are_zero_until_written() {
    let body = "
        let a: u32
        let b: (bool, [u32; 3])
        store out[0u64] = add(a, b.1[2u64])
        store out[1u64] = select(b.0, 1u32, 0u32)";
    assert_eq!(on_words("", "1 1 1", body, [1; 3], &[5; 2]).unwrap(), [0, 0]);
}
