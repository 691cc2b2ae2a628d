//! Faults: a wait tells each once, a download of what a faulted launch wrote tells it each time, and the
//! device stays usable.

mod support;

use std::time::{Duration, Instant};

use support::*;
use vyre_runtime::kernel::{download_own, run};
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
fn a_fault_says_what_and_where() {
    let _alone = alone();
    for device in devices("a_fault_says_what_and_where") {
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
fn several_faults_are_told_one_by_one() {
    let _alone = alone();
    for device in devices("several_faults_are_told_one_by_one") {
        let mut y = device.zeros(10).unwrap();
        for length in [5, 6, 7] {
            fault(&device, &mut y, length, None);
        }
        assert_eq!(reported(y.download()).values[1], 5);
        assert_eq!(reported(device.synchronize()).values[1], 6);
        assert_eq!(reported(device.default_stream().synchronize()).values[1], 7);
        device.synchronize().unwrap();
    }
}

#[test]
fn a_download_is_the_fault_until_the_whole_is_overwritten() {
    let _alone = alone();
    for device in devices("a_download_is_the_fault_until_the_whole_is_overwritten") {
        let ones = device.upload(&[1.0; 10]).unwrap();
        let mut y = device.zeros(10).unwrap();
        type Overwrite = fn(&mut DeviceBuffer<f32>, &DeviceBuffer<f32>);
        let overwrite: [Overwrite; 3] = [
            |y, _| y.write(&[1.0; 10]).unwrap(),
            |y, _| y.fill(1.0).unwrap(),
            |y, ones| y.copy_from(ones).unwrap(),
        ];
        for overwrite in overwrite {
            fault(&device, &mut y, 5, None);
            for _ in 0..2 {
                assert_eq!(reported(y.download()).values[1], 5);
            }
            device.synchronize().unwrap();
            // Neither a kernel nor a write of a part repairs the rest.
            saxpy(1.0, &ones, &mut y).over(10).launch(&device).unwrap();
            y.slice_mut(..9).unwrap().write(&[0.0; 9]).unwrap();
            assert_eq!(reported(y.slice(..2).unwrap().download()).values[1], 5);
            let mut copy = device.zeros::<f32>(10).unwrap();
            reported(copy.copy_from(&y));
            reported(y.try_clone());
            overwrite(&mut y, &ones);
            assert_eq!(y.download().unwrap(), [1.0; 10]);
            device.synchronize().unwrap();
        }
        // The overwrite comes before anybody has waited for the launch.
        fault(&device, &mut y, 6, None);
        y.fill(2.0).unwrap();
        assert_eq!(reported(y.download()).values[1], 6);
        assert_eq!(y.download().unwrap(), [2.0; 10]);
    }
}

/// What a launch writes is gathered when it faults, whether or not its kernel lists sites: each of several buffers is
/// marked, and none that it reads.
#[test]
fn a_fault_of_the_cpu_alone_spoils_what_was_written() {
    let _alone = alone();
    let device = Device::cpu();
    let (x, mut y, mut z) = (
        device.zeros(5).unwrap(),
        device.zeros(10).unwrap(),
        device.zeros(10).unwrap(),
    );
    for y in [&mut y, &mut z] {
        Launch::over(Unlisted(saxpy(1.0, &x, y)), [10, 1, 1])
            .launch(&device)
            .unwrap();
    }
    for _ in 0..2 {
        assert_eq!(reported(y.download()).kernel, "unlisted");
        assert_eq!(reported(z.download()).kernel, "unlisted");
    }
    x.download().unwrap();
    y.fill(1.0).unwrap();
    assert_eq!(y.download().unwrap(), [1.0; 10]);
    device.synchronize().unwrap();
}

#[test]
fn each_launch_that_faults_spoils_what_it_wrote() {
    let _alone = alone();
    for device in devices("each_launch_that_faults_spoils_what_it_wrote") {
        let [mut y, mut z, mut fine] = [(); 3].map(|()| device.zeros(10).unwrap());
        fault(&device, &mut y, 5, None);
        fault(&device, &mut z, 6, None);
        fault(&device, &mut fine, 10, None);
        assert_eq!(reported(y.download()).values[1], 5);
        assert_eq!(reported(z.download()).values[1], 6);
        fine.download().unwrap();
        device.synchronize().unwrap();
    }
}

#[test]
fn work_that_follows_a_faulted_launch_tells_its_fault() {
    let _alone = alone();
    for device in devices("work_that_follows_a_faulted_launch_tells_its_fault") {
        let [stream, other, third] = [(); 3].map(|()| device.stream().unwrap());
        let mut y = device.zeros(10).unwrap();
        fault(&device, &mut y, 5, Some(&stream));
        // Reads what the launch may have left undone, on another stream and by way of a third one.
        let (mut z, mut w) = (device.zeros(10).unwrap(), device.zeros(10).unwrap());
        saxpy(1.0, &y, &mut z).over(10).on(&other).launch(&device).unwrap();
        saxpy(1.0, &z, &mut w).over(10).on(&third).launch(&device).unwrap();
        assert_eq!(reported(w.download()).values[1], 5);
        w.download().unwrap();

        fault(&device, &mut y, 6, Some(&stream));
        saxpy(1.0, &y, &mut z).over(10).on(&other).launch(&device).unwrap();
        assert_eq!(reported(other.synchronize()).values[1], 6);
        other.synchronize().unwrap();
        stream.synchronize().unwrap();

        y.fill(0.0).unwrap();
        fault(&device, &mut y, 7, Some(&stream));
        match y.try_clone() {
            // The CPU knows the fault when the copy begins.
            Err(Error::Fault(fault)) => assert_eq!(fault.values[1], 7),
            clone => assert_eq!(reported(clone.unwrap().download()).values[1], 7),
        }
        reported(y.download());
        device.synchronize().unwrap();
    }
}

#[test]
fn a_launch_that_is_waited_for_tells_its_own_fault() {
    let _alone = alone();
    for device in devices("a_launch_that_is_waited_for_tells_its_own_fault") {
        let (x, short) = (device.zeros(10).unwrap(), device.zeros(7).unwrap());
        let [mut others, mut own] = [(); 2].map(|()| device.zeros(10).unwrap());
        fault(&device, &mut others, 5, None);
        run(saxpy(1.0, &x, &mut own).over(10), &device).unwrap();
        download_own(&own, &mut [0.0; 10]).unwrap();
        assert_eq!(
            reported(run(saxpy(1.0, &short, &mut own).over(10), &device)).values[1],
            7
        );
        reported(download_own(&own, &mut [0.0; 10]));
        run(saxpy(1.0, &x, &mut own).over(0), &device).unwrap();
        assert_eq!(reported(device.synchronize()).values[1], 5);
        device.synchronize().unwrap();
    }
}

#[test]
fn two_threads_on_the_default_stream_each_see_their_fault() {
    let _alone = alone();
    for device in devices("two_threads_on_the_default_stream_each_see_their_fault") {
        std::thread::scope(|scope| {
            for thread in 1..3 {
                let device = &device;
                scope.spawn(move || {
                    for round in 0..100 {
                        let mut y = device.zeros(100).unwrap();
                        let length = thread * 30 + round % 10;
                        fault(device, &mut y, length, None);
                        // Either thread may be told the other's fault here, which takes nothing away.
                        let _ = device.default_stream().synchronize();
                        assert_eq!(reported(y.download()).values[1], length as u64);
                        assert_eq!(reported(y.download()).values[1], length as u64);
                    }
                });
            }
        });
        while device.synchronize().is_err() {}
    }
}

#[test]
fn more_faults_than_records_spoil_all_that_was_written_since() {
    const RECORDS: usize = 64;
    let _alone = alone();
    for device in devices("more_faults_than_records_spoil_all_that_was_written_since") {
        for round in 0..2 {
            let stream = device.stream().unwrap();
            let mut before = device.zeros(10).unwrap();
            fault(&device, &mut before, 10, Some(&stream));
            let mut all: Vec<_> = (0..RECORDS + 6).map(|_| device.zeros(10).unwrap()).collect();
            for y in &mut all {
                fault(&device, y, 5, Some(&stream));
            }
            let mut after = device.zeros(10).unwrap();
            fault(&device, &mut after, 10, Some(&stream));
            reported(stream.synchronize());
            let (recorded, lost) = all.split_at(RECORDS);
            for y in recorded {
                assert_eq!(reported(y.download()).values[1], 5, "{round}");
            }
            for y in lost {
                for _ in 0..2 {
                    let error = y.download().unwrap_err();
                    assert!(matches!(error, Error::LostFault { records: 64 }), "{round}: {error}");
                }
            }
            assert_eq!(before.download().unwrap(), [0.0; 10]);
            assert_eq!(after.download().unwrap(), [0.0; 10]);
            // All were told.
            device.synchronize().unwrap();
            fault(&device, &mut before, 9, Some(&stream));
            assert_eq!(reported(before.download()).values[1], 9);
            device.synchronize().unwrap();
        }
    }
}

#[test]
fn a_fault_after_many_launches_is_still_that_of_its_buffers() {
    let _alone = alone();
    for device in devices("a_fault_after_many_launches_is_still_that_of_its_buffers") {
        let stream = device.stream().unwrap();
        let x = device.zeros(10).unwrap();
        let [mut fine, mut y] = [(); 2].map(|()| device.zeros(10).unwrap());
        for launch in 0..30_000 {
            saxpy(1.0, &x, &mut fine).over(10).on(&stream).launch(&device).unwrap();
            if launch == 15_000 || launch == 29_000 {
                fault(&device, &mut y, 5, Some(&stream));
            }
        }
        assert_eq!(reported(y.download()).values[1], 5);
        assert_eq!(reported(stream.synchronize()).values[1], 5);
        fine.download().unwrap();
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
        y.fill(0.0).unwrap();
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
