//! Barriers, divergence, and threads that wait for each other.

use vyre_ir::interp::Error;
use vyre_ir::ir::Span;

use super::on_words;

/// A tree of sums in shared memory: the barriers stand in a loop.
#[test]
fn block_reduction() {
    let items = "shared sums: [u32; 64]";
    let body = "
        let t: u64
        let stride: u64
        store t = cast u64(thread_index.x)
        store shared::sums[t] = out[add(global_index.x, 2u64)]
        barrier
        store stride = 32u64
        loop {
            if eq(stride, 0u64) {
                break 0
            }
            if lt(t, stride) {
                store shared::sums[t] = add(shared::sums[t], shared::sums[add(t, stride)])
            }
            barrier
        } step {
            store stride = shr(stride, 1u32)
        }
        if eq(t, 0u64) {
            store out[cast u64(block_index.x)] = shared::sums[0u64]
        }";
    let input: Vec<u32> = [0, 0].into_iter().chain((0..128).map(|i| i * i)).collect();
    let result = on_words(items, "64 1 1", body, [2, 1, 1], &input).unwrap();
    assert_eq!(result[0], (0..64).map(|i| i * i).sum::<u32>());
    assert_eq!(result[1], (64..128).map(|i| i * i).sum::<u32>());
}

/// Two warps pass cells to a third one, which arrives late; each iteration needs all of them.
#[test]
fn named_barriers_count_warps() {
    let items = "shared cells: [u32; 64]";
    let body = "
        let t: u64
        let n: u32
        store t = linear_index
        loop {
            if eq(n, 3u32) {
                break 0
            }
            if lt(t, 64u64) {
                store shared::cells[t] = add(n, cast u32(t))
                named_barrier[1, 96]
                named_barrier.wait[2, 96]
            } else {
                named_barrier.wait[1, 96]
                store out[t] = add(out[t], shared::cells[sub(t, 64u64)])
                named_barrier[2, 96]
            }
        } step {
            store n = add(n, 1u32)
        }";
    let found = on_words(items, "96 1 1", body, [1; 3], &[0; 96]).unwrap();
    let expected: Vec<u32> = (0..96).map(|i| if i < 64 { 0 } else { 3 * (i - 64) + 3 }).collect();
    assert_eq!(found, expected);
}

/// Two of four warps open the barrier, and the other two open it again.
#[test]
fn a_named_barrier_is_closed_again() {
    let body = "
        let v: u32
        named_barrier.wait[15, 64]
        store out[linear_index] = 1u32";
    assert_eq!(on_words("", "128 1 1", body, [1; 3], &[0; 128]).unwrap(), [1; 128]);
    // With three there is one left over.
    let found = on_words("", "96 1 1", body, [1; 3], &[0; 96]);
    assert!(matches!(found, Err(Error::Deadlock { .. })), "{found:?}");
}

/// Part of a warp does not come.
#[test]
fn a_warp_comes_to_a_named_barrier_together() {
    let body = "
        if lt(linear_index, 20u64) {
            named_barrier.wait[1, 32]
        } else {
            barrier
        }
        store out[linear_index] = 1u32";
    let found = on_words("", "32 1 1", body, [1; 3], &[0; 32]);
    assert!(matches!(found, Err(Error::Deadlock { .. })), "{found:?}");
}

/// The barrier is in a function called by a loop.
#[test]
fn exchange_through_shared_memory_in_a_call() {
    let items = "
        shared cells: [u32; 5]
        fn rotate(value: &mut u32) -> () {
            store shared::cells[cast u64(thread_index.x)] = value.*
            barrier
            store value.* = shared::cells[cast u64(rem(add(thread_index.x, 1u32), 5u32))]
            barrier
        }";
    let body = "
        let value: u32
        let i: u32
        store value = thread_index.x
        loop {
            if eq(i, 3u32) {
                break 0
            }
            call rotate(&mut value)
        } step {
            store i = add(i, 1u32)
        }
        store out[global_index.x] = value";
    assert_eq!(
        on_words(items, "5 1 1", body, [1; 3], &[0; 5]).unwrap(),
        [3, 4, 0, 1, 2]
    );
}

#[test]
fn threads_that_have_left_do_not_hold_up_a_barrier() {
    let items = "shared cell: u32";
    let body = "
        if ge(thread_index.x, 2u32) {
            return
        }
        if eq(thread_index.x, 0u32) {
            store shared::cell = 42u32
        }
        barrier
        store out[global_index.x] = shared::cell";
    assert_eq!(on_words(items, "4 1 1", body, [1; 3], &[0; 4]).unwrap(), [42, 42, 0, 0]);
}

#[test]
fn different_barriers_are_an_error() {
    let body = "
        if lt(thread_index.y, 1u32) {
            barrier  @3:4
        } else {
            barrier  @5:6
        }";
    let error = on_words("", "2 2 1", body, [1; 3], &[]).unwrap_err();
    let span = |line, column| Span { file: 0, line, column };
    assert_eq!(
        error,
        Error::Divergence {
            block: [0; 3],
            threads: [[0, 0, 0], [0, 1, 0]],
            barriers: [span(3, 4), span(5, 6)],
        }
    );
    assert!(error.to_string().contains("at 3:4 and 5:6"), "{error}");
}

/// An assignment of a local to itself has no instructions: the barrier before it is told.
#[test]
fn a_barrier_before_nothing_is_told() {
    let body = "
        let x: u32
        if lt(thread_index.y, 1u32) {
            barrier  @3:4
            store x = x  @4:4
        } else {
            barrier  @5:6
        }";
    let error = on_words("", "2 2 1", body, [1; 3], &[]).unwrap_err();
    assert!(error.to_string().contains("at 3:4 and 5:6"), "{error}");
}

/// The query in the loop is told, and not what stands before it.
#[test]
fn a_phase_that_never_completes_is_told() {
    let items = "shared full: AtomicU64";
    let body = "
        let open: u64
        let token: u64
        atomic barrier_init(shared::full, 3u64) relaxed block  @1:1
        atomic token = barrier_arrive(shared::full) relaxed block  @2:1
        barrier  @3:5
        loop {
            atomic open = barrier_opened(shared::full, token) relaxed block  @7:9
            if ne(open, 0u64) {
                break 0
            }
        }";
    let error = on_words(items, "1 1 1", body, [1; 3], &[]).unwrap_err();
    let barrier = Span {
        file: 0,
        line: 7,
        column: 9,
    };
    let (block, thread) = ([0; 3], [0; 3]);
    assert_eq!(error, Error::Deadlock { block, thread, barrier });
}

#[test]
fn one_barrier_by_different_calls_is_an_error() {
    let items = "
        fn meet() -> () {
            barrier  @9:9
        }";
    let body = "
        if eq(thread_index.x, 0u32) {
            call meet()
        } else {
            call meet()
        }";
    assert!(matches!(
        on_words(items, "2 1 1", body, [1; 3], &[]),
        Err(Error::Divergence { .. })
    ));
}

/// Thread 0 waits for a flag that thread 1 sets.
#[test]
fn waiting_in_a_loop_lets_others_run() {
    let items = "shared flag: AtomicU32";
    let body = "
        let seen: u32
        if eq(thread_index.x, 1u32) {
            atomic store(shared::flag, 1u32) release block
        } else {
            loop {
                atomic seen = load(shared::flag) acquire block
                if eq(seen, 1u32) {
                    break 0
                }
            }
        }
        store out[global_index.x] = seen";
    assert_eq!(on_words(items, "2 1 1", body, [1; 3], &[7; 2]).unwrap(), [1, 0]);
}

#[test]
fn endless_loops_end() {
    assert_eq!(on_words("", "2 1 1", "loop {\n}", [1; 3], &[]), Err(Error::StepLimit));
}

/// Blocks read what later ones wrote before the barrier, with shared memory of their own.
#[test]
fn the_whole_grid_waits() {
    let items = "shared own: u32";
    let body = "
        let i: u64
        let n: u32
        store i = global_index.x
        store out[i] = mul(cast u32(i), 10u32)
        if eq(thread_index.x, 0u32) {
            store shared::own = block_index.x
        }
        grid_barrier
        store n = out[sub(11u64, i)]
        loop {
            grid_barrier
            store out[i] = add(out[i], 1u32)
            if ge(and(out[i], 3u32), 2u32) {
                break 0
            }
            break 0
        }
        grid_barrier
        store out[i] = add(add(out[i], mul(n, 1000u32)), mul(shared::own, 1000000u32))";
    let found = on_words(items, "4 1 1", body, [3, 1, 1], &[0; 12]).unwrap();
    let expected: Vec<u32> = (0..12)
        .map(|i| i * 10 + 1 + (11 - i) * 10_000 + i / 4 * 1_000_000)
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn threads_that_miss_the_grid_barrier_are_an_error() {
    let other = "
        if lt(block_index.x, 1u32) {
            grid_barrier
        }";
    let two = "
        if lt(block_index.x, 1u32) {
            grid_barrier
        } else {
            grid_barrier
        }";
    let block = "
        if lt(thread_index.x, 1u32) {
            grid_barrier
        } else {
            barrier
        }";
    for body in [other, two, block] {
        let found = on_words("", "4 1 1", body, [2, 1, 1], &[0; 8]);
        assert!(matches!(found, Err(Error::Divergence { .. })), "{found:?}");
    }
}

#[test]
fn the_clock_counts_statements() {
    let body = "
        let a: u64
        let b: u64
        clock a =
        store out[0u64] = 1u32
        store out[0u64] = 2u32
        clock b =
        store out[1u64] = cast u32(sub(b, a))";
    assert_eq!(on_words("", "1 1 1", body, [1; 3], &[0; 2]).unwrap(), [2, 3]);
}
