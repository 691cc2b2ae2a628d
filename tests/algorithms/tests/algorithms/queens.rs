//! The number of ways to place `n` queens on a board of `n` by `n` squares so that none attacks
//! another.

use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! { CountWays }

/// Adds up the solutions. The digits of a thread's index place the queens of the first `given`
/// rows; it backtracks over the remaining rows, with its own stack.
#[vyre::kernel(block = 64)]
fn count_ways(n: u32, given: u32, ways: &[AtomicU64]) {
    let mut digits = thread::index();
    if digits >= (n as usize).pow(given) {
        return;
    }
    // The squares of the next row attacked along columns and both diagonals.
    let (mut columns, mut left, mut right) = (0u32, 0u32, 0u32);
    for _ in 0..given {
        let queen = 1u32 << (digits % n as usize);
        digits /= n as usize;
        if queen & (columns | left | right) != 0 {
            return;
        }
        columns |= queen;
        left = (left | queen) << 1;
        right = (right | queen) >> 1;
    }

    let board = (1u32 << n) - 1;
    let rows = (n - given) as usize;
    if rows == 0 {
        ways[0].fetch_add(1, Ordering::Relaxed);
        return;
    }
    // For each row, the attacked squares, and the squares still to be tried.
    let mut stack = [[0; 4]; 16];
    stack[0] = [columns, left, right, board & !(columns | left | right)];
    let mut row = 0;
    let mut count = 0;
    loop {
        let [columns, left, right, untried] = stack[row];
        if untried == 0 {
            if row == 0 {
                break;
            }
            row -= 1;
            continue;
        }
        let queen = untried & untried.wrapping_neg();
        stack[row][3] = untried ^ queen;
        if row + 1 == rows {
            count += 1;
            continue;
        }
        row += 1;
        let (columns, left, right) = (columns | queen, (left | queen) << 1, (right | queen) >> 1);
        stack[row] = [columns, left, right, board & !(columns | left | right)];
    }
    ways[0].fetch_add(count, Ordering::Relaxed);
}

#[test]
fn known_numbers() {
    // https://oeis.org/A000170
    let known = [
        (1, 1),
        (2, 0),
        (3, 0),
        (4, 2),
        (5, 10),
        (6, 4),
        (7, 40),
        (8, 92),
        (9, 352),
    ];
    everywhere(|place| {
        for (n, expected) in known {
            for given in [0, 1, 2] {
                if given > n || (n > 7 && given < 2) {
                    continue;
                }
                let mut ways = place.device().zeros::<u64>(1)?;
                place.over(count_ways(n, given, &mut ways), (n as usize).pow(given))?;
                assert_eq!(ways.download()?, [expected], "{n}, {given} given");
            }
        }
        Ok(())
    });
}
