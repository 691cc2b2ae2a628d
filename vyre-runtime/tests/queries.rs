//! Queries of devices, held against what they launch.

mod support;

use support::*;
use vyre_runtime::{Device, Error, LaunchLimit, Profile};

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

/// A profile says what the queries say, and a launch's limits with it.
#[test]
fn profiles_agree_with_the_queries() {
    for device in devices("profiles_agree_with_the_queries") {
        let profile = device.profile();
        assert_eq!(profile.backend == "cuda", device.is_cuda());
        assert_eq!(profile.name, device.name());
        assert_eq!(profile.compute_capability, device.compute_capability());
        assert_eq!(
            (profile.max_block_threads, profile.max_grid),
            (device.max_block_threads(), device.max_grid())
        );
        assert_eq!(profile.max_cluster_blocks, device.max_cluster_blocks());
        assert_eq!(profile.max_shared_bytes, device.max_shared_bytes() as u64);
        assert_eq!(
            (profile.warp_size, profile.multiprocessors),
            (device.warp_size(), device.multiprocessors())
        );
        assert_eq!(profile.grid_sync, device.can_sync_grid());
        assert_eq!(profile.tensor_cores, device.has_compute_capability(7, 5));
        assert_eq!(profile.async_copies, device.has_compute_capability(8, 0));
        assert!(profile.f16 && profile.bf16 && profile.mul_high && profile.warp_operations && profile.faults);
        assert_eq!((profile.int_bits, profile.device_times), (64, device.is_cuda()));
    }
    // The CPU has none of what is a property of the hardware of a GPU.
    let cpu = Device::cpu().profile();
    assert_eq!(
        (cpu.memory_bytes, cpu.l2_bytes, cpu.thread_registers, cpu.shared_banks),
        (None, None, None, None)
    );
}

/// A GPU of the table is as its profile says: to the unit, but for memory, of which the driver keeps some, and
/// its bandwidth, which data sheets round.
#[test]
fn gpus_are_as_their_profiles_say() {
    let Some(device) = cuda("gpus_are_as_their_profiles_say") else {
        return;
    };
    let found = device.profile();
    let near = |a: Option<u64>, b: Option<u64>| a.unwrap().abs_diff(b.unwrap()) * 20 < b.unwrap();
    for name in [
        ("H200", "h200-sxm"),
        ("H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA L4", "l4"),
    ] {
        if !found.name.contains(name.0) || found.name.contains("L40") {
            continue;
        }
        let mut planned = Profile::known(name.1).unwrap();
        assert!(near(found.memory_bytes, planned.memory_bytes), "{found:?}");
        assert!(near(found.memory_bandwidth, planned.memory_bandwidth), "{found:?}");
        assert!(found.copy_engines.is_some());
        planned.name.clone_from(&found.name);
        planned.memory_bytes = found.memory_bytes;
        planned.max_buffer_bytes = found.max_buffer_bytes;
        planned.memory_bandwidth = found.memory_bandwidth;
        planned.copy_engines = found.copy_engines;
        planned.l2_bytes = planned.l2_bytes.or(found.l2_bytes);
        assert_eq!(found, planned);
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
            let expected = matches!(error, Error::TooLarge { what: LaunchLimit::SharedMemory { .. }, limit: found, .. } if found == limit);
            assert!(expected, "{error}");
        }
    }
}
