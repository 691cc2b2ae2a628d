//! Blocks that run region by region on the CPU, against plain Rust and every other back end: variables that live over
//! barriers, loops and branches around them, threads that return early, and faults.

use vyre::prelude::*;
use vyre::{Error, FaultKind};
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { Carried Leaving Referring Counted Rotating Halved Guarded Faulting }

/// Values live across barriers in a loop with `continue` and `break`.
#[vyre::kernel(block = 64)]
fn carried(x: &[u32], rounds: usize, y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let t = thread::idx().x;
    let mut sum = x[thread::index()];
    let mut skipped = 0;
    for round in 0..rounds {
        if round % 3 == 1 {
            skipped += t as u32;
            continue;
        }
        cells[t] = sum;
        block::sync();
        let next = cells[(t + round + 1) % 64];
        block::sync();
        sum = sum.wrapping_add(next.wrapping_mul(round as u32 + 1));
        if round == 9 {
            break;
        }
    }
    y[thread::index()] = sum.wrapping_add(skipped);
}

#[test]
fn variables_live_over_barriers_in_loops() {
    let x: Vec<u32> = (0..128).map(|i| i * 7 + 3).collect();
    everywhere(|place| {
        for rounds in [0, 1, 2, 5, 30] {
            let mut y = place.device().zeros::<u32>(128)?;
            place.grid(carried(&place.device().upload(&x)?, rounds, &mut y), [2, 1, 1])?;
            let mut expected = x.clone();
            for block in expected.chunks_mut(64) {
                let mut skipped = 0;
                for round in 0..rounds {
                    if round % 3 == 1 {
                        skipped += 1;
                        continue;
                    }
                    let cells = block.to_vec();
                    for (t, sum) in block.iter_mut().enumerate() {
                        let next = cells[(t + round + 1) % 64];
                        *sum = sum.wrapping_add(next.wrapping_mul(round as u32 + 1));
                    }
                    if round == 9 {
                        break;
                    }
                }
                for (t, sum) in block.iter_mut().enumerate() {
                    *sum = sum.wrapping_add(skipped * t as u32);
                }
            }
            assert_eq!(y.download()?, expected, "on {}: {rounds} rounds", place.name());
        }
        Ok(())
    });
}

/// Threads return before a barrier, and in a loop around one; those that are left go on.
#[vyre::kernel(block = 64, allow(races))] // threads that have left miss barriers
fn leaving(limit: usize, y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let t = thread::idx().x;
    cells[t] = t as u32;
    block::sync();
    if t >= limit {
        return;
    }
    let mut sum = 0;
    for round in 0..4 {
        block::sync();
        sum += cells[(t + round) % limit];
        if t == round + 1 {
            y[t] = 1000 + sum;
            return;
        }
    }
    y[t] = sum + 10_000 * warp::ballot(true).count_ones();
}

#[test]
fn threads_return_early() {
    everywhere(|place| {
        for limit in [1, 2, 5, 40, 64] {
            let mut y = place.device().zeros::<u32>(64)?;
            place.grid(leaving(limit, &mut y), [1, 1, 1])?;
            let is_left = |t: &usize| *t < limit && !(1..5).contains(t);
            let sum = |t: usize, rounds: usize| (0..rounds).map(|round| ((t + round) % limit) as u32).sum::<u32>();
            let expected: Vec<u32> = (0..64)
                .map(|t| match t {
                    _ if t >= limit => 0,
                    1..5 => 1000 + sum(t, t),
                    _ => {
                        let warp = t / 32 * 32..(t / 32 + 1) * 32;
                        sum(t, 4) + 10_000 * warp.filter(is_left).count() as u32
                    }
                })
                .collect();
            assert_eq!(y.download()?, expected, "on {}: limit {limit}", place.name());
        }
        Ok(())
    });
}

#[vyre::device]
fn add_to(target: &mut u32, value: u32) {
    block::sync();
    *target += value;
}

/// A parameter that each thread changes, and references to variables that live over a barrier.
#[vyre::kernel(block = 32)]
fn referring(mut factor: u32, y: &mut [u32]) {
    let t = thread::idx().x;
    let mut own = [t as u32, 1];
    factor += t as u32;
    add_to(&mut own[1], factor);
    block::sync();
    add_to(&mut factor, own[1]);
    y[t] = own[0] * own[1] + factor;
}

#[test]
fn references_live_over_barriers() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(32)?;
        place.grid(referring(5, &mut y), [1, 1, 1])?;
        let expected: Vec<u32> = (0..32).map(|t| t * (t + 6) + (t + 5) + (t + 6)).collect();
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

/// A loop that the number of votes ends.
#[vyre::kernel(block = 64)]
fn counted(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    let mut left = x[i];
    let mut sum = 0;
    loop {
        let busy = block::sync_count(left > 0);
        if busy == 0 {
            break;
        }
        if left > 0 {
            left -= 1;
            sum += busy as u32;
        }
    }
    y[i] = sum;
}

#[test]
fn votes_end_loops() {
    let x: Vec<u32> = (0..128).map(|i| i * 5 % 11).collect();
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(128)?;
        place.grid(counted(&place.device().upload(&x)?, &mut y), [2, 1, 1])?;
        let of = |i: usize| {
            let block = &x[i / 64 * 64..][..64];
            (0..x[i])
                .map(|round| block.iter().filter(|&&it| it > round).count() as u32)
                .sum::<u32>()
        };
        assert_eq!(
            y.download()?,
            (0..128).map(of).collect::<Vec<u32>>(),
            "on {}",
            place.name()
        );
        Ok(())
    });
}

/// Exchanges whose lanes differ, with results that live over the next one.
#[vyre::kernel(block = [16, 4])]
fn rotating(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    let lane = i % 32;
    let a = warp::shuffle(x[i], (lane * 7 + 1) % 32);
    let b = warp::shuffle_xor(a, 5);
    let all = warp::sum(b);
    y[i] = a.wrapping_mul(3) + b + all;
}

#[test]
fn exchanged_values_live_on() {
    let x: Vec<u32> = (0..128).map(|i| i * i % 101).collect();
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(128)?;
        place.grid(rotating(&place.device().upload(&x)?, &mut y), [1, 2, 1])?;
        let mut expected = Vec::new();
        for warp in x.chunks(32) {
            let a: Vec<u32> = (0..32).map(|lane| warp[(lane * 7 + 1) % 32]).collect();
            let b: Vec<u32> = (0..32).map(|lane: usize| a[lane ^ 5]).collect();
            let all: u32 = b.iter().sum();
            expected.extend((0..32).map(|lane| a[lane] * 3 + b[lane] + all));
        }
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

/// The sum of the first cells, in a function that returns before its last barrier.
#[vyre::device]
fn sum_of(cells: &mut [u32], count: usize) -> u32 {
    let t = thread::idx().x;
    let mut distance = count / 2;
    loop {
        block::sync();
        if distance == 0 {
            return cells[0];
        }
        if t < distance {
            cells[t] += cells[t + distance];
        }
        distance /= 2;
    }
}

/// A tree reduction in a function, called in a loop and in a branch that all threads take.
#[vyre::kernel(block = 64)]
fn halved(x: &[u32], twice: bool, y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let t = thread::idx().x;
    let mut all = 0;
    for round in 0..2 {
        block::sync();
        cells[t] = x[t] + round;
        all += sum_of(cells, 64);
    }
    if twice {
        block::sync();
        cells[t] = all + t as u32;
        all = sum_of(cells, 32);
    }
    y[t] = all;
}

#[test]
fn functions_have_regions() {
    let x: Vec<u32> = (0..64).map(|i| i * 3).collect();
    everywhere(|place| {
        for twice in [false, true] {
            let mut y = place.device().zeros::<u32>(64)?;
            place.grid(halved(&place.device().upload(&x)?, twice, &mut y), [1, 1, 1])?;
            let mut all = 2 * x.iter().sum::<u32>() + 64;
            if twice {
                all = (0..32).map(|t| all + t).sum();
            }
            assert_eq!(y.download()?, [all; 64], "on {}", place.name());
        }
        Ok(())
    });
}

#[vyre::device]
fn share_of(n: usize) -> usize {
    64 / n
}

/// All threads return before a call that would fault.
#[vyre::kernel(block = 64)]
fn guarded(n: usize, x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let t = thread::idx().x;
    if n == 0 {
        return;
    }
    let share = share_of(n);
    cells[t] = x[t] + share as u32;
    block::sync();
    y[t] = cells[63 - t] + share as u32;
}

#[test]
fn calls_stay_behind_returns() {
    let x: Vec<u32> = (0..64).collect();
    everywhere(|place| {
        for n in [0, 3] {
            let mut y = place.device().zeros::<u32>(64)?;
            place.grid(guarded(n, &place.device().upload(&x)?, &mut y), [1, 1, 1])?;
            let share = 64usize.checked_div(n);
            let expected = |t: u32| share.map_or(0, |share| 63 - t + 2 * share as u32);
            assert_eq!(
                y.download()?,
                (0..64).map(expected).collect::<Vec<u32>>(),
                "on {}",
                place.name()
            );
        }
        Ok(())
    });
}

/// Faults in the second region, after all stores of the first one.
#[vyre::kernel(block = 64)]
fn faulting(x: &[u32], y: &mut [u32]) {
    let t = thread::idx().x;
    y[t] = 1;
    block::sync();
    let value = x[t * 2];
    block::sync();
    y[t] = value;
}

#[test]
fn faults_name_their_threads() {
    everywhere(|place| {
        let x = place.device().upload(&[5u32; 80])?;
        let mut y = place.device().zeros::<u32>(64)?;
        let error = place.grid(faulting(&x, &mut y), [1, 1, 1]).unwrap_err();
        let Error::Fault(fault) = &error else {
            panic!("on {}: {error}", place.name())
        };
        assert_eq!(fault.kind, FaultKind::IndexOutOfBounds, "on {}", place.name());
        assert!(fault.thread[0] >= 40, "on {}: {error}", place.name());
        if place.name().contains("CPU") {
            assert_eq!(fault.thread, [40, 0, 0], "on {}: {error}", place.name());
        }
        Ok(())
    });
}
