//! Barriers with split arrive and wait: phases, tokens, tiles that some warps load for others, and
//! the effect of a fault on waiting threads.

use vyre::prelude::*;
use vyre::{Error, FaultKind};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::values::mirrored;

vyre_semantics::kernels! { Phases Rows InFunctions TooFew }

/// Phase after phase, work between arrival and wait.
#[vyre::kernel(block = 64)]
fn phases(rounds: usize, x: &[u32], y: &mut [u32]) {
    let tile = shared::<[[u32; 64]; 2]>();
    let all = shared::barriers::<1, 64>();
    let t = thread::idx().x;
    let mut value = x[thread::index()];
    for round in 0..rounds {
        tile[round % 2][t] = value;
        let token = all[0].arrive();
        let kept = value * 3;
        all[0].wait(token);
        value = kept + tile[round % 2][63 - t];
        all[0].arrive_and_wait();
    }
    y[thread::index()] = value;
}

#[test]
fn phases_follow_each_other() {
    everywhere(|place| {
        for rounds in [0, 1, 2, 7] {
            let values: Vec<u32> = (0..128).map(|i| i * 5 % 23).collect();
            let (x, mut y) = (place.device().upload(&values)?, place.device().zeros::<u32>(128)?);
            place.over(phases(rounds, &x, &mut y), 128)?;
            let expected = mirrored(values, rounds);
            assert_eq!(y.download()?, expected, "{rounds} rounds on {}", place.name());
        }
        Ok(())
    });
}

const STAGES: usize = 3;

#[vyre::device]
fn fetch(tile: &mut [f32; 64], x: &[f32], row: usize, full: &shared::Barrier) {
    let first = 2 * lane::index();
    let from = row * 64 + first;
    pipeline::copy(&mut tile[first..first + 2], &x[from..from + 2]);
    full.hold_for_copies();
    let _ = full.arrive();
}

/// The first warp fetches rows, the second one adds them up.
#[vyre::kernel(block = 64)]
fn rows(count: usize, x: &[f32], sums: &mut [f32]) {
    let tile = shared::<[[f32; 64]; 3]>();
    let full = shared::barriers::<3, 64>();
    let empty = shared::barriers::<3, 64>();
    let lane = lane::index();
    if thread::idx().x < 32 {
        for row in 0..count {
            let stage = row % 3;
            if row >= 3 {
                empty[stage].arrive_and_wait();
            }
            fetch(&mut tile[stage], x, row, &full[stage]);
        }
        for row in 0..count {
            if row + 3 >= count {
                empty[row % 3].arrive_and_wait();
            }
        }
    } else {
        for row in 0..count {
            let stage = row % 3;
            full[stage].arrive_and_wait();
            let sum = warp::sum(tile[stage][lane] * 2.0 + tile[stage][63 - lane]);
            if lane == 0 {
                sums[row] = sum;
            }
            let _ = empty[stage].arrive();
        }
    }
}

#[test]
fn one_warp_fetches_for_another() {
    everywhere(|place| {
        for count in [0, 1, STAGES, 10] {
            let values: Vec<f32> = (0..count * 64).map(|i| (i % 17) as f32).collect();
            let (x, mut sums) = (place.device().upload(&values)?, place.device().zeros::<f32>(count)?);
            place.over(rows(count, &x, &mut sums), 64)?;
            let expected = values
                .chunks(64)
                .map(|row| (0..32).map(|k| row[k] * 2.0 + row[63 - k]).sum());
            assert_eq!(
                sums.download()?,
                expected.collect::<Vec<f32>>(),
                "{count} on {}",
                place.name()
            );
        }
        Ok(())
    });
}

#[vyre::device]
fn all_together<const ARRIVALS: usize>(values: &mut [u32; 96]) -> u32 {
    let both = shared::barriers::<2, ARRIVALS>();
    let t = thread::idx().x;
    values[t] = t as u32;
    let first = both[0].arrive();
    let second = both[1].arrive();
    both[1].wait(second);
    both[0].wait(first);
    values[ARRIVALS - 1 - t]
}

/// Barriers of a function, for a block in two dimensions of which some threads leave before.
#[vyre::kernel(block = [12, 8], allow(races))] // threads leave before
fn in_functions(y: &mut [u32]) {
    let values = shared::<[u32; 96]>();
    let own = thread::idx().y * 12 + thread::idx().x;
    if own >= 24 {
        return;
    }
    let token = all_of(values, own);
    y[own] = token;
}

#[vyre::device]
fn all_of(values: &mut [u32; 96], own: usize) -> u32 {
    let some = shared::barriers::<1, 24>();
    values[own] = own as u32 + 1;
    some[0].arrive_and_wait();
    values[23 - own]
}

#[vyre::kernel(block = 96)]
fn counted(y: &mut [u32]) {
    let values = shared::<[u32; 96]>();
    y[thread::index()] = all_together::<96>(values);
}

#[test]
fn functions_have_barriers_of_their_own() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(96)?;
        place.grid(in_functions(&mut y), [1, 1, 1])?;
        let expected: Vec<u32> = (1..25).rev().chain([0; 72]).collect();
        assert_eq!(y.download()?, expected, "on {}", place.name());
        place.over(counted(&mut y), 96)?;
        assert_eq!(
            y.download()?,
            (0..96).rev().collect::<Vec<u32>>(),
            "on {}",
            place.name()
        );
        Ok(())
    });
}

/// A thread that faults never arrives.
#[vyre::kernel(block = 64)]
fn faults(x: &[u32], y: &mut [u32]) {
    let all = shared::barriers::<1, 64>();
    let i = thread::index();
    assert!(x[i] < 100, "too much");
    all[0].arrive_and_wait();
    y[i] = x[i];
}

#[test]
fn a_fault_keeps_nobody() {
    everywhere(|place| {
        for bad in [0, 1, 33, 63] {
            let mut values = vec![1; 256];
            values[128 + bad] = 100;
            let (x, mut y) = (place.device().upload(&values)?, place.device().zeros::<u32>(256)?);
            match place.over(faults(&x, &mut y), 256) {
                Err(Error::Fault(fault)) => {
                    assert_eq!(fault.kind, FaultKind::Assertion);
                    assert_eq!(fault.thread, [bad as u32, 0, 0], "on {}", place.name());
                }
                other => panic!("{other:?} on {}", place.name()),
            }
            let good = place.device().upload(&[7; 256])?;
            y.fill(0)?;
            place.over(faults(&good, &mut y), 256)?;
            assert_eq!(y.download()?, [7; 256], "on {}", place.name());
        }
        Ok(())
    });
}

#[test]
fn ptx_has_the_instructions_that_are_meant_for_it() {
    let ptx = Rows::info().ptx;
    assert!(ptx.starts_with(".version 7.0\n.target sm_80\n"), "{ptx}");
    for instruction in [
        "mbarrier.init.shared.b64 ",
        "mbarrier.arrive.shared.b64 ",
        "mbarrier.test_wait.shared.b64 ",
    ] {
        assert!(ptx.contains(instruction), "{instruction}: {ptx}");
    }
    assert!(ptx.contains("cp.async.mbarrier.arrive.shared.b64 "), "{ptx}");
}

/// Fewer threads arrive than a phase expects, while others wait for completing phases, at a block
/// barrier or not at all.
#[vyre::kernel(block = 64, allow(races))] // threads miss barriers
fn too_few(how: u32, rounds: u32, y: &mut [u32]) {
    let all = shared::barriers::<1, 64>();
    let half = shared::barriers::<1, 32>();
    let t = thread::idx().x;
    for _ in 0..rounds {
        all[0].arrive_and_wait();
        if t < 32 {
            half[0].arrive_and_wait();
        }
    }
    if t >= 32 {
        if how == 1 {
            block::sync();
        }
    } else if how < 2 || t != 7 {
        all[0].arrive_and_wait();
    } else {
        half[0].arrive_and_wait();
    }
    y[t] = 1;
}

#[test]
fn the_cpu_says_who_waits_for_ever() {
    let device = Device::cpu();
    // Another test would report a fault of the default stream.
    let stream = device.stream().unwrap();
    for how in 0..3 {
        for rounds in [0, 5] {
            let mut y = device.zeros::<u32>(64).unwrap();
            too_few(how, rounds, &mut y)
                .grid(1)
                .on(&stream)
                .launch(&device)
                .unwrap();
            let error = stream.synchronize().unwrap_err().to_string();
            assert!(
                error.contains("this barrier waits for threads that never arrive"),
                "{error}"
            );
            assert!(error.contains("thread [0, 0, 0]"), "{error}");
        }
    }
}

#[test]
fn the_interpreter_finds_deadlocks() {
    use vyre_core::interp::{self, Argument};
    let program = vyre_core::text::parse(TooFew::info().program).unwrap();
    let kernel = program.kernel("too_few").unwrap();
    for how in 0..3u32 {
        for rounds in [0u32, 5] {
            let valid = vyre_core::validate::validate(&program).unwrap();
            let mut bytes = [0; 256];
            let word =
                |bits: u32| Argument::Scalar(vyre_core::ir::Constant::new(vyre_core::ir::Scalar::U32, bits.into()));
            let mut arguments = [word(how), word(rounds), Argument::Slice(&mut bytes)];
            let found = interp::launch(&valid, kernel, &mut arguments, [1, 1, 1]);
            assert!(
                matches!(found, Err(interp::Error::Deadlock { thread: [0, 0, 0], .. })),
                "{found:?}"
            );
        }
    }
}
