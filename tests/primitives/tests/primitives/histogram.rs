//! Histograms.

use vyre::Result;
use vyre_primitives::Bin;
use vyre_primitives_tests::{any, on_devices};

use super::{LENGTHS, large};

#[test]
fn of_bins() {
    fn check<B: Bin + Into<u64>>(device: &vyre::Device, x: &[B], bins: usize) -> Result<()> {
        let mut expected = vec![0u64; bins];
        for &bin in x {
            if let Some(count) = expected.get_mut(bin.into() as usize) {
                *count += 1;
            }
        }
        let x = device.upload(x)?;
        let mut counts = device.upload(&vec![9u64; bins])?;
        vyre_primitives::histogram(&x, &mut counts).launch()?;
        assert!(counts.download()? == expected, "{} in {bins}", x.len());
        Ok(())
    }
    on_devices(|device| {
        for length in LENGTHS.into_iter().chain([large(device)]) {
            let x = any::<u32>(length as u64, length);
            check(device, &x.iter().map(|&x| x as u8).collect::<Vec<_>>(), 256)?;
            check(device, &x.iter().map(|&x| x as u8).collect::<Vec<_>>(), 100)?;
        }
        let x = any::<u32>(3, 30_000);
        for bins in [0, 1, 1000, 8192, 8193, 70_000] {
            check(device, &x.iter().map(|&x| x as u16).collect::<Vec<_>>(), bins)?;
            check(device, &x.iter().map(|&x| x % 80_000).collect::<Vec<_>>(), bins)?;
        }
        check(device, &vec![7u32; 50_000], 9)
    });
}

#[test]
fn of_intervals() {
    on_devices(|device| {
        let words = any::<i32>(4, 40_000);
        let edges = [
            0.0f32,
            -0.0,
            -1e-9,
            1.0,
            2.0,
            1.9999999,
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
        ];
        let x: Vec<f32> = words.iter().map(|&x| x as f32 * 1e-9).chain(edges).collect();
        let wide: Vec<f64> = x.iter().map(|&x| x as f64).collect();
        for (lower, upper, bins) in [
            (0.0f32, 2.0f32, 10usize),
            (-2.5, 2.5, 1000),
            (0.1, 0.3, 9000),
            (-1.0, 1.0, 1),
        ] {
            let mut expected = vec![0u64; bins];
            let scale = bins as f32 / (upper - lower);
            for &x in x.iter().filter(|&&x| x >= lower && x < upper) {
                expected[(((x - lower) * scale) as usize).min(bins - 1)] += 1;
            }
            let mut counts = device.zeros::<u64>(bins)?;
            vyre_primitives::histogram_even(&device.upload(&x)?, lower, upper, &mut counts).launch()?;
            assert!(counts.download()? == expected, "{lower} {upper} {bins}");

            let (lower, upper) = (lower as f64, upper as f64);
            let mut expected = vec![0u64; bins];
            let scale = bins as f64 / (upper - lower);
            for &x in wide.iter().filter(|&&x| x >= lower && x < upper) {
                expected[(((x - lower) * scale) as usize).min(bins - 1)] += 1;
            }
            vyre_primitives::histogram_even(&device.upload(&wide)?, lower, upper, &mut counts).launch()?;
            assert!(counts.download()? == expected, "{lower} {upper} {bins} in f64");
        }
        Ok(())
    });
}
