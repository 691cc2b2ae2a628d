//! Atomics of 8 and 16 bits, which share a word with others: `AtomicBool` on every back end, with
//! every scope and ordering, and neighbours changed concurrently by many threads. The operations
//! themselves are tested by `atomics.rs`.

use vyre::DeviceBuffer;
use vyre::prelude::*;
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { Flags Count Relay }

/// Every access to a flag; returns the results as bits.
#[vyre::device]
fn each(flag: &AtomicBool, given: bool) -> u32 {
    let mut bits = 0;
    let mut add = |value: bool| bits = bits * 2 + value as u32;
    add(flag.load(Ordering::Acquire));
    add(flag.fetch_and(given, Ordering::AcqRel));
    add(flag.fetch_or(!given, Ordering::SeqCst));
    add(flag.in_system().fetch_xor(given, Ordering::Relaxed));
    add(flag.fetch_nand(given, Ordering::Release));
    add(flag.in_block().fetch_not(Ordering::Acquire));
    add(flag.swap(given, Ordering::SeqCst));
    add(flag
        .compare_exchange(true, false, Ordering::AcqRel, Ordering::Acquire)
        .is_ok());
    add(
        match flag.compare_exchange_weak(false, !given, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(old) => old,
            Err(now) => !now,
        },
    );
    add(flag
        .fetch_update(Ordering::SeqCst, Ordering::Acquire, |old| {
            if old { Some(given) } else { None }
        })
        .is_err());
    flag.fetch_not(Ordering::Relaxed);
    add(flag.load(Ordering::SeqCst));
    flag.store(!flag.load(Ordering::Relaxed), Ordering::Release);
    add(flag.load(Ordering::Relaxed));
    bits
}

/// The expected result, and the flag afterwards.
fn expected(mut flag: bool, given: bool) -> (u32, bool) {
    let mut bits = 0;
    let mut add = |value: bool| bits = bits * 2 + u32::from(value);
    add(flag);
    let operations: [fn(bool, bool) -> bool; 6] = [
        |a, b| a & b,
        |a, b| a | !b,
        |a, b| a ^ b,
        |a, b| !(a & b),
        |a, _| !a,
        |_, b| b,
    ];
    for after in operations {
        add(flag);
        flag = after(flag, given);
    }
    add(flag);
    flag = false;
    add(false);
    flag |= !given;
    add(!flag);
    flag = if flag { given } else { flag };
    add(!flag);
    add(flag);
    (bits, flag)
}

#[vyre::kernel(block = 64, cluster = 2)]
fn flags(given: &[bool], cells: &[AtomicBool], out: &mut [[u32; 3]]) {
    let odd = shared::<[AtomicBool; 67]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let other = cluster::map_shared(odd, 1 - cluster::block_rank());
    odd[t + 3].store(given[i], Ordering::Relaxed);
    let own = each(&odd[t + 3], given[i ^ 1]);
    cluster::sync();
    let remote = each(&other[t + 3], given[i]);
    out[i] = [own, remote, each(&cells[i], given[i ^ 2])];
}

#[test]
fn flags_in_every_place() {
    let given: Vec<bool> = (0..256).map(|i| i * 7 % 3 == 1 || i % 16 == 2).collect();
    let cells: Vec<bool> = (0..256).map(|i| i % 5 < 2).collect();
    everywhere(|place| {
        let device = place.device();
        let (given_on, mut cells_on) = (device.upload(&given)?, device.upload(&cells)?);
        let mut out = device.zeros::<[u32; 3]>(256)?;
        place.over(flags(&given_on, &mut cells_on, &mut out), 256)?;
        let (cells_on, out) = (cells_on.download()?, out.download()?);
        for i in 0..256 {
            let own = expected(given[i], given[i ^ 1]).0;
            // The flag of the thread at the same place in the other block.
            let left = expected(given[i ^ 64], given[i ^ 65]).1;
            let global = expected(cells[i], given[i ^ 2]);
            let wanted = [own, expected(left, given[i]).0, global.0];
            assert_eq!((out[i], cells_on[i]), (wanted, global.1), "{i} on {}", place.name());
        }
        Ok(())
    });
}

/// Counts in cells that share words, with each thread at all of them, and in a part of a buffer
/// with unaligned ends.
#[vyre::kernel(block = 64)]
fn count(bytes: &[AtomicU8], halves: &[AtomicI16], flags: &[AtomicBool], seen: &mut [u32]) {
    let own = shared::<[AtomicU8; 5]>();
    let (i, t) = (thread::index(), thread::idx().x);
    if t < own.len() {
        own[t].store(250, Ordering::Relaxed);
    }
    block::sync();
    for k in 0..bytes.len() {
        let at = (k + t) % bytes.len();
        bytes[at].fetch_add(1 + at as u8, Ordering::Relaxed);
        own[at % 5].fetch_sub(1, Ordering::AcqRel);
    }
    for k in 0..halves.len() {
        let at = (k + t) % halves.len();
        _ = halves[at].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| {
            if n < 100 { Some(n + 1) } else { None }
        });
    }
    // Each flag is set first by exactly one thread.
    seen[i] = 0;
    for k in 0..flags.len() {
        if flags[k]
            .compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
        {
            seen[i] += 1;
        }
    }
    block::sync();
    if t < own.len() {
        seen[i] += own[t].load(Ordering::Relaxed) as u32 * 1000;
    }
}

#[test]
fn neighbours_of_many() {
    everywhere(|place| {
        let device = place.device();
        let mut bytes = device.upload(&(0..10).collect::<Vec<u8>>())?;
        let (mut halves, mut flags) = (device.upload(&[-7i16; 7])?, device.zeros::<bool>(7)?);
        let mut seen = device.zeros::<u32>(128)?;
        let mut middle = |buffer: &mut DeviceBuffer<u8>| -> vyre::Result<()> {
            let kernel = count(
                buffer.slice_mut(1..8)?,
                halves.slice_mut(1..6)?,
                flags.slice_mut(3..6)?,
                &mut seen,
            );
            place.over(kernel, 128)
        };
        middle(&mut bytes)?;
        let bytes = bytes.download()?;
        for (k, &byte) in (0u8..).zip(&bytes) {
            let sum = if (1..8).contains(&k) {
                k.wrapping_add(128u8.wrapping_mul(k))
            } else {
                k
            };
            assert_eq!(byte, sum, "{k} on {}", place.name());
        }
        assert_eq!(
            halves.download()?,
            [-7, 100, 100, 100, 100, 100, -7],
            "on {}",
            place.name()
        );
        let set = [false, false, false, true, true, true, false];
        assert_eq!(flags.download()?, set, "on {}", place.name());
        // In each block the first two bytes went down by 128, the others by 64.
        let of_blocks = 2 * (2 * (250 - 128) + 3 * (250 - 64));
        assert_eq!(
            seen.download()?.iter().sum::<u32>(),
            of_blocks * 1000 + 3,
            "on {}",
            place.name()
        );
        Ok(())
    });
}

/// A thread waits for a flag of another one.
#[vyre::kernel(block = 64, allow(races))] // a flag orders the accesses
fn relay(out: &mut [u32]) {
    let ready = shared::<[AtomicBool; 3]>();
    let cell = shared::<[u32; 1]>();
    let t = thread::idx().x;
    if t < 3 {
        ready[t].store(false, Ordering::Relaxed);
    }
    block::sync();
    if t == 40 {
        cell[0] = 17;
        ready[1].store(true, Ordering::Release);
    }
    if t == 3 {
        loop {
            if ready[1].load(Ordering::Acquire) {
                break;
            }
        }
        out[block::idx().x] = cell[0];
    }
}

#[test]
fn flags_hand_data_over() {
    everywhere(|place| {
        let mut out = place.device().zeros::<u32>(2)?;
        place.over(relay(&mut out), 128)?;
        assert_eq!(out.download()?, [17, 17], "on {}", place.name());
        Ok(())
    });
}
