//! Matrix products on every back end, against plain Rust: each shape, each layout, and elements
//! that are all different, so that no permutation goes unnoticed.

use vyre::prelude::*;
use vyre::{bf16, f16};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assemble_quickly;

vyre_semantics::kernels! { Tiled }

/// The primes from 2 on.
fn primes(count: usize) -> Vec<u32> {
    let is_prime = |n: &u32| (2..).take_while(|i| i * i <= *n).all(|i| !n.is_multiple_of(i));
    (2..).filter(is_prime).take(count).collect()
}

/// The index of an element in a matrix of this extent.
fn element(transposed: bool, extent: (usize, usize), row: usize, column: usize) -> usize {
    match transposed {
        true => column * extent.0 + row,
        false => row * extent.1 + column,
    }
}

/// For each shape a kernel with two products, the second accumulated onto the first.
macro_rules! products {
    ($($name:ident $launcher:ident $factor:ty, $in_memory:ty, $sum:ty, $m:literal $n:literal $k:literal,
        $as_factor:expr, $as_sum:expr, $multiply_add:expr;)*) => { $( mod $name {
        use super::*;

        #[vyre::kernel(launcher = $launcher, block = 64, allow(races))] // the elements of a fragment are a permutation
        fn multiply(transposed: bool, a: &[$in_memory], b: &[$in_memory], c: &[$sum], d: &mut [$sum], places: &mut [usize]) {
            let warp = thread::idx().x / 32;
            let (at_a, at_b, at_c) = (warp * $m * $k, warp * $k * $n, warp * $m * $n);
            let mut product = mma::C::<$sum, $m, $n>::load(c, at_c, $n);
            let mut left = mma::A::<$factor, $m, $k>::load(a, at_a, $k);
            let mut right = mma::B::<$factor, $k, $n>::load(b, at_b, $n);
            if transposed {
                left = mma::A::<$factor, $m, $k>::load_transposed(a, at_a, $m);
                right = mma::B::<$factor, $k, $n>::load_transposed(b, at_b, $k);
                product = mma::C::<$sum, $m, $n>::load_transposed(c, at_c, $m);
            }
            for _ in 0..2 {
                product = mma::multiply_add(left, right, product);
            }
            if transposed {
                product.store_transposed(d, at_c, $m);
            } else {
                product.store(d, at_c, $n);
            }
            for i in 0..product.len() {
                places[at_c + product.row(i) * $n + product.column(i)] = lane::index();
            }
            for i in 0..left.len() {
                places[2 * $m * $n + at_a + left.row(i) * $k + left.column(i)] = lane::index();
            }
            for i in 0..right.len() {
                places[2 * $m * ($n + $k) + at_b + right.row(i) * $n + right.column(i)] = lane::index();
            }
        }

        #[test]
        fn agrees() {
            let primes = primes(2 * ($m * $k + $k * $n + $m * $n));
            let (a, rest) = primes.split_at(2 * $m * $k);
            let (b, c) = rest.split_at(2 * $k * $n);
            let (as_factor, as_sum): (fn(u32) -> $in_memory, fn(u32) -> $sum) = ($as_factor, $as_sum);
            let multiply_add: fn($in_memory, $in_memory, $sum) -> $sum = $multiply_add;
            let a: Vec<$in_memory> = a.iter().map(|&prime| as_factor(prime)).collect();
            let b: Vec<$in_memory> = b.iter().map(|&prime| as_factor(prime)).collect();
            let c: Vec<$sum> = c.iter().map(|&prime| as_sum(prime)).collect();
            for transposed in [false, true] {
                let mut expected = vec![<$sum>::default(); 2 * $m * $n];
                for warp in 0..2 {
                    for row in 0..$m {
                        for column in 0..$n {
                            let at = warp * $m * $n + element(transposed, ($m, $n), row, column);
                            let mut sum = c[at];
                            for k in (0..$k).chain(0..$k) {
                                let a = a[warp * $m * $k + element(transposed, ($m, $k), row, k)];
                                let b = b[warp * $k * $n + element(transposed, ($k, $n), k, column)];
                                sum = multiply_add(a, b, sum);
                            }
                            expected[at] = sum;
                        }
                    }
                }
                everywhere(|place| {
                    let device = place.device();
                    let (a, b, c) = (device.upload(&a)?, device.upload(&b)?, device.upload(&c)?);
                    let mut d = device.zeros::<$sum>(2 * $m * $n)?;
                    let mut places = device.upload(&vec![usize::MAX; 2 * ($m * $n + $m * $k + $k * $n)])?;
                    place.over(multiply(transposed, &a, &b, &c, &mut d, &mut places), 64)?;
                    for (found, expected) in d.download()?.into_iter().zip(&expected) {
                        assert_eq!(found, *expected, "on {}", place.name());
                    }
                    // Each element belongs to one lane.
                    let places = places.download()?;
                    for matrix in [&places[..$m * $n], &places[2 * $m * $n..][..$m * $k], &places[2 * $m * ($n + $k)..][..$k * $n]] {
                        for lane in 0..32 {
                            let count = matrix.iter().filter(|&&holder| holder == lane).count();
                            assert_eq!(count, matrix.len() / 32, "elements of lane {lane} on {}", place.name());
                        }
                    }
                    Ok(())
                });
            }
            assemble_quickly($launcher::info());
        }
    } )* };
}

products! {
    signed_16 Signed16 i8, i8, i32, 16 8 16, |p| p as i8, |p| p as i32 - 5000,
        |a, b, c| c.wrapping_add(i32::from(a) * i32::from(b));
    signed_32 Signed32 i8, i8, i32, 16 8 32, |p| p as i8, |p| i32::MAX - p as i32,
        |a, b, c| c.wrapping_add(i32::from(a) * i32::from(b));
    unsigned_16 Unsigned16 u8, u8, i32, 16 8 16, |p| p as u8, |p| p as i32 - 5000,
        |a, b, c| c.wrapping_add(i32::from(a) * i32::from(b));
    unsigned_32 Unsigned32 u8, u8, i32, 16 8 32, |p| p as u8, |p| i32::MAX - p as i32,
        |a, b, c| c.wrapping_add(i32::from(a) * i32::from(b));
    // All sums are exact.
    half_8 Half8 f16, f16, f32, 16 8 8, |p| f16::from_f32((p % 256) as f32), |p| p as f32,
        |a, b, c| c + a.to_f32() * b.to_f32();
    half_16 Half16 f16, f16, f32, 16 8 16, |p| f16::from_f32(-((p % 256) as f32)), |p| p as f32,
        |a, b, c| c + a.to_f32() * b.to_f32();
    brain_8 Brain8 bf16, bf16, f32, 16 8 8, |p| bf16::from_f32((p % 256) as f32), |p| p as f32,
        |a, b, c| c + a.to_f32() * b.to_f32();
    brain_16 Brain16 bf16, bf16, f32, 16 8 16, |p| bf16::from_f32(-((p % 256) as f32)), |p| p as f32,
        |a, b, c| c + a.to_f32() * b.to_f32();
    tf32_4 Tf4 mma::Tf32, f32, f32, 16 8 4, |p| (p % 1024) as f32, |p| p as f32,
        |a, b, c| c + a * b;
    tf32_8 Tf8 mma::Tf32, f32, f32, 16 8 8, |p| (p % 512) as f32, |p| -(p as f32),
        |a, b, c| c + a * b;
    double Double f64, f64, f64, 8 8 4, |p| p as f64, |p| -(p as f64),
        |a, b, c| a.mul_add(b, c);
    double_4 Double4 f64, f64, f64, 16 8 4, |p| p as f64, |p| -(p as f64),
        |a, b, c| a.mul_add(b, c);
    double_8 Double8 f64, f64, f64, 16 8 8, |p| p as f64, |p| -(p as f64),
        |a, b, c| a.mul_add(b, c);
    double_16 Double16 f64, f64, f64, 16 8 16, |p| p as f64, |p| -(p as f64),
        |a, b, c| a.mul_add(b, c);
    // Small numbers, whose sums are exact.
    half_sum_8 HalfSum8 f16, f16, f16, 16 8 8, |p| f16::from_f32((p % 8) as f32), |p| f16::from_f32((p % 256) as f32),
        |a, b, c| f16::from_f32(c.to_f32() + a.to_f32() * b.to_f32());
    half_sum_16 HalfSum16 f16, f16, f16, 16 8 16, |p| f16::from_f32(-((p % 8) as f32)), |p| f16::from_f32((p % 64) as f32),
        |a, b, c| f16::from_f32(c.to_f32() + a.to_f32() * b.to_f32());
}

/// Rounds to tf32: the product of one and each value, plus zeros.
#[vyre::kernel(block = 32)]
fn round_to_tf32(x: &[f32], y: &mut [f32]) {
    let columns = shared::<[f32; 16 * 4]>();
    let t = thread::idx().x;
    columns[t] = 0.0;
    columns[t + 32] = 0.0;
    block::sync();
    if t < 16 {
        columns[t * 4] = x[block::idx().x * 16 + t];
    }
    block::sync();
    let values = mma::A::<mma::Tf32, 16, 4>::load(columns, 0, 4);
    block::sync();
    columns[t] = 1.0;
    block::sync();
    let ones = mma::B::<mma::Tf32, 4, 8>::load(columns, 0, 8);
    let rounded = mma::multiply_add(values, ones, mma::C::<f32, 16, 8>::fill(0.0));
    for i in 0..4 {
        if rounded.column(i) == 3 {
            y[block::idx().x * 16 + rounded.row(i)] = rounded[i];
        }
    }
}

#[test]
fn rounds_to_tf32() {
    let mut values = vec![
        0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::from_bits(0x7fff_ffff),
        f32::from_bits(0xffff_f000),
        f32::MAX,
        -f32::MAX,
    ];
    for bits in [0x3f80_0000u32, 0xbf80_0000, 0x4123_4000, 0x7f7f_c000, 0x3f7f_e000] {
        for low in [0, 1, 0xfff, 0x1000, 0x1001, 0x1fff] {
            values.push(f32::from_bits(bits | low));
        }
    }
    values.resize(48, 1.5);
    // Rounded to nearest in the last place, ties away from zero.
    let expected: Vec<f32> = (values.iter())
        .map(|&value| {
            if !value.is_finite() {
                return value;
            }
            let below = f64::from(f32::from_bits(value.to_bits() & !0x1fff));
            let unit = f64::from(f32::from_bits(value.to_bits() & !0x1fff | 0x1000)) - below;
            let above = below + 2.0 * unit;
            let nearest = if (f64::from(value) - below).abs() < unit.abs() {
                below
            } else {
                above
            };
            // Larger values overflow to infinity.
            nearest as f32
        })
        .collect();
    everywhere(|place| {
        let x = place.device().upload(&values)?;
        let mut y = place.device().zeros::<f32>(values.len())?;
        place.over(round_to_tf32(&x, &mut y), 3 * 32)?;
        for ((found, expected), value) in y.download()?.into_iter().zip(&expected).zip(&values) {
            let agree = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(
                agree,
                "{value:e} gives {found:e}, not {expected:e}, on {}",
                place.name()
            );
        }
        Ok(())
    });
}

/// Four products side by side, in a device function, with an elementwise epilogue.
#[vyre::device]
fn multiply_row(a: mma::A<i8, 16, 16>, b: &[i8], at: usize, sums: &mut [mma::C<i32, 16, 8>; 4]) {
    for j in 0..4 {
        let right = mma::B::<i8, 16, 8>::load(b, at + j * 8, 32);
        sums[j] = mma::multiply_add(a, right, sums[j]);
    }
}

/// `d := a * b`, each element halved and stored with its position: 16 by 48 times 48 by 32 numbers,
/// by one warp.
#[vyre::kernel(block = 32)]
fn tiled(a: &[i8], b: &[i8], d: &mut [i32]) {
    let mut sums = [mma::C::<i32, 16, 8>::zero(); 4];
    for step in 0..3 {
        let left = mma::A::<i8, 16, 16>::load(a, step * 16, 48);
        multiply_row(left, b, step * 16 * 32, &mut sums);
    }
    for j in 0..4 {
        let mut sum = sums[j];
        for i in 0..sum.len() {
            sum[i] = sum[i] / 2 + 1000 * (sum.row(i) * 32 + j * 8 + sum.column(i)) as i32;
        }
        let first = sum[0];
        sum[0] += lane::index() as i32;
        sum[0] = first;
        sum.store(d, j * 8, 32);
    }
}

#[test]
fn fragments_in_arrays_and_functions() {
    let a: Vec<i8> = (0..16 * 48).map(|i| (i * 37 % 256) as u8 as i8).collect();
    let b: Vec<i8> = (0..48 * 32).map(|i| (i * 91 % 255) as u8 as i8).collect();
    let expected: Vec<i32> = (0..16 * 32)
        .map(|at| {
            let products = (0..48).map(|k| i32::from(a[at / 32 * 48 + k]) * i32::from(b[k * 32 + at % 32]));
            products.sum::<i32>() / 2 + 1000 * at as i32
        })
        .collect();
    everywhere(|place| {
        let (a, b) = (place.device().upload(&a)?, place.device().upload(&b)?);
        let mut d = place.device().zeros::<i32>(expected.len())?;
        place.over(tiled(&a, &b, &mut d), 32)?;
        assert_eq!(d.download()?, expected, "on {}", place.name());
        Ok(())
    });
    let local = Tiled::info().ptx.contains(".local");
    assert!(!local, "the fragments are in registers:\n{}", Tiled::info().ptx);
}

/// Reverses each lane's elements through local memory.
#[vyre::kernel(block = 32)]
fn turn(x: &[f64], y: &mut [f64]) {
    let mut own = [0.0; 64];
    let tile = shared::<[f64; 64]>();
    let part = mma::C::<f64, 8, 8>::load(x, 0, 8);
    part.store(&mut own, 0, 8);
    (part).store_transposed(tile, 0, 8);
    block::sync();
    let mut turned = mma::C::<f64, 8, 8>::load(&*tile, 0, 8);
    turned[0] += 1000.0 * own[part.row(0) * 8 + part.column(0)];
    turned.store(y, 0, 8);
}

#[test]
fn fragments_go_through_memory_of_all_kinds() {
    let x: Vec<f64> = (0..64).map(f64::from).collect();
    let expected: Vec<f64> = (0..64)
        .map(|at| {
            let own = if at % 2 == 0 { 1000.0 * f64::from(at) } else { 0.0 };
            f64::from(at % 8 * 8 + at / 8) + own
        })
        .collect();
    everywhere(|place| {
        let x = place.device().upload(&x)?;
        let mut y = place.device().zeros::<f64>(64)?;
        place.over(turn(&x, &mut y), 32)?;
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}
