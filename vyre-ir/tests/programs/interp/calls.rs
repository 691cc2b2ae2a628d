//! Device functions, references and slices.

use vyre_ir::interp::Error;

use super::{Argument, on_words, read_words, run, words};

#[test]
fn calls_pass_values_and_results() {
    let items = "
        fn twice(x: u32) -> u32 {
            return add(x, x)
        }
        fn four_times(x: u32) -> u32 {
            let y: u32
            call y = twice(x)
            call y = twice(y)
            return y
        }";
    let body = "
        let y: u32
        call y = four_times(add(thread_index.x, 1u32))
        store out[global_index.x] = y";
    assert_eq!(on_words(items, "3 1 1", body, [1; 3], &[0; 3]).unwrap(), [4, 8, 12]);
}

/// Each call begins with locals of zero bits, also where the last one left others.
#[test]
fn frames_begin_with_zeros() {
    let items = "
        fn count(x: u32) -> u32 {
            let before: u32
            let result: u32
            store result = before
            store before = x
            return result
        }";
    let body = "
        let y: u32
        call y = count(5u32)
        call y = count(6u32)
        store out[0u64] = y";
    assert_eq!(on_words(items, "1 1 1", body, [1; 3], &[9]).unwrap(), [0]);
}

#[test]
fn references_reach_locals_elements_and_shared_memory() {
    let items = "
        shared total: (u32, u32)
        fn add_to(target: &mut u32, amount: &u32) -> () {
            store target.* = add(target.*, amount.*)
        }
        fn add_twice(target: &mut u32, amount: u32) -> () {
            call add_to(target, &amount)
            call add_to(&mut target.*, &amount)
        }";
    let body = "
        let local: [u32; 3]
        store shared::total.1 = 100u32
        call add_twice(&mut local[1u64], 3u32)
        call add_twice(&mut shared::total.1, 4u32)
        call add_twice(&mut out[2u64], 5u32)
        store out[0u64] = local[1u64]
        store out[1u64] = shared::total.1";
    assert_eq!(
        on_words(items, "1 1 1", body, [1; 3], &[0, 0, 7]).unwrap(),
        [6, 108, 17]
    );
}

#[test]
fn slices_of_slices_arrays_and_shared_memory() {
    let items = "
        shared tile: [u32; 4]
        fn sum(x: &[u32]) -> u32 {
            let i: u64
            let total: u32
            loop {
                if ge(i, length(x)) {
                    break 0
                }
                store total = add(total, x[i])
            } step {
                store i = add(i, 1u64)
            }
            return total
        }
        fn fill(x: &mut [u32], value: u32) -> () {
            store x[0u64] = value
            store x[sub(length(x), 1u64)] = value
        }";
    let body = "
        let array: [u32; 5]
        let part: &mut [u32]
        let y: u32
        store part = &mut array[1u64..5u64]
        call fill(part, 10u32)
        store part = &mut part[1u64..3u64]
        call fill(part, 1u32)
        call y = sum(&array[0u64..5u64])
        store out[0u64] = y
        store shared::tile = repeat [u32; 4](2u32)
        call y = sum(&shared::tile[1u64..4u64])
        store out[1u64] = y
        call y = sum(&out[4u64..6u64])
        store out[2u64] = y
        call y = sum(&out[6u64..6u64])
        store out[3u64] = y";
    let result = on_words(items, "1 1 1", body, [1; 3], &[0, 0, 0, 9, 20, 30]).unwrap();
    assert_eq!(result, [22, 6, 50, 0, 20, 30]);
}

/// A slice is a value: it goes into tuples and out of functions.
#[test]
fn slices_are_values() {
    let text = "
        fn halves(x: &[u32]) -> (&[u32], &[u32]) {
            let middle: u64
            store middle = div(length(x), 2u64)
            return new (&[u32], &[u32])(&x[0u64..middle], &x[middle..length(x)])
        }
        kernel k(x: &[u32], out: &mut [u32]) dimensions 1 block 1 1 1 { entry k {
            let parts: (&[u32], &[u32])
            call parts = halves(x)
            store out[0u64] = parts.0[1u64]
            store out[1u64] = parts.1[1u64]
            store out[2u64] = cast u32(length(parts.1))
        } }";
    let (mut x, mut out) = (words(&[1, 2, 3, 4, 5]), words(&[0; 3]));
    run(text, &mut [Argument::Slice(&mut x), Argument::Slice(&mut out)], [1; 3]).unwrap();
    assert_eq!(read_words(&out), [2, 4, 3]);
}

#[test]
fn early_returns_of_functions() {
    let items = "
        fn first_multiple(of: u32, above: u32) -> u32 {
            let n: u32
            store n = above
            loop {
                if eq(rem(n, of), 0u32) {
                    return n
                }
            } step {
                store n = add(n, 1u32)
            }
            return 0u32
        }";
    let body = "
        let y: u32
        call y = first_multiple(7u32, 100u32)
        store out[0u64] = y
        call first_multiple(1u32, 1u32)";
    assert_eq!(on_words(items, "1 1 1", body, [1; 3], &[0]).unwrap(), [105]);
}

/// Without a loop, a chain of functions that call the next one twice makes 2^40 calls.
#[test]
fn endless_calls_end() {
    let mut items = String::from("fn step0(x: u32) -> u32 {\nreturn add(x, 1u32)\n}\n");
    for number in 1..=40 {
        let inner = number - 1;
        items += &format!(
            "fn step{number}(x: u32) -> u32 {{
                let y: u32
                call y = step{inner}(x)
                call y = step{inner}(y)
                return y
            }}\n"
        );
    }
    let body = "
        let y: u32
        call y = step40(0u32)
        store out[0u64] = y";
    assert_eq!(on_words(&items, "1 1 1", body, [1; 3], &[0]), Err(Error::StepLimit));
}
