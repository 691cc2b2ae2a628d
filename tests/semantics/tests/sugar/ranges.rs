//! Loops over ranges upwards and downwards, to the ends of their types, and what they index.

use vyre::FaultKind;
use vyre::prelude::*;
use vyre_semantics::places::everywhere;

/// The values that each kind of loop finds between two bounds, in order.
macro_rules! found {
    ($($name:ident: $ty:ty;)*) => { $(
        #[vyre::device]
        fn $name(start: $ty, end: $ty) -> [u64; 4] {
            let mut found = [0u64; 4];
            for i in (start..end).rev() {
                found[0] = found[0].wrapping_mul(31).wrapping_add(i as u64 ^ 0x55);
            }
            for i in start..=end {
                found[1] = found[1].wrapping_mul(31).wrapping_add(i as u64 ^ 0x55);
            }
            for mut i in (start..=end).rev() {
                found[2] = found[2].wrapping_mul(31).wrapping_add(i as u64 ^ 0x55);
                i ^= 1;
                if found[2] == i as u64 {
                    break;
                }
            }
            for i in (start..end).rev().step_by(3) {
                found[3] = found[3].wrapping_mul(31).wrapping_add(i as u64 ^ 0x55);
            }
            found
        }
    )* };
}
found! { of_u64: u64; of_i64: i64; of_u8: u8; of_i32: i32; }

#[vyre::kernel]
fn words(bounds: &[[u64; 2]], found: &mut [[[u64; 4]; 4]]) {
    let i = thread::index();
    if i < bounds.len() {
        let [start, end] = bounds[i];
        found[i] = [
            of_u64(start, end),
            of_i64(start as i64, end as i64),
            of_u8(start as u8, end as u8),
            of_i32(start as i8 as i32, end as i8 as i32),
        ];
    }
}

#[test]
fn to_the_ends_of_types() {
    let mut bounds: Vec<[u64; 2]> = Vec::new();
    for start in [0, 1, 5, 120, 200, 250, 255, u64::MAX - 2, (1 << 63) - 2, 1 << 63] {
        for length in [0, 1, 2, 3, 16, 17, 21] {
            bounds.push([start, start.saturating_add(length)]);
        }
        // Empty ones.
        bounds.push([start, start.saturating_sub(1)]);
    }
    // None of nearly all values.
    bounds.retain(|&[start, end]| end < start || end - start < 1000);
    bounds.retain(|&[start, end]| (end as i64) < start as i64 || end.wrapping_sub(start) < 1000);
    let of = |&[start, end]: &[u64; 2]| {
        [
            of_u64(start, end),
            of_i64(start as i64, end as i64),
            of_u8(start as u8, end as u8),
            of_i32(start as i8 as i32, end as i8 as i32),
        ]
    };
    let expected: Vec<_> = bounds.iter().map(of).collect();
    everywhere(|place| {
        let device = place.device();
        let given = device.upload(&bounds)?;
        let mut found = device.upload(&vec![[[0u64; 4]; 4]; bounds.len()])?;
        place.over(words(&given, &mut found), bounds.len())?;
        assert_eq!(found.download()?, expected, "{}", place.name());
        Ok(())
    });
}

/// The fault of a launch.
fn fault(result: vyre::Result<()>) -> Box<vyre::Fault> {
    match result {
        Err(vyre::Error::Fault(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

/// Sums that are unrolled: their order counts.
#[vyre::kernel]
fn sums(x: &[f32], y: &mut [[f32; 4]], n: usize) {
    let i = thread::index();
    if i < y.len() {
        let mut sums = [0.0f32; 4];
        for j in (i..n).rev() {
            sums[0] = sums[0] * 0.5 + x[j];
        }
        for j in i..=n {
            sums[1] = sums[1] * 0.5 + x[j];
        }
        for j in (i..=n).rev() {
            sums[2] = sums[2] * 0.5 + x[j];
        }
        for v in x.iter().rev() {
            sums[3] = sums[3] * 0.5 + v;
        }
        y[i] = sums;
    }
}

#[test]
fn sums_in_their_order() {
    let x: Vec<f32> = (0..200).map(|i| ((i * 37) % 101) as f32 * 0.25 - 9.0).collect();
    for n in [0usize, 1, 15, 16, 17, 64, 100, 199] {
        let expected: Vec<[u32; 4]> = (0..150)
            .map(|i| {
                let step = |sum: f32, v: &f32| sum * 0.5 + v;
                let part = |end: usize| if i < end { &x[i..end] } else { &[][..] };
                [
                    part(n).iter().rev().fold(0.0, step),
                    part(n + 1).iter().fold(0.0, step),
                    part(n + 1).iter().rev().fold(0.0, step),
                    x.iter().rev().fold(0.0, step),
                ]
                .map(f32::to_bits)
            })
            .collect();
        everywhere(|place| {
            let device = place.device();
            let x = device.upload(&x)?;
            let mut y = device.upload(&vec![[0.0f32; 4]; 150])?;
            place.over(sums(&x, &mut y, n), 150)?;
            let found: Vec<_> = y.download()?.iter().map(|sums| sums.map(f32::to_bits)).collect();
            assert_eq!(found, expected, "{n} on {}", place.name());
            Ok(())
        });
    }
}

/// The index falls, by one and by three, also below zero.
#[vyre::kernel]
fn falling(x: &[u32], y: &mut [u32], from: usize, n: usize) {
    let mut sum = 0;
    for k in 0..n {
        sum = sum * 3 + x[from - k];
        sum += x[from + 40 - 3 * k];
    }
    if thread::index() == 0 {
        y[0] = sum;
    }
}

/// The index rises to the last, which may be outside.
#[vyre::kernel]
fn inclusive(x: &[u32], y: &mut [u32], n: usize) {
    let mut sum = 0u32;
    for k in 0..=n {
        sum = sum * 3 + x[k];
    }
    if thread::index() == 0 {
        y[0] = sum;
    }
}

#[test]
fn falling_indices() {
    let x: Vec<u32> = (0..100).map(|i| i * i + 7).collect();
    for (from, n) in [(50, 0), (50, 1), (50, 17), (50, 30), (59, 30), (20, 21)] {
        let expected = (0..n).fold(0u32, |sum, k| {
            let sum = sum.wrapping_mul(3).wrapping_add(x[from - k]);
            sum.wrapping_add(x[from + 40 - 3 * k])
        });
        everywhere(|place| {
            let device = place.device();
            let x = device.upload(&x)?;
            let mut y = device.upload(&[0u32])?;
            place.grid(falling(&x, &mut y, from, n), [1, 1, 1])?;
            assert_eq!(y.download()?, [expected], "{from} {n} on {}", place.name());
            Ok(())
        });
    }
    // The first index is outside, or one falls below zero.
    for (from, n, index) in [(100, 2, 100), (60, 1, 100), (9, 11, u64::MAX), (50, 32, u64::MAX - 2)] {
        everywhere(|place| {
            let device = place.device();
            let x = device.upload(&x)?;
            let mut y = device.upload(&[0u32])?;
            let fault = fault(place.grid(falling(&x, &mut y, from, n), [1, 1, 1]));
            assert_eq!(fault.kind, FaultKind::IndexOutOfBounds, "{}", place.name());
            assert_eq!(fault.values, [index, 100], "{from} {n} on {}", place.name());
            Ok(())
        });
    }
    everywhere(|place| {
        let device = place.device();
        let x = device.upload(&x)?;
        let mut y = device.upload(&[0u32])?;
        for n in [100, 150, usize::MAX - 1, usize::MAX] {
            let fault = fault(place.grid(inclusive(&x, &mut y, n), [1, 1, 1]));
            assert_eq!(fault.values, [100, 100], "{n} on {}", place.name());
        }
        // A buffer that a faulted launch may have written stays unspecified.
        let mut y = device.upload(&[0u32])?;
        place.grid(inclusive(&x, &mut y, 99), [1, 1, 1])?;
        let expected = x
            .download()?
            .iter()
            .fold(0u32, |sum, v| sum.wrapping_mul(3).wrapping_add(*v));
        assert_eq!(y.download()?, [expected], "{}", place.name());
        Ok(())
    });
}
