//! Launches whose extent is on the device, whether all blocks of a launch run at the same time, and calls that leave when
//! they are late: on the CPU, and on a GPU if there is one.

use std::time::{Duration, Instant};

use vyre::ir::text;
use vyre::prelude::*;
use vyre::{Config, Error, FaultKind, Kernel, Launch, Pipeline};

#[allow(unreachable_pub, reason = "other tests share the file")]
#[path = "examples/devices.rs"]
mod devices;

use devices::devices;

/// The program of a launcher, as a pipeline.
fn pipeline<K: Kernel>(device: &Device) -> Pipeline {
    let program = text::parse(K::info().program).unwrap_or_else(|error| panic!("{error}"));
    // SAFETY: the calls below pass what the launchers would.
    unsafe { device.compile_trusted(program) }.unwrap()
}

/// Each thread notes that it has run. Has a coarsened entry.
#[vyre::kernel(block = 64)]
fn note(#[each] y: &mut u32) {
    *y += 1;
}

#[vyre::kernel(block = [8, 4])]
fn note_2d(width: usize, y: &mut [u32]) {
    let (x, row) = thread::index_2d();
    y[row * width + x] += 1;
}

/// The number of those that fulfil a condition.
#[vyre::kernel(block = 64)]
fn count(#[each] x: &u32, n: &[AtomicU32]) {
    if *x % 3 == 1 {
        n[0].fetch_add(1, Ordering::Relaxed);
    }
}

#[vyre::constant]
static STEP: [u32; 1] = [5];

/// Reads a constant of the host, and calls a device function, behind a barrier.
#[vyre::kernel(block = 64)]
fn staged(a: u32, y: &mut [u32]) {
    let values = shared::<[u32; 64]>();
    values[thread::idx().x] = scaled(a);
    block::sync();
    y[thread::index()] = values[63 - thread::idx().x];
}

#[vyre::device]
fn scaled(a: u32) -> u32 {
    a * STEP[0]
}

/// What a launch over `extent` leaves, if whole blocks run.
fn noted(length: usize, extent: usize) -> Vec<u32> {
    let ran = extent.div_ceil(64) * 64;
    (0..length).map(|i| u32::from(i < ran)).collect()
}

#[test]
fn an_extent_is_read_on_the_device() {
    for device in devices("an_extent_is_read_on_the_device") {
        const LENGTH: usize = 10_000;
        for extent in [0, 1, 63, 64, 65, 640, 9_999, LENGTH] {
            let n = device.upload(&[extent as u32]).unwrap();
            let mut y = device.zeros::<u32>(LENGTH).unwrap();
            note(&mut y).over(LENGTH).over_device(&n).launch(&device).unwrap();
            assert_eq!(y.download().unwrap(), noted(LENGTH, extent), "{extent}");
            let mut y = device.zeros::<u32>(LENGTH.next_multiple_of(64)).unwrap();
            let launch = Launch::grid(staged(3, &mut y), [LENGTH.div_ceil(64) as u32, 1, 1]);
            launch.over_device(&n).launch(&device).unwrap();
            let expected: Vec<u32> = noted(y.len(), extent).iter().map(|ran| 15 * ran).collect();
            assert_eq!(y.download().unwrap(), expected, "{extent}");
        }
        // Behind the kernel that computes it, and on another stream.
        let x = device.upload(&(0..3000).collect::<Vec<u32>>()).unwrap();
        let (mut n, mut y) = (device.zeros::<u32>(1).unwrap(), device.zeros::<u32>(3000).unwrap());
        let stream = device.stream().unwrap();
        count(&x, &mut n).over(3000).launch(&device).unwrap();
        let launch = note(&mut y).over(3000).on(&stream).over_device(&n);
        launch.launch(&device).unwrap();
        assert_eq!(y.download().unwrap(), noted(3000, 1000));
    }
}

/// In sequences and graphs the extent is read in each run; one that is too large is the fault of that run.
#[test]
fn recorded_launches_read_their_extents() {
    for device in devices("recorded_launches_read_their_extents") {
        let x = device.upload(&(0..3000).collect::<Vec<u32>>()).unwrap();
        let (mut n, mut y) = (device.zeros::<u32>(1).unwrap(), device.zeros::<u32>(3000).unwrap());
        let (m, mut z) = (device.upload(&[65u32]).unwrap(), device.zeros::<u32>(640).unwrap());
        let mut steps = vyre::Sequence::new(&device);
        steps.fill(&mut n, 0).unwrap();
        steps.fill(&mut y, 0).unwrap();
        steps.launch(count(&x, &mut n).over(3000)).unwrap();
        steps.launch(note(&mut y).over(3000).over_device(&n)).unwrap();
        steps.fill(&mut z, 0).unwrap();
        let wide = Launch::grid(staged(3, &mut z), [10, 1, 1]);
        steps.launch(wide.over_device(&m)).unwrap();
        let read = steps.read(&y, ..).unwrap();
        for _ in 0..2 {
            let values = steps.run().unwrap();
            assert_eq!(values.get(&read), Some(&noted(3000, 1000)[..]));
            let expected: Vec<u32> = noted(640, 65).iter().map(|ran| 15 * ran).collect();
            assert_eq!(z.download().unwrap(), expected);
        }
        let mut graph = steps.into_graph().unwrap();
        let mut m = m;
        for extent in [0u32, 640, 1] {
            m.write(&[extent]).unwrap();
            assert_eq!(graph.run().unwrap().get(&read), Some(&noted(3000, 1000)[..]));
            let expected: Vec<u32> = noted(640, extent as usize).iter().map(|ran| 15 * ran).collect();
            assert_eq!(z.download().unwrap(), expected, "{extent}");
        }
        m.write(&[641]).unwrap();
        let fault = graph.run().unwrap_err().to_string();
        assert!(
            fault.contains("the extent on the device is 641, for which 11 blocks are needed"),
            "{fault}"
        );
        assert!(z.download().is_err());
        m.write(&[64]).unwrap();
        graph.run().unwrap();
        assert_eq!(z.download().unwrap().iter().sum::<u32>(), 15 * 64);

        // A launch that does not fit is refused when it is recorded.
        let mut steps = vyre::Sequence::new(&device);
        let two = device.upload(&[1u32, 1]).unwrap();
        assert!(matches!(
            steps.launch(note(&mut y).over(3000).over_device(&two)),
            Err(Error::LengthMismatch { .. })
        ));
    }
}

#[test]
fn an_extent_has_an_axis_for_each_of_the_kernel() {
    for device in devices("an_extent_has_an_axis_for_each_of_the_kernel") {
        const WIDTH: usize = 40;
        let n = device.upload(&[9u32, 5]).unwrap();
        let mut y = device.zeros::<u32>(WIDTH * 20).unwrap();
        let launch = note_2d(WIDTH, &mut y).over([WIDTH, 20]);
        launch.over_device(&n).launch(&device).unwrap();
        let ran = |i: usize| u32::from(i % WIDTH < 16 && i / WIDTH < 8);
        assert_eq!(y.download().unwrap(), (0..WIDTH * 20).map(ran).collect::<Vec<_>>());
        let launch = note(&mut y).over(WIDTH).over_device(&n);
        let error = launch.launch(&device).unwrap_err();
        assert!(
            matches!(
                error,
                Error::LengthMismatch {
                    first_length: 2,
                    second_length: 1,
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn calls_read_their_extents_too() {
    for device in devices("calls_read_their_extents_too") {
        let pipeline = pipeline::<Note2d>(&device);
        let n = device.upload(&[9u32, 5]).unwrap();
        let call = || pipeline.call().value(40u64).zeroed(800).over([40, 20]);
        let outputs = call().over_device(&n).run().unwrap();
        let expected: Vec<u32> = (0..800).map(|i| u32::from(i % 40 < 16 && i / 40 < 8)).collect();
        assert_eq!(outputs.get("y").unwrap().values::<u32>().unwrap(), expected);
        // The pipeline itself is as before.
        let outputs = call().run().unwrap();
        assert_eq!(outputs.get("y").unwrap().values::<u32>().unwrap(), [1; 800]);
    }
}

/// The fault is that of the launch, and one on each device.
#[test]
fn an_extent_past_the_launch_is_a_fault() {
    let mut texts = Vec::new();
    for device in devices("an_extent_past_the_launch_is_a_fault") {
        let n = device.upload(&[129u32]).unwrap();
        let mut y = device.zeros::<u32>(128).unwrap();
        note(&mut y).over(128).over_device(&n).launch(&device).unwrap();
        let mut tell = |error: Error| match error {
            Error::Fault(fault) => {
                assert_eq!((fault.kind, &*fault.kernel), (FaultKind::Assertion, "note"));
                texts.push(fault.to_string());
            }
            other => panic!("{other}"),
        };
        tell(device.synchronize().unwrap_err());
        // And each time for what it was to write.
        tell(y.download().unwrap_err());
        let error = pipeline::<Note>(&device)
            .call()
            .zeroed(128)
            .over(128)
            .over_device(&n)
            .run()
            .unwrap_err();
        tell(error);
        y.fill(0).unwrap();
        note(&mut y).over(128).launch(&device).unwrap();
        assert_eq!(y.download().unwrap(), [1; 128]);
    }
    assert!(texts[0].contains("is 129, for which 3 blocks are needed along an axis that has 2"));
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
}

#[vyre::kernel]
fn strided(y: &mut [u32]) {
    let mut i = thread::index();
    while i < y.len() {
        y[i] += 1;
        i += grid::dim().x * block::dim().x;
    }
}

#[vyre::kernel(block = 64)]
fn meeting(y: &[AtomicU32]) {
    y[0].fetch_add(1, Ordering::Relaxed);
    grid::sync();
    y[1].fetch_max(y[0].load(Ordering::Relaxed), Ordering::Relaxed);
}

#[test]
fn kernels_that_would_see_the_blocks_that_end_are_refused() {
    for device in devices("kernels_that_would_see_the_blocks_that_end_are_refused") {
        let n = device.upload(&[1u32]).unwrap();
        let mut y = device.zeros::<u32>(2).unwrap();
        let refused = [
            strided(&mut y).over(1).over_device(&n).launch(&device),
            meeting(&mut y).over(1).over_device(&n).launch(&device),
            pairs(&mut y).over(1).over_device(&n).launch(&device),
        ];
        let reasons = ["the size of the grid", "waits for the whole grid", "has clusters"];
        for (refused, reason) in refused.into_iter().zip(reasons) {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert_eq!(y.download().unwrap(), [0, 0]);
    }
}

/// Has 40 KiB of shared memory.
#[vyre::kernel(block = 32)]
fn roomy(y: &mut [u32]) {
    let values = shared::<[u32; 10_240]>();
    values[320 * thread::idx().x] = thread::idx().x as u32;
    block::sync();
    y[thread::index()] = values[320 * (31 - thread::idx().x)];
}

/// The CPU refuses what GPUs do.
#[test]
fn static_shared_memory_counts() {
    for device in devices("static_shared_memory_counts") {
        let pipeline = pipeline::<Roomy>(&device);
        let call = |bytes| pipeline.call().zeroed(32).over(32).shared_bytes(bytes);
        let most = device.max_shared_bytes();
        let error = call(most - 40_000).run().unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error}");
        assert_eq!(call(most - 40_000).fits().unwrap_err(), error);
        let outputs = call(most - 40_960).run().unwrap();
        assert_eq!(outputs.get("y").unwrap().values::<u32>().unwrap()[..3], [31, 30, 29]);
    }
}

/// Each block waits until all have come.
#[vyre::kernel(block = 128)]
fn assembled(y: &[AtomicU32]) {
    all_come(y, grid::dim().x as u32);
}

#[vyre::kernel(block = 128, cluster = 2)]
fn pairs(y: &[AtomicU32]) {
    all_come(y, grid::dim().x as u32);
}

#[vyre::kernel(block = 128, cluster = 8)]
fn eights(y: &[AtomicU32]) {
    all_come(y, grid::dim().x as u32);
}

#[vyre::device]
fn all_come(y: &[AtomicU32], blocks: u32) {
    if thread::idx().x == 0 {
        y[0].fetch_add(1, Ordering::Relaxed);
        while y[0].load(Ordering::Relaxed) < blocks {}
    }
}

/// As many blocks as fit run at the same time, and no more are said to.
#[test]
fn all_blocks_that_fit_run_at_the_same_time() {
    for device in devices("all_blocks_that_fit_run_at_the_same_time") {
        let mut y = device.zeros::<u32>(2).unwrap();
        let most = device.resident_blocks(&assembled(&mut y), 0).unwrap();
        if device.is_cuda() {
            assert!(!assembled(&mut y).grid(most + 1).fits(&device).unwrap());
            // Half of the shared memory of a multiprocessor for each block.
            let bytes = device.max_shared_bytes() / 2;
            let few = device.resident_blocks(&assembled(&mut y), bytes).unwrap();
            assert!(few < most && few >= device.multiprocessors());
            assert!(!assembled(&mut y).grid(most).shared_bytes(bytes).fits(&device).unwrap());
        }
        let blocks = if device.is_cuda() { most } else { 64 };
        assert!(assembled(&mut y).grid(blocks).fits(&device).unwrap());
        assembled(&mut y).grid(blocks).launch(&device).unwrap();
        assert_eq!(y.download().unwrap()[0], blocks);

        let most = device.resident_blocks(&meeting(&mut y), 0).unwrap();
        assert!(meeting(&mut y).grid(most).fits(&device).unwrap());
        assert!(!meeting(&mut y).grid(most + 1).fits(&device).unwrap());
    }
}

#[test]
fn all_clusters_that_fit_run_at_the_same_time() {
    for device in devices("all_clusters_that_fit_run_at_the_same_time") {
        if device.max_cluster_blocks() < 8 {
            continue;
        }
        let mut y = device.zeros::<u32>(2).unwrap();
        let most = [
            device.resident_blocks(&pairs(&mut y), 0).unwrap(),
            device.resident_blocks(&eights(&mut y), 0).unwrap(),
        ];
        for (most, cluster) in most.into_iter().zip([2, 8]) {
            assert!(most > 0 && most % cluster == 0, "{most} in clusters of {cluster}");
            let launch = |y, blocks| match cluster {
                2 => pairs(y).grid(blocks).launch(&device),
                _ => eights(y).grid(blocks).launch(&device),
            };
            let mut fits = |blocks| match cluster {
                2 => pairs(&mut y).grid(blocks).fits(&device).unwrap(),
                _ => eights(&mut y).grid(blocks).fits(&device).unwrap(),
            };
            assert!(fits(most) && !fits(most + cluster));
            // On the CPU one cluster runs after the other.
            if device.is_cuda() {
                y.fill(0).unwrap();
                launch(&mut y, most).unwrap();
                assert_eq!(y.download().unwrap()[0], most);
            }
        }
    }
}

/// Waits for what nobody writes, in many blocks.
#[vyre::kernel(block = 256)]
fn forever(y: &[AtomicU32]) {
    while y[0].load(Ordering::Relaxed) == 0 {}
}

/// One block does not come to the barrier until it is told to.
#[vyre::kernel(block = 64)]
fn never_meeting(y: &[AtomicU32]) {
    if block::idx().x == 0 {
        while y[0].load(Ordering::Relaxed) == 0 {}
    }
    grid::sync();
}

#[test]
fn a_late_call_leaves() {
    for device in devices("a_late_call_leaves").filter(Device::is_cuda) {
        const LIMIT: Duration = Duration::from_millis(100);
        let config = Config::new().timeout(LIMIT);
        for (pipeline, blocks) in [
            (pipeline::<Forever>(&device), 10_000),
            (pipeline::<NeverMeeting>(&device), device.multiprocessors()),
        ] {
            let began = Instant::now();
            let mut y = device.zeros::<u32>(1).unwrap();
            let call = pipeline.call().resident_mut(&mut y).grid([blocks, 1, 1]);
            let error = call.config(&config).run().unwrap_err();
            assert!(matches!(error, Error::Timeout { limit: LIMIT, .. }), "{error}");
            // It was told once, the kernel has left, and what it was to write is worth nothing until it is written again.
            device.synchronize().unwrap();
            assert!(began.elapsed() < Duration::from_secs(20));
            assert_eq!(y.download().unwrap_err(), error);
            assert_eq!(y.download().unwrap_err(), error);
            y.fill(1).unwrap();
            let call = pipeline.call().resident_mut(&mut y).grid([blocks, 1, 1]);
            call.config(&config).run().unwrap();
            assert_eq!(y.download().unwrap(), [1]);
        }
    }
}

/// Rotates the values by half, and then adds those of the neighbour: the first value of a thread lasts over a barrier, its
/// index is computed again.
#[vyre::kernel(block = 64)]
fn mix(x: &[AtomicU32], seeds: Slice2<'_, u32>, log: &[AtomicU32]) {
    let i = thread::index();
    let n = x.len();
    let half = x[(i + n / 2) % n].load(Ordering::Relaxed);
    let was = x[i].load(Ordering::Relaxed);
    grid::sync();
    x[i].store(half ^ seeds[[1, 2]], Ordering::Relaxed);
    grid::sync();
    let next = x[(i + 1) % n].load(Ordering::Relaxed);
    log[i].store(next.wrapping_add(was), Ordering::Relaxed);
}

fn mixed(values: &[u32], seed: u32) -> (Vec<u32>, Vec<u32>) {
    let n = values.len();
    let rotated: Vec<u32> = (0..n).map(|i| values[(i + n / 2) % n] ^ seed).collect();
    let log = (0..n).map(|i| rotated[(i + 1) % n].wrapping_add(values[i])).collect();
    (rotated, log)
}

#[test]
fn a_kernel_is_cut_at_its_barriers() {
    for device in devices("a_kernel_is_cut_at_its_barriers") {
        let seeds = device.upload(&[1, 2, 3, 4, 5, 77u32]).unwrap();
        // Grids that fit, and one that does not.
        let large = if device.is_cuda() { 1 << 22 } else { 64 * 40 };
        for (n, split) in [(64 * 2, false), (64 * 2, true), (large, true)] {
            let values: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            let (mut x, mut log) = (device.upload(&values).unwrap(), device.zeros::<u32>(n).unwrap());
            let launch = mix(&mut x, seeds.view2(2, 3).unwrap(), &mut log).over(n);
            assert_eq!(launch.fits(&device).unwrap(), n != large);
            let before = device.stats().launches;
            launch.split(split).launch(&device).unwrap();
            let launches = if split { 3 } else { 1 };
            assert_eq!(device.stats().launches - before, launches);
            assert_eq!((x.download().unwrap(), log.download().unwrap()), mixed(&values, 77));
        }
        let (mut x, mut log) = (device.zeros::<u32>(large).unwrap(), device.zeros::<u32>(large).unwrap());
        let launch = mix(&mut x, seeds.view2(2, 3).unwrap(), &mut log).over(large);
        let error = launch.launch(&device).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error}");
        // An empty domain, a time, and a stream.
        let stream = device.stream().unwrap();
        mix(&mut x, seeds.view2(2, 3).unwrap(), &mut log)
            .over(0)
            .split(true)
            .launch(&device)
            .unwrap();
        let launch = mix(&mut x, seeds.view2(2, 3).unwrap(), &mut log).over(large);
        let timing = launch.split(true).on(&stream).launch_timed(&device).unwrap();
        assert!(timing.device.is_some());
        assert_eq!(log.download().unwrap(), vec![77; large]);
    }
}

#[test]
fn a_call_is_cut_at_barriers() {
    for device in devices("a_call_is_cut_at_barriers") {
        let n = if device.is_cuda() { 1 << 22 } else { 64 * 40 };
        let pipeline = pipeline::<Total>(&device);
        let values: Vec<u8> = (0..n as u32).flat_map(|i| (i % 10).to_le_bytes()).collect();
        let call = || pipeline.call().bytes(&values).zeroed(n / 64 + 1).over(n);
        let error = call().run().unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error}");
        let expected: u32 = (0..n as u32).map(|i| i % 10).sum();
        let sum = |outputs: &vyre::Outputs| outputs.get("sums").unwrap().values::<u32>().unwrap()[0];
        let (hits, before) = (device.pipeline_cache().misses, device.stats().launches);
        assert_eq!(sum(&call().split(true).run().unwrap()), expected);
        assert_eq!(sum(&call().split(true).start().unwrap().wait().unwrap()), expected);
        let mut outputs = vyre::Outputs::new();
        call().split(true).run_timed(&mut outputs).unwrap();
        assert_eq!(sum(&outputs), expected);
        assert_eq!(device.stats().launches - before, 6);
        assert!(device.pipeline_cache().misses <= hits + 1);
    }
}

/// Adds up blocks, and then their sums.
#[vyre::kernel(block = 64)]
fn total(x: &[u32], sums: &[AtomicU32]) {
    sums[1 + block::idx().x].fetch_add(x[thread::index()], Ordering::Relaxed);
    grid::sync();
    let block = thread::index();
    if block < grid::dim().x {
        sums[0].fetch_add(sums[1 + block].load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Waits, behind its barrier, for what a thread before it has not written.
#[vyre::kernel(block = 64)]
fn stuck(x: &[u32], flags: &[AtomicU32]) {
    let i = thread::index();
    flags[i].store(x[i], Ordering::Relaxed);
    grid::sync();
    while flags[(i + 1) % flags.len()].load(Ordering::Relaxed) == 0 {}
    grid::sync();
    flags[i + x.len()].store(1, Ordering::Relaxed);
}

/// The next parts do not run, and the launch tells one fault: its own.
#[test]
fn a_fault_ends_the_parts() {
    for device in devices("a_fault_ends_the_parts") {
        let n = 64 * 40;
        let (x, mut flags) = (device.upload(&vec![1; n - 1]).unwrap(), device.zeros::<u32>(n).unwrap());
        stuck(&x, &mut flags).over(n).split(true).launch(&device).unwrap();
        let Err(Error::Fault(fault)) = flags.download() else {
            panic!("the last thread is out of bounds");
        };
        assert_eq!(
            (fault.kind, fault.values, &*fault.kernel),
            (FaultKind::IndexOutOfBounds, [2559, 2559], "stuck")
        );
        device.synchronize().unwrap();
        let timed = stuck(&x, &mut flags).over(n).split(true).launch_timed(&device);
        assert!(matches!(timed, Err(Error::Fault(_))), "{timed:?}");
        device.synchronize().unwrap();
    }
}

/// Turns of a ring: in each one every thread takes what its neighbour has, and adds the sum of its block.
#[vyre::kernel(block = 64)]
fn turns(x: &[AtomicU32], log: &mut [u32], turns: u32) {
    let i = thread::index();
    let mut seen = 0;
    for turn in 0..turns {
        let next = x[(i + 1) % x.len()].load(Ordering::Relaxed);
        let sum = block::sum(next % 7);
        grid::sync();
        if turn % 3 == 2 {
            x[i].store(next ^ turn, Ordering::Relaxed);
            grid::sync();
            continue;
        }
        x[i].store(next.wrapping_add(sum), Ordering::Relaxed);
        seen += sum;
        grid::sync();
    }
    log[i] = seen;
}

fn turned(x: &mut [u32], turns: u32) -> Vec<u32> {
    let mut log = vec![0; x.len()];
    for turn in 0..turns {
        x.rotate_left(1);
        for (block, log) in x.chunks_mut(64).zip(log.chunks_mut(64)) {
            let sum: u32 = block.iter().map(|value| value % 7).sum();
            for (value, log) in block.iter_mut().zip(log) {
                match turn % 3 {
                    2 => *value ^= turn,
                    _ => {
                        *value = value.wrapping_add(sum);
                        *log += sum;
                    }
                }
            }
        }
    }
    log
}

/// The trip count is known to the device alone, and is 0, 1, or more than the host queues at once.
#[test]
fn a_kernel_is_cut_in_its_loops() {
    for device in devices("a_kernel_is_cut_in_its_loops") {
        let large = if device.is_cuda() { 1 << 19 } else { 64 * 40 };
        let many = if device.is_cuda() { 150 } else { 5 };
        for (n, trips) in [(128, 0), (128, 1), (128, 9), (large, many)] {
            let mut expected: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            let (mut x, mut log) = (device.upload(&expected).unwrap(), device.zeros::<u32>(n).unwrap());
            turns(&mut x, &mut log, trips)
                .over(n)
                .split(true)
                .launch(&device)
                .unwrap();
            let seen = turned(&mut expected, trips);
            assert!(x.download().unwrap() == expected, "{trips} turns of {n}");
            assert!(log.download().unwrap() == seen, "{trips} turns of {n}");
        }
        // By a call, and on a stream with a time.
        let mut expected: Vec<u32> = (0..large as u32).collect();
        let bytes: Vec<u8> = expected.iter().flat_map(|value| value.to_le_bytes()).collect();
        let pipeline = pipeline::<Turns>(&device);
        let call = pipeline.call().bytes(&bytes).zeroed(large).value(4u32).over(large);
        let outputs = call.split(true).run().unwrap();
        let (mut x, mut log) = (device.upload(&expected).unwrap(), device.zeros::<u32>(large).unwrap());
        let stream = device.stream().unwrap();
        let launch = turns(&mut x, &mut log, 4).over(large).split(true).on(&stream);
        assert!(launch.launch_timed(&device).unwrap().device.is_some());
        let seen = turned(&mut expected, 4);
        assert!(x.download().unwrap() == expected && log.download().unwrap() == seen);
        assert!(outputs.get("log").unwrap().values::<u32>().unwrap() == seen);
    }
}

/// Reads behind the end in the turn of that number, and goes on for ever without it.
#[vyre::kernel(block = 64)]
fn endless(x: &mut [u32], turn: u64) {
    let mut now = 0;
    loop {
        x[thread::index()] = now as u32;
        if now == turn {
            x[x.len() + thread::index()] = 1;
        }
        grid::sync();
        now += 1;
    }
}

/// Some blocks do not come to the barrier.
#[vyre::kernel(block = 64)]
fn some(x: &mut [u32]) {
    for turn in 0..4 {
        if turn < 2 || block::idx().x == 0 {
            grid::sync();
        }
        x[thread::index()] = turn;
    }
}

/// Most blocks do not come to the barrier.
#[vyre::kernel(block = 64)]
fn few(x: &mut [u32]) {
    if block::idx().x == 1 {
        grid::sync();
    }
    x[thread::index()] = 1;
}

#[test]
fn faults_and_limits_end_loops() {
    for device in devices("faults_and_limits_end_loops") {
        let n = 64 * 40;
        let mut x = device.zeros::<u32>(n).unwrap();
        // The fault of the launch, and of its memory until that is written.
        let error = endless(&mut x, 3).over(n).split(true).launch(&device).unwrap_err();
        let Error::Fault(fault) = &error else { panic!("{error}") };
        assert_eq!(fault.kind, FaultKind::IndexOutOfBounds);
        assert_eq!(x.download().unwrap_err(), error);
        let _ = device.synchronize();
        x.fill(0).unwrap();
        // A limit.
        let pipeline = pipeline::<Endless>(&device);
        let config = Config::new().timeout(Duration::from_millis(200));
        let call = pipeline.call().resident_mut(&mut x).value(u64::MAX).over(n).split(true);
        let error = call.config(&config).run().unwrap_err();
        assert!(matches!(error, Error::Timeout { .. }), "{error}");
        let _ = device.synchronize();
        x.fill(0).unwrap();
        let error = some(&mut x).over(n).split(true).launch(&device).unwrap_err();
        let Error::Fault(fault) = &error else { panic!("{error}") };
        assert_eq!((fault.kind, &*fault.kernel), (FaultKind::GridBarrier, "some"));
        assert!(error.to_string().contains("launching.rs:"), "{error}");
        let error = few(&mut x).over(n).split(true).launch(&device).unwrap_err();
        assert!(
            matches!(&error, Error::Fault(fault) if fault.kind == FaultKind::GridBarrier),
            "{error}"
        );
    }
}

#[vyre::kernel(block = 64)]
fn through_shared(y: &mut [u32]) {
    let counts = shared::<[AtomicU32; 64]>();
    counts[thread::idx().x].store(y[thread::index()], Ordering::Relaxed);
    grid::sync();
    y[thread::index()] = counts[63 - thread::idx().x].load(Ordering::Relaxed);
}

#[vyre::kernel(block = 64)]
fn through_a_slice(y: &[AtomicU32], parts: &[u32]) {
    for turn in 0..2 {
        let part = &parts[turn * 64..];
        grid::sync();
        y[thread::index()].fetch_add(part[0], Ordering::Relaxed);
    }
}

#[test]
fn kernels_that_cannot_be_cut_are_refused() {
    for device in devices("kernels_that_cannot_be_cut_are_refused") {
        let mut y = device.zeros::<u32>(64).unwrap();
        let told = |done: vyre::Result<()>, parts: [&str; 2]| {
            let error = done.unwrap_err();
            assert!(matches!(error, Error::Unsupported { .. }), "{error}");
            let text = error.to_string();
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        };
        let parts = device.zeros::<u32>(128).unwrap();
        told(
            through_a_slice(&mut y, &parts).over(64).split(true).launch(&device),
            ["a reference from before", "launching.rs:"],
        );
        told(
            through_shared(&mut y).over(64).split(true).launch(&device),
            ["`counts`", "store what is to last"],
        );
        let mut steps = vyre::Sequence::new(&device);
        let mut log = device.zeros::<u32>(64).unwrap();
        let launch = turns(&mut y, &mut log, 3).over(64).split(true);
        told(steps.launch(launch), ["`split` of `turns`", "in parts"]);
        // One without a barrier of the grid is launched as it is.
        note(&mut y).over(64).split(true).launch(&device).unwrap();
        assert_eq!(y.download().unwrap(), [1; 64]);
    }
}

/// With a slice that a launch may leave out, and one to write.
#[vyre::kernel(block = 64)]
fn biased(x: &[u32], bias: Option<&[u32]>, seen: Option<&mut [u32]>, y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x[i] + bias.map_or(100, |bias| bias[i % bias.len()]);
        if let Some(seen) = seen
            && i < seen.len()
        {
            seen[i] += 1;
        }
    }
}

/// Recorded launches, and nodes that get other arguments, keep which slices are left out.
#[test]
fn recorded_launches_leave_slices_out() {
    for device in devices("recorded_launches_leave_slices_out") {
        let (x, bias) = (
            device.upload(&[1u32, 2, 3]).unwrap(),
            device.upload(&[10u32, 20]).unwrap(),
        );
        let [mut y, mut z, mut seen] = [(); 3].map(|()| device.zeros::<u32>(3).unwrap());
        let mut steps = vyre::Sequence::new(&device);
        steps.fill(&mut seen, 0).unwrap();
        steps.launch(biased(&x, None, None, &mut y).over(3)).unwrap();
        steps
            .launch(biased(&y, Some(&bias), Some(&mut seen), &mut z).over(3))
            .unwrap();
        let read = (steps.read(&y, ..).unwrap(), steps.read(&z, ..).unwrap());
        let node = steps.node(biased(&z, None, Some(&mut seen), &mut y).over(3)).unwrap();
        let last = (steps.read(&y, ..).unwrap(), steps.read(&seen, ..).unwrap());
        for _ in 0..2 {
            let values = steps.run().unwrap();
            assert_eq!(values.get(&read.0), Some(&[101, 102, 103][..]));
            assert_eq!(values.get(&read.1), Some(&[111, 122, 113][..]));
            assert_eq!(values.get(&last.0), Some(&[211, 222, 213][..]));
            assert_eq!(values.get(&last.1), Some(&[2; 3][..]));
        }
        let mut graph = steps.into_graph().unwrap();
        for (bias, with_seen, expected) in [(None, true, [211, 222, 213]), (Some(&bias), false, [121, 142, 123])] {
            let seen_there = with_seen.then_some(&mut seen);
            graph.set(&node, biased(&z, bias, seen_there, &mut y).over(3)).unwrap();
            let values = graph.run().unwrap();
            assert_eq!(values.get(&read.1), Some(&[111, 122, 113][..]));
            assert_eq!(values.get(&last.0), Some(&expected[..]));
            assert_eq!(values.get(&last.1), Some(&[1 + u32::from(with_seen); 3][..]));
        }
    }
}

/// A call of a pipeline passes the flag of a slice behind it.
#[test]
fn calls_leave_slices_out() {
    for device in devices("calls_leave_slices_out") {
        let pipeline = pipeline::<Biased>(&device);
        let words = |values: &[u32]| -> Vec<u8> { values.iter().flat_map(|value| value.to_le_bytes()).collect() };
        let (x, bias, nothing) = (words(&[1, 2, 3]), words(&[10, 20]), words(&[]));
        let call = |bias, is_some: bool, seen: usize| {
            let call = pipeline.call().bytes(&x).bytes(bias).value(is_some);
            let mut call = call.zeroed(seen).value(seen > 0).zeroed(3).over(3);
            call.run().unwrap()
        };
        let values = |outputs: &vyre::Outputs, name| -> Vec<u32> { outputs.get(name).unwrap().values().unwrap() };
        let left_out = call(&nothing, false, 0);
        assert_eq!(values(&left_out, "y"), [101, 102, 103]);
        assert!(values(&left_out, "seen").is_empty());
        let there = call(&bias, true, 2);
        assert_eq!(values(&there, "y"), [11, 22, 13]);
        assert_eq!(values(&there, "seen"), [1, 1]);
        // Buffers, and the launcher, give the same.
        let (x, mut y) = (device.upload(&[1u32, 2, 3]).unwrap(), device.zeros::<u32>(3).unwrap());
        let (none, mut nowhere) = (device.zeros::<u32>(0).unwrap(), device.zeros::<u32>(0).unwrap());
        let call = pipeline.call().resident(&x).resident(&none).value(false);
        let mut call = call
            .resident_mut(&mut nowhere)
            .value(false)
            .resident_mut(&mut y)
            .over(3);
        call.launch().unwrap();
        assert_eq!(y.download().unwrap(), [101, 102, 103]);
        Biased::dispatch(&device, 3, &[1, 2, 3], Some(&[10, 20]), None, &mut [0; 3]).unwrap();
    }
}
