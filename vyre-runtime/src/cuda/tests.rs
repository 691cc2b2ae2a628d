//! Cases that the public interface cannot reach: devices without memory pools, closing, old drivers.

pub(super) mod made;
#[cfg(target_os = "linux")]
mod played;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::context::Context;
use super::driver::{driver, too_old};
use super::queue::CudaQueue;
use crate::backend::Queue;
use crate::error::Error;
use made::{kernel, launch};

fn context(test: &str) -> Option<Context> {
    match driver() {
        Ok(driver) if driver.devices() > 0 => Some(Context::open(driver, 0, 1000).unwrap()),
        _ => {
            let _ = writeln!(std::io::stderr(), "SKIP-GPU {test}: skipped: no CUDA device");
            None
        }
    }
}

/// Writes, copies and reads on two queues, the second of which follows the first.
fn exercise(context: Context) {
    let context = Arc::new(context);
    let first = CudaQueue::open(context.clone(), 0).unwrap();
    let second = CudaQueue::open(context, 0).unwrap();
    let source: Vec<u8> = (0..=255).collect();
    let mut target = [1u8; 300];
    let (from, to) = (first.allocate(256, false).unwrap(), first.allocate(300, true).unwrap());
    // SAFETY: the ranges lie within the allocations, and the queues follow each other.
    unsafe {
        first.write(from, source.as_ptr(), 256).unwrap();
        first.copy(to + 44, from, 256).unwrap();
        second.follow(&first).unwrap();
        second.read(to, target.as_mut_ptr(), 300).unwrap();
        first.follow(&second).unwrap();
        first.release(from, 256).unwrap();
        second.release(to, 300).unwrap();
    }
    assert!(target[..44] == [0; 44] && target[44..] == source[..]);
    let error = first.allocate(1 << 50, false).unwrap_err();
    assert!(
        matches!(error, Error::OutOfMemory { requested, free: Some(_) } if requested == 1 << 50),
        "{error:?}"
    );
    for queue in [first, second] {
        queue.wait().unwrap();
        let mut faulted = Vec::new();
        queue.take_faults(&mut faulted).unwrap();
        assert!(faulted.is_empty());
        assert!(queue.is_idle());
    }
}

#[test]
fn a_device_is_opened_used_and_closed() {
    let Some(context) = context("a_device_is_opened_used_and_closed") else {
        return;
    };
    exercise(context);
}

#[test]
fn a_device_without_memory_pools_works() {
    let Some(context) = context("a_device_without_memory_pools_works") else {
        return;
    };
    exercise(context.without_pool());
}

/// Modules go while their last launch may still run, and the device is as before.
#[test]
fn kernels_are_unloaded_after_their_launches() {
    let Some(context) = context("kernels_are_unloaded_after_their_launches") else {
        return;
    };
    let context = Arc::new(context);
    let queue = CudaQueue::open(context.clone(), 0).unwrap();
    let clock = AtomicU64::new(0);
    for number in 1..=20 {
        let kernel = kernel("made");
        assert_eq!(launch(&queue, &kernel, &clock), 2 * number - 1);
        launch(&queue, &kernel, &clock);
        assert_eq!(context.load(&kernel).unwrap().number, number);
    }
    queue.wait().unwrap();
    let mut faulted = Vec::new();
    queue.take_faults(&mut faulted).unwrap();
    assert!(faulted.is_empty());
    drop(queue);
    exercise(Arc::into_inner(context).unwrap());
}

#[test]
fn an_old_driver_is_named() {
    let error = too_old(11040, None);
    assert_eq!(
        error.to_string(),
        "the CUDA driver supports CUDA 11.4; CUDA 12.0 or newer is needed, so update the NVIDIA driver"
    );
    let error = too_old(12020, Some("cuMemPoolCreate"));
    assert!(
        error
            .to_string()
            .contains("supports CUDA 12.2 and lacks `cuMemPoolCreate`"),
        "{error}"
    );
}
