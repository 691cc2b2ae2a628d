//! Sequences on a driver that is played on the host: what they ask of it, and failures that a real one shows rarely.

use crate::kernels::{Entry, FAULTS, on_driver};
use crate::support::saxpy;
use vyre_runtime::{Device, Error, Launch, Readback, Sequence};
use vyre_test_driver::{Driver, Stage};

fn launch<const N: usize>(kernel: Entry<N>) -> Launch<Entry<N>> {
    Launch::grid(kernel, [1, 1, 1])
}

/// The calls of a run that wait, allocate, free or copy.
const CALLS: [&str; 9] = [
    "cuStreamSynchronize",
    "cuEventSynchronize",
    "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuLaunchKernel",
];

#[test]
fn a_run_waits_once() {
    on_driver("sequences::a_run_waits_once", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let mut buffers: Vec<_> = (0..10).map(|_| gpu.zeros::<u32>(100).unwrap()).collect();
        let mut steps = Sequence::new(&gpu);
        let mut places = Vec::new();
        for (number, buffer) in (0..).zip(&mut buffers) {
            steps.write(buffer, &[number; 100]).unwrap();
        }
        steps.repeat(50, |body| body.launch(launch(Entry::<0>))).unwrap();
        for buffer in &buffers {
            places.push(steps.read(buffer, 99..).unwrap());
        }
        let counts = || CALLS.map(|call| driver.calls(call));
        let mut values = Readback::new();
        // The first one allocates the memory for the writes and for the reads.
        let before = counts();
        steps.run_into(&mut values).unwrap();
        let first = counts();
        steps.run_into(&mut values).unwrap();
        let second = counts();
        let since = |now: [u64; 9], before: [u64; 9]| std::array::from_fn::<u64, 9, _>(|i| now[i] - before[i]);
        assert_eq!(since(first, before), [0, 1, 0, 0, 2, 0, 10, 10, 50]);
        assert_eq!(since(second, first), [0, 1, 0, 0, 0, 0, 10, 10, 50]);
        for (number, place) in (0..).zip(&places) {
            assert_eq!(values.get(place), Some(&[number][..]));
        }
    });
}

#[test]
fn a_fault_ends_the_turns_on_a_gpu() {
    on_driver("sequences::a_fault_ends_the_turns_on_a_gpu", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let mut x = gpu.zeros::<u32>(1).unwrap();
        let mut steps = Sequence::new(&gpu);
        steps
            .repeat(1000, |body| {
                body.launch(launch(Entry::<0>))?;
                body.launch(launch(Entry::<FAULTS>))?;
                body.fill(&mut x, 1)
            })
            .unwrap();
        let launches = driver.calls("cuLaunchKernel");
        let error = steps.run().unwrap_err();
        assert!(
            matches!(&error, Error::Fault(fault) if &*fault.kernel == "faults"),
            "{error}"
        );
        assert_eq!(driver.calls("cuLaunchKernel"), launches + 2);
        gpu.synchronize().unwrap();
        assert_eq!(x.download().unwrap(), [0]);
        // Each run has faults of its own, and one that another launch has left is not among them.
        assert!(matches!(steps.run(), Err(Error::Fault(_))));
        Entry::<FAULTS>.launch(&gpu).unwrap();
        Sequence::new(&gpu).run().unwrap();
        assert!(matches!(gpu.synchronize(), Err(Error::Fault(_))));
        gpu.synchronize().unwrap();
    });
}

#[test]
fn parts_of_another_device_are_refused() {
    const TEST: &str = "sequences::parts_of_another_device_are_refused";
    if !vyre_test_driver::plays(TEST) {
        if let Some(mut stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
            stage.env("PLAYED_DRIVER_DEVICES", "2").run();
        }
        return;
    }
    let (first, second) = (Device::cuda(0).unwrap(), Device::cuda(1).unwrap());
    let mut steps = Sequence::new(&first);
    let (mut x, y) = (first.zeros::<f32>(4).unwrap(), first.zeros::<f32>(4).unwrap());
    let mut others = [second.zeros::<f32>(4).unwrap(), Device::cpu().zeros::<f32>(4).unwrap()];
    for other in &mut others {
        let foreign = |what: &'static str| Error::WrongDevice {
            user: "the sequence".into(),
            what: what.into(),
            belongs: other.device().to_string().into(),
            wanted: first.to_string().into(),
        };
        let (buffer, source, stream) = (foreign("the buffer"), foreign("the source"), foreign("the stream"));
        assert_eq!(steps.write(&mut *other, &[1.0; 4]).unwrap_err(), buffer);
        assert_eq!(steps.fill(&mut *other, 1.0).unwrap_err(), buffer);
        assert_eq!(steps.read(&*other, ..).unwrap_err(), buffer);
        assert_eq!(steps.copy(&mut *other, &y).unwrap_err(), buffer);
        assert_eq!(steps.copy(&mut x, &*other).unwrap_err(), source);
        assert!(buffer.to_string().contains("but the sequence runs on"), "{buffer}");
        let device = other.device();
        assert!(matches!(
            steps.launch(saxpy(1.0, &*other, &mut x).over(4)),
            Err(Error::WrongDevice { what, .. }) if what == "x"
        ));
        let launch = saxpy(1.0, &y, &mut x).over(4).on(&device.stream().unwrap());
        assert!(matches!(steps.launch(launch), Err(Error::WrongDevice { .. })));
        let refused = Sequence::new(&first).on(&device.default_stream()).unwrap_err();
        assert_eq!(refused, stream);
    }
    #[cfg(feature = "programs")]
    {
        use vyre_core::build::{self, slice_mut};

        let mut program = vyre_core::ir::Program::default();
        build::kernel(&mut program, "one", &[32], slice_mut::<f32>("y"), |k, y| {
            y.set(k.linear_index(), 1.0f32);
        });
        let pipeline = Device::cpu().compile(&program).unwrap();
        let error = steps.launch(pipeline.call().resident_mut(&mut x).over(4)).unwrap_err();
        assert!(error.to_string().starts_with("the pipeline belongs to CPU"), "{error}");
    }
    steps.run().unwrap();
    assert_eq!(x.download().unwrap(), [0.0; 4]);
}

/// Allocations that fail leave the sequence usable, and dropping everything leaves nothing behind.
#[test]
fn sequences_survive_without_memory() {
    on_driver("sequences::sequences_survive_without_memory", |driver: &Driver| {
        let gpu = Device::cuda(0).unwrap();
        let exercise = |failing: Option<u64>| -> bool {
            let mut x = gpu.upload(&[1u32; 1 << 14]).unwrap();
            let mut steps = Sequence::new(&gpu);
            if let Some(working) = failing {
                // The driver is asked again after one that fails.
                driver.fail_allocations(working, 2);
            }
            let mut record = || {
                steps.write(&mut x, &[7; 1 << 14])?;
                steps.fixpoint(3, |body, changed| body.copy(changed, x.slice(..1)?))?;
                let place = steps.read(&x, ..)?;
                Ok((
                    steps.run()?.get(&place).map(<[u32]>::to_vec),
                    steps.run()?.get(&place).map(<[u32]>::to_vec),
                ))
            };
            let result: vyre_runtime::Result<_> = record();
            driver.fail_allocations(0, 0);
            match result {
                Ok(values) => assert_eq!(values, (Some(vec![7; 1 << 14]), Some(vec![7; 1 << 14]))),
                Err(error) => {
                    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
                    drop(steps);
                    x.fill(2).unwrap();
                    assert_eq!(x.download().unwrap(), [2; 1 << 14]);
                    return false;
                }
            }
            true
        };
        let mut failed = 0;
        while !exercise(Some(failed)) {
            failed += 1;
        }
        // The flag of the fixpoint, and host memory for what is written and for what is read.
        assert_eq!(failed, 3);
        let live = driver.allocations();
        assert!(exercise(None));
        assert_eq!(driver.allocations(), live);
        // More than is kept at a time, in flight at the same time.
        let mut sequences: Vec<_> = (0..20).map(|_| Sequence::new(&gpu)).collect();
        let x = gpu.zeros::<u32>(1 << 16).unwrap();
        for steps in &mut sequences {
            let mut y = gpu.zeros::<u32>(1 << 16).unwrap();
            steps.write(&mut y, &vec![1; 1 << 16]).unwrap();
            steps.copy(&mut y, &x).unwrap();
            steps.run().unwrap();
        }
        drop((sequences, x));
        assert!(driver.allocations() <= live + 8, "{} {live}", driver.allocations());
    });
}

/// The host learns how many elements there are with the elements.
#[test]
fn a_counted_read_waits_once() {
    on_driver("sequences::a_counted_read_waits_once", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let source: Vec<u32> = (0..5 << 20).collect();
        let x = gpu.upload(&source).unwrap();
        let mut n = gpu.zeros::<u64>(1).unwrap();
        let waits = || ["cuStreamSynchronize", "cuEventSynchronize", "cuCtxSynchronize"].map(|call| driver.calls(call));
        let waited = |before: [u64; 3]| waits().iter().sum::<u64>() - before.iter().sum::<u64>();
        for count in [0, 1, 1000, source.len() - 1, source.len()] {
            n.write(&[count as u64]).unwrap();
            let mut steps = Sequence::new(&gpu);
            let place = steps.read_counted(&x, &n).unwrap();
            let before = waits();
            let values = steps.run().unwrap();
            assert_eq!(waited(before), 1);
            assert!(values.get(&place) == Some(&source[..count]));
            let mut graph = steps.into_graph().unwrap();
            let before = waits();
            let values = graph.run().unwrap();
            assert_eq!(waited(before), 1);
            assert!(values.get(&place) == Some(&source[..count]));
            let before = (waits(), gpu.stats().downloaded_bytes);
            assert!(x.download_counted(&n).unwrap() == source[..count]);
            // More than 16 MiB come after the count.
            assert_eq!(waited(before.0), if count > 4 << 20 { 2 } else { 1 });
            assert_eq!(gpu.stats().downloaded_bytes - before.1, 8 + 4 * count as u64);
        }
        n.write(&[source.len() as u64 + 1]).unwrap();
        let before = waits();
        let refused = x.download_counted(&n).unwrap_err();
        assert!(
            matches!(refused, Error::CountOutOfBounds { length, .. } if length == source.len()),
            "{refused}"
        );
        assert_eq!(waited(before), 1);
    });
}

/// The same for copies by kernels, which are loaded by the first that needs them.
#[test]
fn counted_reads_and_batches_survive_without_memory() {
    on_driver(
        "sequences::counted_reads_and_batches_survive_without_memory",
        |driver: &Driver| {
            let gpu = Device::cuda(0).unwrap();
            let (x, n) = (gpu.upload(&[7u8; 1 << 16]).unwrap(), gpu.upload(&[40_000u32]).unwrap());
            let handles = gpu.handles();
            let all: Vec<_> = (0..20).map(|_| handles.allocate(3000).unwrap()).collect();
            let attempt = |bytes: &[u8]| {
                let writes: Vec<_> = all.iter().map(|&handle| (handle, 0, bytes)).collect();
                handles.write(&writes)?;
                let mut steps = Sequence::new(&gpu);
                let place = steps.read_counted(&x, &n)?;
                let mut graph = steps.into_graph()?;
                assert_eq!(graph.run()?.get(&place), Some(&[7; 40_000][..]));
                assert_eq!(x.download_counted(&n)?, [7; 40_000]);
                vyre_runtime::Result::Ok(())
            };
            let mut failed = 0;
            loop {
                driver.fail_allocations(failed, 2);
                let done = attempt(&[failed as u8 + 1; 3000]);
                driver.fail_allocations(0, 0);
                match done {
                    Ok(()) => break,
                    Err(error) => assert!(matches!(error, Error::OutOfMemory { .. }), "{error}"),
                }
                failed += 1;
            }
            assert!(failed > 3, "{failed}");
            attempt(&[99; 3000]).unwrap();
            let live = driver.allocations();
            attempt(&[100; 3000]).unwrap();
            assert_eq!(driver.allocations(), live);
            assert!(all.iter().all(|&x| handles.read_whole(x).unwrap() == [100; 3000]));
        },
    );
}
