//! Warp matches, warp barriers and block votes, on every device, against plain Rust.

use vyre::prelude::*;

#[allow(unreachable_pub, reason = "other tests share the file")]
#[path = "examples/devices.rs"]
mod devices;

#[path = "cooperation/races.rs"]
mod races;

use devices::devices;

macro_rules! matching {
    ($($name:ident $ty:ty: $values:expr;)*) => { $( mod $name {
        use super::*;

        #[vyre::kernel(block = 64)]
        fn matching(values: &[$ty], leave: usize, any: &mut [u32], all: &mut [u32], there: &mut [u32]) {
            let i = thread::index();
            if i >= values.len() || i % 32 == leave {
                return;
            }
            any[i] = warp::match_any(values[i]);
            all[i] = warp::match_all(values[i]) as u32;
            there[i] = warp::active_mask();
        }

        #[test]
        fn agrees() {
            let some: &[$ty] = &$values;
            for device in devices(stringify!($name)) {
                for leave in [7, 99] {
                    let of = |i: usize| if i < 32 { some[i * i % some.len()] } else { some[0] };
                    let values: Vec<$ty> = (0..90).map(of).collect();
                    let input = device.upload(&values).unwrap();
                    let [mut any, mut all, mut there] = [(); 3].map(|()| device.zeros::<u32>(90).unwrap());
                    matching(&input, leave, &mut any, &mut all, &mut there).over(90).launch(&device).unwrap();
                    let lanes = |i: usize, takes: &dyn Fn(usize) -> bool| -> u32 {
                        (0..32)
                            .filter(|&lane| lane != leave && i / 32 * 32 + lane < 90 && takes(i / 32 * 32 + lane))
                            .map(|lane| 1 << lane)
                            .sum()
                    };
                    let expected = |of: &dyn Fn(usize) -> u32| -> Vec<u32> {
                        (0..90).map(|i| if i % 32 == leave { 0 } else { of(i) }).collect()
                    };
                    let same = |i: usize, j: usize| (of(i) as f64).to_bits() == (of(j) as f64).to_bits();
                    assert_eq!(any.download().unwrap(), expected(&|i| lanes(i, &|j| same(i, j))));
                    assert_eq!(all.download().unwrap(), expected(&|i| u32::from(i >= 32)));
                    assert_eq!(there.download().unwrap(), expected(&|i| lanes(i, &|_| true)));
                }
            }
        }
    } )* };
}

matching! {
    matches_of_bytes i8: [-1, 5, 0];
    matches_of_words u32: [0, 0x8000_0000, 1, 0x10000];
    matches_of_longs u64: [0, 1 << 52, 1, 1 << 32];
    matches_of_floats f32: [0.0, -0.0, 1.5];
    matches_of_doubles f64: [0.0, -0.0, 1.5, f64::INFINITY];
}

#[vyre::kernel(block = 64)]
fn matching_flags(bits: u32, nan: f32, out: &mut [u32]) {
    let i = thread::index();
    let flag = bits >> lane::index() & 1 == 1;
    let odd = if flag { nan } else { -nan };
    out[i] = warp::match_any(flag) ^ warp::match_any(odd + 1.0);
}

#[test]
fn flags_match_and_so_do_nans() {
    for device in devices("flags_match_and_so_do_nans") {
        let bits = 0x1234_5678u32;
        let mut out = device.zeros::<u32>(64).unwrap();
        matching_flags(bits, f32::NAN, &mut out)
            .over(64)
            .launch(&device)
            .unwrap();
        let expected: Vec<u32> = (0..64)
            .map(|i| if bits >> (i % 32) & 1 == 1 { !bits } else { bits })
            .collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

/// Through shared memory, with only the warp's own barrier.
#[vyre::kernel(block = 96)]
fn turn_warps(values: &mut [u32]) {
    let cells = shared::<[u32; 96]>();
    let t = thread::idx().x;
    let i = thread::index();
    cells[t] = values[i];
    warp::sync();
    let other = t - lane::index() + 31 - lane::index();
    let mut value = cells[other];
    warp::sync();
    cells[t] = value + 1;
    warp::sync();
    value += cells[other];
    values[i] = value;
}

#[test]
fn warps_turn_by_themselves() {
    for device in devices("warps_turn_by_themselves") {
        let values: Vec<u32> = (0..192).map(|i| i * i).collect();
        let mut buffer = device.upload(&values).unwrap();
        turn_warps(&mut buffer).over(192).launch(&device).unwrap();
        let expected: Vec<u32> = (0..192)
            .map(|i| values[i / 32 * 32 + 31 - i % 32] + values[i] + 1)
            .collect();
        assert_eq!(buffer.download().unwrap(), expected);
    }
}

/// Counts and votes of a block in each iteration of a loop that some threads leave early.
#[vyre::kernel(block = [16, 5])]
fn block_votes(rounds: usize, counts: &mut [u32], all: &mut [u32], any: &mut [u32]) {
    let (x, y) = thread::index_2d();
    let t = y % 5 * 16 + x;
    let i = thread::index();
    let mut round = 0;
    while round < rounds {
        if t == round * 7 {
            return;
        }
        counts[i] += (block::sync_count(t % (round + 2) == 0) as u32) << (8 * round);
        all[i] += (block::sync_and(t > round * 7) as u32) << round;
        any[i] += (block::sync_or(t == 79 && round == 1) as u32) << round;
        round += 1;
    }
    all[i] += (block::sync_and(true) as u32) << round;
    any[i] += (block::sync_or(false) as u32) << round;
}

#[test]
fn votes_of_blocks() {
    for device in devices("votes_of_blocks") {
        let [mut counts, mut all, mut any] = [(); 3].map(|()| device.zeros::<u32>(160).unwrap());
        block_votes(3, &mut counts, &mut all, &mut any)
            .grid([1, 2])
            .launch(&device)
            .unwrap();
        let left = |t: usize, round: usize| t.is_multiple_of(7) && t / 7 <= round;
        let expected = |of: &dyn Fn(usize, usize) -> u32, last: u32| -> Vec<u32> {
            let of_block = (0..80).map(|t| {
                let rounds: u32 = (0..3).filter(|&round| !left(t, round)).map(|round| of(t, round)).sum();
                rounds + if left(t, 2) { 0 } else { last }
            });
            let of_block: Vec<u32> = of_block.collect();
            [of_block.clone(), of_block].concat()
        };
        let there = |round: usize, takes: &dyn Fn(usize) -> bool| {
            (0..80).filter(|&t| !left(t, round) && takes(t)).count() as u32
        };
        assert_eq!(
            counts.download().unwrap(),
            expected(&|_, round| there(round, &|t| t % (round + 2) == 0) << (8 * round), 0)
        );
        let below = |round: usize| there(round, &|t| t <= round * 7) == 0;
        assert_eq!(
            all.download().unwrap(),
            expected(&|_, round| u32::from(below(round)) << round, 1 << 3)
        );
        assert_eq!(
            any.download().unwrap(),
            expected(&|_, round| u32::from(round == 1) << round, 0)
        );
    }
}

#[vyre::kernel(block = 64)]
fn faulty_votes(values: &[u32], out: &mut [u32]) {
    let i = thread::index();
    let mut rounds = 0;
    while block::sync_count(values[i] > rounds) > 0 {
        rounds += 1;
        out[i] += warp::exclusive_sum(rounds);
        warp::sync();
        assert!(rounds < 5 || i != 9);
    }
}

#[test]
fn a_fault_ends_all_that_wait() {
    for device in devices("a_fault_ends_all_that_wait") {
        let values = device.upload(&[u32::MAX; 64]).unwrap();
        let mut out = device.zeros::<u32>(64).unwrap();
        let result = faulty_votes(&values, &mut out)
            .grid(1)
            .launch(&device)
            .and_then(|()| out.download());
        assert!(matches!(result, Err(vyre::Error::Fault(_))), "{result:?}");
    }
}

/// Iterations of sums over the whole grid: the contributions of one iteration are visible to all
/// blocks in the next.
#[vyre::kernel(block = [16, 4])]
fn rounds(count: usize, sums: &[AtomicU64], seen: &mut [u64]) {
    let i = thread::index();
    let mut own = i as u64;
    for round in 0..count {
        sums[round].fetch_add(own % 7, Ordering::Relaxed);
        grid::sync();
        own += sums[round].load(Ordering::Relaxed);
    }
    seen[i] = own;
}

#[test]
fn the_grid_waits_between_rounds() {
    for device in devices("the_grid_waits_between_rounds") {
        let count = 20;
        for blocks in [1u32, 2, 9] {
            let threads = blocks as usize * 64;
            let (mut sums, mut seen) = (
                device.zeros::<u64>(count).unwrap(),
                device.zeros::<u64>(threads).unwrap(),
            );
            let kernel = rounds(count, &mut sums, &mut seen);
            assert!(device.resident_blocks(&kernel, 0).unwrap() >= blocks);
            kernel.grid([1, blocks]).launch(&device).unwrap();
            let mut own: Vec<u64> = (0..threads as u64).collect();
            for _ in 0..count {
                let sum: u64 = own.iter().map(|own| own % 7).sum();
                own.iter_mut().for_each(|own| *own += sum);
            }
            assert_eq!(seen.download().unwrap(), own, "{blocks} blocks on {device}");
        }
    }
}

/// Passes plain data from block to block, through memory that other threads write.
#[vyre::kernel(block = 32)]
fn shift(rounds: usize, front: &mut [u32], back: &mut [u32]) {
    let i = thread::index();
    let n = front.len();
    let tile = shared::dynamic::<u32>();
    let mut round = 0;
    while round < rounds {
        tile[thread::idx().x] = front[(i + 33) % n];
        grid::sync();
        back[i] = tile[thread::idx().x] + 1;
        grid::sync();
        front[i] = back[i];
        grid::sync();
        round += 1;
    }
}

#[test]
fn plain_data_goes_from_block_to_block() {
    for device in devices("plain_data_goes_from_block_to_block") {
        let values: Vec<u32> = (0..256).collect();
        let (mut front, mut back) = (device.upload(&values).unwrap(), device.zeros::<u32>(256).unwrap());
        for _ in 0..3 {
            shift(5, &mut front, &mut back)
                .over(256)
                .shared_bytes(128)
                .launch(&device)
                .unwrap();
        }
        let expected: Vec<u32> = (0..256).map(|i| (i + 33 * 15) % 256 + 15).collect();
        assert_eq!(front.download().unwrap(), expected, "on {device}");
    }
}

#[vyre::kernel(block = 32)]
fn faulty_grid(values: &[u32], place: usize, out: &[AtomicU32]) {
    let i = thread::index();
    for round in 0..4 {
        grid::sync();
        if i == 70 && round == 2 {
            out[0].store(values[place], Ordering::Relaxed);
        }
        out[1 + i].fetch_add(1, Ordering::Relaxed);
    }
    grid::sync();
}

#[test]
fn a_fault_ends_the_grid_that_waits() {
    for device in devices("a_fault_ends_the_grid_that_waits") {
        let values = device.upload(&[7; 10]).unwrap();
        let mut out = device.zeros::<u32>(200).unwrap();
        for (place, faults) in [(3, false), (10, true), (4, false), (11, true), (12, true), (5, false)] {
            let mut run = || -> vyre::Result<()> {
                out.fill(0)?;
                faulty_grid(&values, place, &mut out).grid(4).launch(&device)?;
                out.download().map(|_| ())
            };
            match run() {
                Ok(()) => assert!(!faults, "{place} on {device}"),
                Err(vyre::Error::Fault(fault)) => {
                    assert!(faults, "{place} on {device}");
                    assert_eq!((fault.block, fault.thread), ([2, 0, 0], [6, 0, 0]));
                }
                Err(other) => panic!("{other} on {device}"),
            }
        }
    }
}

#[test]
fn more_blocks_than_run_at_once_are_refused() {
    for device in devices("more_blocks_than_run_at_once_are_refused") {
        let values = device.upload(&[7; 10]).unwrap();
        let mut out = device.zeros::<u32>(200).unwrap();
        let limit = device.resident_blocks(&faulty_grid(&values, 0, &mut out), 0).unwrap();
        match faulty_grid(&values, 0, &mut out).grid(limit + 1).launch(&device) {
            Err(vyre::Error::TooLarge {
                what,
                requested,
                limit: known,
                ..
            }) => {
                assert_eq!(what, vyre::LaunchLimit::Resident);
                assert_eq!((requested, known), (u64::from(limit) + 1, u64::from(limit)));
            }
            other => panic!("{other:?} on {device}"),
        }
    }
}

/// Waits only by the clock.
#[vyre::kernel]
fn wait(least: u64, took: &mut [u64]) {
    let i = thread::index();
    if i < took.len() {
        let start = thread::clock();
        let mut now = thread::clock();
        while now - start < least {
            now = thread::clock();
        }
        took[i] = now - start;
    }
}

#[test]
fn clocks_go_on() {
    for device in devices("clocks_go_on") {
        let mut took = device.zeros::<u64>(300).unwrap();
        wait(1000, &mut took).over(300).launch(&device).unwrap();
        let took = took.download().unwrap();
        // A second, and a second of cycles, far exceeds the time for which any thread is
        // descheduled.
        assert!(
            took.iter().all(|&time| (1000..10_000_000_000).contains(&time)),
            "{took:?} on {device}"
        );
    }
}
