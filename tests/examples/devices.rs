//! The devices that a test runs on.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;

use vyre::prelude::*;

/// The CPU, and the first CUDA device if there is one. If not, says once for each test, on standard
/// error past the test harness, that it has skipped the GPU.
pub fn devices(test: &'static str) -> Vec<Device> {
    static SKIPPED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let mut devices = vec![Device::cpu()];
    match Device::cuda(0) {
        Ok(device) => devices.push(device),
        Err(_) => {
            if SKIPPED.lock().expect("no test panics while it holds this").insert(test) {
                let line = format!("SKIP-GPU {test}: no CUDA device\n");
                std::io::stderr()
                    .write_all(line.as_bytes())
                    .expect("standard error takes text");
            }
        }
    }
    devices
}
