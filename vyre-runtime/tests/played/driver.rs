//! Devices, statistics, memory and events of the CUDA back end, on a driver that is played on the host.

use crate::support::saxpy;
use vyre_runtime::{Device, Error, Profile};
use vyre_test_driver::Stage;

/// True in the process that plays a part. In the other one, runs the test there: on a driver of two GPUs, the first
/// of which is taken.
fn plays(test: &str) -> bool {
    if vyre_test_driver::plays(test) {
        return true;
    }
    if let Some(mut stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), test) {
        stage.env("PLAYED_DRIVER_DEVICES", "2").env("PLAYED_DRIVER_TAKEN", "0");
        stage.run();
    }
    false
}

/// A GPU that is taken hides neither the other one nor the CPU, and says why it is missing.
#[test]
fn a_gpu_that_cannot_be_opened_hides_no_other() {
    if !plays("driver::a_gpu_that_cannot_be_opened_hides_no_other") {
        return;
    }
    let ids: Vec<String> = Device::all().iter().map(Device::id).collect();
    assert_eq!(ids, ["cuda:1", "cpu"]);
    let missing = Device::missing();
    let [gpu] = &missing[..] else { panic!("{missing:?}") };
    let unavailable = Error::Driver {
        call: "cuDevicePrimaryCtxRetain",
        code: 46,
        name: "CUDA_ERROR_DEVICE_UNAVAILABLE".into(),
    };
    assert_eq!((&*gpu.id, &gpu.error), ("cuda:0", &unavailable));
    // The best device is not silently a slower one.
    assert_eq!(Device::best().unwrap_err(), unavailable);
    assert_eq!(Device::cpu().why(), Some(unavailable));
}

#[test]
fn devices_open_by_their_names() {
    if !plays("driver::devices_open_by_their_names") {
        return;
    }
    let gpu = Device::open("cuda:1").unwrap();
    assert_eq!(
        (gpu.id(), gpu.to_string()),
        ("cuda:1".into(), "Played GPU (cuda:1)".into())
    );
    assert_eq!(Device::open(&gpu.id()).unwrap(), gpu);
    assert_eq!(gpu.why(), None);
    assert_eq!(
        gpu.version().to_string(),
        format!("vyre {}, CUDA 13.0", env!("CARGO_PKG_VERSION"))
    );
    let backends = Device::backends();
    let listed: Vec<_> = backends.iter().map(|back| (back.name, back.devices)).collect();
    assert_eq!(listed, [("cuda", 2), ("cpu", 1)]);
    assert!(backends.iter().all(|back| back.error.is_none()));
    assert_eq!(
        Device::open("cuda:2").unwrap_err(),
        Error::NoDevice { index: 2, count: 2 }
    );
    for name in [
        "cuda:",
        "cuda:+1",
        "cuda:-1",
        "gpu",
        "CPU",
        "",
        "cuda:99999999999999999999999",
    ] {
        let error = Device::open(name).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("there is no device `{name}`; there are cuda:0, cuda:1, cpu")
        );
    }
}

/// Each number is the driver's own or follows from the compute capability; what nobody reports is absent.
#[test]
fn a_profile_has_what_the_driver_reports() {
    if !plays("driver::a_profile_has_what_the_driver_reports") {
        return;
    }
    let profile = Device::open("cuda:1").unwrap().profile();
    let planned = Profile::known("h100-sxm").unwrap();
    assert_eq!((&*profile.backend, &*profile.name), ("cuda", "Played GPU"));
    assert_eq!(profile.multiprocessors, 4);
    assert_eq!(profile.memory_bytes, Some(1 << 30));
    assert_eq!(profile.max_buffer_bytes, 1 << 30);
    // 2.619 GHz, twice in a cycle, 640 bytes: near the number of the data sheet.
    assert_eq!(profile.memory_bandwidth, Some(3_352_320_000_000));
    assert!(
        profile
            .memory_bandwidth
            .unwrap()
            .abs_diff(planned.memory_bandwidth.unwrap())
            < 10_000_000_000
    );
    assert_eq!((profile.l2_bytes, profile.copy_engines), (None, Some(3)));
    // The played GPU reports what the table has for its capability: all else is that of an H100.
    let mut rest = profile;
    rest.name.clone_from(&planned.name);
    rest.multiprocessors = planned.multiprocessors;
    rest.memory_bytes = planned.memory_bytes;
    rest.max_buffer_bytes = planned.max_buffer_bytes;
    rest.memory_bandwidth = planned.memory_bandwidth;
    rest.l2_bytes = planned.l2_bytes;
    rest.copy_engines = planned.copy_engines;
    assert_eq!(rest, planned);
}

/// The pool of the played driver grows by 2 MiB.
const CHUNK: u64 = 2 << 20;

#[test]
fn memory_is_held_and_given_back() {
    if !plays("driver::memory_is_held_and_given_back") {
        return;
    }
    let gpu = Device::open("cuda:1").unwrap();
    let start = gpu.memory().unwrap();
    assert_eq!((start.in_use, start.high_water), (0, 0));
    // What the runtime itself needs fits into one chunk. Half of the memory is kept.
    assert_eq!((start.held, start.kept, start.limit), (CHUNK, 512 << 20, Some(1 << 30)));

    let first = gpu.zeros::<u8>(64 << 20).unwrap();
    let second = gpu.zeros::<u8>(600 << 20).unwrap();
    drop(first);
    let memory = gpu.memory().unwrap();
    assert_eq!((memory.in_use, memory.high_water), (600 << 20, 664 << 20));
    assert_eq!(memory.held, (664 << 20) + CHUNK);
    drop(second);
    // The driver gives back at a wait what is above the share that is kept.
    gpu.synchronize().unwrap();
    let memory = gpu.memory().unwrap();
    assert_eq!((memory.in_use, memory.held), (0, 512 << 20));
    gpu.reset_stats();
    let after = gpu.memory().unwrap();
    assert_eq!((after.high_water, after.held), (0, memory.held));

    gpu.keep_memory(16 << 20).unwrap();
    gpu.synchronize().unwrap();
    let memory = gpu.memory().unwrap();
    assert_eq!((memory.held, memory.kept), (16 << 20, 16 << 20));
    gpu.trim_memory().unwrap();
    assert_eq!(gpu.memory().unwrap().held, CHUNK);
    // Too much is refused, and changes nothing that is counted.
    let error = gpu.zeros::<u8>(2 << 30).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { requested, .. } if requested == 2 << 30));
    assert_eq!(gpu.memory().unwrap().in_use, 0);
}

#[test]
fn a_gpu_counts_what_it_does() {
    if !plays("driver::a_gpu_counts_what_it_does") {
        return;
    }
    let gpu = Device::open("cuda:1").unwrap();
    gpu.reset_stats();
    let x = gpu.upload(&[1.0f32; 1000]).unwrap();
    let mut y = gpu.zeros::<f32>(1000).unwrap();
    let stream = gpu.stream().unwrap();
    for _ in 0..3 {
        saxpy(2.0, &x, &mut y).over(1000).launch(&gpu).unwrap();
    }
    // The other stream waits for the two uses of the first one; an empty domain is no launch.
    saxpy(2.0, &x, &mut y).over(1000).on(&stream).launch(&gpu).unwrap();
    saxpy(2.0, &x, &mut y).over(0).launch(&gpu).unwrap();
    y.copy_from(&x).unwrap();
    assert_eq!(y.slice(..10).unwrap().download().unwrap(), [1.0; 10]);
    drop(x);
    let stats = gpu.stats();
    let found = |name: &str| stats.metrics().iter().find(|(other, _)| *other == name).unwrap().1;
    assert_eq!(found("launches"), 4);
    assert_eq!(found("kernels_loaded"), 1);
    assert_eq!(
        (
            found("uploaded_bytes"),
            found("copied_bytes"),
            found("downloaded_bytes")
        ),
        (4000, 4000, 40)
    );
    assert_eq!((found("allocations"), found("frees")), (2, 1));
    // All of it fits into the first chunk: two buffers, and what the runtime keeps for a stream.
    assert_eq!(found("pool_hits"), 3);
    assert!(found("events_recorded") > 0);
    assert_eq!(stats.faults, 0);
    // A reset forgets no kernel.
    gpu.reset_stats();
    saxpy(2.0, &y.try_clone().unwrap(), &mut y)
        .over(1000)
        .launch(&gpu)
        .unwrap();
    let stats = gpu.stats();
    assert_eq!((stats.launches, stats.kernels_loaded, stats.allocations), (1, 0, 1));
    // The pool grows for what does not fit.
    gpu.reset_stats();
    let large = gpu.zeros::<u8>(64 << 20).unwrap();
    assert_eq!(gpu.stats().pool_hits, 0);
    drop(large);
    let _again = gpu.zeros::<u8>(64 << 20).unwrap();
    assert_eq!(gpu.stats().pool_hits, 1);
}

/// An event that is dropped is recorded again, and one that is held keeps its time.
#[test]
fn events_are_used_again() {
    if !plays("driver::events_are_used_again") {
        return;
    }
    let gpu = Device::open("cuda:1").unwrap();
    let stream = gpu.stream().unwrap();
    let start = stream.record().unwrap();
    for _ in 0..9 {
        stream.record().unwrap();
    }
    let end = stream.record().unwrap();
    // The played driver takes a millisecond for each record.
    assert_eq!(end.since(&start).unwrap(), std::time::Duration::from_millis(10));
    assert_eq!(start.since(&end).unwrap(), std::time::Duration::ZERO);
    stream.wait(&end).unwrap();
    assert_eq!(gpu.stats().events_recorded, 11);
    let there = Device::cpu().default_stream().record().unwrap();
    let error = stream.wait(&there).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the event belongs to CPU and was used on Played GPU (cuda:1); wait for it on the host, by `event.wait()`, or \
         record one on Played GPU (cuda:1)"
    );
    assert!(matches!(there.since(&end), Err(Error::WrongDevice { .. })));
    assert!(matches!(end.since(&there), Err(Error::WrongDevice { .. })));
}

/// Streams are leased again for their own priority alone.
#[test]
fn streams_have_priorities() {
    if !plays("driver::streams_have_priorities") {
        return;
    }
    let gpu = Device::open("cuda:1").unwrap();
    assert_eq!(gpu.max_stream_priority(), 5);
    let priorities = |numbers: [u32; 4]| numbers.map(|number| gpu.stream_with_priority(number).unwrap().priority());
    assert_eq!(priorities([0, 5, 3, 100]), [0, 5, 3, 5]);
    let first = format!("{:?}", gpu.stream_with_priority(3).unwrap());
    let ordinary = format!("{:?}", gpu.stream().unwrap());
    assert_eq!(format!("{:?}", gpu.stream_with_priority(3).unwrap()), first);
    assert_eq!(format!("{:?}", gpu.stream().unwrap()), ordinary);
    assert_ne!(first, ordinary);
    assert_eq!(gpu.default_stream().priority(), 0);
}

/// Launches of many threads, on a stream that all share, on one that some share and on their own, are neither lost nor
/// leave anything behind.
#[test]
fn many_threads_launch_often() {
    if !plays("driver::many_threads_launch_often") {
        return;
    }
    let driver = vyre_test_driver::Driver::of("driver::many_threads_launch_often").unwrap();
    const THREADS: u64 = 64;
    const LAUNCHES: u64 = 10_000;
    let gpu = Device::open("cuda:1").unwrap();
    let (x, shared) = (gpu.upload(&[1.0f32; 10]).unwrap(), gpu.stream().unwrap());
    let round = |launches: u64| {
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (gpu, x, shared) = (&gpu, &x, &shared);
                scope.spawn(move || {
                    let stream = match thread % 3 {
                        0 => gpu.default_stream(),
                        1 => shared.clone(),
                        _ => gpu.stream().unwrap(),
                    };
                    let mut y = gpu.zeros::<f32>(10).unwrap();
                    for _ in 0..launches {
                        saxpy(1.0, x, &mut y).over(10).on(&stream).launch(gpu).unwrap();
                    }
                    y.download().unwrap();
                });
            }
        });
        gpu.synchronize().unwrap();
    };
    // Streams are kept for later.
    round(1);
    gpu.reset_stats();
    let (before, in_use) = (driver.calls("cuLaunchKernel"), gpu.memory().unwrap().in_use);
    round(LAUNCHES);
    assert_eq!(driver.calls("cuLaunchKernel") - before, THREADS * LAUNCHES);
    assert_eq!((gpu.stats().launches, gpu.stats().faults), (THREADS * LAUNCHES, 0));
    assert_eq!(gpu.memory().unwrap().in_use, in_use);
}
