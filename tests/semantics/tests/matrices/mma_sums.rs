//! Accumulation of matrix products on every back end: exact, in order or within the error bound,
//! depending on the type.

use vyre::prelude::*;
use vyre::{bf16, f16};
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { OfDeepDoubles OfHalfSums }

/// Accumulation of random numbers: `d := a * b + c`, by blocks of one warp.
#[vyre::kernel(block = 32)]
fn of_floats(a: &[f32], b: &[f32], c: &[f32], d: &mut [f32]) {
    let number = block::idx().x;
    let left = mma::A::<mma::Tf32, 16, 8>::load(a, number * 128, 8);
    let right = mma::B::<mma::Tf32, 8, 8>::load(b, number * 64, 8);
    let sum = mma::C::<f32, 16, 8>::load(c, number * 128, 8);
    mma::multiply_add(left, right, sum).store(d, number * 128, 8);
}

/// The same of `f64`.
#[vyre::kernel(block = 32)]
fn of_doubles(a: &[f64], b: &[f64], c: &[f64], d: &mut [f64]) {
    let number = block::idx().x;
    let left = mma::A::<f64, 8, 4>::load(a, number * 32, 4);
    let right = mma::B::<f64, 4, 8>::load(b, number * 32, 8);
    let sum = mma::C::<f64, 8, 8>::load(c, number * 64, 8);
    mma::multiply_add(left, right, sum).store(d, number * 64, 8);
}

/// Values of all magnitudes from 2^-20 to 2^20.
fn random(state: &mut u64) -> f64 {
    let mut next = || {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    };
    let magnitude = (next() % 40) as i32 - 20;
    let sign = if next() % 2 == 0 { 1.0 } else { -1.0 };
    sign * (1.0 + next() as f64 / (1u64 << 31) as f64) * 2f64.powi(magnitude)
}

#[test]
fn sums_stay_within_their_bound() {
    let mut state = 7;
    // For tf32: loading does not round these values.
    let mut tf32 = |count| -> Vec<f32> {
        let values = (0..count).map(|_| f32::from_bits((random(&mut state) as f32).to_bits() & !0x1fff));
        values.collect()
    };
    let (a, b, c) = (tf32(64 * 128), tf32(64 * 64), tf32(64 * 128));
    everywhere(|place| {
        let device = place.device();
        let (on_a, on_b, on_c) = (device.upload(&a)?, device.upload(&b)?, device.upload(&c)?);
        let mut d = device.zeros::<f32>(c.len())?;
        place.over(of_floats(&on_a, &on_b, &on_c, &mut d), 64 * 32)?;
        for (at, found) in d.download()?.into_iter().enumerate() {
            let (number, row, column) = (at / 128, at % 128 / 8, at % 8);
            let terms =
                (0..8).map(|k| f64::from(a[number * 128 + row * 8 + k]) * f64::from(b[number * 64 + k * 8 + column]));
            let terms: Vec<f64> = terms.chain([f64::from(c[at])]).collect();
            let (exact, magnitudes) = (
                terms.iter().sum::<f64>(),
                terms.iter().map(|term| term.abs()).sum::<f64>(),
            );
            let error = (f64::from(found) - exact).abs();
            assert!(
                error <= magnitudes * 10.0 / f64::from(1 << 23),
                "off by {error:e} on {}",
                place.name()
            );
        }
        Ok(())
    });
}

/// The same with 16 rows and depths of 4, 8 and 16.
#[vyre::kernel(block = 32)]
fn of_deep_doubles(a: &[f64], b: &[f64], c: &[f64], d: &mut [f64]) {
    let number = block::idx().x;
    let (at_a, at_b, at_c) = (number * 256, number * 128, number * 128);
    let sum = mma::C::<f64, 16, 8>::load(c, at_c, 8);
    let left = mma::A::<f64, 16, 4>::load(a, at_a, 16);
    let right = mma::B::<f64, 4, 8>::load(b, at_b, 8);
    mma::multiply_add(left, right, sum).store(d, at_c * 3, 8);
    let left = mma::A::<f64, 16, 8>::load(a, at_a, 16);
    let right = mma::B::<f64, 8, 8>::load(b, at_b, 8);
    mma::multiply_add(left, right, sum).store(d, at_c * 3 + 128, 8);
    let left = mma::A::<f64, 16, 16>::load(a, at_a, 16);
    let right = mma::B::<f64, 16, 8>::load(b, at_b, 8);
    mma::multiply_add(left, right, sum).store(d, at_c * 3 + 256, 8);
}

#[test]
fn sums_of_deep_doubles_are_in_order() {
    let mut state = 13;
    let mut doubles = |count: usize| -> Vec<f64> { (0..count).map(|_| random(&mut state)).collect() };
    let (a, b, c) = (doubles(32 * 256), doubles(32 * 128), doubles(32 * 128));
    everywhere(|place| {
        let device = place.device();
        let (on_a, on_b, on_c) = (device.upload(&a)?, device.upload(&b)?, device.upload(&c)?);
        let mut d = device.zeros::<f64>(3 * c.len())?;
        place.over(of_deep_doubles(&on_a, &on_b, &on_c, &mut d), 32 * 32)?;
        for (at, found) in d.download()?.into_iter().enumerate() {
            let (number, depth, row, column) = (at / 384, 4 << (at % 384 / 128), at % 128 / 8, at % 8);
            let expected = (0..depth).fold(c[number * 128 + at % 128], |sum, k| {
                a[number * 256 + row * 16 + k].mul_add(b[number * 128 + k * 8 + column], sum)
            });
            assert_eq!(found, expected, "depth {depth} on {}", place.name());
        }
        Ok(())
    });
}

/// Accumulators of `f16`, with factors given as `f32` that are exact.
#[vyre::kernel(block = 32)]
fn of_half_sums(a: &[f32], b: &[f32], d: &mut [f32]) {
    let left = shared::<[f16; 16 * 16]>();
    let right = shared::<[f16; 16 * 8]>();
    let (number, t) = (block::idx().x, thread::idx().x);
    for i in 0..8 {
        left[i * 32 + t] = f16::from_f32(a[number * 256 + i * 32 + t]);
    }
    for i in 0..4 {
        right[i * 32 + t] = f16::from_f32(b[number * 128 + i * 32 + t]);
    }
    block::sync();
    let left = mma::A::<f16, 16, 16>::load(left, 0, 16);
    let right = mma::B::<f16, 16, 8>::load(right, 0, 8);
    let sum = mma::multiply_add(left, right, mma::C::<f16, 16, 8>::fill(f16::ONE));
    for i in 0..sum.len() {
        d[number * 128 + sum.row(i) * 8 + sum.column(i)] = sum[i].to_f32();
    }
}

#[test]
fn half_sums_stay_within_their_bound() {
    let mut state = 17;
    let mut halves = |count: usize| -> Vec<f32> {
        let values = (0..count).map(|_| f16::from_f64(random(&mut state).clamp(-16.0, 16.0)));
        values
            .map(f16::to_f32)
            .map(|value| if value.abs() < 0.01 { 0.5 } else { value })
            .collect()
    };
    let (a, b) = (halves(32 * 256), halves(32 * 128));
    everywhere(|place| {
        let device = place.device();
        let (on_a, on_b) = (device.upload(&a)?, device.upload(&b)?);
        let mut d = device.zeros::<f32>(32 * 128)?;
        place.over(of_half_sums(&on_a, &on_b, &mut d), 32 * 32)?;
        for (at, found) in d.download()?.into_iter().enumerate() {
            let (number, row, column) = (at / 128, at % 128 / 8, at % 8);
            let terms = (0..16)
                .map(|k| f64::from(a[number * 256 + row * 16 + k]) * f64::from(b[number * 128 + k * 8 + column]));
            let terms: Vec<f64> = terms.chain([1.0]).collect();
            let (exact, magnitudes) = (
                terms.iter().sum::<f64>(),
                terms.iter().map(|term| term.abs()).sum::<f64>(),
            );
            let error = (f64::from(found) - exact).abs();
            assert!(
                error <= magnitudes * 18.0 / 1024.0,
                "off by {error:e} on {}",
                place.name()
            );
        }
        Ok(())
    });
}

/// The same for `f16` and `bf16`, with factors given as `f32` that are exact in both.
#[vyre::kernel(block = 32)]
fn of_halves(a: &[f32], b: &[f32], c: &[f32], d: &mut [f32]) {
    let left = shared::<[f16; 16 * 16]>();
    let right = shared::<[bf16; 16 * 8]>();
    let other = shared::<[f16; 16 * 8]>();
    let brain = shared::<[bf16; 16 * 16]>();
    let (number, t) = (block::idx().x, thread::idx().x);
    for i in 0..8 {
        left[i * 32 + t] = f16::from_f32(a[number * 256 + i * 32 + t]);
        brain[i * 32 + t] = bf16::from_f32(a[number * 256 + i * 32 + t]);
    }
    for i in 0..4 {
        right[i * 32 + t] = bf16::from_f32(b[number * 128 + i * 32 + t]);
        other[i * 32 + t] = f16::from_f32(b[number * 128 + i * 32 + t]);
    }
    block::sync();
    let sum = mma::C::<f32, 16, 8>::load(c, number * 128, 8);
    let left = mma::A::<f16, 16, 16>::load(left, 0, 16);
    let of_f16 = mma::multiply_add(left, mma::B::<f16, 16, 8>::load(other, 0, 8), sum);
    of_f16.store(d, number * 256, 8);
    let brain = mma::A::<bf16, 16, 16>::load(brain, 0, 16);
    let of_bf16 = mma::multiply_add(brain, mma::B::<bf16, 16, 8>::load(right, 0, 8), sum);
    of_bf16.store(d, number * 256 + 128, 8);
}

#[test]
fn sums_of_halves_stay_within_their_bound() {
    let mut state = 5;
    // Eight bits of fraction, and exponents that both types have.
    let mut halves = |count| -> Vec<f32> {
        let values = (0..count).map(|_| {
            let value = f32::from_bits((random(&mut state) as f32).to_bits() & !0xffff);
            value.clamp(-512.0, 512.0) + if value.abs() < 1e-3 { value.signum() } else { 0.0 }
        });
        values
            .map(|value: f32| f32::from_bits(value.to_bits() & !0xffff))
            .collect()
    };
    let (a, b, c) = (halves(32 * 256), halves(32 * 128), halves(32 * 128));
    everywhere(|place| {
        let device = place.device();
        let (on_a, on_b, on_c) = (device.upload(&a)?, device.upload(&b)?, device.upload(&c)?);
        let mut d = device.zeros::<f32>(2 * c.len())?;
        place.over(of_halves(&on_a, &on_b, &on_c, &mut d), 32 * 32)?;
        for (at, found) in d.download()?.into_iter().enumerate() {
            let (number, row, column) = (at / 256, at % 128 / 8, at % 8);
            let terms = (0..16)
                .map(|k| f64::from(a[number * 256 + row * 16 + k]) * f64::from(b[number * 128 + k * 8 + column]));
            let start = f64::from(c[number * 128 + row * 8 + column]);
            let terms: Vec<f64> = terms.chain([start]).collect();
            let (exact, magnitudes) = (
                terms.iter().sum::<f64>(),
                terms.iter().map(|term| term.abs()).sum::<f64>(),
            );
            let error = (f64::from(found) - exact).abs();
            assert!(
                error <= magnitudes * 18.0 / f64::from(1 << 23),
                "off by {error:e} on {}",
                place.name()
            );
        }
        Ok(())
    });
}

#[test]
fn sums_of_doubles_are_in_order() {
    let mut state = 11;
    let mut doubles = |count: usize| -> Vec<f64> { (0..count).map(|_| random(&mut state)).collect() };
    let (a, b, c) = (doubles(64 * 32), doubles(64 * 32), doubles(64 * 64));
    everywhere(|place| {
        let device = place.device();
        let (on_a, on_b, on_c) = (device.upload(&a)?, device.upload(&b)?, device.upload(&c)?);
        let mut d = device.zeros::<f64>(c.len())?;
        place.over(of_doubles(&on_a, &on_b, &on_c, &mut d), 64 * 32)?;
        for (at, found) in d.download()?.into_iter().enumerate() {
            let (number, row, column) = (at / 64, at % 64 / 8, at % 8);
            let expected = (0..4).fold(c[at], |sum, k| {
                a[number * 32 + row * 4 + k].mul_add(b[number * 32 + k * 8 + column], sum)
            });
            assert_eq!(found, expected, "on {}", place.name());
        }
        Ok(())
    });
}

#[test]
fn loads_and_stores_compare_their_indices() {
    everywhere(|place| {
        let device = place.device();
        let (a, b) = (device.zeros::<f64>(32 * 2)?, device.zeros::<f64>(32 * 2 - 1)?);
        let c = device.zeros::<f64>(64 * 2)?;
        let mut d = device.zeros::<f64>(64 * 2)?;
        let error = place
            .over(of_doubles(&a, &b, &c, &mut d), 2 * 32)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("index 63 of `b` is out of bounds of length 63\n"),
            "{error} on {}",
            place.name()
        );
        let b = device.zeros::<f64>(32 * 2)?;
        let mut d = device.zeros::<f64>(64 * 2 - 8)?;
        let error = place
            .over(of_doubles(&a, &b, &c, &mut d), 2 * 32)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("is out of bounds of length 120\n"),
            "{error} on {}",
            place.name()
        );
        assert!(error.contains("block [1, 0, 0]"), "{error} on {}", place.name());
        Ok(())
    });
}
