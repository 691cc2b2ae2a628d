//! Buffers of structs that one kernel sees as structs of atomics and another as plain ones.

use vyre::prelude::*;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx;

#[vyre::device]
#[derive(Clone, Copy, Debug, Default, PartialEq, vyre::Atomics)]
struct Bounds {
    least: i32,
    most: i32,
}

#[vyre::device]
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, vyre::Atomics)]
struct Stats {
    hits: u32,
    seen: bool,
    total: u64,
    mean: f32,
    bounds: Bounds,
    digits: Digits,
}

/// By another name, as a macro or an alias writes it.
#[vyre::device]
type Digits = [u16; 3];

/// One value among those of a group, by a function.
#[vyre::device]
fn widen(bounds: &Atomic<Bounds>, value: i32) {
    bounds.least.fetch_min(value, Ordering::Relaxed);
    bounds.most.fetch_max(value, Ordering::Relaxed);
}

#[vyre::kernel]
fn gather(x: &[i32], stats: &[Atomic<Stats>]) {
    let i = thread::index();
    if i < x.len() {
        let stats = &stats[x[i].unsigned_abs() as usize % stats.len()];
        stats.hits.fetch_add(1, Ordering::Relaxed);
        stats.total.fetch_add(x[i].unsigned_abs() as u64, Ordering::Relaxed);
        if !stats.seen.swap(true, Ordering::Relaxed) {
            stats.mean.store(0.5, Ordering::Relaxed);
        }
        stats.digits[i % 3].fetch_add(i as u16, Ordering::Relaxed);
        widen(&stats.bounds, x[i]);
    }
}

/// The same structs as values.
#[vyre::kernel]
fn finish(#[each] stats: &mut Stats) {
    if stats.hits > 0 {
        stats.mean += stats.total as f32 / stats.hits as f32;
    }
}

#[test]
fn atomics_then_values() {
    let values: Vec<i32> = (0..200).filter(|v| v % 5 != 3).map(|v| v * 7 - 600).collect();
    let mut expected = [Stats::default(); 5];
    for (i, v) in values.iter().enumerate() {
        let stats = &mut expected[v.unsigned_abs() as usize % 5];
        stats.hits += 1;
        stats.total += u64::from(v.unsigned_abs());
        (stats.seen, stats.mean) = (true, 0.5);
        stats.digits[i % 3] += i as u16;
        stats.bounds.least = stats.bounds.least.min(*v);
        stats.bounds.most = stats.bounds.most.max(*v);
    }
    everywhere(|place| {
        let device = place.device();
        let (x, mut stats) = (device.upload(&values)?, device.zeros::<Stats>(5)?);
        place.over(gather(&x, &mut stats), values.len())?;
        assert_eq!(stats.download()?, expected, "on {}", place.name());
        place.over(finish(&mut stats), 5)?;
        let finished = expected.map(|of| match of.hits {
            0 => of,
            hits => Stats {
                mean: of.mean + of.total as f32 / hits as f32,
                ..of
            },
        });
        assert_eq!(stats.download()?, finished, "on {}", place.name());
        Ok(())
    });
}

/// Optional, in arrays, in shared memory, and without a bounds check.
#[vyre::kernel(block = 32)]
fn shapes(pairs: Option<&[[Atomic<Bounds>; 2]]>, #[each] counts: &AtomicU32) {
    let tile = shared::<[Atomic<Bounds>; 2]>();
    let t = thread::idx().x as usize;
    if t < 2 {
        tile[t].least.store(100, Ordering::Relaxed);
        tile[t].most.store(-100, Ordering::Relaxed);
    }
    block::sync();
    widen(&tile[t % 2], t as i32);
    block::sync();
    if let (Some(pairs), true) = (pairs, t < 4) {
        let to = &pairs[t / 2][t % 2];
        to.least
            .store(tile[t % 2].least.load(Ordering::Relaxed), Ordering::Relaxed);
        to.most
            .store(tile[t % 2].most.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    counts.fetch_add(t as u32, Ordering::Relaxed);
}

#[test]
fn in_arrays_and_shared_memory() {
    let pair = [Bounds { least: 0, most: 30 }, Bounds { least: 1, most: 31 }];
    everywhere(|place| {
        let device = place.device();
        let (mut pairs, mut counts) = (device.zeros::<[Bounds; 2]>(2)?, device.zeros::<u32>(32)?);
        place.over(shapes(Some(&mut pairs), &mut counts), 32)?;
        place.over(shapes(None, &mut counts), 32)?;
        assert_eq!(pairs.download()?, [pair; 2], "on {}", place.name());
        assert_eq!(counts.download()?, (0..64).step_by(2).collect::<Vec<u32>>());
        Ok(())
    });
}

#[test]
fn in_a_program() {
    let mut stats = [Stats::default(); 2];
    Gather::dispatch(&Device::cpu(), 3, &[2, 4, 5], &mut stats).unwrap();
    assert_eq!(stats[0].bounds, Bounds { least: 0, most: 4 });
    assert_eq!(size_of::<Atomic<Stats>>(), size_of::<Stats>());
    ptx::assembled(&[Gather::info(), Finish::info(), Shapes::info()]);
}
