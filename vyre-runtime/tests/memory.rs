//! Memory that does not suffice.

mod support;

use support::*;
use vyre_runtime::{DeviceBuffer, Error};

#[test]
fn too_much_memory_is_an_error_and_harms_nothing() {
    let _alone = alone();
    for device in devices("too_much_memory_is_an_error_and_harms_nothing") {
        let kept = device.upload(&[1u32, 2, 3]).unwrap();
        for length in [1 << 50, usize::MAX] {
            let error = device.zeros::<u64>(length).unwrap_err();
            assert!(
                matches!(error, Error::OutOfMemory { requested, .. } if requested >= 1 << 50),
                "{error:?}"
            );
        }
        assert_eq!(kept.download().unwrap(), [1, 2, 3]);
        let mut y = device.upload(&[1.0f32; 100]).unwrap();
        saxpy(2.0, &device.upload(&[3.0; 100]).unwrap(), &mut y)
            .over(100)
            .launch(&device)
            .unwrap();
        assert_eq!(y.download().unwrap(), [7.0; 100]);
    }
}

/// Fills the memory of a GPU in large pieces, twice, so that what was freed must have come back.
#[test]
fn a_full_device_says_so_and_recovers() {
    let _alone = alone();
    let Some(device) = cuda("a_full_device_says_so_and_recovers") else {
        return;
    };
    for _ in 0..2 {
        let mut held: Vec<DeviceBuffer<u8>> = Vec::new();
        let error = loop {
            match device.zeros(8 << 30) {
                Ok(buffer) => held.push(buffer),
                Err(error) => break error,
            }
        };
        assert!(
            matches!(error, Error::OutOfMemory { requested, free: Some(_) } if requested == 8 << 30),
            "{error:?}"
        );
        assert_eq!(device.upload(&[5u8; 10]).unwrap().download().unwrap(), [5; 10]);
        drop(held);
    }
    device.synchronize().unwrap();
}
