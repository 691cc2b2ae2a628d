//! The CPU as several devices, and work of others that is ordered on buffers.

mod support;

use support::saxpy;
use vyre_runtime::kernel::{bytes, bytes_mut, enqueue, mark, with_default_stream, work_of};
use vyre_runtime::{Device, Error};

#[test]
fn devices_of_the_cpu_are_apart() {
    let devices = Device::cpus(3);
    assert_eq!(devices, Device::cpus(3));
    assert_eq!(devices[0], Device::cpu());
    assert_ne!(devices[1], devices[2]);
    let names: Vec<_> = devices.iter().map(|device| (device.id(), device.to_string())).collect();
    let expected = [("cpu", "CPU"), ("cpu:1", "CPU (cpu:1)"), ("cpu:2", "CPU (cpu:2)")];
    assert_eq!(names, expected.map(|(id, name)| (id.to_owned(), name.to_owned())));
    for device in &devices {
        assert_eq!(&Device::open(&device.id()).unwrap(), device);
    }
    assert!(Device::open("cpu:1024").is_err() && Device::open("cpu:+1").is_err() && Device::open("cpu:").is_err());
    // Arguments of one are refused by another.
    let (x, mut y) = (devices[1].upload(&[1.0; 4]).unwrap(), devices[1].zeros(4).unwrap());
    let error = saxpy(2.0, &x, &mut y).over(4).launch(&devices[2]).unwrap_err();
    assert!(matches!(error, Error::WrongDevice { .. }), "{error}");
    saxpy(2.0, &x, &mut y).over(4).launch(&devices[1]).unwrap();
    assert_eq!(y.download().unwrap(), [2.0; 4]);
    // One is shut down, and its place taken by another; the others stay.
    devices[1].shutdown().unwrap();
    let again = Device::cpus(2).remove(1);
    assert_ne!(again, devices[1]);
    assert_eq!(again.id(), "cpu:1");
    assert_eq!(devices[2].upload(&[7]).unwrap().download().unwrap(), [7]);
    assert!(devices[1].upload(&[7]).is_err());
}

#[test]
fn work_of_others_is_checked() {
    let devices = Device::cpus(5);
    let (x, mut y) = (
        devices[3].upload(&[1u32, 2]).unwrap(),
        devices[3].zeros::<u32>(2).unwrap(),
    );
    let stream = devices[3].stream().unwrap();
    let (from, to) = (x.as_view().address(), y.as_view().address());
    let mut calls = 0;
    let mut copy = |raw: *mut std::ffi::c_void| {
        assert!(raw.is_null());
        calls += 1;
        // SAFETY: on the CPU addresses are those of the host, and both have eight bytes.
        unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, 8) };
        Ok(())
    };
    // SAFETY: only the given bytes are accessed.
    unsafe {
        let target = [bytes_mut(y.as_view_mut())];
        enqueue("a copy", &stream, &[bytes(x.as_view())], &target, &[], &mut copy).unwrap();
    }
    assert_eq!(y.download().unwrap(), [1, 2]);
    let other = devices[4].stream().unwrap();
    // SAFETY: as above; it is refused.
    let error = unsafe { enqueue("a copy", &other, &[bytes(x.as_view())], &[], &[], &mut copy) };
    assert!(matches!(error, Err(Error::WrongDevice { .. })), "{error:?}");
    assert_eq!(calls, 1);
}

/// Memory that a launch with a fault may have written is read by nobody, until all of it is written.
#[test]
fn work_of_others_reads_no_faults_and_writes_over_them() {
    let device = Device::cpus(6).remove(5);
    let stream = device.stream().unwrap();
    let (x, mut y) = (device.upload(&[1.0; 2]).unwrap(), device.zeros(4).unwrap());
    let is_fault = |result: &vyre_runtime::Result<()>| matches!(result, Err(Error::Fault(_)));
    saxpy(2.0, &x, &mut y).over(4).launch(&device).unwrap();
    assert!(is_fault(&device.synchronize()));
    let mut calls = 0;
    let mut nothing = |_| {
        calls += 1;
        Ok(())
    };
    // SAFETY: nothing is accessed.
    unsafe {
        let read = enqueue("a read", &stream, &[bytes(y.as_view())], &[], &[], &mut nothing).map(drop);
        assert!(is_fault(&read), "{read:?}");
        let target = [bytes_mut(y.as_view_mut())];
        let updated = enqueue("an update", &stream, &[], &[], &target, &mut nothing).map(drop);
        assert!(is_fault(&updated), "{updated:?}");
        let half = [bytes_mut(y.slice_mut(..2).unwrap())];
        enqueue("half of a write", &stream, &[], &half, &[], &mut nothing).unwrap();
        assert!(matches!(y.download(), Err(Error::Fault(_))));
        let target = [bytes_mut(y.as_view_mut())];
        let mut fails = |_| Err(Error::Closed { device: String::new() });
        let failed = enqueue("no write", &stream, &[], &target, &[], &mut fails);
        assert!(matches!(failed, Err(Error::Closed { .. })), "{failed:?}");
        assert!(matches!(y.download(), Err(Error::Fault(_))));
        let target = [bytes_mut(y.as_view_mut())];
        enqueue("a write", &stream, &[], &target, &[], &mut nothing).unwrap();
    }
    assert_eq!((y.download().unwrap().len(), calls), (4, 2));
}

/// Work that fails after it was queued is told by its stream, and by what it may have written.
#[test]
fn work_of_others_may_fail_later() {
    let device = Device::cpus(8).remove(7);
    let [stream, other] = [device.stream().unwrap(), device.stream().unwrap()];
    let (mut x, y) = (device.zeros::<u8>(4).unwrap(), device.upload(&[1u8]).unwrap());
    // SAFETY: nothing is accessed.
    let queue = |x: &mut vyre_runtime::DeviceBuffer<u8>| unsafe {
        let target = [bytes_mut(x.as_view_mut())];
        enqueue("a write", &stream, &[], &target, &[], &mut |_| Ok(())).unwrap()
    };
    let error = || Error::Closed {
        device: "a test".to_owned(),
    };
    queue(&mut x).fail(error());
    y.download().unwrap();
    other.synchronize().unwrap();
    for _ in 0..2 {
        assert!(matches!(x.download(), Err(Error::Closed { .. })));
    }
    // The download has told it.
    stream.synchronize().unwrap();
    // Later writes are right, also if the failure is known late.
    let (first, _second) = (queue(&mut x), queue(&mut x));
    first.fail(error());
    assert!(matches!(stream.synchronize(), Err(Error::Closed { .. })));
    x.download().unwrap();
    // Faults of freed memory are reported by the stream alone.
    let late = queue(&mut x);
    drop(x);
    late.fail(error());
    assert!(matches!(stream.synchronize(), Err(Error::Closed { .. })));
}

/// A handle of a device with a default stream of its own is the same device.
#[test]
fn a_handle_may_have_a_default_stream() {
    let device = Device::cpus(9).remove(8);
    let stream = device.stream().unwrap();
    let own = with_default_stream(&stream);
    drop(stream);
    assert_eq!((&own, own.to_string()), (&device, device.to_string()));
    let (x, mut y) = (own.upload(&[1.0; 2]).unwrap(), own.zeros(4).unwrap());
    saxpy(2.0, &x, &mut y).over(4).launch(&own).unwrap();
    // The fault of that launch is none of the other default stream, and the stream is nobody else's.
    device.default_stream().synchronize().unwrap();
    device.stream().unwrap().synchronize().unwrap();
    assert!(matches!(
        own.clone().default_stream().synchronize(),
        Err(Error::Fault(_))
    ));
}

/// A stream tells apart what it was told to do between two moments.
#[test]
fn launches_and_waits_are_told_apart() {
    let device = Device::cpus(10).remove(9);
    let [stream, other] = [device.stream().unwrap(), device.stream().unwrap()];
    let (x, mut y) = (device.upload(&[1.0; 4]).unwrap(), device.zeros(4).unwrap());
    let mut last = work_of(&stream);
    let mut changes = |expected: bool| {
        let now = work_of(&stream);
        assert!(now.is_some() && (now != last) == expected, "{now:?} after {last:?}");
        last = now;
    };
    assert!(mark(&stream).unwrap().is_done().unwrap());
    changes(false);
    saxpy(2.0, &x, &mut y).over(4).on(&other).launch(&device).unwrap();
    changes(false);
    saxpy(2.0, &x, &mut y).over(4).on(&stream).launch(&device).unwrap();
    changes(true);
    stream.wait(&mark(&other).unwrap()).unwrap();
    changes(true);
    stream.with_raw(|_| ()).unwrap();
    changes(true);
    assert_ne!(work_of(&stream), work_of(&other));
}
