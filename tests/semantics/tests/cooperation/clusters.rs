//! Clusters: indices, barriers, and distributed shared memory. A fault ends the launch for all
//! waiting threads, however the memory of the faulting block is used.

use std::sync::mpsc;
use std::time::Duration;

use vyre::prelude::*;
use vyre::{Error, Fault, FaultKind, Result};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::Place;
use vyre_semantics::places::places;

vyre_semantics::kernels! { PlacesOfBlocks RoundTrip Kinds OneByOne Faulty OnlyBarriers ByFlag }

/// Aborts the process if a launch hangs, which would block its test forever.
fn in_time<R>(test: impl FnOnce() -> R) -> R {
    let (done, timer) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if timer.recv_timeout(Duration::from_secs(60)) == Err(mpsc::RecvTimeoutError::Timeout) {
            eprintln!("a launch of a cluster hangs");
            std::process::abort();
        }
    });
    let result = test();
    drop(done);
    watch.join().expect("the watch panics not");
    result
}

fn fault(result: Result<()>, place: &Place) -> Box<Fault> {
    match result {
        Err(Error::Fault(fault)) => fault,
        other => panic!("on {}: {other:?}", place.name()),
    }
}

#[vyre::device]
fn rank_of(x: usize, y: usize) -> usize {
    y * cluster::dim().x + x
}

#[vyre::kernel(block = [2, 1], cluster = [2, 3])]
fn places_of_blocks(ranks: &mut [usize], idx: &mut [usize], within: &mut [usize], real: &mut [u32]) {
    let i = thread::index();
    let (c, b) = (cluster::idx(), cluster::block_idx());
    ranks[i] = cluster::block_rank() * 100 + rank_of(b.x, b.y) + cluster::num_blocks() * 10;
    idx[i] = c.x * 10 + c.y;
    within[i] = (b.x * 10 + b.y) * 10 + cluster::dim().y;
    let rank = cluster::block_rank() as u32;
    // SAFETY: the instruction has no effect but its result.
    real[i] = unsafe { ptx!("mov.u32 {result}, %cluster_ctarank;" => u32 { rank }) };
}

#[test]
fn blocks_know_their_clusters() {
    for place in places() {
        if matches!(place, Place::Machine(_)) {
            // The interpreter has no such register; this test is about the GPU's.
            continue;
        }
        let device = place.device();
        let (mut ranks, mut idx, mut within) = (
            device.zeros::<usize>(48).unwrap(),
            device.zeros::<usize>(48).unwrap(),
            device.zeros::<usize>(48).unwrap(),
        );
        let mut real = device.zeros::<u32>(48).unwrap();
        let kernel = places_of_blocks(&mut ranks, &mut idx, &mut within, &mut real);
        // 4 x 5 blocks, rounded up to 4 x 6.
        place.over(kernel, [8, 5]).unwrap();
        let (ranks, idx, within) = (
            ranks.download().unwrap(),
            idx.download().unwrap(),
            within.download().unwrap(),
        );
        let real = real.download().unwrap();
        for i in 0..48 {
            let (x, y) = (i / 2 % 4, i / 8);
            let (bx, by) = (x % 2, y % 3);
            let rank = by * 2 + bx;
            assert_eq!(ranks[i], rank * 101 + 60, "on {}: {i}", place.name());
            assert_eq!(idx[i], x / 2 * 10 + y / 3, "on {}: {i}", place.name());
            assert_eq!(within[i], (bx * 10 + by) * 10 + 3, "on {}: {i}", place.name());
            assert_eq!(real[i], rank as u32, "on {}: {i}", place.name());
        }
    }
}

/// Each block passes its values around the cluster, and writes to the others' memory.
#[vyre::kernel(block = 64, cluster = 4, allow(races))] // memory of other blocks
fn round_trip(x: &[u32], y: &mut [u32], z: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let inbox = shared::<[[u32; 64]; 4]>();
    let t = thread::idx().x;
    let (rank, n) = (cluster::block_rank(), cluster::num_blocks());
    tile[t] = x[thread::index()];
    cluster::sync();
    let mut sum = 0;
    for other in 0..n {
        let theirs = cluster::map_shared(tile, other);
        sum = sum * 3 + theirs[63 - t];
        cluster::map_shared(inbox, other)[rank][t] = tile[t] + other as u32;
    }
    y[thread::index()] = sum;
    cluster::sync();
    let mut received = 0;
    for from in 0..n {
        received = received * 5 + inbox[from][t];
    }
    z[thread::index()] = received;
}

#[test]
fn blocks_read_and_write_each_others_memory() {
    let x: Vec<u32> = (0..1024).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 20).collect();
    for place in places() {
        let device = place.device();
        let given = device.upload(&x).unwrap();
        let (mut y, mut z) = (device.zeros::<u32>(1024).unwrap(), device.zeros::<u32>(1024).unwrap());
        in_time(|| place.over(round_trip(&given, &mut y, &mut z), 1024)).unwrap();
        let (y, z) = (y.download().unwrap(), z.download().unwrap());
        for i in 0..1024 {
            let (first, rank, t) = (i / 256 * 256, i / 64 % 4, i % 64);
            let sum = (0..4).fold(0, |sum: u32, other| {
                sum.wrapping_mul(3).wrapping_add(x[first + other * 64 + 63 - t])
            });
            let received = (0..4).fold(0, |sum: u32, from| {
                sum.wrapping_mul(5).wrapping_add(x[first + from * 64 + t] + rank as u32)
            });
            assert_eq!((y[i], z[i]), (sum, received), "on {}: {i}", place.name());
        }
    }
}

#[vyre::device]
fn raise(cells: &[AtomicU32], at: usize, by: u32) -> u32 {
    cells[at].fetch_add(by, Ordering::Relaxed)
}

#[vyre::device]
fn total(values: &mut [u64]) -> u64 {
    let mut sum = 0;
    for value in values.iter() {
        sum += *value;
    }
    values[0] = sum;
    sum
}

/// All kinds of accesses, also in device functions; all blocks change the block's own cells.
#[vyre::kernel(block = [96, 1], cluster = [2, 2], allow(races))] // memory of other blocks
fn kinds(sums: &mut [u32], wide: &mut [u64], least: &mut [f32]) {
    let cells = shared::<[AtomicU32; 8]>();
    let wides = shared::<[u64; 4]>();
    let smallest = shared::<[AtomicF32; 1]>();
    let pairs = shared::<[(u8, i16); 2]>();
    let t = thread::idx().x;
    let rank = cluster::block_rank();
    if t < 8 {
        cells[t].store(0, Ordering::Relaxed);
    }
    if t == 0 {
        smallest[0].store(1e9, Ordering::Relaxed);
    }
    cluster::sync();
    let next = cluster::map_shared(cells, (rank + 1) % 4);
    raise(next, t % 8, 1);
    raise(cells, t % 8, 100);
    next[t % 8].fetch_or(1 << 20, Ordering::AcqRel);
    let first = cluster::map_shared(smallest, 0);
    first[0].fetch_min(-((rank * 96 + t) as f32), Ordering::Relaxed);
    if t == rank {
        let theirs = cluster::map_shared(pairs, 3 - rank);
        theirs[1] = (rank as u8, -(rank as i16));
        cluster::map_shared(wides, 3 - rank)[0] = 1 << (40 + rank);
    }
    if t > 0 && t < 4 {
        wides[t] = t as u64;
    }
    cluster::sync();
    if t == 0 {
        total(wides);
    }
    block::sync();
    let i = (block::idx().y * grid::dim().x + block::idx().x) * 96 + t;
    sums[i] = cells[t % 8].load(Ordering::Relaxed) + pairs[1].0 as u32 * 10_000;
    wide[i] = wides[0] + (pairs[1].1 as i64 as u64 & 0xff);
    least[i] = first[0].load(Ordering::Relaxed);
    cluster::sync();
}

#[test]
fn all_accesses_reach_other_blocks() {
    for place in places() {
        let device = place.device();
        let mut sums = device.zeros::<u32>(4 * 96).unwrap();
        let (mut wide, mut least) = (
            device.zeros::<u64>(4 * 96).unwrap(),
            device.zeros::<f32>(4 * 96).unwrap(),
        );
        in_time(|| place.over(kinds(&mut sums, &mut wide, &mut least), [2 * 96, 2])).unwrap();
        let (sums, wide, least) = (
            sums.download().unwrap(),
            wide.download().unwrap(),
            least.download().unwrap(),
        );
        for i in 0..4 * 96 {
            let (rank, other) = (i / 96, 3 - i / 96);
            assert_eq!(
                sums[i],
                (1 << 20) + 1212 + other as u32 * 10_000,
                "on {}: {i}",
                place.name()
            );
            let low = -(other as i16) as i64 as u64 & 0xff;
            assert_eq!(
                wide[i],
                (1 << (40 + other)) + 6 + low,
                "on {}: {i} of {rank}",
                place.name()
            );
            assert_eq!(least[i], -383.0, "on {}: {i}", place.name());
        }
    }
}

/// Blocks exit one after the other, while the remaining ones wait for each other and read the
/// memory of the exited ones.
#[vyre::kernel(block = 64, cluster = 4)]
fn one_by_one(order: usize, returns: u32, y: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let t = thread::idx().x;
    let rank = cluster::block_rank();
    tile[t] = (rank * 64 + t) as u32;
    cluster::sync();
    let mut rounds = (rank + order) % 4 * 3;
    // Some lanes of a warp exit alone.
    if returns == 1 && t % 3 == 1 && rounds == 0 {
        return;
    }
    let mut sum = 0;
    let mut at = t;
    while rounds > 0 {
        cluster::sync();
        sum += cluster::map_shared(tile, (rank + rounds) % 4)[at];
        at = (at + 7) % 64;
        rounds -= 1;
    }
    if returns == 1 && t % 2 == 1 {
        return;
    }
    // The memory of exited blocks is unchanged.
    for other in 0..4 {
        sum = sum * 2 + cluster::map_shared(tile, other)[63 - t];
    }
    y[thread::index()] = sum;
}

#[test]
fn memory_outlives_the_threads_of_its_block() {
    for place in places() {
        for (order, returns) in [(0, 0), (1, 0), (3, 0), (0, 1), (2, 1)] {
            let mut y = place.device().zeros::<u32>(512).unwrap();
            in_time(|| place.over(one_by_one(order, returns, &mut y), 512)).unwrap();
            for (i, &value) in y.download().unwrap().iter().enumerate() {
                let (rank, t) = (i / 64 % 4, i % 64);
                let rounds = (rank + order) % 4 * 3;
                let left = returns == 1 && (t % 2 == 1 || t % 3 == 1 && rounds == 0);
                let tile = |rank: usize, t: usize| (rank % 4 * 64 + t) as u32;
                let sum = (0..rounds).fold(0, |sum, round| sum + tile(rank + rounds - round, (t + 7 * round) % 64));
                let sum = (0..4).fold(sum, |sum: u32, other| {
                    sum.wrapping_mul(2).wrapping_add(tile(other, 63 - t))
                });
                let expected = if left { 0 } else { sum };
                assert_eq!(value, expected, "on {}: {i}, {order}, {returns}", place.name());
            }
        }
    }
}

/// Threads `first` to `first + count` of a block of the cluster fault before, between or after
/// barriers, while the others continue to read their memory.
#[vyre::kernel(block = 64, cluster = 2, allow(races))] // memory of other blocks
fn faulty(how: u32, rank: usize, first: usize, count: usize, x: &[u32], y: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let t = thread::idx().x;
    let bad = cluster::block_rank() == rank && t >= first && t < first + count;
    let mut at = t;
    if bad && how == 0 {
        at += x.len();
    }
    tile[t] = x[at];
    cluster::sync();
    let theirs = cluster::map_shared(tile, 1 - cluster::block_rank());
    let mut sum = 0;
    for round in 0..4 {
        sum += theirs[(t + round) % 64];
        if how == 1 {
            assert!(!(bad && round == 1), "round {round} of thread {t}");
        }
        if bad && how == 2 && round == 2 {
            panic!("no way");
        }
        cluster::sync();
    }
    if bad && how == 3 {
        sum += x[x.len() + t];
    }
    if bad && how == 4 {
        sum += cluster::map_shared(tile, sum as usize % 2 + 2)[0];
    }
    for round in 0..64 {
        sum += theirs[round];
    }
    y[thread::index()] = sum;
}

#[test]
fn faults_hang_nothing_and_harm_nothing() {
    let x: Vec<u32> = (0..64).map(|i| i * 3 + 1).collect();
    let all: u32 = x.iter().sum();
    for place in places() {
        let device = place.device();
        let given = device.upload(&x).unwrap();
        let mut y = device.zeros::<u32>(6 * 64).unwrap();
        for how in 0..5 {
            for rank in 0..2 {
                // A whole block, its first thread, one in a warp, all but the first, a warp, a lane of each.
                for (first, count) in [(0, 64), (0, 1), (37, 1), (1, 63), (32, 32), (20, 20)] {
                    let kernel = faulty(how, rank, first, count, &given, &mut y);
                    let fault = fault(in_time(|| place.over(kernel, 6 * 64)), &place);
                    let expected = match how {
                        0 | 3 => FaultKind::IndexOutOfBounds,
                        1 => FaultKind::Assertion,
                        2 => FaultKind::Panic,
                        _ => FaultKind::ClusterRank,
                    };
                    let what = format!("on {}: {how}, {rank}, {first}, {count}: {fault}", place.name());
                    assert_eq!(fault.kind, expected, "{what}");
                    let text = fault.to_string();
                    assert!(
                        how != 4 || text.starts_with("a cluster of 2 blocks has none of rank "),
                        "{what}"
                    );
                    assert!(text.contains("clusters.rs:") || fault.line == 0, "{what}");
                    assert_eq!(fault.block[0] as usize % 2, rank, "{what}");
                    let t = fault.thread[0] as usize;
                    assert!((first..first + count).contains(&t), "{what}");
                }
            }
            // The device stays usable.
            y.fill(0).unwrap();
            let kernel = faulty(how, 9, 0, 64, &given, &mut y);
            in_time(|| place.over(kernel, 6 * 64)).unwrap();
            let own = |t: usize| (0..4).map(|round| x[(t + round) % 64]).sum::<u32>();
            let expected: Vec<u32> = (0..6 * 64).map(|i| own(i % 64) + all).collect();
            assert_eq!(y.download().unwrap(), expected, "on {}: {how}", place.name());
        }
    }
}

/// Without distributed shared memory: only the barrier.
#[vyre::kernel(block = 96, cluster = 3)]
fn only_barriers(x: &[u32], first: usize, count: usize, cells: &[AtomicU32], y: &mut [u32]) {
    let i = thread::index();
    if i % 7 == 3 && i >= 600 {
        return;
    }
    let bad = i >= first && i < first + count;
    let value = x[if bad { i + x.len() } else { i }];
    for _ in 0..3 {
        cluster::sync();
    }
    cells[cluster::idx().x].fetch_add(value, Ordering::Relaxed);
    cluster::sync();
    y[i] = cells[cluster::idx().x].load(Ordering::Relaxed) + x[i];
}

#[test]
fn barriers_wait_for_those_that_are_there() {
    let x: Vec<u32> = (0..864).collect();
    for place in places() {
        let device = place.device();
        let given = device.upload(&x).unwrap();
        for (first, count) in [(2000, 0), (0, 1), (100, 96), (300, 5), (863, 1), (1, 863)] {
            let (mut cells, mut y) = (device.zeros::<u32>(3).unwrap(), device.zeros::<u32>(864).unwrap());
            let kernel = only_barriers(&given, first, count, &mut cells, &mut y);
            let result = in_time(|| place.over(kernel, 864));
            if count > 0 {
                assert_eq!(fault(result, &place).kind, FaultKind::IndexOutOfBounds);
                continue;
            }
            result.unwrap();
            let left = |i: usize| i % 7 == 3 && i >= 600;
            let sum = |cluster: usize| {
                (cluster * 288..(cluster + 1) * 288)
                    .filter(|&i| !left(i))
                    .sum::<usize>()
            };
            let expected: Vec<u32> = (0..864)
                .map(|i| if left(i) { 0 } else { (sum(i / 288) + i) as u32 })
                .collect();
            assert_eq!(y.download().unwrap(), expected, "on {}", place.name());
        }
    }
}

/// A block waits for a flag in its memory that another one sets, or never does.
#[vyre::kernel(block = 32, cluster = 2, allow(races))] // a flag orders the accesses
fn by_flag(fails: u32, y: &mut [u32]) {
    let flag = shared::<[AtomicU32; 1]>();
    let mail = shared::<[u32; 32]>();
    let t = thread::idx().x;
    flag[0].store(0, Ordering::Relaxed);
    cluster::sync();
    if cluster::block_rank() == 1 {
        let theirs = cluster::map_shared(mail, 0);
        theirs[t] = t as u32 * 7;
        warp::sync();
        assert!(fails == 0 || t != 9);
        warp::sync();
        if t == 0 {
            cluster::map_shared(flag, 0)[0].store(1, Ordering::Release);
        }
        y[32 + t] = t as u32;
        // Nothing sets the other one's flag after a fault.
        while fails == 1 && flag[0].load(Ordering::Acquire) == 0 {}
    } else {
        while flag[0].load(Ordering::Acquire) == 0 {}
        y[t] = mail[t];
    }
}

#[test]
fn blocks_wait_for_flags_of_others() {
    for place in places() {
        let mut y = place.device().zeros::<u32>(64).unwrap();
        in_time(|| place.over(by_flag(0, &mut y), 64)).unwrap();
        let expected: Vec<u32> = (0..64).map(|i| if i < 32 { i * 7 } else { i - 32 }).collect();
        assert_eq!(y.download().unwrap(), expected, "on {}", place.name());
        let fault = fault(in_time(|| place.over(by_flag(1, &mut y), 64)), &place);
        assert_eq!(
            (fault.kind, fault.thread[0]),
            (FaultKind::Assertion, 9),
            "on {}",
            place.name()
        );
    }
}

#[vyre::device]
fn ring(tile: &mut [u32; 32], mut value: u32) -> u32 {
    for _ in 0..cluster::num_blocks() {
        tile[thread::idx().x] = value;
        cluster::sync();
        value = tile[31 - thread::idx().x] + cluster::block_rank() as u32;
        cluster::sync();
    }
    value
}

/// Functions called by a kernel without clusters see clusters of one block.
#[vyre::kernel(block = 32)]
fn alone(y: &mut [u32]) {
    let tile = shared::<[u32; 32]>();
    y[thread::index()] = ring(tile, thread::idx().x as u32);
}

/// The same function among three blocks.
#[vyre::kernel(block = 32, cluster = 3)]
fn among_three(y: &mut [u32]) {
    let tile = shared::<[u32; 32]>();
    y[thread::index()] = ring(tile, thread::idx().x as u32);
}

#[test]
fn functions_serve_kernels_with_and_without_clusters() {
    for place in places() {
        let device = place.device();
        let (mut one, mut three) = (device.zeros::<u32>(64).unwrap(), device.zeros::<u32>(96).unwrap());
        place.over(alone(&mut one), 64).unwrap();
        in_time(|| place.over(among_three(&mut three), 96)).unwrap();
        let expected: Vec<u32> = (0..64).map(|i| 31 - i % 32).collect();
        assert_eq!(one.download().unwrap(), expected, "on {}", place.name());
        let expected: Vec<u32> = (0..96).map(|i| 31 - i % 32 + i / 32 * 3).collect();
        assert_eq!(three.download().unwrap(), expected, "on {}", place.name());
    }
    assert!(!Alone::info().ptx.contains(".cluster") && Alone::info().target < 90);
    assert!(AmongThree::info().ptx.contains(".reqnctapercluster 3, 1, 1"));
}

#[test]
fn launches_have_whole_clusters() {
    let device = Device::cpu();
    let mut y = device.zeros::<u32>(512).unwrap();
    // 3 blocks are rounded up to 4.
    one_by_one(0, 0, &mut y).over(192).launch(&device).unwrap();
    device.synchronize().unwrap();
    let error = one_by_one(0, 0, &mut y).grid(6).launch(&device).unwrap_err();
    let text = "`one_by_one` has clusters of [4, 1, 1] blocks, and [6, 1, 1] blocks make no whole ones; launch \
         a multiple, or `over` a domain, which rounds up";
    assert_eq!(error.to_string(), text);
}
