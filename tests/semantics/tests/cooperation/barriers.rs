//! Named barriers, on every back end: producer and consumer warps, barriers for some warps of a
//! block, exited threads, faults, and warps that never arrive.

use vyre::prelude::*;
use vyre::{Error, FaultKind, Result};
use vyre_core::interp;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::Place;
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { Pipeline Partly }

#[vyre::device]
const EMPTY: usize = 2;

/// One half of a block writes squares, the other adds them up, with double buffering, so that both
/// work concurrently.
#[vyre::kernel(block = 128)]
fn pipeline(rounds: usize, sums: &mut [u32], last: &mut [u32]) {
    let buffer = shared::<[[u32; 64]; 2]>();
    let (even, odd) = (block::barrier::<1, 128>(), block::barrier::<{ 1 + 2 }, 128>());
    let (t, warp) = (thread::idx().x, thread::idx().x / 32);
    let mut sum = 0;
    if warp < 2 {
        for round in 0..rounds {
            if round >= 2 {
                freed(round % 2);
            }
            buffer[round % 2][t] = (round * round + t) as u32;
            if round % 2 == 0 { even.arrive() } else { odd.arrive() }
        }
    } else {
        for round in 0..rounds {
            if round % 2 == 0 {
                even.sync()
            } else {
                odd.sync()
            }
            sum += buffer[round % 2][127 - t];
            if round + 2 < rounds {
                free(round % 2);
            }
        }
    }
    sums[thread::index()] = sum;
    block::sync();
    last[thread::index()] = buffer[(rounds + 1) % 2][t % 64];
}

#[vyre::device]
fn free(which: usize) {
    if which == 0 {
        block::barrier::<EMPTY, 128>().arrive();
    } else {
        block::barrier::<15, 128>().arrive();
    }
}

#[vyre::device]
fn freed(which: usize) {
    let (even, odd): (block::Barrier<EMPTY, 128>, _) = (block::barrier(), block::barrier::<15, 128>());
    if which == 0 {
        even.sync();
    } else {
        odd.sync();
    }
}

#[test]
fn warps_make_what_others_use() {
    everywhere(|place| {
        for rounds in [1, 2, 3, 40] {
            let (mut sums, mut last) = (place.device().zeros::<u32>(256)?, place.device().zeros::<u32>(256)?);
            place.grid(pipeline(rounds, &mut sums, &mut last), [2, 1, 1])?;
            let (sums, last) = (sums.download()?, last.download()?);
            for i in 0..256 {
                let t = i % 128;
                let expected = match t < 64 {
                    true => 0,
                    false => (0..rounds).map(|round| (round * round + 127 - t) as u32).sum(),
                };
                assert_eq!(sums[i], expected, "on {}: {rounds} rounds, {i}", place.name());
                let round = rounds - 1;
                assert_eq!(last[i], (round * round + t % 64) as u32, "on {}", place.name());
            }
        }
        Ok(())
    });
}

/// Three warps of a two-dimensional block meet, some of whose threads have exited; the fourth one
/// never arrives, and the last has eight threads.
#[vyre::kernel(block = [8, 17])]
fn partly(y: &mut [u32]) {
    let cells = shared::<[u32; 136]>();
    let trio = block::barrier::<7, 96>();
    let i = thread::index();
    let warp = i % 136 / 32;
    if i.is_multiple_of(5) || warp == 3 {
        return;
    }
    cells[i % 136] = i as u32;
    let mut sum = 0;
    for round in 0..3 {
        if warp != 4 {
            trio.sync();
        } else if round == 2 {
            block::barrier::<8, 32>().sync();
        }
        if warp < 3 {
            let other = (i % 136 + 32) % 96;
            if !other.is_multiple_of(5) {
                sum += cells[other];
            }
        }
    }
    y[i] = sum + 1;
}

#[test]
fn threads_that_have_left_are_not_waited_for() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(136)?;
        place.grid(partly(&mut y), [1, 1, 1])?;
        let expected = |i: usize| match (i % 5, i / 32) {
            (0, _) | (_, 3) => 0,
            (_, 4) => 1,
            _ => {
                let other = (i + 32) % 96;
                1 + if other.is_multiple_of(5) { 0 } else { 3 * other as u32 }
            }
        };
        assert_eq!(
            y.download()?,
            (0..136).map(expected).collect::<Vec<_>>(),
            "on {}",
            place.name()
        );
        Ok(())
    });
}

/// A thread of a warp that others wait for faults, in one of many iterations.
#[vyre::kernel(block = 96)]
fn faults(x: &[u32], rounds: u32, y: &mut [u32]) {
    let cells = shared::<[u32; 96]>();
    let (full, empty) = (block::barrier::<1, 96>(), block::barrier::<2, 96>());
    let t = thread::idx().x;
    let mut sum = 0;
    for round in 0..rounds {
        if t < 32 {
            assert!(x[t] != round, "round {round}");
            cells[t] = round;
            full.arrive();
            empty.sync();
        } else {
            full.sync();
            sum += cells[t % 32];
            empty.arrive();
        }
    }
    y[thread::index()] = sum;
}

/// The result of a launch whose thread at `place` faults in an iteration.
fn fault_at(place: &Place, thread: Option<usize>) -> Result<Vec<u32>> {
    let mut x = vec![u32::MAX; 32];
    if let Some(thread) = thread {
        x[thread] = 17;
    }
    let mut y = place.device().zeros::<u32>(2 * 96)?;
    place.grid(faults(&place.device().upload(&x)?, 100, &mut y), [2, 1, 1])?;
    y.download()
}

#[test]
fn a_fault_hangs_nothing() {
    everywhere(|place| {
        let y = fault_at(place, None)?;
        assert!(
            (0..192).all(|i| y[i] == if i % 96 < 32 { 0 } else { 4950 }),
            "on {}",
            place.name()
        );
        for thread in [0, 9, 31] {
            match fault_at(place, Some(thread)) {
                Err(Error::Fault(fault)) => {
                    let at = (fault.kind, fault.thread, fault.message.as_str());
                    assert_eq!(
                        at,
                        (FaultKind::Assertion, [thread as u32, 0, 0], "round 17"),
                        "on {}",
                        place.name()
                    );
                }
                other => panic!("on {}: {other:?}", place.name()),
            }
        }
        // The device stays usable.
        assert_eq!(fault_at(place, None)?[40], 4950, "on {}", place.name());
        Ok(())
    });
}

/// The whole of the warp that others wait for leaves by a fault.
#[vyre::kernel(block = 64, allow(races))] // all blocks write the same
fn whole_warp(x: &[u32], y: &mut [u32]) {
    let both = block::barrier::<3, 64>();
    let t = thread::idx().x;
    if t < 32 {
        y[t] = x[t + 100];
    }
    both.sync();
    y[t] = 1;
}

#[test]
fn a_warp_may_fault_as_a_whole() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(64)?;
        let x = place.device().upload(&[1; 32])?;
        match place.grid(whole_warp(&x, &mut y), [3, 1, 1]) {
            Err(Error::Fault(fault)) => assert_eq!(fault.kind, FaultKind::IndexOutOfBounds, "on {}", place.name()),
            other => panic!("on {}: {other:?}", place.name()),
        }
        Ok(())
    });
}

/// Fewer warps arrive than the barrier expects.
#[vyre::kernel(block = 64)]
fn stuck(y: &mut [u32]) {
    let both = block::barrier::<3, 64>();
    let t = thread::idx().x;
    if t >= 32 {
        both.sync();
    }
    y[t] = 1;
}

#[test]
fn the_cpu_says_who_waits_for_ever() {
    let device = Device::cpu();
    // Another test would report a fault of the default stream.
    let stream = device.stream().unwrap();
    let mut y = device.zeros::<u32>(64).unwrap();
    stuck(&mut y).grid(1).on(&stream).launch(&device).unwrap();
    let error = stream.synchronize().unwrap_err().to_string();
    assert!(
        error.contains("this barrier waits for warps that never come"),
        "{error}"
    );
    assert!(error.contains("thread [32, 0, 0]"), "{error}");
}

#[test]
fn the_interpreter_finds_deadlocks() {
    let program = vyre_core::text::parse(Stuck::info().program).unwrap();
    let kernel = program.kernel("stuck").unwrap();
    let valid = vyre_core::validate::validate(&program).unwrap();
    let mut bytes = [0; 256];
    let found = interp::launch(&valid, kernel, &mut [interp::Argument::Slice(&mut bytes)], [1, 1, 1]);
    assert!(
        matches!(found, Err(interp::Error::Deadlock { thread: [32, 0, 0], .. })),
        "{found:?}"
    );
}
