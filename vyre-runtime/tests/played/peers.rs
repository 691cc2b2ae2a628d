//! Copies between GPUs: on a driver that is played on the host, and where there are two.

use std::io::Write;

use crate::support::saxpy;
use vyre_runtime::{Device, Error};
#[cfg(target_os = "linux")]
use vyre_test_driver::{Driver, Stage};

/// Copies of all and of parts between two devices, the second of which computes with them.
fn exercise(first: &Device, second: &Device) {
    let x = first.upload(&(0..1000u32).collect::<Vec<_>>()).unwrap();
    let mut y = second.zeros::<u32>(1000).unwrap();
    y.copy_from(&x).unwrap();
    assert!(y.download().unwrap().into_iter().eq(0..1000));
    y.slice_mut(..10).unwrap().copy_from(x.slice(990..).unwrap()).unwrap();
    let values = y.download().unwrap();
    assert_eq!((values[0], values[9], values[10]), (990, 999, 10));
    let back = first.uninit::<u32>(1000).unwrap().copy_from(&y).unwrap();
    assert_eq!(back.download().unwrap(), values);
    let error = y.copy_from(x.slice(1..).unwrap()).unwrap_err();
    assert!(matches!(error, Error::LengthMismatch { .. }), "{error}");
    y.slice_mut(..0).unwrap().copy_from(x.slice(..0).unwrap()).unwrap();
    assert_eq!(y.download().unwrap(), values);
}

/// Bytes of direct and of staged copies.
fn copied(device: &Device) -> [u64; 2] {
    let stats = device.stats();
    [stats.peer_bytes, stats.staged_bytes]
}

#[cfg(target_os = "linux")]
fn on_two(test: &str, apart: Option<&str>, body: impl FnOnce(&Driver, [Device; 2])) {
    if let Some(driver) = Driver::of(test) {
        body(&driver, [0, 1].map(|index| Device::cuda(index).unwrap()));
    } else if let Some(mut stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), test) {
        stage.env("PLAYED_DRIVER_DEVICES", "2");
        if let Some(how) = apart {
            stage.env("PLAYED_DRIVER_APART", how);
        }
        stage.run();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn gpus_copy_by_themselves() {
    on_two("peers::gpus_copy_by_themselves", None, |driver, [first, second]| {
        exercise(&first, &second);
        assert_eq!((copied(&first), copied(&second)), ([4000, 0], [4040, 0]));
        // Access is given once for each direction, and nothing visits the host but what is downloaded.
        assert_eq!(driver.calls("cuMemPoolSetAccess"), 2);
        assert_eq!(driver.calls("cuMemcpyPeerAsync"), 3);
        exercise(&second, &first);
        assert_eq!(driver.calls("cuMemPoolSetAccess"), 2);
        assert_eq!(second.stats().uploaded_bytes, 4000);
        // The context of the thread is that of the device that was opened first, as before.
        assert_eq!(driver.context(), first.raw_context().addr());
    });
}

/// Without a way between them the driver stages the copies, which is counted.
#[cfg(target_os = "linux")]
#[test]
fn gpus_apart_stage_their_copies() {
    on_two(
        "peers::gpus_apart_stage_their_copies",
        Some("1"),
        |driver, [first, second]| {
            exercise(&first, &second);
            assert_eq!((copied(&first), copied(&second)), ([0, 4000], [0, 4040]));
            assert_eq!(driver.calls("cuMemPoolSetAccess"), 0);
            assert_eq!(driver.calls("cuDeviceCanAccessPeer"), 2);
        },
    );
}

/// If the driver refuses access, it stages the copies.
#[cfg(target_os = "linux")]
#[test]
fn gpus_without_access_stage_their_copies() {
    let test = "peers::gpus_without_access_stage_their_copies";
    on_two(test, Some("refused"), |driver, [first, second]| {
        exercise(&first, &second);
        assert_eq!((copied(&first), copied(&second)), ([0, 4000], [0, 4040]));
        // It is asked once for each direction.
        assert_eq!(driver.calls("cuMemPoolSetAccess"), 2);
        assert!(!first.is_lost() && !second.is_lost());
    });
}

/// A fault on the stream of the source is told before anything is copied.
#[cfg(target_os = "linux")]
#[test]
fn faults_do_not_travel() {
    on_two("peers::faults_do_not_travel", None, |driver, [first, second]| {
        let x = first.zeros::<u32>(10).unwrap();
        let mut there = second.upload(&[7u32; 10]).unwrap();
        crate::kernels::Entry::<{ crate::kernels::FAULTS }>
            .launch(&first)
            .unwrap();
        assert!(matches!(there.copy_from(&x), Err(Error::Fault(_))));
        assert_eq!(there.download().unwrap(), [7; 10]);
        assert_eq!(driver.calls("cuMemcpyPeerAsync"), 0);
        there.copy_from(&x).unwrap();
        assert_eq!(there.download().unwrap(), [0; 10]);
    });
}

/// On two GPUs: copies both ways, and a kernel on each.
#[test]
fn two_gpus_exchange_buffers() {
    let (Ok(first), Ok(second)) = (Device::cuda(0), Device::cuda(1)) else {
        let _ = writeln!(
            std::io::stderr(),
            "SKIP-GPU two_gpus_exchange_buffers: skipped: no two CUDA devices"
        );
        return;
    };
    exercise(&first, &second);
    exercise(&second, &first);
    let ones = vec![1.0f32; 1 << 22];
    let (x, mut y) = (first.upload(&ones).unwrap(), first.upload(&ones).unwrap());
    for round in 1..=10 {
        saxpy(1.0, &x, &mut y).over(1 << 22).launch(&first).unwrap();
        let mut there = second.zeros::<f32>(1 << 22).unwrap();
        there.copy_from(&y).unwrap();
        let copy = there.try_clone().unwrap();
        saxpy(1.0, &copy, &mut there).over(1 << 22).launch(&second).unwrap();
        let expected = 2.0 * (round + 1) as f32;
        assert!(there.download().unwrap().iter().all(|&value| value == expected));
    }
    let [direct, staged] = copied(&second);
    assert_eq!(direct + staged, 2 * 4000 + 40 + 10 * (4 << 22));
}
