//! Faults: reported once, at the first wait, and the device stays usable.

mod support;

use std::time::{Duration, Instant};

use support::*;
use vyre_runtime::{Device, DeviceBuffer, Error, Fault, FaultKind, Launch, Result};

/// Launches `saxpy` with an `x` that is too short.
fn fault(device: &Device, y: &mut DeviceBuffer<f32>, length: usize, stream: Option<&vyre_runtime::Stream>) {
    let x = device.zeros(length).unwrap();
    let n = y.len();
    let launch = saxpy(1.0, &x, y).over(n);
    match stream {
        Some(stream) => launch.on(stream),
        None => launch,
    }
    .launch(device)
    .unwrap();
}

fn reported<T: std::fmt::Debug>(result: Result<T>) -> Fault {
    match result {
        Err(Error::Fault(fault)) => *fault,
        other => panic!("no fault was reported: {other:?}"),
    }
}

#[test]
fn a_fault_says_what_and_where_and_comes_once() {
    let _alone = alone();
    for device in devices("a_fault_says_what_and_where_and_comes_once") {
        let mut y = device.zeros(1000).unwrap();
        fault(&device, &mut y, 999, None);
        let fault = reported(y.download());
        let expected = Fault {
            kind: FaultKind::IndexOutOfBounds,
            kernel: "saxpy".into(),
            file: "support/kernels.rs".into(),
            line: 4,
            column: 9,
            message: String::new(),
            values: [999, 999],
            block: [3, 0, 0],
            thread: [231, 0, 0],
        };
        assert_eq!(fault, expected);
        y.download().unwrap();
        device.synchronize().unwrap();
    }
}

#[test]
fn the_device_stays_usable() {
    let _alone = alone();
    for device in devices("the_device_stays_usable") {
        let mut y = device.zeros(300).unwrap();
        for round in 0..20 {
            fault(&device, &mut y, 0, None);
            let values = reported(device.default_stream().synchronize()).values;
            assert!(values[0] < 300 && values[1] == 0, "{round}: {values:?}");
            y.write(&[1.0; 300]).unwrap();
            saxpy(2.0, &device.upload(&[2.0; 300]).unwrap(), &mut y)
                .over(300)
                .launch(&device)
                .unwrap();
            assert_eq!(y.download().unwrap(), [5.0; 300]);
        }
    }
}

#[test]
fn of_several_faults_the_first_is_reported() {
    let _alone = alone();
    for device in devices("of_several_faults_the_first_is_reported") {
        let mut y = device.zeros(10).unwrap();
        for length in [5, 6, 7] {
            fault(&device, &mut y, length, None);
        }
        assert_eq!(reported(y.download()).values[1], 5);
        device.synchronize().unwrap();
    }
}

#[test]
fn a_fault_belongs_to_its_stream() {
    let _alone = alone();
    for device in devices("a_fault_belongs_to_its_stream") {
        let (stream, other) = (device.stream().unwrap(), device.stream().unwrap());
        let (mut y, untouched) = (device.zeros(10).unwrap(), device.zeros::<u8>(3).unwrap());
        fault(&device, &mut y, 5, Some(&stream));
        other.synchronize().unwrap();
        device.default_stream().synchronize().unwrap();
        untouched.download().unwrap();
        reported(stream.synchronize());
        stream.synchronize().unwrap();

        // Work of another stream on the same buffer does not take the fault over.
        fault(&device, &mut y, 6, Some(&stream));
        saxpy(1.0, &device.zeros(10).unwrap(), &mut y)
            .over(10)
            .on(&other)
            .launch(&device)
            .unwrap();
        device.default_stream().synchronize().unwrap();
        assert_eq!(reported(stream.synchronize()).values[1], 6);
        y.download().unwrap();

        // Two streams have one each, and a wait for the device tells them one by one.
        let mut z = device.zeros(10).unwrap();
        fault(&device, &mut y, 7, Some(&stream));
        fault(&device, &mut z, 8, Some(&other));
        let mut lengths = [(); 2].map(|()| reported(device.synchronize()).values[1]);
        lengths.sort();
        assert_eq!(lengths, [7, 8]);
        device.synchronize().unwrap();
    }
}

#[test]
fn readers_of_a_buffer_report_at_its_download_too() {
    let _alone = alone();
    for device in devices("readers_of_a_buffer_report_at_its_download_too") {
        let stream = device.stream().unwrap();
        let x = device.upload(&[1.0f32; 5]).unwrap();
        let mut y = device.zeros(10).unwrap();
        saxpy(1.0, &x, &mut y).over(10).on(&stream).launch(&device).unwrap();
        assert_eq!(reported(x.download()).values[1], 5);
        device.synchronize().unwrap();
    }
}

#[test]
fn a_dropped_stream_leaves_its_fault_to_the_device() {
    let _alone = alone();
    for device in devices("a_dropped_stream_leaves_its_fault_to_the_device") {
        let mut y = device.zeros(10).unwrap();
        fault(&device, &mut y, 5, Some(&device.stream().unwrap()));
        drop(y);
        // No other caller gets it, even if streams are used again.
        for _ in 0..3 {
            device.stream().unwrap().synchronize().unwrap();
        }
        reported(device.synchronize());
        device.synchronize().unwrap();
    }
}

#[test]
fn threads_that_wait_for_one_that_faulted_leave() {
    let _alone = alone();
    for device in devices("threads_that_wait_for_one_that_faulted_leave") {
        let mut flag = device.zeros(1).unwrap();
        let start = Instant::now();
        for _ in 0..3 {
            Launch::grid(
                Abandoned {
                    flag: (&mut flag).into(),
                },
                [4, 1, 1],
            )
            .launch(&device)
            .unwrap();
            let fault = reported(device.default_stream().synchronize());
            assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::Panic, "gone"));
            assert_eq!((fault.block, fault.thread), ([0; 3], [0; 3]));
        }
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    }
}

#[test]
fn faults_of_many_threads_are_each_told_once() {
    let _alone = alone();
    for device in devices("faults_of_many_threads_are_each_told_once") {
        let told: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6)
                .map(|_| {
                    let device = &device;
                    scope.spawn(move || {
                        let stream = device.stream().unwrap();
                        let mut y = device.zeros(100).unwrap();
                        let mut told = 0;
                        for round in 0..50 {
                            fault(device, &mut y, round, Some(&stream));
                            assert_eq!(reported(stream.synchronize()).values[1], round as u64);
                            told += 1;
                        }
                        told
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(told, 300);
        device.synchronize().unwrap();
    }
}
