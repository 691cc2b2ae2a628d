//! The smallest runtime, without the features that are on by default: it launches, on the driver that is played on the host.
//!
//! `cargo test -p vyre --no-default-features --features cuda-12080 --test minimal`
#![cfg(target_os = "linux")]

use vyre::prelude::*;
use vyre_test_driver::{Driver, Stage};

/// With a domain of its own, which a sequence records, where there are sequences.
#[vyre::kernel]
fn double(#[each] x: &mut u32) {
    *x *= 2;
}

/// Reports faults.
#[vyre::kernel]
fn gather(places: &[u32], x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x[places[i] as usize];
    }
}

#[test]
fn kernels_are_launched() {
    const TEST: &str = "kernels_are_launched";
    if let Some(driver) = Driver::of(TEST) {
        let device = Device::cuda(0).unwrap();
        let mut numbers = device.upload(&[1, 2, 3]).unwrap();
        let (places, x) = (device.upload(&[0, 0]).unwrap(), device.upload(&[5.0]).unwrap());
        let mut y = device.zeros(2).unwrap();
        let copies = driver.calls("cuMemcpyHtoDAsync_v2");
        for _ in 0..3 {
            double(&mut numbers).launch(&device).unwrap();
            gather(&places, &x, &mut y).over(2).launch(&device).unwrap();
        }
        device.synchronize().unwrap();
        // The played driver runs no kernel.
        assert_eq!(numbers.download().unwrap(), [1, 2, 3]);
        assert_eq!(y.download().unwrap(), [0.0; 2]);
        // The kernels are loaded once each, and buffers stay on the device.
        assert_eq!((driver.calls("cuLaunchKernel"), driver.modules()), (6, 2));
        assert_eq!(driver.calls("cuMemcpyHtoDAsync_v2"), copies);
        assert_eq!(device.stats().launches, 6);
    } else if let Some(stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
        stage.run();
        // A driver needs the functions of graphs for these alone.
        #[cfg(not(feature = "graphs"))]
        stage.without("cuGraphCreate").run();
    }
}
