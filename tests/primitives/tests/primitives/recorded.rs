//! Primitives in sequences and graphs: what they write is what their launches write, in every run.

use vyre::prelude::*;
use vyre::{Error, Result, Sequence};
use vyre_primitives_tests::{any, bits, on_devices};
use vyre_test_driver::{Driver, Stage};

use super::large;

/// Small numbers, so that some are equal.
fn numbers(seed: u64, length: usize) -> Vec<u32> {
    any::<u32>(seed, length).iter().map(|bits| bits % 40).collect()
}

/// Records all primitives, and holds the values of a run against those of launches.
fn check(device: &Device, length: usize) -> Result<()> {
    let mut x = device.zeros::<u32>(length)?;
    let flags = device.upload(&(0..length).map(|i| i % 3 == 1).collect::<Vec<bool>>())?;
    let offsets: Vec<u64> = (0..=10).map(|i| (length * i / 10) as u64).collect();
    let offsets = device.upload(&offsets)?;
    // The output of a recording, and that of launches.
    let make = || -> Result<_> {
        let numbers = [(); 6].map(|()| device.zeros::<u32>(length));
        let [sums, kept, distinct, sorted, keys, values] = numbers;
        Ok((
            [sums?, kept?, distinct?, sorted?, keys?, values?],
            device.zeros::<u32>(1)?,
            [(); 3].map(|()| device.zeros::<u64>(1).unwrap()),
            device.zeros::<u64>(length + 1)?,
            device.zeros::<u64>(16)?,
            device.zeros::<u32>(10)?,
        ))
    };
    type Made = (
        [DeviceBuffer<u32>; 6],
        DeviceBuffer<u32>,
        [DeviceBuffer<u64>; 3],
        DeviceBuffer<u64>,
        DeviceBuffer<u64>,
        DeviceBuffer<u32>,
    );
    let values_of = |made: &Made| -> Result<Vec<Vec<u64>>> {
        let (numbers, most, counts, starts, bins, parts) = made;
        let mut all = Vec::new();
        for buffer in numbers.iter().chain([most, parts]) {
            all.push(bits(&buffer.download()?));
        }
        for buffer in counts.iter().chain([starts, bins]) {
            all.push(buffer.download()?);
        }
        Ok(all)
    };
    let (mut recorded, mut launched): (Made, Made) = (make()?, make()?);
    let mut steps = Sequence::new(device);
    {
        let ([sums, kept, distinct, sorted, keys, values], most, counts, starts, bins, parts) = &mut recorded;
        let [n_kept, n_distinct, n_runs] = counts;
        steps.launch(vyre_primitives::inclusive_sum(&x, &mut *sums))?;
        steps.launch(vyre_primitives::max(&x, &mut *most))?;
        steps.launch(vyre_primitives::select(&x, &flags, &mut *kept, &mut *n_kept))?;
        steps.copy(&mut *sorted, &x)?;
        steps.launch(vyre_primitives::sort(&mut *sorted))?;
        steps.launch(vyre_primitives::unique(&*sorted, &mut *distinct, &mut *n_distinct))?;
        steps.launch(vyre_primitives::run_starts(&*sorted, &mut *starts, &mut *n_runs))?;
        steps.copy(&mut *keys, &x)?;
        steps.copy(&mut *values, &*sums)?;
        steps.launch(vyre_primitives::sort_pairs(&mut *keys, &mut *values))?;
        steps.launch(vyre_primitives::histogram(&x, &mut *bins))?;
        steps.launch(vyre_primitives::segmented_sum(&x, &offsets, &mut *parts))?;
    }
    let launch = |x: &DeviceBuffer<u32>, made: &mut Made| -> Result<()> {
        let ([sums, kept, distinct, sorted, keys, values], most, counts, starts, bins, parts) = made;
        let [n_kept, n_distinct, n_runs] = counts;
        vyre_primitives::inclusive_sum(x, &mut *sums).launch()?;
        vyre_primitives::max(x, &mut *most).launch()?;
        vyre_primitives::select(x, &flags, &mut *kept, &mut *n_kept).launch()?;
        sorted.copy_from(x)?;
        vyre_primitives::sort(&mut *sorted).launch()?;
        vyre_primitives::unique(&*sorted, &mut *distinct, &mut *n_distinct).launch()?;
        vyre_primitives::run_starts(&*sorted, &mut *starts, &mut *n_runs).launch()?;
        keys.copy_from(x)?;
        values.copy_from(&*sums)?;
        vyre_primitives::sort_pairs(&mut *keys, &mut *values).launch()?;
        vyre_primitives::histogram(x, &mut *bins).launch()?;
        vyre_primitives::segmented_sum(x, &offsets, &mut *parts).launch()
    };
    // Temporary memory is as new in each run.
    for run in 0..3 {
        x.write(&numbers(run, length))?;
        steps.run()?;
        launch(&x, &mut launched)?;
        assert_eq!(values_of(&recorded)?, values_of(&launched)?, "run {run} of {length}");
    }
    let mut graph = steps.into_graph()?;
    for run in 3..6 {
        x.write(&numbers(run, length))?;
        graph.run()?;
        launch(&x, &mut launched)?;
        assert_eq!(
            values_of(&recorded)?,
            values_of(&launched)?,
            "run {run} of a graph of {length}"
        );
    }
    Ok(())
}

#[test]
fn runs_write_what_launches_write() {
    on_devices(|device| {
        check(device, 1000)?;
        check(device, large(device) / 4)
    });
}

/// Selected elements are read by their count, with one wait.
#[test]
fn selected_elements_are_read_by_their_count() {
    on_devices(|device| {
        let n = large(device) / 4;
        let (mut x, mut y, mut found) = (device.zeros::<u32>(n)?, device.zeros(n)?, device.zeros(1)?);
        let flags: Vec<bool> = any::<u32>(3, n).iter().map(|bits| bits % 100 == 0).collect();
        let kept = device.upload(&flags)?;
        let mut steps = Sequence::new(device);
        steps.launch(vyre_primitives::select(&x, &kept, &mut y, &mut found))?;
        let some = steps.read_counted(&y, &found)?;
        let expected = |source: &[u32]| -> Vec<u32> {
            let pairs = source.iter().zip(&flags);
            pairs.filter(|&(_, &kept)| kept).map(|(&x, _)| x).collect()
        };
        let source = any::<u32>(4, n);
        x.write(&source)?;
        assert!(steps.run()?.get(&some) == Some(&expected(&source)[..]));
        let mut graph = steps.into_graph()?;
        for seed in 5..8 {
            let source = any::<u32>(seed, n);
            x.write(&source)?;
            assert!(graph.run()?.get(&some) == Some(&expected(&source)[..]), "run {seed}");
            assert!(y.download_counted(&found)? == expected(&source));
        }
        Ok(())
    });
}

/// Empty inputs, and lengths that do not fit.
#[test]
fn what_does_not_fit_is_not_recorded() {
    on_devices(|device| {
        let (none, x) = (device.zeros::<f32>(0)?, device.upload(&[1.0f32, 2.0])?);
        let (mut one, mut two) = (device.upload(&[5.0f32])?, device.upload(&[5.0f32; 2])?);
        let mut steps = Sequence::new(device);
        steps.launch(vyre_primitives::sum(&none, &mut one))?;
        let refused = steps.launch(vyre_primitives::sum(&x, &mut two)).unwrap_err();
        assert!(matches!(refused, Error::LengthMismatch { .. }), "{refused}");
        let refused = steps
            .launch(vyre_primitives::sum(&x, two.slice_mut(..1)?).on(&device.stream()?))
            .unwrap_err();
        assert!(matches!(refused, Error::StreamInSequence { .. }), "{refused}");
        assert_eq!(format!("{steps:?}"), format!("Sequence of 1 steps on {device}"));
        steps.run()?;
        assert_eq!((one.download()?, two.download()?), (vec![0.0], vec![5.0; 2]));
        Ok(())
    });
}

/// A step of a diffusion, and by how much it has changed each element.
#[vyre::kernel]
fn diffuse(from: &[f32], #[each] to: &mut f32, #[each] by: &mut f32) {
    let i = thread::index();
    let left = from[if i == 0 { 0 } else { i - 1 }];
    let right = from[if i + 1 == from.len() { i } else { i + 1 }];
    let new = 0.5 * from[i] + 0.25 * (left + right);
    *to = new;
    *by = (new - from[i]).abs();
}

/// There is another turn while anything has changed by more than this.
#[vyre::kernel(block = 32)]
fn unsettled(most: &[f32], limit: f32, changed: &[AtomicU32]) {
    if thread::index() == 0 && most[0] > limit {
        changed[0].store(1, Ordering::Relaxed);
    }
}

const LIMIT: f32 = 0.01;

/// Steps of two turns, the largest change, a test; until nothing changes much.
fn time_loop(device: &Device, start: &[f32]) -> Result<(Sequence, vyre::Place<f32>, vyre::Place<u32>)> {
    let n = start.len();
    let (mut x, mut y, mut by) = (device.upload(start)?, device.zeros(n)?, device.zeros(n)?);
    let mut most = device.zeros(1)?;
    let mut steps = Sequence::new(device);
    let turns = steps.fixpoint(10_000, |body, changed| {
        body.launch(diffuse(&x, &mut y, &mut by).over(n))?;
        body.launch(diffuse(&y, &mut x, &mut by).over(n))?;
        body.launch(vyre_primitives::max(&by, &mut most))?;
        body.launch(unsettled(&most, LIMIT, changed).over(1))
    })?;
    let last = steps.read(&x, ..)?;
    Ok((steps, last, turns))
}

#[test]
fn a_time_loop_is_one_graph() {
    on_devices(|device| {
        let n = 300;
        let mut x: Vec<f32> = any::<u32>(7, n).iter().map(|&bits| (bits >> 20) as f32).collect();
        let (steps, last, turns) = time_loop(device, &x)?;
        let mut graph = steps.into_graph()?;
        let values = graph.run()?;
        // The same in plain Rust.
        let mut counted = 0;
        loop {
            let mut most = 0.0f32;
            for _ in 0..2 {
                let from = x.clone();
                most = 0.0;
                for i in 0..n {
                    let (left, right) = (from[i.saturating_sub(1)], from[(i + 1).min(n - 1)]);
                    x[i] = 0.5 * from[i] + 0.25 * (left + right);
                    most = most.max((x[i] - from[i]).abs());
                }
            }
            if most <= LIMIT {
                break;
            }
            counted += 1;
        }
        assert!(counted > 10, "{counted}");
        assert_eq!(values.get(&turns), Some(&[counted][..]));
        assert_eq!(bits(values.get(&last).unwrap()), bits(&x));
        Ok(())
    });
}

/// On a GPU it is one launch of a graph, and one wait.
#[test]
fn a_time_loop_waits_once() {
    const TEST: &str = "recorded::a_time_loop_waits_once";
    let Some(driver) = Driver::of(TEST) else {
        if let Some(stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
            stage.run();
        }
        return;
    };
    let device = Device::cuda(0).unwrap();
    let (steps, last, _) = time_loop(&device, &[1.0; 100_000]).unwrap();
    let mut graph = steps.into_graph().unwrap();
    let waits = || ["cuStreamSynchronize", "cuEventSynchronize", "cuCtxSynchronize"].map(|call| driver.calls(call));
    graph.run().unwrap();
    let (before, launches, kernels) = (waits(), driver.calls("cuGraphLaunch"), driver.calls("cuLaunchKernel"));
    let values = graph.run().unwrap();
    assert_eq!(waits().iter().sum::<u64>(), before.iter().sum::<u64>() + 1);
    assert_eq!(
        (driver.calls("cuGraphLaunch"), driver.calls("cuLaunchKernel")),
        (launches + 1, kernels)
    );
    assert_eq!(values.get(&last).map(<[f32]>::len), Some(100_000));
}
