//! Batches on a driver that is played on the host: however many items they have, the host waits once.

use crate::kernels::on_driver;
use vyre_core::build::{self, slice, slice_mut};
use vyre_core::ir::Program;
use vyre_runtime::{Device, Error, Handle, HandleProblem};
use vyre_test_driver::Driver;

/// The sizes of the batches.
const SIZES: [usize; 3] = [1, 10, 1000];

/// Calls by which the host waits.
fn waits(driver: &Driver) -> u64 {
    driver.calls("cuStreamSynchronize") + driver.calls("cuEventSynchronize") + driver.calls("cuCtxSynchronize")
}

/// A program of a kernel that reads one slice and writes another.
fn program() -> Program {
    let mut program = Program::default();
    let parameters = (slice::<u32>("x"), slice_mut::<u32>("y"));
    build::kernel(&mut program, "copies", &[32], parameters, |k, (x, y)| {
        y.set(k.linear_index(), x.at(k.linear_index()));
    });
    program
}

#[test]
fn many_copies_wait_once() {
    on_driver("batches::many_copies_wait_once", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let handles = gpu.handles();
        for count in SIZES {
            let all: Vec<Handle> = (0..count).map(|_| handles.allocate(8).unwrap()).collect();
            let sources: Vec<[u8; 4]> = (0..count as u32).map(u32::to_le_bytes).collect();
            let writes: Vec<_> = all.iter().zip(&sources).map(|(&x, four)| (x, 4, &four[..])).collect();
            let whole: Vec<[u8; 8]> = (0..count as u64).map(|number| (number << 32).to_le_bytes()).collect();
            let wholes: Vec<_> = all.iter().zip(&whole).map(|(&x, eight)| (x, &eight[..])).collect();
            // The memory was used by nothing, by copies, and by launches of a stream.
            for _ in 0..2 {
                let before = (
                    waits(driver),
                    driver.calls("cuMemcpyHtoDAsync_v2"),
                    driver.calls("cuLaunchKernel"),
                );
                handles.write(&writes).unwrap();
                // A few are copies of the driver, and many one kernel.
                let (copies, kernels) = if count < 8 { (count as u64, 0) } else { (0, 1) };
                assert_eq!(
                    (
                        waits(driver),
                        driver.calls("cuMemcpyHtoDAsync_v2"),
                        driver.calls("cuLaunchKernel")
                    ),
                    (before.0 + 1, before.1 + copies, before.2 + kernels)
                );
                handles.write_whole(&wholes).unwrap();
                assert_eq!(waits(driver), before.0 + 2);
                let mut targets = vec![[9; 5]; count];
                let mut reads: Vec<_> = all
                    .iter()
                    .zip(&mut targets)
                    .map(|(&x, five)| (x, 3, &mut five[..]))
                    .collect();
                handles.read(&mut reads).unwrap();
                assert_eq!(waits(driver), before.0 + 3);
                for (whole, target) in whole.iter().zip(&targets) {
                    assert_eq!(whole[3..], *target);
                }
            }
            // One bad item, and nothing is submitted.
            let before = (
                waits(driver),
                driver.calls("cuMemcpyHtoDAsync_v2"),
                driver.calls("cuMemcpyDtoHAsync_v2"),
            );
            let mut bad = writes.clone();
            bad.push((all[0], 5, &[1; 4]));
            let refused = handles.write(&bad).unwrap_err();
            assert!(matches!(
                refused,
                Error::Handle {
                    problem: HandleProblem::Range {
                        start: 5,
                        end: 9,
                        length: 8
                    },
                    ..
                }
            ));
            let (mut first, mut last) = ([7; 8], [7; 9]);
            assert!(
                handles
                    .read(&mut [(all[0], 0, &mut first), (all[0], 0, &mut last)])
                    .is_err()
            );
            assert_eq!((first, last), ([7; 8], [7; 9]));
            let after = (
                waits(driver),
                driver.calls("cuMemcpyHtoDAsync_v2"),
                driver.calls("cuMemcpyDtoHAsync_v2"),
            );
            assert_eq!(after, before);
        }
    });
}

/// Copies that overlap are made in their order, by the driver; large ones beside many small ones are, too.
#[test]
fn some_copies_of_a_batch_are_the_driver_s() {
    on_driver("batches::some_copies_of_a_batch_are_the_driver_s", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let handles = gpu.handles();
        let x = handles.allocate(100_000).unwrap();
        let counts = || {
            ["cuMemcpyHtoDAsync_v2", "cuLaunchKernel"]
                .map(|call| driver.calls(call))
                .to_vec()
        };
        let values: Vec<[u8; 2]> = (0..100).map(|n| [n; 2]).collect();
        let before = (waits(driver), counts());
        let overlapping: Vec<_> = values.iter().enumerate().map(|(n, two)| (x, n, &two[..])).collect();
        handles.write(&overlapping).unwrap();
        assert_eq!(
            (waits(driver), counts()),
            (before.0 + 1, vec![before.1[0] + 100, before.1[1]])
        );
        assert_eq!(
            handles.read_whole(x).unwrap()[..101],
            (0..100).chain([99]).collect::<Vec<u8>>()
        );
        let large = vec![7; 50_000];
        let mut mixed: Vec<_> = values.iter().enumerate().map(|(n, two)| (x, 3 * n, &two[..])).collect();
        mixed.insert(50, (x, 300, &large));
        let before = (waits(driver), counts());
        handles.write(&mixed).unwrap();
        assert_eq!(
            (waits(driver), counts()),
            (before.0 + 1, vec![before.1[0] + 1, before.1[1] + 1])
        );
        let found = handles.read_whole(x).unwrap();
        assert!(found[300..50_300] == large);
        assert!(
            values
                .iter()
                .enumerate()
                .all(|(n, two)| found[3 * n..3 * n + 2] == two[..])
        );
        // More than the memory of a batch, in which there is no room for some.
        let y = handles.allocate(20 << 20).unwrap();
        let source: Vec<u8> = (0..20 << 20).map(|n: u32| (n % 251) as u8).collect();
        let many: Vec<_> = source
            .chunks(4000)
            .enumerate()
            .map(|(n, bytes)| (y, 4000 * n, bytes))
            .collect();
        let before = waits(driver);
        handles.write(&many).unwrap();
        assert_eq!(waits(driver), before + 1);
        assert!(handles.read_whole(y).unwrap() == source);
    });
}

/// Large copies come straight from and to the memory of the caller.
#[test]
fn large_copies_wait_once() {
    on_driver("batches::large_copies_wait_once", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let handles = gpu.handles();
        let sizes = [64 << 10, (64 << 10) + 1, 1, 300_000];
        let all = sizes.map(|bytes| handles.allocate(bytes).unwrap());
        let sources = sizes.map(|bytes| (0..bytes).map(|number| (number % 251) as u8).collect::<Vec<u8>>());
        let before = waits(driver);
        let writes: Vec<_> = all.iter().zip(&sources).map(|(&x, bytes)| (x, 0, &bytes[..])).collect();
        handles.write(&writes).unwrap();
        let mut targets = sizes.map(|bytes| vec![0; bytes]);
        let mut reads: Vec<_> = all
            .iter()
            .zip(&mut targets)
            .map(|(&x, bytes)| (x, 0, &mut bytes[..]))
            .collect();
        handles.read(&mut reads).unwrap();
        assert_eq!(waits(driver), before + 2);
        assert!(targets == sources);
        // More than the staging memory of a list.
        let source: Vec<u8> = (0..48 << 10).map(|number| (number % 253) as u8).collect();
        let x = handles.insert(gpu.upload(&source).unwrap()).unwrap();
        let mut targets = vec![vec![0; source.len()]; 500];
        let mut reads: Vec<_> = targets.iter_mut().map(|bytes| (x, 0, &mut bytes[..])).collect();
        let before = waits(driver);
        handles.read(&mut reads).unwrap();
        assert_eq!(waits(driver), before + 1);
        assert!(targets.iter().all(|target| *target == source));
    });
}

#[test]
fn a_batch_of_calls_waits_once() {
    on_driver("batches::a_batch_of_calls_waits_once", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let pipeline = gpu.compile(program()).unwrap();
        pipeline.prepare().unwrap();
        for count in SIZES {
            let inputs: Vec<[u8; 128]> = (0..count).map(|number| [number as u8; 128]).collect();
            let mut outputs = Vec::new();
            let before = (waits(driver), driver.calls("cuLaunchKernel"), driver.allocations());
            // The played kernels do nothing, so the second slice stays as it was given.
            let calls = inputs
                .iter()
                .map(|bytes| pipeline.call().zeroed(32).bytes(bytes).over(32));
            pipeline.batch(calls).run_into(&mut outputs).unwrap();
            assert_eq!(waits(driver), before.0 + 1, "{count} calls on bytes");
            assert_eq!(driver.calls("cuLaunchKernel"), before.1 + count as u64);
            for (outputs, input) in outputs.iter().zip(&inputs) {
                assert_eq!(outputs.list()[0].bytes(), input);
            }
            let x = gpu.zeros::<u32>(32).unwrap();
            let mut all: Vec<_> = (0..count).map(|_| gpu.zeros::<u32>(32).unwrap()).collect();
            let before = waits(driver);
            let calls = all
                .iter_mut()
                .map(|y| pipeline.call().resident(&x).resident_mut(y).over(32));
            pipeline.batch(calls).run_into(&mut outputs).unwrap();
            assert_eq!(waits(driver), before + 1, "{count} calls on buffers");
            assert!(outputs.iter().all(|outputs| outputs.list().is_empty()));
        }
        let input = [3; 128];
        let mut call = pipeline.call().bytes(&input).zeroed(32).over(32);
        call.run().unwrap();
        let (before, allocations) = (waits(driver), driver.allocations());
        call.run().unwrap();
        assert_eq!(
            (waits(driver), driver.allocations()),
            (before + 1, allocations),
            "a call is a batch of one"
        );
    });
}

/// One bad call, and nothing is copied, allocated or launched.
#[test]
fn a_bad_call_submits_nothing() {
    on_driver("batches::a_bad_call_submits_nothing", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let pipeline = gpu.compile(program()).unwrap();
        let input = [3; 128];
        let good = || pipeline.call().bytes(&input).zeroed(32).over(32);
        pipeline.batch([good(), good()]).run().unwrap();
        let counts = || {
            let calls = [
                "cuLaunchKernel",
                "cuMemcpyHtoDAsync_v2",
                "cuMemAllocFromPoolAsync",
                "cuMemcpyDtoHAsync_v2",
            ];
            calls.map(|call| driver.calls(call))
        };
        let before = counts();
        let short = pipeline.call().bytes(&input[..127]).zeroed(32).over(32);
        assert!(matches!(
            pipeline.batch([good(), short]).run(),
            Err(Error::Argument { .. })
        ));
        let missing = pipeline.call().bytes(&input).zeroed(32);
        assert!(matches!(
            pipeline.batch([good(), missing]).run(),
            Err(Error::Argument { .. })
        ));
        assert_eq!(counts(), before);
        // A grid of no blocks is found out when the buffers are there, but nothing is launched.
        let launches = driver.calls("cuLaunchKernel");
        let empty = pipeline.call().bytes(&input).zeroed(32).grid([0, 1, 1]);
        assert!(matches!(
            pipeline.batch([good(), empty]).run(),
            Err(Error::EmptyGrid { .. })
        ));
        assert_eq!(driver.calls("cuLaunchKernel"), launches);
    });
}
