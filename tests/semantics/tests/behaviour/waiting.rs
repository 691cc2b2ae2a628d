//! Threads that wait for others: flags, locks, tickets.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use vyre::AtomicF64;
use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! { Relay Naps LastBlock Tickets MaxByExchange FloatSum }

/// Each thread of a block waits for its neighbour's flag.
#[vyre::kernel(block = 32)]
fn relay(flags: &[AtomicU32], y: &mut [u32]) {
    let t = thread::idx().x;
    if t > 0 {
        while flags[t - 1].load(Ordering::Acquire) == 0 {}
    }
    y[t] = if t == 0 {
        1
    } else {
        flags[t - 1].load(Ordering::Relaxed) + 1
    };
    flags[t].store(t as u32 + 1, Ordering::Release);
}

#[test]
fn threads_of_a_block_wait_for_each_other() {
    everywhere(|place| {
        let (mut flags, mut y) = (place.device().zeros::<u32>(32)?, place.device().zeros::<u32>(32)?);
        place.grid(relay(&mut flags, &mut y), [1, 1, 1])?;
        assert_eq!(y.download()?, (1..=32).collect::<Vec<u32>>());
        Ok(())
    });
}

/// The block that finishes last adds up what all blocks have written.
#[vyre::kernel(block = 64, allow(races))] // one block comes last
fn last_block(x: &[u32], sums: &[AtomicU32], done: &[AtomicU32], total: &mut [u32]) {
    let last = shared::<[u32; 1]>();
    let (i, t) = (thread::index(), thread::idx().x);
    if i < x.len() {
        sums[block::idx().x].fetch_add(x[i], Ordering::Relaxed);
    }
    block::sync();
    if t == 0 {
        let before = done[0].fetch_add(1, Ordering::AcqRel);
        last[0] = (before as usize == grid::dim().x - 1) as u32;
    }
    block::sync();
    if last[0] == 1 && t == 0 {
        let mut sum = 0;
        for k in 0..sums.len() {
            sum += sums[k].load(Ordering::Relaxed);
        }
        total[0] = sum;
    }
}

#[test]
fn the_last_block_adds_up() {
    everywhere(|place| {
        let x: Vec<u32> = (0..1000).map(|k| k * 3).collect();
        let (mut sums, mut done) = (place.device().zeros::<u32>(16)?, place.device().zeros::<u32>(1)?);
        let mut total = place.device().zeros::<u32>(1)?;
        place.over(
            last_block(&place.device().upload(&x)?, &mut sums, &mut done, &mut total),
            x.len(),
        )?;
        assert_eq!(total.download()?, [x.iter().sum::<u32>()]);
        Ok(())
    });
}

/// Every thread draws a number of its own.
#[vyre::kernel]
fn tickets(next: &[AtomicUsize], y: &mut [u32]) {
    if thread::index() < y.len() {
        let ticket = next[0].fetch_add(1, Ordering::Relaxed);
        y[ticket] += 1;
    }
}

#[test]
fn tickets_are_unique() {
    everywhere(|place| {
        let (mut next, mut y) = (place.device().zeros::<usize>(1)?, place.device().zeros::<u32>(777)?);
        place.over(tickets(&mut next, &mut y), 777)?;
        assert_eq!(y.download()?, [1; 777]);
        assert_eq!(next.download()?, [777]);
        Ok(())
    });
}

/// A maximum by a loop of exchanges, for hardware without an instruction for it.
#[vyre::kernel(block = 64)]
fn max_by_exchange(x: &[u32], largest: &[AtomicU32]) {
    let i = thread::index();
    if i < x.len() {
        let mut seen = largest[0].load(Ordering::Relaxed);
        while x[i] > seen {
            if largest[0]
                .compare_exchange(seen, x[i], Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
            {
                break;
            }
            seen = largest[0].load(Ordering::Relaxed);
        }
    }
}

#[test]
fn exchange_loops_end() {
    everywhere(|place| {
        let x: Vec<u32> = (0..500u32).map(|k| k.wrapping_mul(0x9e37_79b9)).collect();
        let mut largest = place.device().zeros::<u32>(1)?;
        place.over(max_by_exchange(&place.device().upload(&x)?, &mut largest), x.len())?;
        assert_eq!(largest.download()?, [*x.iter().max().unwrap()]);
        Ok(())
    });
}

/// Sums of whole numbers, which come out the same in any order.
#[vyre::kernel]
fn float_sum(x: &[f64], sum: &[AtomicF64]) {
    let i = thread::index();
    if i < x.len() {
        sum[i % sum.len()].fetch_add(x[i], Ordering::Relaxed);
    }
}

#[test]
fn float_atomics_add_up() {
    everywhere(|place| {
        let x: Vec<f64> = (0..1000).map(|k| k as f64).collect();
        let mut sum = place.device().zeros::<f64>(2)?;
        place.over(float_sum(&place.device().upload(&x)?, &mut sum), x.len())?;
        assert_eq!(sum.download()?, [249_500.0, 250_000.0]);
        Ok(())
    });
}

/// As the relay, with pauses of the lengths that the threads are given, outside of the loop too.
#[vyre::kernel(block = 32)]
fn naps(pauses: &[u32], flags: &[AtomicU32], y: &mut [u32]) {
    let t = thread::idx().x;
    thread::nap(pauses[t]);
    if t > 0 {
        while flags[t - 1].load(Ordering::Acquire) == 0 {
            thread::nap(pauses[t]);
        }
        y[t] = flags[t - 1].load(Ordering::Relaxed);
    }
    flags[t].store(t as u32 + 1, Ordering::Release);
}

#[test]
fn threads_pause() {
    everywhere(|place| {
        let pauses: Vec<u32> = (0..32).map(|t| if t % 8 == 0 { 0 } else { t * 50 }).collect();
        let (mut flags, mut y) = (place.device().zeros::<u32>(32)?, place.device().zeros::<u32>(32)?);
        place.grid(naps(&place.device().upload(&pauses)?, &mut flags, &mut y), [1, 1, 1])?;
        assert_eq!(y.download()?, (0..32).collect::<Vec<u32>>());
        Ok(())
    });
}
