//! The devices that a test runs on.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec;

use vyre::prelude::*;

/// Devices, for one test at a time: tests share the default stream of each device, and the first
/// wait on it reports a fault of any test.
pub struct Turn {
    devices: vec::IntoIter<Device>,
    _turn: MutexGuard<'static, BTreeSet<&'static str>>,
}

/// The CPU, and the first CUDA device if there is one. Otherwise reports once per test, on standard
/// error past the test harness, that it has skipped the GPU.
///
/// A test that calls this again while it holds a turn deadlocks.
pub fn devices(test: &'static str) -> Turn {
    static SKIPPED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let mut skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut devices = vec![Device::cpu()];
    match Device::cuda(0) {
        Ok(device) => devices.push(device),
        Err(_) => {
            if skipped.insert(test) {
                let line = format!("SKIP-GPU {test}: no CUDA device\n");
                std::io::stderr()
                    .write_all(line.as_bytes())
                    .expect("standard error takes text");
            }
        }
    }
    Turn {
        devices: devices.into_iter(),
        _turn: skipped,
    }
}

impl Iterator for Turn {
    type Item = Device;

    fn next(&mut self) -> Option<Device> {
        self.devices.next()
    }
}
