//! Threads that wait for a faulted thread exit too.

use core::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use vyre::prelude::*;
use vyre::{Fault, FaultKind};
use vyre_semantics::everywhere;
use vyre_semantics::places::Place;

use super::{at, fault};

#[vyre::kernel(block = 64, allow(races))] // a flag orders the accesses
pub(super) fn waits(x: &[u32], flag: &[AtomicU32], y: &mut [u32]) {
    let i = thread::index();
    if i == 0 {
        y[0] = x[x.len() + 3];
        flag[0].store(1, Ordering::Release);
    } else {
        while flag[0].load(Ordering::Acquire) == 0 {}
        y[i] = 1;
    }
}

#[vyre::kernel(block = 64, allow(races))] // all blocks write the same elements
pub(super) fn waits_at_barriers(x: &[u32], flag: &[AtomicU32], y: &mut [u32]) {
    let t = thread::idx().x;
    let seen = shared::<[u32; 64]>();
    seen[t] = 0;
    block::sync();
    if t == 5 {
        y[0] = x[x.len()];
        flag[block::idx().x].store(1, Ordering::Release);
    }
    block::sync();
    loop {
        if flag[block::idx().x].load(Ordering::Acquire) != 0 {
            break;
        }
        seen[t] += 1;
    }
    block::sync();
    y[t] = seen[63 - t];
}
/// Runs `launch`, which must end with a fault within a second, not counting startup.
fn ends_soon(place: &Place, launch: impl Fn() -> vyre::Result<()>) -> Fault {
    // The first launch loads the kernel.
    let first = fault(launch());
    let began = Instant::now();
    let again = fault(launch());
    let took = began.elapsed();
    assert!(took < Duration::from_secs(1), "{took:?} on {}", place.name());
    assert_eq!(first.kind, again.kind);
    again
}

#[test]
fn waiting_threads_leave_after_a_fault() {
    everywhere(|place| {
        let x = place.device().upload(&[1u32; 4])?;
        let fault = ends_soon(place, || {
            let (mut flag, mut y) = (place.device().zeros::<u32>(1)?, place.device().zeros::<u32>(64)?);
            place.grid(waits(&x, &mut flag, &mut y), [1, 1, 1])
        });
        assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [7, 4]));
        at(&fault, "waits", "x[x.len() + 3]", [0; 3], [0; 3]);

        let fault = ends_soon(place, || {
            let (mut flag, mut y) = (place.device().zeros::<u32>(3)?, place.device().zeros::<u32>(64)?);
            place.grid(waits_at_barriers(&x, &mut flag, &mut y), [3, 1, 1])
        });
        assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [4, 4]));
        assert_eq!(fault.thread, [5, 0, 0]);
        Ok(())
    });
}

#[test]
fn other_blocks_leave_too() {
    everywhere(|place| {
        // Blocks after the first wait for a flag that only the faulting thread would set.
        let x = place.device().upload(&[1u32; 4])?;
        let fault = ends_soon(place, || {
            let (mut flag, mut y) = (place.device().zeros::<u32>(1)?, place.device().zeros::<u32>(512)?);
            place.grid(waits(&x, &mut flag, &mut y), [8, 1, 1])
        });
        assert_eq!((fault.kind, fault.block), (FaultKind::IndexOutOfBounds, [0; 3]));
        Ok(())
    });
}
