//! Segmented reductions.

use vyre::{Device, Error, FaultKind, Result};
use vyre_primitives::Scalar;
use vyre_primitives_tests::{Random, any, bits, on_devices};

/// Offsets of segments of these lengths.
fn offsets(lengths: &[usize]) -> Vec<u64> {
    let mut all = vec![0];
    for length in lengths {
        all.push(all.last().unwrap() + *length as u64);
    }
    all
}

/// The order that `vyre_primitives::segmented_sum` documents.
fn tree<T: Copy>(values: &[T], neutral: T, combine: &impl Fn(T, T) -> T) -> T {
    let thread = |t: usize| values.iter().skip(t).step_by(256).fold(neutral, |a, &b| combine(a, b));
    let warp = |w: usize| {
        let mut lanes: Vec<T> = (32 * w..32 * w + 32).map(thread).collect();
        while lanes.len() > 1 {
            lanes = lanes.chunks(2).map(|pair| combine(pair[0], pair[1])).collect();
        }
        lanes[0]
    };
    (1..8).map(warp).fold(warp(0), combine)
}

/// Sums, minima and maxima of the segments.
fn results<T: Scalar>(device: &Device, x: &[T], offsets: &[u64]) -> Result<[Vec<T>; 3]> {
    let (x, offsets) = (device.upload(x)?, device.upload(offsets)?);
    let mut y = device.zeros::<T>(offsets.len() - 1)?;
    vyre_primitives::segmented_sum(&x, &offsets, &mut y).launch()?;
    let sums = y.download()?;
    vyre_primitives::segmented_min(&x, &offsets, &mut y).launch()?;
    let minima = y.download()?;
    vyre_primitives::segmented_max(&x, &offsets, &mut y).launch()?;
    Ok([sums, minima, y.download()?])
}

/// Segments of all kinds: empty, shorter than a warp, around a block, around the limit of a warp's, long.
fn lengths() -> Vec<usize> {
    let mut lengths = vec![
        0, 1, 31, 32, 33, 0, 0, 255, 256, 257, 1023, 1024, 1025, 5000, 3, 20_000, 0,
    ];
    let mut random = Random::new(8);
    lengths.extend((0..200).map(|_| random.below(70) as usize));
    lengths
}

macro_rules! integers {
    ($($name:ident: $type:ident,)*) => { $(
        #[test]
        fn $name() {
            on_devices(|device| {
                let offsets = offsets(&lengths());
                let x = any::<$type>(6, offsets[offsets.len() - 1] as usize);
                let segments = || offsets.windows(2).map(|ends| &x[ends[0] as usize..ends[1] as usize]);
                let [sums, minima, maxima] = results(device, &x, &offsets)?;
                assert!(sums.into_iter().eq(segments().map(|s| s.iter().fold(0, |a: $type, &b| a.wrapping_add(b)))));
                assert!(minima.into_iter().eq(segments().map(|s| s.iter().copied().min().unwrap_or($type::MAX))));
                assert!(maxima.into_iter().eq(segments().map(|s| s.iter().copied().max().unwrap_or($type::MIN))));
                Ok(())
            });
        }
    )* };
}

integers! {
    of_u32: u32,
    of_i32: i32,
    of_u64: u64,
    of_i64: i64,
}

macro_rules! floats {
    ($($name:ident: $type:ident,)*) => { $(
        #[test]
        fn $name() {
            on_devices(|device| {
                let offsets = offsets(&lengths());
                let count = offsets[offsets.len() - 1] as usize;
                let x: Vec<$type> = any::<i32>(6, count).into_iter().map(|x| x as $type * 1e-9).collect();
                let segments = || offsets.windows(2).map(|ends| &x[ends[0] as usize..ends[1] as usize]);
                let [sums, minima, maxima] = results(device, &x, &offsets)?;
                let expected: Vec<$type> = segments()
                    .map(|s| if s.is_empty() { 0.0 } else { tree(s, -0.0, &|a, b| a + b) })
                    .collect();
                assert!(bits(&sums) == bits(&expected));
                let expected: Vec<$type> = segments().map(|s| s.iter().copied().fold($type::INFINITY, $type::min)).collect();
                assert!(bits(&minima) == bits(&expected));
                let expected: Vec<$type> = segments().map(|s| s.iter().copied().fold($type::NEG_INFINITY, $type::max)).collect();
                assert!(bits(&maxima) == bits(&expected));
                Ok(())
            });
        }
    )* };
}

floats! {
    of_f32: f32,
    of_f64: f64,
}

#[test]
fn no_segments() {
    on_devices(|device| {
        assert_eq!(results(device, &[1u32, 2], &[0])?, [const { Vec::new() }; 3]);
        assert_eq!(results::<u32>(device, &[], &[0, 0])?, [[0], [u32::MAX], [0]]);
        Ok(())
    });
}

/// Offsets that descend, and that exceed the array.
#[test]
fn wrong_offsets() {
    on_devices(|device| {
        for offsets in [[0u64, 2, 1], [0, 2, 4], [2, 1, 3], [0, u64::MAX, 3]] {
            let (x, offsets) = (device.upload(&[1u32, 2, 3])?, device.upload(&offsets)?);
            let (mut y, stream) = (device.zeros::<u32>(2)?, device.stream()?);
            vyre_primitives::segmented_sum(&x, &offsets, &mut y)
                .on(&stream)
                .launch()?;
            match stream.synchronize() {
                Err(Error::Fault(fault)) => {
                    assert_eq!(fault.kind, FaultKind::Assertion);
                    assert!(fault.to_string().contains("offsets ascend"), "{fault}");
                }
                other => panic!("{other:?}"),
            }
        }
        Ok(())
    });
}
