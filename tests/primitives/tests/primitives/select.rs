//! Selections and runs.

use vyre::{Device, Result};
use vyre_primitives::Scalar;
use vyre_primitives_tests::{Random, any, bits, on_devices};

use super::{LENGTHS, large};

/// The selected elements of `x`, behind each other, and what is behind them in a buffer of so many zeros.
fn selected<T: Scalar>(device: &Device, x: &[T], flags: &[bool], room: usize) -> Result<(Vec<T>, u64)> {
    let (x, flags) = (device.upload(x)?, device.upload(flags)?);
    let (mut y, mut count) = (device.zeros::<T>(room)?, device.upload(&[99u64])?);
    vyre_primitives::select(&x, &flags, &mut y, &mut count).launch()?;
    Ok((y.download()?, count.download()?[0]))
}

#[test]
fn by_flags() {
    fn check<T: Scalar>(device: &Device, lengths: &[usize]) -> Result<()> {
        let mut random = Random::new(2);
        for (&length, times) in lengths.iter().zip([1, 2, 100].into_iter().cycle()) {
            let x = any::<T>(length as u64, length);
            let flags: Vec<bool> = (0..length).map(|_| random.once_in(times)).collect();
            let expected: Vec<T> = x
                .iter()
                .zip(&flags)
                .filter(|(_, flag)| **flag)
                .map(|(x, _)| *x)
                .collect();
            let (y, count) = selected(device, &x, &flags, length)?;
            assert_eq!(count as usize, expected.len(), "{length}");
            assert!(bits(&y[..expected.len()]) == bits(&expected), "{length}");
            assert!(bits(&y[expected.len()..]).iter().all(|&bits| bits == 0), "{length}");
            // Less room than is needed.
            let room = expected.len() / 2;
            let (y, count) = selected(device, &x, &flags, room)?;
            assert_eq!(
                (bits(&y), count as usize),
                (bits(&expected[..room]), expected.len()),
                "{length}"
            );
        }
        Ok(())
    }
    on_devices(|device| {
        check::<u32>(device, &LENGTHS)?;
        check::<f32>(device, &[1000, large(device)])?;
        check::<f64>(device, &[5000, 20_001])?;
        check::<i64>(device, &[0, 9000])
    });
}

#[test]
fn runs() {
    fn check<T: Scalar>(device: &Device, x: &[T]) -> Result<()> {
        let mut distinct = x.to_vec();
        distinct.dedup();
        let mut starts: Vec<u64> = (0..x.len())
            .filter(|&i| i == 0 || x[i] != x[i - 1])
            .map(|i| i as u64)
            .collect();
        starts.push(x.len() as u64);

        let x = device.upload(x)?;
        let (mut y, mut count) = (device.zeros::<T>(x.len())?, device.zeros::<u64>(1)?);
        vyre_primitives::unique(&x, &mut y, &mut count).launch()?;
        assert_eq!(count.download()?, [distinct.len() as u64]);
        assert!(bits(&y.slice(..distinct.len())?.download()?) == bits(&distinct));

        let mut found = device.upload(&vec![7u64; x.len() + 2])?;
        count.fill(0)?;
        vyre_primitives::run_starts(&x, &mut found, &mut count).launch()?;
        assert_eq!(count.download()?, [distinct.len() as u64]);
        assert!(found.slice(..starts.len())?.download()? == starts);
        assert!(found.slice(starts.len()..)?.download()?.iter().all(|&rest| rest == 7));

        // No room for the end.
        let mut found = device.zeros::<u64>(distinct.len())?;
        vyre_primitives::run_starts(&x, &mut found, &mut count).launch()?;
        assert!(found.download()? == starts[..distinct.len()]);
        Ok(())
    }
    on_devices(|device| {
        for length in LENGTHS {
            let x: Vec<u32> = any::<u32>(length as u64, length).into_iter().map(|x| x % 3).collect();
            check(device, &x)?;
            check(device, &x.iter().map(|&x| x as f64 - 1.0).collect::<Vec<_>>())?;
        }
        check(device, &[f32::NAN, f32::NAN, 0.0, -0.0, -0.0, 1.0])?;
        check(device, &vec![5i32; 10_000])?;
        check(device, &vec![5i64; 10_000])?;
        check(device, &(0..10_000u64).map(|i| i / 3).collect::<Vec<_>>())
    });
}
