//! `fetch_update` on every atomic type: in global, shared and distributed shared memory, with every
//! scope, with closures of every kind, and with contention.

use core::sync::atomic::{AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use vyre::prelude::*;
use vyre::{Error, FaultKind};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assemble_quickly;
use vyre_semantics::values::{Value, pairs};

vyre_semantics::kernels! { Tickets Closures LookedUp }

/// For each type, the replacement of `$old`, if any.
macro_rules! types {
    ($($module:ident $A:ident $T:ident |$old:ident, $v:ident| $some:expr, $new:expr;)*) => { $(
        mod $module {
            use super::*;

            #[vyre::kernel(block = 64, cluster = 2)]
            fn update(cells: &[$A], values: &[$T], before: &mut [$T], done: &mut [u32]) {
                let own = shared::<[$A; 64]>();
                let (i, t) = (thread::index(), thread::idx().x);
                let $v = values[i];
                own[t].store(cells[i].load(Ordering::Relaxed), Ordering::Relaxed);
                cluster::sync();
                // The neighbouring block, whose threads do the same.
                let other = cluster::map_shared(own, 1 - cluster::block_rank());
                let first = other[t].fetch_update(Ordering::AcqRel, Ordering::Acquire, |$old| {
                    if $some { Some($new) } else { None }
                });
                cluster::sync();
                let second = own[t].in_block().fetch_update(Ordering::Release, Ordering::Relaxed, |$old| {
                    if $some { Some($new) } else { None }
                });
                let global = cells[i].in_system().fetch_update(Ordering::SeqCst, Ordering::SeqCst, |$old| {
                    if $some { Some($new) } else { None }
                });
                done[i] = (first.is_ok() as u32) * 4 + (second.is_ok() as u32) * 2 + global.is_ok() as u32;
                before[i] = match (second, global) {
                    (Ok(before) | Err(before), Ok(_)) => before,
                    (_, Err(now)) => now,
                };
            }

            /// The expected new value of the cell, or of the neighbour's cell with the neighbour's
            /// value.
            fn expected($old: $T, $v: $T) -> Option<$T> {
                if $some { Some($new) } else { None }
            }

            #[test]
            fn each_place_and_scope() {
                let (mut cells, mut values) = pairs::<$T, $T>();
                // Whole clusters.
                let length = cells.len() / 128 * 128;
                cells.truncate(length);
                values.truncate(length);
                everywhere(|place| {
                    let device = place.device();
                    let (mut there, given) = (device.upload(&cells)?, device.upload(&values)?);
                    let (mut before, mut done) = (device.upload(&vec![<$T as Value>::ZERO; length])?, device.zeros::<u32>(length)?);
                    place.over(update(&mut there, &given, &mut before, &mut done), length)?;
                    let (there, before, done) = (there.download()?, before.download()?, done.download()?);
                    for i in 0..length {
                        // The thread at the same place in the other block of the cluster.
                        let neighbour = i ^ 64;
                        let first = expected(cells[neighbour], values[i]);
                        let shared = expected(cells[i], values[neighbour]).unwrap_or(cells[i]);
                        let second = expected(shared, values[i]);
                        let global = expected(cells[i], values[i]);
                        let flags = first.is_some() as u32 * 4 + second.is_some() as u32 * 2 + global.is_some() as u32;
                        let old = if global.is_some() { shared } else { cells[i] };
                        assert!(
                            done[i] == flags && before[i].same(old) && there[i].same(global.unwrap_or(cells[i])),
                            "{i} on {}: {:?} and {:?} give {}, {:?} and {:?}",
                            place.name(), cells[i], values[i], done[i], before[i], there[i],
                        );
                    }
                    Ok(())
                });
                assemble_quickly(Update::info());
            }
        }
    )* };
}

types! {
    i32s AtomicI32 i32 |old, v| old > v, old.wrapping_mul(3).wrapping_sub(v);
    u32s AtomicU32 u32 |old, v| old != v, old.rotate_left(7) ^ v;
    i64s AtomicI64 i64 |old, v| old < v, old.wrapping_mul(v) | 1;
    u64s AtomicU64 u64 |old, v| old & 1 == v & 1, old.saturating_add(v);
    isizes AtomicIsize isize |old, v| old <= v, old.wrapping_add(v);
    usizes AtomicUsize usize |old, v| old >= v, old - v;
    f32s AtomicF32 f32 |old, v| old <= v || v.is_nan(), old.copysign(if v.is_nan() { 1.0 } else { v });
    f64s AtomicF64 f64 |old, v| old < v || v.is_nan(), old.mul_add(2.0, v);
}

/// Takes a ticket while there are some.
#[vyre::device]
fn take(tickets: &AtomicU32, limit: u32) -> Option<u32> {
    let before = tickets.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| {
        if n < limit { Some(n + 1) } else { None }
    });
    if before.is_ok() {
        Some(before.unwrap_or(0))
    } else {
        None
    }
}

#[vyre::kernel(block = 64, allow(races))] // a compare-exchange gives each number once
fn tickets(counter: &[AtomicU32], taken: &mut [u32], refused: &[AtomicU32]) {
    let own = shared::<[AtomicU32; 1]>();
    let i = thread::index();
    if thread::idx().x == 0 {
        own[0].store(0, Ordering::Relaxed);
    }
    block::sync();
    if let Some(ticket) = take(&counter[0], 150) {
        // SAFETY: no other thread has this number.
        unsafe { *taken.get_unchecked_mut(ticket as usize) = i as u32 + 1 };
    } else {
        refused[0].fetch_add(1, Ordering::Relaxed);
    }
    if let Some(place) = take(&own[0], 10) {
        refused[1 + place as usize].fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn among_many() {
    everywhere(|place| {
        let device = place.device();
        let (mut counter, mut taken) = (device.zeros::<u32>(1)?, device.zeros::<u32>(151)?);
        let mut refused = device.zeros::<u32>(12)?;
        place.over(tickets(&mut counter, &mut taken, &mut refused), 256)?;
        let mut taken = taken.download()?;
        assert_eq!(counter.download()?, [150], "on {}", place.name());
        assert_eq!(taken.pop(), Some(0));
        taken.sort_unstable();
        taken.dedup();
        assert!(taken.len() == 150 && taken[0] > 0, "on {}: {taken:?}", place.name());
        let each: Vec<u32> = std::iter::once(106).chain([4; 10]).chain([0]).collect();
        assert_eq!(refused.download()?, each, "on {}", place.name());
        Ok(())
    });
}

#[vyre::device]
fn halved(n: u32) -> Option<u32> {
    if n.is_multiple_of(2) { Some(n / 2) } else { None }
}

#[vyre::device]
fn with(cell: &AtomicU32, f: impl FnMut(u32) -> Option<u32>) -> u32 {
    cell.fetch_update(Ordering::SeqCst, Ordering::Relaxed, f)
        .unwrap_or(1000)
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Step {
    by: u32,
    most: u32,
}

/// Closures: a path, one in a variable, with what it changes, of other types, and in each other.
#[vyre::kernel]
fn closures(step: Step, x: &[u32], cells: &[AtomicU32], inner: &[AtomicI64], out: &mut [[u32; 6]]) {
    let i = thread::index();
    if i >= out.len() {
        return;
    }
    let cell = &cells[i];
    let mut rounds = 0;
    let table = [x[i], x[i] + 1];
    let a = cell.fetch_update(Ordering::Relaxed, Ordering::Relaxed, halved).is_ok() as u32;
    let add = |n: u32| {
        if n + step.by <= step.most {
            Some(n + step.by)
        } else {
            None
        }
    };
    let b = match cell.fetch_update(Ordering::AcqRel, Ordering::Acquire, add) {
        Ok(n) => n,
        Err(n) => 100 + n,
    };
    let c = with(cell, |n| {
        rounds += 1;
        Some(n * 2 + table[(n % 2) as usize])
    });
    let d = with(cell, move |n| {
        let half = halved(n);
        if half.is_some() {
            Some(half.unwrap_or(0) + step.by)
        } else {
            half
        }
    });
    let e = with(cell, |n| {
        let before = inner[i].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |m| Some(m - n as i64));
        if before.is_err() || n > 1 << 20 {
            None
        } else {
            Some(n + 1)
        }
    });
    _ = cell.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |_| None);
    out[i] = [a, b, c, d, e, rounds];
}

#[test]
fn closures_of_every_kind() {
    let x: Vec<u32> = (0..70).map(|i| i * 3 % 16).collect();
    let start: Vec<u32> = (0..70).map(|i| i * 5 % 32).collect();
    let step = Step { by: 7, most: 20 };
    everywhere(|place| {
        let device = place.device();
        let (given, mut cells, mut inner) = (device.upload(&x)?, device.upload(&start)?, device.zeros::<i64>(70)?);
        let mut out = device.zeros::<[u32; 6]>(70)?;
        place.over(closures(step, &given, &mut cells, &mut inner, &mut out), 70)?;
        let (cells, inner, out) = (cells.download()?, inner.download()?, out.download()?);
        for i in 0..70 {
            let mut n = start[i];
            let a = n.is_multiple_of(2);
            n = if a { n / 2 } else { n };
            let b = if n + 7 <= 20 { n } else { 100 + n };
            n = if n + 7 <= 20 { n + 7 } else { n };
            let c = n;
            n = n * 2 + x[i] + n % 2;
            let d = if n.is_multiple_of(2) { n } else { 1000 };
            n = if n.is_multiple_of(2) { n / 2 + 7 } else { n };
            assert_eq!(out[i], [u32::from(a), b, c, d, n, 1], "{i} on {}", place.name());
            assert_eq!((cells[i], inner[i]), (n + 1, -i64::from(n)), "{i} on {}", place.name());
        }
        Ok(())
    });
}

/// Each thread adds a value that it looks up, where there is one.
#[vyre::kernel]
fn looked_up(table: &[u32], sum: &[AtomicU32]) {
    let i = thread::index();
    _ = sum[0].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| Some(n + table[i]));
}

#[test]
fn faults_in_the_closure() {
    everywhere(|place| {
        let device = place.device();
        let (table, mut sum) = (device.upload(&[1; 40])?, device.zeros::<u32>(1)?);
        match place.over(looked_up(&table, &mut sum), 64) {
            Err(Error::Fault(fault)) => {
                assert_eq!(
                    (fault.kind, fault.values[1]),
                    (FaultKind::IndexOutOfBounds, 40),
                    "on {}",
                    place.name()
                );
            }
            other => panic!("on {}: {other:?}", place.name()),
        }
        Ok(())
    });
}
