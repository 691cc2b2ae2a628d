//! Reads of as many elements as a counter on the device says, beside reads of all of them.
//!
//! ```text
//! cargo bench -p vyre-primitives --bench counted
//! ```
//!
//! Prints medians.

use std::time::{Duration, Instant};

use vyre::prelude::*;
use vyre::{Readback, Sequence};

/// Elements.
const COUNT: usize = 1 << 26;
const SAMPLES: usize = 11;

fn main() -> vyre::Result<()> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("SKIP-GPU bench counted: {error}");
            return Ok(());
        }
    };
    println!("{device}: {COUNT} elements of 4 bytes, medians of {SAMPLES}");
    for one_in in [100_000, 100, 10, 1] {
        selected(&device, one_in)?;
    }
    Ok(())
}

/// One of so many elements is selected and read.
fn selected(device: &Device, one_in: usize) -> vyre::Result<()> {
    let source: Vec<u32> = (0..COUNT as u32).collect();
    let flags: Vec<bool> = (0..COUNT).map(|i| i % one_in == 0).collect();
    let (x, flags) = (device.upload(&source)?, device.upload(&flags)?);
    let (mut y, mut n) = (device.zeros::<u32>(COUNT)?, device.zeros::<u64>(1)?);
    let expected: Vec<u32> = source.iter().copied().step_by(one_in).collect();

    let mut steps = Sequence::new(device);
    steps.launch(vyre_primitives::select(&x, &flags, &mut y, &mut n))?;
    let counted = steps.read_counted(&y, &n)?;
    let (mut graph, mut values) = (steps.into_graph()?, Readback::new());
    let part = median(|| graph.run_timed(&mut values).map(drop))?;
    assert!(values.get(&counted) == Some(&expected[..]));

    let mut steps = Sequence::new(device);
    steps.launch(vyre_primitives::select(&x, &flags, &mut y, &mut n))?;
    let (all, count) = (steps.read(&y, ..)?, steps.read(&n, ..)?);
    let (mut graph, mut values) = (steps.into_graph()?, Readback::new());
    let whole = median(|| graph.run_timed(&mut values).map(drop))?;
    assert_eq!(values.get(&count), Some(&[expected.len() as u64][..]));
    assert!(values.get(&all).is_some_and(|all| all[..expected.len()] == expected));
    drop((graph, values));

    let downloaded = median(|| y.download_counted(&n).map(drop))?;
    assert!(y.download_counted(&n)? == expected);
    let (mut target, mut head) = (vec![0; COUNT], [0]);
    let of_all = median(|| y.download_into(&mut target))?;
    let twice = median(|| {
        n.download_into(&mut head)?;
        y.slice(..head[0] as usize)?.download().map(drop)
    })?;
    println!("1 in {one_in}: {} elements", expected.len());
    report("selected and read in a graph", whole, part);
    report("read by itself", of_all, downloaded);
    report("count first, by itself", of_all, twice);
    Ok(())
}

fn median(mut run: impl FnMut() -> vyre::Result<()>) -> vyre::Result<Duration> {
    run()?;
    let mut times = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let began = Instant::now();
        run()?;
        times.push(began.elapsed());
    }
    times.sort();
    Ok(times[SAMPLES / 2])
}

fn report(what: &str, all: Duration, counted: Duration) {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "  {what}: all {:9.1} us, counted {:9.1} us ({:6.1} times)",
        micros(all),
        micros(counted),
        micros(all) / micros(counted)
    );
}
