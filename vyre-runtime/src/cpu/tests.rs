//! Tests with hand-written bodies, in the form of generated ones.

mod waiting;

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use vyre_abi::fault::FaultKind;
use vyre_abi::kernel::{Location, Site};

use super::launch::{Failure, launch};
use crate::body::atomic::{Global, Local};
use crate::body::memory::argument;
use crate::body::print::PrintSlot;
use crate::body::{BlockContext, Extents, HostFault, Memory, Run, Slice, Thread};
use crate::load::kernel::HostBody;

static SITES: [Site; 2] = [
    Site {
        kind: FaultKind::IndexOutOfBounds,
        location: Location {
            file: "kernel.rs",
            line: 1,
            column: 2,
        },
        message: "",
    },
    Site {
        kind: FaultKind::Panic,
        location: Location {
            file: "kernel.rs",
            line: 3,
            column: 4,
        },
        message: "this loop waits",
    },
];

/// Launches a body on one slice of `u32` and one number.
fn run(body: HostBody, data: &mut [u32], number: u32, grid: [u32; 3]) -> Result<(), HostFault> {
    let address = data.as_mut_ptr().expose_provenance() as u64;
    let length = data.len() as u64;
    let arguments: [*const c_void; 3] = [
        (&raw const address).cast(),
        (&raw const length).cast(),
        (&raw const number).cast(),
    ];
    let extents = Extents {
        grid,
        shared_bytes: 0,
        cooperative: false,
        cluster: None,
    };
    // SAFETY: every body here takes a slice of `u32` and a `u32`, and `data` is borrowed.
    let done = unsafe { launch(body, &arguments, extents, &PrintSlot::new(0)) };
    done.map_err(|failure| match failure {
        Failure::Fault(fault) => fault,
        Failure::Stopped(reason) => panic!("{reason}"),
    })
}

const EXTENT: [u32; 3] = [64, 1, 1];

unsafe fn number_body(arguments: &[*const c_void], block: &BlockContext<'_>) {
    // SAFETY: `run` gives these arguments.
    let (data, number) = unsafe { (Slice::<u32>::argument(arguments, 0), argument::<u32>(arguments, 2)) };
    block.set_sites(&SITES);
    block.each(EXTENT, |thread| {
        let i = thread.linear();
        let at = thread.index(i, data.length, 0)?;
        // SAFETY: the index is checked, and no other thread has it.
        unsafe { *data.at(at) = number + i as u32 };
        Ok(())
    });
}

#[test]
fn every_thread_of_every_block_runs_once() {
    for grid in [[1, 1, 1], [3, 1, 1], [40, 5, 3], [5000, 1, 1]] {
        let mut data = vec![0; 64 * grid.iter().product::<u32>() as usize];
        assert_eq!(run(number_body, &mut data, 7, grid), Ok(()));
        assert!(data.iter().enumerate().all(|(i, &value)| value == 7 + i as u32));
    }
    assert_eq!(run(number_body, &mut [], 7, [0, 1, 1]), Ok(()));
}

#[test]
fn the_fault_of_the_lowest_block_counts() {
    for _ in 0..20 {
        let mut data = vec![0; 64 * 700 + 10];
        let fault = run(number_body, &mut data, 0, [4000, 1, 1]).expect_err("the launch is larger than the slice");
        assert_eq!(fault.values[..2], [44_810, 44_810]);
        assert_eq!((fault.block, fault.thread), ([700, 0, 0], [10, 0, 0]));
        assert_eq!(fault.site, &SITES[0]);
    }
}

/// Reverses each block through shared memory, `number` times.
unsafe fn reverse_body(arguments: &[*const c_void], block: &BlockContext<'_>) {
    // SAFETY: `run` gives these arguments.
    let (data, number) = unsafe { (Slice::<u32>::argument(arguments, 0), argument::<u32>(arguments, 2)) };
    let tile = block.shared(256, 4, false).cast::<[u32; 64]>();
    async fn body(thread: Thread<'_>, data: Slice<u32>, number: u32, tile: *mut [u32; 64]) -> Run {
        let place = thread.thread(0) as usize;
        let at = thread.index(thread.global(0), data.length, 0)?;
        for _ in 0..number {
            // SAFETY: `at` is checked, `place` is less than 64.
            unsafe { (*tile)[place] = u32::load(data.at(at)) };
            thread.barrier(0).await;
            // SAFETY: as above.
            unsafe { u32::store((*tile)[63 - place], data.at(at)) };
            thread.barrier(0).await;
        }
        Ok(())
    }
    block.set_sites(&SITES);
    block.lockstep(EXTENT, |thread| body(thread, data, number, tile));
}

#[test]
fn threads_meet_at_barriers() {
    let mut data: Vec<u32> = (0..64 * 100).collect();
    assert_eq!(run(reverse_body, &mut data, 3, [100, 1, 1]), Ok(()));
    for (i, &value) in data.iter().enumerate() {
        assert_eq!(value as usize, i / 64 * 64 + 63 - i % 64);
    }
}

#[test]
fn threads_that_have_left_count_as_arrived() {
    unsafe fn body(arguments: &[*const c_void], block: &BlockContext<'_>) {
        // SAFETY: `run` gives these arguments.
        let data = unsafe { Slice::<u32>::argument(arguments, 0) };
        let sum = block.shared(4, 4, true).cast::<u32>();
        block.set_sites(&SITES);
        block.lockstep(EXTENT, |thread| async move {
            if thread.thread(0) % 2 == 1 {
                return Ok(());
            }
            // SAFETY: the cell is that of the block.
            unsafe { Local(sum).add(1, Ordering::Relaxed) };
            thread.barrier(0).await;
            let at = thread.index(u64::from(thread.block(0)), data.length, 0)?;
            // SAFETY: the index is checked.
            unsafe { Global(data.at(at)).max(*sum, Ordering::Relaxed) };
            Ok(())
        });
    }
    let mut data = vec![0; 10];
    assert_eq!(run(body, &mut data, 0, [10, 1, 1]), Ok(()));
    assert_eq!(data, [32; 10]);
}

/// Each thread waits for the one after it in the block, and each block for the one before it.
unsafe fn chain_body(arguments: &[*const c_void], block: &BlockContext<'_>) {
    // SAFETY: `run` gives these arguments.
    let (data, number) = unsafe { (Slice::<u32>::argument(arguments, 0), argument::<u32>(arguments, 2)) };
    block.set_sites(&SITES);
    block.lockstep(EXTENT, |thread| async move {
        let i = thread.linear() as usize;
        let next = if thread.thread(0) < 63 {
            i + 1
        } else {
            (i + 1).wrapping_sub(128)
        };
        if i as u32 == number {
            return Err(thread.fault(0, [1, 2]));
        }
        if (next as u64) < data.length {
            // SAFETY: `next` is inside.
            while unsafe { Global(data.at(next)).load(Ordering::Acquire) } == 0 {
                thread.give_way().await?;
            }
        }
        // SAFETY: `i` is inside.
        unsafe { Global(data.at(i)).store(1, Ordering::Release) };
        Ok(())
    });
}

#[test]
fn loops_may_wait_for_the_block_and_for_lower_blocks() {
    let mut data = vec![0; 64 * 50];
    assert_eq!(run(chain_body, &mut data, u32::MAX, [50, 1, 1]), Ok(()));
    assert_eq!(data, [1; 64 * 50]);
}

#[test]
fn a_fault_ends_the_loops_that_wait_for_it() {
    let mut data = vec![0; 64 * 50];
    let fault = run(chain_body, &mut data, 7, [50, 1, 1]).expect_err("thread 7 faults");
    assert_eq!(
        (fault.block, fault.thread, &fault.values[..2]),
        ([0; 3], [7, 0, 0], &[1, 2][..])
    );
}

#[test]
fn atomics_add_up_across_blocks() {
    unsafe fn body(arguments: &[*const c_void], block: &BlockContext<'_>) {
        // SAFETY: `run` gives these arguments.
        let data = unsafe { Slice::<u32>::argument(arguments, 0) };
        block.set_sites(&SITES);
        block.each(EXTENT, |_| {
            // SAFETY: `run` passes two elements.
            unsafe {
                Global(data.at(0)).add(1, Ordering::Relaxed);
                Global(data.at(1).cast::<f32>()).add(1.0, Ordering::Relaxed);
            }
            Ok(())
        });
    }
    let mut data = vec![0; 2];
    assert_eq!(run(body, &mut data, 0, [999, 1, 1]), Ok(()));
    assert_eq!(data, [64 * 999, (64.0 * 999.0f32).to_bits()]);
}
