//! Statistics and memory of devices.

mod support;

use std::thread;

use support::*;
use vyre_runtime::{Device, Error, Stats};

/// The calls of a device in a function.
fn done(device: &Device, work: impl FnOnce()) -> Stats {
    let before = device.stats();
    work();
    device.stats().since(&before)
}

#[test]
fn launches_and_faults_are_counted() {
    let _alone = alone();
    for device in devices("launches_and_faults_are_counted") {
        let (x, mut y) = (device.zeros(5).unwrap(), device.zeros(300).unwrap());
        let stats = done(&device, || {
            // One of two faults; an empty domain and a launch that is refused are none.
            saxpy(1.0, &x, &mut y).over(300).launch(&device).unwrap();
            saxpy(1.0, &x, y.slice_mut(..5).unwrap())
                .over(5)
                .launch(&device)
                .unwrap();
            saxpy(1.0, &x, &mut y).over(0).launch(&device).unwrap();
            saxpy(1.0, &x, &mut y).grid(0).launch(&device).unwrap_err();
            for _ in 0..2 {
                assert!(matches!(y.download(), Err(Error::Fault(_))));
            }
        });
        assert_eq!((stats.launches, stats.faults), (2, 1));
        device.synchronize().unwrap();
    }
}

#[test]
fn bytes_and_buffers_are_counted() {
    let _alone = alone();
    for device in devices("bytes_and_buffers_are_counted") {
        let memory = device.memory().unwrap();
        let mut kept = None;
        let stats = done(&device, || {
            let mut x = device.upload(&[7u16; 100]).unwrap();
            x.slice_mut(10..20).unwrap().write(&[1; 10]).unwrap();
            let y = x.try_clone().unwrap();
            drop(x);
            assert_eq!(y.slice(9..11).unwrap().download().unwrap(), [7, 1]);
            assert!(device.zeros::<u16>(0).unwrap().download().unwrap().is_empty());
            kept = Some(y);
        });
        assert_eq!(
            (stats.uploaded_bytes, stats.copied_bytes, stats.downloaded_bytes),
            (220, 200, 4)
        );
        // The empty buffer is none.
        assert_eq!((stats.allocations, stats.frees, stats.launches), (2, 1, 0));
        let now = device.memory().unwrap();
        assert_eq!(now.in_use - memory.in_use, 200);
        assert!(now.high_water >= now.in_use + 200 && now.held >= now.in_use);
        drop(kept);
        assert_eq!(device.memory().unwrap().in_use, memory.in_use);
        device.trim_memory().unwrap();
    }
}

/// Copies between devices are downloads of one and uploads of the other.
#[test]
fn copies_between_devices_count_on_both() {
    let _alone = alone();
    let Some(gpu) = cuda("copies_between_devices_count_on_both") else {
        return;
    };
    let cpu = Device::cpu();
    let x = cpu.upload(&[1.0f64; 50]).unwrap();
    let mut y = gpu.zeros::<f64>(50).unwrap();
    let mut on_gpu = Stats::default();
    let on_cpu = done(&cpu, || on_gpu = done(&gpu, || y.copy_from(&x).unwrap()));
    assert_eq!(
        (on_cpu.downloaded_bytes, on_cpu.uploaded_bytes, on_cpu.copied_bytes),
        (400, 0, 0)
    );
    assert_eq!(
        (on_gpu.downloaded_bytes, on_gpu.uploaded_bytes, on_gpu.copied_bytes),
        (0, 400, 0)
    );
}

#[test]
fn threads_lose_no_count() {
    let _alone = alone();
    for device in devices("threads_lose_no_count") {
        let x = device.zeros(64).unwrap();
        let stats = done(&device, || {
            thread::scope(|scope| {
                for number in 0..4 {
                    let (device, x) = (&device, &x);
                    scope.spawn(move || {
                        let mut y = device.zeros(64).unwrap();
                        let stream = device.stream().unwrap();
                        for turn in 0..100 {
                            let launch = saxpy(1.0, x, &mut y).over(64);
                            match (number + turn) % 2 {
                                0 => launch.launch(device).unwrap(),
                                _ => launch.on(&stream).launch(device).unwrap(),
                            }
                        }
                        y.download().unwrap();
                    });
                }
            });
        });
        assert_eq!(
            (stats.launches, stats.downloaded_bytes, stats.allocations),
            (400, 4 * 64 * 4, 4)
        );
    }
}

#[test]
fn a_reset_leaves_kernels_and_memory() {
    let _alone = alone();
    for device in devices("a_reset_leaves_kernels_and_memory") {
        let (x, mut y) = (device.zeros(10).unwrap(), device.zeros(10).unwrap());
        saxpy(1.0, &x, &mut y).over(10).launch(&device).unwrap();
        device.reset_stats();
        assert_eq!(device.stats(), Stats::default());
        let memory = device.memory().unwrap();
        assert!(memory.in_use >= 80 && memory.high_water == memory.in_use, "{memory:?}");
        saxpy(1.0, &x, &mut y).over(10).launch(&device).unwrap();
        let stats = device.stats();
        assert_eq!((stats.launches, stats.kernels_loaded), (1, 0));
        y.download().unwrap();
    }
    // Where there is no pool, nothing is held but buffers.
    let memory = Device::cpu().memory().unwrap();
    assert_eq!((memory.held, memory.kept, memory.limit), (memory.in_use, 0, None));
}
