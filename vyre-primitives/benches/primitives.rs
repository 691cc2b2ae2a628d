//! Primitives of whole arrays, beside a device-to-device copy in the same process. `cuda/primitives.cu` has the same by
//! CUB, with the same input.
//!
//! ```text
//! cargo bench -p vyre-primitives --bench primitives [-- ELEMENTS]
//! ```

use std::time::Duration;

use vyre::prelude::*;

/// Runs per primitive; the median is reported.
const RUNS: usize = 21;

/// The elements of a segment.
const SEGMENT: u64 = 1000;

fn main() -> vyre::Result<()> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("SKIP-GPU bench primitives: {error}");
            return Ok(());
        }
    };
    let count = std::env::args()
        .skip(1)
        .find_map(|word| word.parse().ok())
        .unwrap_or(1usize << 28);
    let random = |i: usize| {
        let word = (i as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32
    };
    let words: Vec<u32> = (0..count).map(random).collect();
    let floats: Vec<f32> = words.iter().map(|&word| word as f32 / 4_294_967_296.0).collect();
    let (x, unsorted) = (device.upload(&floats)?, device.upload(&words)?);
    let (mut y, mut keys, mut values) = (x.try_clone()?, unsorted.try_clone()?, unsorted.try_clone()?);
    let (mut total, mut counts) = (device.zeros::<f32>(1)?, device.zeros::<u64>(256)?);
    let bytes = device.upload(&words.iter().map(|&word| (word >> 24) as u8).collect::<Vec<_>>())?;
    let flags = device.upload(&words.iter().map(|&word| word & 1 != 0).collect::<Vec<_>>())?;
    let runs = device.upload(&(0..count as u32).map(|i| i / 3).collect::<Vec<_>>())?;
    let (mut kept, mut found) = (device.zeros::<u32>(count)?, device.zeros::<u64>(1)?);
    let offsets: Vec<u64> = (0..=count as u64 / SEGMENT).map(|segment| segment * SEGMENT).collect();
    let (offsets, mut segments) = (device.upload(&offsets)?, device.zeros::<f32>(offsets.len() - 1)?);

    // A function runs many times in a row, as in the twin: a write before a sum would leave lines in L2 that the sum waits for.
    let copy = median(&device, || y.copy_from(&x))?;
    let sum = median(&device, || vyre_primitives::sum(&x, &mut total).launch())?;
    let scan = median(&device, || vyre_primitives::inclusive_sum(&x, &mut y).launch())?;
    check_sums(&floats, &total, &y)?;
    let histogram = median(&device, || {
        vyre_primitives::histogram_even(&x, 0.0, 1.0, &mut counts).launch()
    })?;
    check_counts(&floats, &counts)?;
    let of_bytes = median(&device, || vyre_primitives::histogram(&bytes, &mut counts).launch())?;
    let select = median(&device, || {
        vyre_primitives::select(&unsorted, &flags, &mut kept, &mut found).launch()
    })?;
    let unique = median(&device, || {
        vyre_primitives::unique(&runs, &mut kept, &mut found).launch()
    })?;
    let segmented = median(&device, || {
        vyre_primitives::segmented_sum(&x, &offsets, &mut segments).launch()
    })?;
    let (mut sort, mut pairs) = (Vec::new(), Vec::new());
    for _ in 0..=RUNS {
        keys.copy_from(&unsorted)?;
        sort.push(time(&device, || vyre_primitives::sort(&mut keys).launch())?);
        check_order(&words, &keys, sort.len())?;
        keys.copy_from(&unsorted)?;
        pairs.push(time(&device, || {
            vyre_primitives::sort_pairs(&mut keys, &mut values).launch()
        })?);
    }

    // The bytes of an element that are read and written, rounded for selections; none of sorts.
    let results = [
        ("device copy", copy, 8.0),
        ("sum", sum, 4.0),
        ("inclusive sum", scan, 8.0),
        ("histogram, 256 bins", histogram, 4.0),
        ("histogram of bytes", of_bytes, 1.0),
        ("select, half of all", select, 7.0),
        ("unique, runs of 3", unique, 16.0 / 3.0),
        ("segments of 1000", segmented, 4.0),
        ("sort", middle(sort), 0.0),
        ("sort with values", middle(pairs), 0.0),
    ];
    println!("device: {device}; {count} elements of 32 bits");
    for (name, time, bytes) in results {
        let time = time.as_secs_f64();
        let (rate, unit) = match bytes == 0.0 {
            true => (count as f64 / time / 1e9, "Gkeys/s"),
            false => (bytes * count as f64 / time / 1e9, "GB/s"),
        };
        println!("{name:<20} {:>8.3} ms {rate:>8.1} {unit}", time * 1e3);
    }
    Ok(())
}

/// The median time of several runs, after one that loads the kernels.
fn median(device: &Device, mut work: impl FnMut() -> vyre::Result<()>) -> vyre::Result<Duration> {
    let times: vyre::Result<Vec<Duration>> = (0..=RUNS).map(|_| time(device, &mut work)).collect();
    times.map(middle)
}

/// The median of all times but the first.
fn middle(mut times: Vec<Duration>) -> Duration {
    times.remove(0);
    times.sort();
    times[times.len() / 2]
}

/// Time on the device, between events before and behind the work.
fn time(device: &Device, work: impl FnOnce() -> vyre::Result<()>) -> vyre::Result<Duration> {
    let stream = device.default_stream();
    device.synchronize()?;
    let before = stream.record()?;
    work()?;
    let behind = stream.record()?;
    device.synchronize()?;
    behind.since(&before)
}

fn check_order(words: &[u32], keys: &DeviceBuffer<u32>, run: usize) -> vyre::Result<()> {
    if run == 1 {
        let mut sorted = words.to_vec();
        sorted.sort_unstable();
        assert!(keys.download()? == sorted, "the sort is wrong");
    }
    Ok(())
}

fn check_sums(floats: &[f32], total: &DeviceBuffer<f32>, sums: &DeviceBuffer<f32>) -> vyre::Result<()> {
    let exact: f64 = floats.iter().map(|&x| f64::from(x)).sum();
    for (name, sum) in [
        ("sum", total.download()?[0]),
        ("scan", sums.download()?[floats.len() - 1]),
    ] {
        assert!(
            (f64::from(sum) - exact).abs() <= 1e-5 * exact,
            "{name}: {sum}, not {exact}"
        );
    }
    Ok(())
}

fn check_counts(floats: &[f32], counts: &DeviceBuffer<u64>) -> vyre::Result<()> {
    let mut expected = vec![0u64; 256];
    // Numbers that round to 1 are in no interval.
    for &x in floats.iter().filter(|&&x| x < 1.0) {
        expected[(x * 256.0) as usize] += 1;
    }
    assert!(counts.download()? == expected, "the histogram is wrong");
    Ok(())
}
