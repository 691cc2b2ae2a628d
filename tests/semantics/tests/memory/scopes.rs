//! Orderings, scopes and fences: each combination on each kind of access has the same result, and
//! writes before a fence are visible to other blocks after theirs.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use vyre::prelude::*;
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { OfBlocks OfDevices OfSystems Total Relay }

/// Every access with every ordering that it can have, in one scope.
macro_rules! scope {
    ($($name:ident $launcher:ident $scope:ident;)*) => { $(
        #[vyre::kernel(launcher = $launcher, block = 64)]
        fn $name(words: &[AtomicU32], longs: &[AtomicU64], sums: &mut [u64]) {
            let own = shared::<[AtomicU32; 64]>();
            let (i, t) = (thread::index(), thread::idx().x);
            let mut sum = 0;
            own[t].$scope().store(3, Ordering::Relaxed);
            own[t].$scope().fetch_add(4, Ordering::SeqCst);
            words[i].$scope().store(5, Ordering::Release);
            words[i].$scope().store(words[i].$scope().load(Ordering::Acquire) + 1, Ordering::SeqCst);
            longs[i].$scope().store(words[i].$scope().load(Ordering::SeqCst) as u64, Ordering::Relaxed);
            sum += words[i].$scope().fetch_add(1, Ordering::Relaxed) as u64;
            sum += words[i].$scope().fetch_sub(2, Ordering::Acquire) as u64;
            sum += words[i].$scope().fetch_xor(1, Ordering::Release) as u64;
            sum += words[i].$scope().fetch_nand(!9, Ordering::AcqRel) as u64;
            sum += words[i].$scope().swap(100, Ordering::SeqCst) as u64;
            sum += longs[i].$scope().fetch_max(40, Ordering::AcqRel);
            sum += longs[i].$scope().fetch_min(30, Ordering::SeqCst);
            sum += match longs[i].$scope().compare_exchange(30, 60, Ordering::SeqCst, Ordering::Acquire) {
                Ok(old) => old * 1000,
                Err(_) => 0,
            };
            sum += match longs[i].$scope().compare_exchange_weak(30, 61, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => 0,
                Err(now) => now * 10_000,
            };
            own[t].$scope().fetch_or(8, Ordering::AcqRel);
            sums[i] = sum + own[t].$scope().load(Ordering::Acquire) as u64;
        }
    )* };
}

scope! {
    of_blocks OfBlocks in_block;
    of_devices OfDevices in_device;
    of_systems OfSystems in_system;
}

/// The expected results of the kernels above.
fn expected() -> (u32, u64, u64) {
    let mut sum = 0u64;
    let mut word = 6u32;
    for change in [word + 1, word - 1, (word - 1) ^ 1] {
        sum += u64::from(word);
        word = change;
    }
    sum += u64::from(word);
    word = !(word & !9);
    sum += u64::from(word);
    sum += 6 + 40 + 30 * 1000 + 60 * 10_000 + 15;
    (100, 60, sum)
}

#[test]
fn every_scope_and_ordering() {
    let (word, long, sum) = expected();
    everywhere(|place| {
        for scope in 0..3 {
            let mut words = place.device().zeros::<u32>(128)?;
            let (mut longs, mut sums) = (place.device().zeros::<u64>(128)?, place.device().zeros::<u64>(128)?);
            match scope {
                0 => place.over(of_blocks(&mut words, &mut longs, &mut sums), 128)?,
                1 => place.over(of_devices(&mut words, &mut longs, &mut sums), 128)?,
                _ => place.over(of_systems(&mut words, &mut longs, &mut sums), 128)?,
            }
            assert_eq!(words.download()?, [word; 128], "scope {scope} on {}", place.name());
            assert_eq!(longs.download()?, [long; 128], "scope {scope} on {}", place.name());
            assert_eq!(sums.download()?, [sum; 128], "scope {scope} on {}", place.name());
        }
        Ok(())
    });
}

/// Sums in one launch: the last block to arrive adds up the results of all, by plain accesses
/// ordered by fences.
#[vyre::kernel(block = 64, allow(races))] // the last block alone writes
fn total(values: &[u32], partial: &mut [u32], sum: &mut [u32], done: &[AtomicU32]) {
    let last = shared::<[AtomicU32; 1]>();
    let t = thread::idx().x;
    let own = warp::sum(values[thread::index()]);
    let warps = shared::<[u32; 2]>();
    if lane::index() == 0 {
        warps[t / 32] = own;
    }
    block::sync();
    if t == 0 {
        // SAFETY: one thread of each block writes an element of its own.
        unsafe { *partial.get_unchecked_mut(block::idx().x) = warps[0] + warps[1] };
        grid::fence(Ordering::Release);
        let before = done[0].fetch_add(1, Ordering::Relaxed);
        grid::fence(Ordering::Acquire);
        last[0].store((before as usize + 1 == grid::dim().x) as u32, Ordering::Relaxed);
    }
    block::sync();
    if last[0].load(Ordering::Relaxed) == 1 && t == 0 {
        let mut all = 0;
        for k in 0..grid::dim().x {
            all += partial[k];
        }
        sum[0] = all;
    }
}

#[test]
fn fences_hand_plain_data_over() {
    everywhere(|place| {
        let blocks = 300;
        let values: Vec<u32> = (0..blocks * 64).map(|k| k * 7 % 1000).collect();
        let mut partial = place.device().zeros::<u32>(blocks as usize)?;
        let (mut sum, mut done) = (place.device().zeros::<u32>(1)?, place.device().zeros::<u32>(1)?);
        place.over(
            total(&place.device().upload(&values)?, &mut partial, &mut sum, &mut done),
            values.len(),
        )?;
        assert_eq!(sum.download()?, [values.iter().sum::<u32>()], "on {}", place.name());
        Ok(())
    });
}

/// Passes values from thread to thread of a block and of a warp with only fences and flags.
#[vyre::kernel(block = 96, allow(races))] // fences and flags order the accesses
fn relay(out: &mut [u32]) {
    let cells = shared::<[u32; 96]>();
    let flags = shared::<[AtomicU32; 96]>();
    let t = thread::idx().x;
    flags[t].store(0, Ordering::Relaxed);
    block::sync();
    if lane::index() == 0 {
        let mut value = 1;
        if t > 0 {
            while flags[t - 32].load(Ordering::Relaxed) == 0 {}
            block::fence(Ordering::Acquire);
            value += cells[t - 32];
        }
        cells[t] = value * 3;
        block::fence(Ordering::AcqRel);
        system::fence(Ordering::SeqCst);
        flags[t].store(1, Ordering::Relaxed);
    }
    block::sync();
    out[thread::index()] = cells[t / 32 * 32];
}

#[test]
fn fences_of_the_block() {
    everywhere(|place| {
        let mut out = place.device().zeros::<u32>(192)?;
        place.over(relay(&mut out), 192)?;
        let expected: Vec<u32> = (0..192).map(|i| [3, 12, 39][i % 96 / 32]).collect();
        assert_eq!(out.download()?, expected, "on {}", place.name());
        Ok(())
    });
}
