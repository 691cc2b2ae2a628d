//! Queries of devices, held against what they launch.

mod support;

use support::*;
use vyre_runtime::{Device, Error, LaunchLimit};

#[test]
fn the_cpu_has_what_the_largest_gpus_have() {
    let device = Device::cpu();
    assert_eq!(device.compute_capability(), None);
    assert!(device.has_compute_capability(7, 0) && device.has_compute_capability(99, 0));
    assert_eq!(device.max_cluster_blocks(), 8);
    assert_eq!(device.max_shared_bytes(), 227 * 1024);
    assert_eq!((device.max_block_threads(), device.warp_size()), (1024, 32));
    assert_eq!(device.max_grid(), [i32::MAX as u32, 65535, 65535]);
    assert!(device.multiprocessors() > 0 && device.can_sync_grid());
}

#[test]
fn gpus_agree_with_their_compute_capability() {
    for device in devices("gpus_agree_with_their_compute_capability") {
        let Some((major, minor)) = device.compute_capability() else {
            assert!(!device.is_cuda());
            continue;
        };
        assert!(device.has_compute_capability(major, minor) && device.has_compute_capability(major - 1, 9));
        assert!(!device.has_compute_capability(major, minor + 1) && !device.has_compute_capability(major + 1, 0));
        let clusters = if major >= 9 { 8 } else { 1 };
        assert_eq!(device.max_cluster_blocks(), clusters);
        assert!(device.max_shared_bytes() >= 48 * 1024 && device.multiprocessors() > 0 && device.can_sync_grid());
        assert_eq!((device.max_block_threads(), device.warp_size()), (1024, 32));
    }
}

/// All of the shared memory can be used, and not a byte more.
#[test]
fn shared_memory_ends_where_the_device_says() {
    for device in devices("shared_memory_ends_where_the_device_says") {
        let (x, mut y) = (device.upload(&[1.0f32]).unwrap(), device.upload(&[2.0]).unwrap());
        let most = device.max_shared_bytes();
        saxpy(2.0, &x, &mut y)
            .over(1)
            .shared_bytes(most)
            .launch(&device)
            .unwrap();
        device.synchronize().unwrap();
        let kernel = saxpy(2.0, &x, &mut y);
        assert!(device.resident_blocks(&kernel, most).unwrap() > 0);
        let asked = device.resident_blocks(&kernel, most + 1).unwrap_err();
        let launched = kernel.over(1).shared_bytes(most + 1).launch(&device).unwrap_err();
        for error in [asked, launched] {
            let limit = most as u64;
            let expected = matches!(error, Error::TooLarge { what: LaunchLimit::SharedMemory, limit: found, .. } if found == limit);
            assert!(expected, "{error}");
        }
    }
}
