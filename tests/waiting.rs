//! Blocks that wait in loops for other blocks. A launch that hangs is a failure after a minute.

use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use vyre::Error;
use vyre::prelude::*;

#[allow(unreachable_pub, reason = "other tests share the file")]
#[path = "examples/devices.rs"]
mod devices;

use devices::devices;

/// The tests share the default stream of each device, and a download there may tell a fault of another test.
static ALONE: Mutex<()> = Mutex::new(());

/// The result of a function that ends within a minute.
fn in_time<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (done, result) = mpsc::channel();
    std::thread::spawn(move || done.send(run()));
    let result = result.recv_timeout(Duration::from_secs(60));
    result.expect("a result within a minute")
}

/// Each block waits for the one after it, and adds one to its value.
#[vyre::kernel(block = 64)]
fn from_the_last(values: &[AtomicU32]) {
    let block = block::idx().x;
    if thread::idx().x == 0 {
        let mut next = 0;
        if block + 1 < values.len() {
            while next == 0 {
                next = values[block + 1].load(Ordering::Acquire);
            }
        }
        values[block].store(next + 1, Ordering::Release);
    }
    block::sync();
}

#[test]
fn blocks_wait_for_later_ones() {
    in_time(|| {
        for device in devices("blocks_wait_for_later_ones") {
            // Few enough to run all of them at once.
            for blocks in [2, 8, 200] {
                let mut values = device.zeros::<u32>(blocks).unwrap();
                let kernel = from_the_last(&mut values);
                let most = device.resident_blocks(&kernel, 0).unwrap();
                if blocks as u32 > most {
                    continue;
                }
                kernel.grid(blocks as u32).launch(&device).unwrap();
                let expected: Vec<u32> = (1..=blocks as u32).rev().collect();
                assert_eq!(values.download().unwrap(), expected, "{blocks} blocks");
            }
        }
    });
}

/// Each block takes a lock and adds one, block 0 after all others.
#[vyre::kernel(block = 32)]
fn locked(lock: &[AtomicU32], sum: &[AtomicU32]) {
    if thread::idx().x != 0 {
        return;
    }
    let others = grid::dim().x as u32 - 1;
    while block::idx().x == 0 && sum[0].load(Ordering::Acquire) < others {}
    while lock[0].swap(1, Ordering::Acquire) == 1 {}
    sum[0].store(sum[0].load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    lock[0].store(0, Ordering::Release);
}

#[test]
fn blocks_take_a_lock() {
    in_time(|| {
        for device in devices("blocks_take_a_lock") {
            for blocks in [1, 2, 30] {
                let [mut lock, mut sum] = [(); 2].map(|()| device.zeros::<u32>(1).unwrap());
                locked(&mut lock, &mut sum).grid(blocks).launch(&device).unwrap();
                assert_eq!(sum.download().unwrap(), [blocks], "{blocks} blocks");
            }
        }
    });
}

/// No block sets the flag.
#[vyre::kernel(block = [8, 2])]
fn stuck(flags: &[AtomicU32], y: &mut [u32]) {
    let i = thread::index();
    if block::idx().x == 1 || thread::idx().y == 1 {
        while flags[0].load(Ordering::Acquire) == 0 || flags[1].load(Ordering::Relaxed) == 0 {}
    }
    block::sync();
    if i < y.len() {
        y[i] = 1;
    }
}

#[test]
fn a_launch_that_stands_still_is_a_fault() {
    for blocks in [1, 2, 100] {
        let error = in_time(move || {
            let device = Device::cpu();
            let (mut flags, mut y) = (device.upload(&[1u32, 0]).unwrap(), device.zeros::<u32>(8).unwrap());
            stuck(&mut flags, &mut y).grid([blocks, 1]).launch(&device).unwrap();
            y.download().unwrap_err()
        });
        let Error::Fault(fault) = &error else {
            panic!("{error}");
        };
        let line = include_str!("waiting.rs")
            .lines()
            .position(|line| line.contains("|| flags[1]"));
        assert_eq!(
            (fault.line as usize, fault.block, fault.thread),
            (line.unwrap() + 1, [0; 3], [0, 1, 0])
        );
        assert!(
            fault.message.contains("this loop waits for a write by another thread"),
            "{fault}"
        );
    }
}

/// Memory of the host that its threads write while a kernel runs.
struct Shared(Box<[std::sync::atomic::AtomicU32]>);

// SAFETY: these are the elements, which nobody moves, and the kernel accesses them by atomic operations alone.
unsafe impl vyre::Foreign<u32> for Shared {
    fn device(&self) -> Device {
        Device::cpu()
    }

    fn address(&self) -> u64 {
        self.0.as_ptr().expose_provenance() as u64
    }

    fn length(&self) -> usize {
        self.0.len()
    }

    fn acquire(&self, _: *mut std::ffi::c_void) -> vyre::Result<()> {
        Ok(())
    }

    fn release(&self, _: *mut std::ffi::c_void) -> vyre::Result<()> {
        Ok(())
    }
}

/// Waits for a number from the host, and then answers.
#[vyre::kernel(block = 32)]
fn answer(control: &[AtomicU32], y: &mut [u32]) {
    let i = thread::index();
    while control[0].in_system().load(Ordering::Acquire) == 0 {}
    block::sync();
    if i < y.len() {
        y[i] = control[1].load(Ordering::Relaxed);
    }
}

/// All threads of the launch wait, and for a thread of the host: that is no standstill.
#[test]
fn a_launch_waits_for_the_host() {
    for blocks in [1, 3, 100] {
        let values = in_time(move || {
            let device = Device::cpu();
            let control = Box::leak(Box::new(Shared([0, 0].map(std::sync::atomic::AtomicU32::new).into())));
            let cells = control.0.as_ptr().expose_provenance();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(200));
                let cells = std::ptr::with_exposed_provenance::<std::sync::atomic::AtomicU32>(cells);
                // SAFETY: the two cells are never freed, and are accessed by atomic operations alone.
                let [first, second] = unsafe { [&*cells, &*cells.add(1)] };
                second.store(42, std::sync::atomic::Ordering::Relaxed);
                first.store(1, std::sync::atomic::Ordering::Release);
            });
            let mut lent = vyre::LentMut::new(control).unwrap();
            let mut y = device.zeros::<u32>(blocks * 32).unwrap();
            answer(lent.as_view_mut(), &mut y)
                .grid(blocks as u32)
                .launch(&device)
                .unwrap();
            y.download().unwrap()
        });
        assert_eq!(values, vec![42; blocks * 32]);
    }
}
