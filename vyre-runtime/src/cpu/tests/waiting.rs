//! Blocks that wait for each other, in every order. A hang is a failure after a minute.

use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use super::{EXTENT, SITES, run};
use crate::body::atomic::Global;
use crate::body::memory::argument;
use crate::body::{BlockContext, HostFault, Run, Slice, Thread};
use crate::load::kernel::HostBody;

/// [`run`], within a minute, on a pool of so many threads or, of 0, the common one.
fn in_time(
    body: HostBody,
    length: usize,
    number: u32,
    blocks: u32,
    threads: usize,
) -> (Vec<u32>, Result<(), HostFault>) {
    let (done, result) = mpsc::channel();
    std::thread::spawn(move || {
        let mut data = vec![0; length];
        let mut launch = || run(body, &mut data, number, [blocks, 1, 1]);
        let result = match threads {
            0 => launch(),
            threads => {
                let pool = rayon_core::ThreadPoolBuilder::new().num_threads(threads).build();
                pool.expect("a pool").install(launch)
            }
        };
        let _ = done.send((data, result));
    });
    let result = result.recv_timeout(Duration::from_secs(60));
    result.expect("the launch ends within a minute")
}

/// Polls until a cell has a value.
async fn until(thread: &Thread<'_>, data: Slice<u32>, at: u64, value: u32) -> Run {
    let at = thread.index(at, data.length, 0)?;
    let mut waited = false;
    // SAFETY: the index is checked.
    while unsafe { Global(data.at(at)).load(Ordering::Acquire) } != value {
        thread.poll_again(&mut waited, 1).await?;
    }
    Ok(())
}

fn set(thread: &Thread<'_>, data: Slice<u32>, at: u64, value: u32) -> Run {
    let at = thread.index(at, data.length, 0)?;
    // SAFETY: the index is checked.
    unsafe { Global(data.at(at)).store(value, Ordering::Release) };
    Ok(())
}

/// The first thread of each block waits for the block whose number differs by `number`.
unsafe fn shifted_body(arguments: &[*const c_void], block: &BlockContext<'_>) {
    // SAFETY: `run` gives these arguments.
    let (data, number) = unsafe { (Slice::<u32>::argument(arguments, 0), argument::<u32>(arguments, 2)) };
    block.set_sites(&SITES);
    block.lockstep(EXTENT, |thread| async move {
        if thread.thread(0) == 0 {
            let own = u64::from(thread.block(0));
            let next = own.wrapping_add(number as i32 as u64);
            if next < data.length {
                until(&thread, data, next, 1).await?;
            }
            set(&thread, data, own, 1)?;
        }
        thread.barrier(0).await;
        Ok(())
    });
}

#[test]
fn blocks_wait_for_any_other_block() {
    for threads in [0, 1, 3] {
        for blocks in [2, 3, 40, 150] {
            for shift in [1, -1, 2, -7, 33] {
                let (data, result) = in_time(shifted_body, blocks, shift as u32, blocks as u32, threads);
                assert_eq!(result, Ok(()), "{blocks} blocks, {shift}");
                assert!(data.iter().all(|&value| value == 1), "{blocks} blocks, {shift}");
            }
        }
    }
}

/// Blocks take turns: the value counts up, and block `b` waits for `b` modulo the number of blocks.
unsafe fn turns_body(arguments: &[*const c_void], block: &BlockContext<'_>) {
    // SAFETY: `run` gives these arguments.
    let (data, number) = unsafe { (Slice::<u32>::argument(arguments, 0), argument::<u32>(arguments, 2)) };
    block.set_sites(&SITES);
    block.lockstep(EXTENT, |thread| async move {
        if thread.thread(0) == 0 {
            let mut turn = thread.block(0);
            while turn < number {
                until(&thread, data, 0, turn).await?;
                set(&thread, data, 0, turn + 1)?;
                turn += thread.grid(0);
            }
        }
        Ok(())
    });
}

#[test]
fn blocks_take_turns() {
    for blocks in [1, 2, 5, 60] {
        let (data, result) = in_time(turns_body, 1, 600, blocks, 0);
        assert_eq!((data[0], result), (600, Ok(())), "{blocks} blocks");
    }
}

/// Block 2 counts, which no other thread waits for, while all other blocks wait for it.
unsafe fn busy_body(arguments: &[*const c_void], block: &BlockContext<'_>) {
    // SAFETY: `run` gives these arguments.
    let (data, number) = unsafe { (Slice::<u32>::argument(arguments, 0), argument::<u32>(arguments, 2)) };
    block.set_sites(&SITES);
    block.lockstep(EXTENT, |thread| async move {
        if thread.thread(0) != 0 {
            return Ok(());
        }
        if thread.block(0) != 2 {
            return until(&thread, data, 0, number).await;
        }
        // SAFETY: `in_time` gives one element.
        while unsafe { Global(data.at(0)).add(1, Ordering::AcqRel) } + 1 < number {
            thread.give_way().await?;
        }
        Ok(())
    });
}

#[test]
fn a_block_that_counts_is_not_stuck() {
    for blocks in [3, 4, 100] {
        let (data, result) = in_time(busy_body, 1, 30_000, blocks, 0);
        assert_eq!((data[0], result), (30_000, Ok(())), "{blocks} blocks");
    }
}

#[test]
fn a_launch_that_stands_still_is_a_fault_of_the_lowest_waiting_block() {
    for _ in 0..20 {
        for (blocks, shift) in [(1, 0), (2, 0), (5, 0), (200, 0)] {
            let (_, result) = in_time(shifted_body, blocks, shift, blocks as u32, 0);
            let fault = result.expect_err("each block waits for itself");
            assert_eq!(
                (fault.site, fault.block, fault.thread),
                (&SITES[1], [0; 3], [0; 3]),
                "{blocks} blocks"
            );
        }
    }
    // All but the last turn are taken: each later one waits for it.
    for blocks in [2, 9] {
        let (data, result) = in_time(skipped_body, 1, 100, blocks, 0);
        let fault = result.expect_err("a turn is skipped");
        assert_eq!(
            (data[0], fault.site, fault.block),
            (37, &SITES[1], [0; 3]),
            "{blocks} blocks"
        );
    }
}

/// As [`turns_body`], but nobody takes turn 37.
unsafe fn skipped_body(arguments: &[*const c_void], block: &BlockContext<'_>) {
    // SAFETY: `run` gives these arguments.
    let (data, number) = unsafe { (Slice::<u32>::argument(arguments, 0), argument::<u32>(arguments, 2)) };
    block.set_sites(&SITES);
    block.lockstep(EXTENT, |thread| async move {
        let mut turn = thread.block(0);
        while thread.thread(0) == 0 && turn < number {
            if turn != 37 {
                until(&thread, data, 0, turn).await?;
                set(&thread, data, 0, turn + 1)?;
            }
            turn += thread.grid(0);
        }
        Ok(())
    });
}

/// Blocks that wait for a later one, of which there are more than the CPU runs: that is no fault of the kernel.
#[test]
fn too_many_waiting_blocks_are_said_to_be() {
    let (done, result) = mpsc::channel();
    std::thread::spawn(move || {
        let mut data = vec![0; 400];
        let launch = std::panic::AssertUnwindSafe(|| run(shifted_body, &mut data, 1, [400, 1, 1]));
        let _ = done.send(std::panic::catch_unwind(launch).map_err(|panic| *panic.downcast::<String>().unwrap()));
    });
    let result = result
        .recv_timeout(Duration::from_secs(60))
        .expect("the launch ends within a minute");
    assert_eq!(
        result.unwrap_err(),
        "the CPU runs at most 256 blocks that wait, and all blocks that run wait for others of its 400; launch fewer blocks, \
         or run it on a GPU"
    );
}
