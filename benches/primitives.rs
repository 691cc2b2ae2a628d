//! Primitives of whole arrays, beside a device-to-device copy in the same process. `cuda/primitives.cu` has the same by
//! CUB, with the same input.
//!
//! ```text
//! cargo bench --features primitives --bench primitives [-- ELEMENTS]
//! ```

use std::time::Duration;

use vyre::prelude::*;
use vyre::primitives;

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

    let names = [
        "device copy",
        "sum",
        "inclusive sum",
        "histogram, 256 bins",
        "histogram of bytes",
        "select, half of all",
        "unique, runs of 3",
        "segments of 1000",
        "sort",
        "sort with values",
    ];
    let mut times = names.map(|_| Vec::new());
    for run in 0..=RUNS {
        let mut took = vec![
            time(&device, || y.copy_from(&x))?,
            time(&device, || primitives::sum(&x, &mut total).launch())?,
            time(&device, || primitives::inclusive_sum(&x, &mut y).launch())?,
            time(&device, || {
                primitives::histogram_even(&x, 0.0, 1.0, &mut counts).launch()
            })?,
        ];
        if run == 0 {
            check_counts(&floats, &counts)?;
        }
        took.extend([
            time(&device, || primitives::histogram(&bytes, &mut counts).launch())?,
            time(&device, || {
                primitives::select(&unsorted, &flags, &mut kept, &mut found).launch()
            })?,
            time(&device, || primitives::unique(&runs, &mut kept, &mut found).launch())?,
            time(&device, || {
                primitives::segmented_sum(&x, &offsets, &mut segments).launch()
            })?,
        ]);
        keys.copy_from(&unsorted)?;
        took.push(time(&device, || primitives::sort(&mut keys).launch())?);
        if run == 0 {
            check(&words, &keys, &floats, &total, &y)?;
        }
        keys.copy_from(&unsorted)?;
        took.push(time(&device, || {
            primitives::sort_pairs(&mut keys, &mut values).launch()
        })?);
        // The first run loads the kernels.
        if run > 0 {
            times.iter_mut().zip(took).for_each(|(times, time)| times.push(time));
        }
    }

    println!("device: {device}; {count} elements of 32 bits");
    // The bytes of an element that are read and written, rounded for selections; none of sorts.
    for ((name, times), bytes) in
        names
            .iter()
            .zip(&mut times)
            .zip([8.0, 4.0, 8.0, 4.0, 1.0, 7.0, 16.0 / 3.0, 4.0, 0.0, 0.0])
    {
        times.sort();
        let time = times[times.len() / 2].as_secs_f64();
        let (rate, unit) = match bytes == 0.0 {
            true => (count as f64 / time / 1e9, "Gkeys/s"),
            false => (bytes * count as f64 / time / 1e9, "GB/s"),
        };
        println!("{name:<20} {:>8.3} ms {rate:>8.1} {unit}", time * 1e3);
    }
    Ok(())
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

/// Results against the host, before anything is timed.
fn check(
    words: &[u32],
    keys: &DeviceBuffer<u32>,
    floats: &[f32],
    total: &DeviceBuffer<f32>,
    sums: &DeviceBuffer<f32>,
) -> vyre::Result<()> {
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    assert!(keys.download()? == sorted, "the sort is wrong");
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
