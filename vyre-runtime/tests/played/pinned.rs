//! Copies that the host does not wait for, and buffers before their first write: on the CPU, on a GPU, and on a driver that
//! is played on the host.

use crate::support::{alone, devices, saxpy};
use vyre_runtime::{Device, Error};

/// Round trips of all and of parts, with lengths of nothing, too.
fn round_trip(device: &Device) {
    let mut host = device.pinned::<u32>(1000).unwrap();
    assert!(host.iter().all(|&value| value == 0));
    assert_eq!(host.device(), *device);
    for (value, number) in host.iter_mut().zip(0..) {
        *value = number;
    }
    let mut x = device.zeros::<u32>(1000).unwrap();
    let host = x.write_from(host).unwrap().wait().unwrap();
    assert!(x.download().unwrap().into_iter().eq(0..1000));
    drop(host);
    let tail = device.pinned(10).unwrap();
    let tail = x.slice(990..).unwrap().read_into(tail).unwrap();
    // Later work comes after the copy.
    x.fill(7).unwrap();
    let tail = tail.wait().unwrap();
    assert!(tail.iter().copied().eq(990..1000));
    let mut part = x.slice_mut(..10).unwrap();
    part.write_from(tail).unwrap().wait().unwrap();
    let all = x.download().unwrap();
    assert_eq!((all[0], all[9], all[10]), (990, 999, 7));

    let nothing = device.pinned::<f64>(0).unwrap();
    assert!(nothing.is_empty());
    let mut empty = device.zeros::<f64>(0).unwrap();
    let nothing = empty.write_from(nothing).unwrap().wait().unwrap();
    assert!(empty.read_into(nothing).unwrap().wait().unwrap().is_empty());

    // Both the buffer and the transfer may go at any time.
    let read = x.read_into(device.pinned(1000).unwrap()).unwrap();
    drop(x);
    assert_eq!(read.wait().unwrap()[10], 7);
    let x = device.upload(&[1u32, 2]).unwrap();
    drop(x.read_into(device.pinned(2).unwrap()).unwrap());
}

#[test]
fn copies_arrive() {
    let _alone = alone();
    for device in devices("pinned::copies_arrive") {
        round_trip(&device);
        let before = device.memory().unwrap().in_use;
        let error = device.pinned::<u64>(usize::MAX / 4).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        let x = device.zeros::<u8>(3).unwrap();
        let error = x.read_into(device.pinned(4).unwrap()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the buffer has 3 elements and the target has 4; the lengths must be equal, so take a part of the longer one"
        );
        drop(x);
        assert_eq!(device.memory().unwrap().in_use, before);
    }
}

/// Many copies of several streams are on their way at the same time.
#[test]
fn streams_copy_beside_each_other() {
    let _alone = alone();
    for device in devices("pinned::streams_copy_beside_each_other") {
        let x = device.upload(&[1.0f32; 5000]).unwrap();
        let mut chunks: Vec<_> = (0..3)
            .map(|number| {
                let stream = device.stream().unwrap();
                let mut host = device.pinned::<f32>(5000).unwrap();
                host.fill(number as f32);
                (stream, device.zeros::<f32>(5000).unwrap(), Some(host))
            })
            .collect();
        for round in 1..=10 {
            let mut reads = Vec::new();
            for (stream, y, host) in &mut chunks {
                let written = y.write_from(host.take().unwrap()).unwrap();
                saxpy(1.0, &x, &mut *y).over(5000).on(stream).launch(&device).unwrap();
                *host = Some(written.wait().unwrap());
                reads.push(y.read_into(host.take().unwrap()).unwrap());
            }
            for ((_, _, host), read) in chunks.iter_mut().zip(reads) {
                *host = Some(read.wait().unwrap());
            }
            for (number, (_, _, host)) in chunks.iter().enumerate() {
                assert!(
                    host.as_ref()
                        .unwrap()
                        .iter()
                        .all(|&value| value == (number + round) as f32)
                );
            }
        }
    }
}

/// A read has the faults of the launches before it, and of none after it, whatever overwrites the buffer meanwhile.
#[test]
fn reads_have_the_faults_before_them() {
    let _alone = alone();
    for device in devices("pinned::reads_have_the_faults_before_them") {
        let short = device.zeros::<f32>(5).unwrap();
        let long = device.zeros::<f32>(10).unwrap();
        let mut y = device.zeros::<f32>(10).unwrap();
        let clean = y.read_into(device.pinned(10).unwrap()).unwrap();
        // The kernel reads past the end of the short one.
        saxpy(1.0, &short, &mut y).over(10).launch(&device).unwrap();
        let [first, second] = [0, 1].map(|_| y.read_into(device.pinned(10).unwrap()).unwrap());
        y.fill(1.0).unwrap();
        saxpy(1.0, &long, &mut y).over(10).launch(&device).unwrap();
        let after = y.read_into(device.pinned(10).unwrap()).unwrap();
        assert!(matches!(first.wait(), Err(Error::Fault(_))));
        // That another one was told, and the buffer overwritten, makes the data of this one no better.
        assert!(matches!(second.wait(), Err(Error::Fault(_))));
        assert_eq!(clean.wait().unwrap()[..], [0.0; 10]);
        assert_eq!(after.wait().unwrap()[..], [1.0; 10]);
        assert_eq!(y.download().unwrap(), [1.0; 10]);
        device.synchronize().unwrap();
    }
}

#[test]
fn buffers_without_values_are_written_first() {
    let _alone = alone();
    for device in devices("pinned::buffers_without_values_are_written_first") {
        let before = device.memory().unwrap().in_use;
        drop(device.uninit::<u32>(1000).unwrap());
        assert_eq!(device.memory().unwrap().in_use, before);
        let x = device.uninit::<u32>(3).unwrap().write(&[1, 2, 3]).unwrap();
        let y = device.uninit::<u32>(3).unwrap().copy_from(&x).unwrap();
        let (z, written) = device
            .uninit::<u32>(3)
            .unwrap()
            .write_from(y.read_into(device.pinned(3).unwrap()).unwrap().wait().unwrap())
            .unwrap();
        assert_eq!(z.download().unwrap(), [1, 2, 3]);
        drop(written);
        assert_eq!(device.uninit(2).unwrap().fill(9u8).unwrap().download().unwrap(), [9, 9]);
        // A part is not enough.
        assert!(matches!(
            device.uninit::<u32>(4).unwrap().write(&[1]),
            Err(Error::LengthMismatch { .. })
        ));
        assert!(matches!(
            device.uninit::<u32>(4).unwrap().copy_from(&x),
            Err(Error::LengthMismatch { .. })
        ));
        assert!(device.uninit::<f32>(0).unwrap().fill(1.0).unwrap().is_empty());
    }
}

/// On the played driver: the memory is counted, and a copy whose end is not known keeps its memory.
#[cfg(target_os = "linux")]
#[test]
fn pinned_memory_is_given_back() {
    crate::kernels::on_driver("pinned::pinned_memory_is_given_back", |driver| {
        let device = Device::cuda(0).unwrap();
        round_trip(&device);
        let live = driver.allocations();
        for _ in 0..3 {
            round_trip(&device);
        }
        assert_eq!(driver.allocations(), live);
        driver.fail_allocations(0, 1);
        let error = device.pinned::<u8>(100).unwrap_err();
        assert_eq!(
            error,
            Error::OutOfMemory {
                requested: 100,
                free: None
            }
        );
        let x = device.upload(&[1u8; 10]).unwrap();
        // The CPU has no such memory, and does with it what it can.
        let there = Device::cpu().pinned::<u8>(10).unwrap();
        let error = x.read_into(there).unwrap_err();
        assert!(error.to_string().contains("made by another back end"), "{error}");
        let on_cpu = Device::cpu().upload(&[2u8; 10]).unwrap();
        let read = on_cpu.read_into(device.pinned(10).unwrap()).unwrap();
        assert_eq!(read.wait().unwrap()[..], [2; 10]);
        // Waiting for a lost device ends, and frees nothing that the device may still write.
        let (read, idle) = (
            x.read_into(device.pinned(10).unwrap()).unwrap(),
            device.pinned::<u8>(1).unwrap(),
        );
        driver.lose(0, 700);
        let freed = driver.calls("cuMemFreeHost");
        assert!(matches!(read.wait(), Err(Error::DeviceLost(_))));
        drop(idle);
        assert_eq!(driver.calls("cuMemFreeHost"), freed);
    });
}

/// A device that is shut down frees what is dropped later, and makes no more.
#[cfg(target_os = "linux")]
/// A copy that waits for kernels does not hold up later uploads: it goes to the default stream.
#[cfg(target_os = "linux")]
#[test]
fn copies_leave_the_stream_of_uploads() {
    crate::kernels::on_driver("pinned::copies_leave_the_stream_of_uploads", |driver| {
        let device = Device::cuda(0).unwrap();
        let raw = |stream: &vyre_runtime::Stream| stream.with_raw(|raw| raw.addr()).unwrap();
        let streams = [device.stream().unwrap(), device.stream().unwrap()];
        let x = device.zeros::<f32>(10).unwrap();
        for stream in &streams {
            let mut y = device.zeros::<f32>(10).unwrap();
            saxpy(1.0, &x, &mut y).over(10).on(stream).launch(&device).unwrap();
        }
        let mut x = x;
        let default = raw(&device.default_stream());
        let written = x.write_from(device.pinned(10).unwrap()).unwrap();
        for stream in &streams {
            assert!(driver.follows(default, raw(stream)));
        }
        written.wait().unwrap();
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_device_has_no_pinned_memory() {
    crate::kernels::on_driver("pinned::a_closed_device_has_no_pinned_memory", |driver| {
        for device in [Device::cuda(0).unwrap(), Device::cpu()] {
            let (host, more) = (device.pinned::<u8>(10).unwrap(), device.pinned::<u8>(10).unwrap());
            let x = device.upload(&[1u8; 10]).unwrap();
            let read = x.read_into(more).unwrap();
            device.shutdown().unwrap();
            let closed = Error::Closed {
                device: device.to_string(),
            };
            assert_eq!(x.read_into(host).unwrap_err(), closed);
            assert_eq!(read.wait().unwrap_err(), closed);
            assert_eq!(device.pinned::<u8>(1).unwrap_err(), closed);
            assert_eq!(device.uninit::<u8>(1).unwrap_err(), closed);
        }
        // Both of the GPU's.
        assert_eq!(driver.calls("cuMemFreeHost"), 2);
    });
}
