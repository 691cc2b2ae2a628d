//! Fourier transforms of rows of up to 256 numbers, with the twiddle factors out of a table.

use std::f64::consts::PI;

use vyre::prelude::*;
use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! { Transform }

/// Transforms rows of `1 << log` complex numbers in place, one for each block. `cosines` and
/// `sines` are of the angles `-2π k / n` for the first half of `k`.
#[vyre::kernel(block = 128, allow(races))] // reversed bits and butterflies are permutations
fn transform(re: &mut [f32], im: &mut [f32], cosines: &[f32], sines: &[f32], log: u32) {
    let row_re = shared::<[f32; 256]>();
    let row_im = shared::<[f32; 256]>();
    let n = 1usize << log;
    let first = block::idx().x * n;
    let t = thread::idx().x;
    // Each number goes to the place with its bits reversed.
    for k in (t..n).step_by(128) {
        let place = ((k as u32).reverse_bits() >> 1 >> (31 - log)) as usize;
        row_re[place] = re[first + k];
        row_im[place] = im[first + k];
    }
    block::sync();
    let mut half = 1;
    while half < n {
        if t < n / 2 {
            let k = t % half;
            let (even, odd) = (t / half * 2 * half + k, t / half * 2 * half + k + half);
            let (cosine, sine) = (cosines[k * (n / 2 / half)], sines[k * (n / 2 / half)]);
            let turned_re = row_re[odd] * cosine - row_im[odd] * sine;
            let turned_im = row_re[odd] * sine + row_im[odd] * cosine;
            row_re[odd] = row_re[even] - turned_re;
            row_im[odd] = row_im[even] - turned_im;
            row_re[even] += turned_re;
            row_im[even] += turned_im;
        }
        block::sync();
        half *= 2;
    }
    for k in (t..n).step_by(128) {
        re[first + k] = row_re[k];
        im[first + k] = row_im[k];
    }
}

/// Real and imaginary parts.
type Complex<T> = (T, T);

fn table(n: usize) -> Vec<Complex<f32>> {
    let angle = |k: usize| -2.0 * PI * k as f64 / n as f64;
    (0..n / 2)
        .map(|k| (angle(k).cos() as f32, angle(k).sin() as f32))
        .collect()
}

/// The same in plain Rust, from the halves with the even and the odd places.
fn transformed(x: &[Complex<f32>]) -> Vec<Complex<f32>> {
    if x.len() == 1 {
        return x.to_vec();
    }
    let every_second = |from: usize| transformed(&x.iter().skip(from).step_by(2).copied().collect::<Vec<_>>());
    let (even, odd) = (every_second(0), every_second(1));
    let turned = (odd.iter().zip(table(x.len())))
        .map(|(odd, (cosine, sine))| (odd.0 * cosine - odd.1 * sine, odd.0 * sine + odd.1 * cosine));
    let (lower, upper): (Vec<_>, Vec<_>) = (even.iter().zip(turned))
        .map(|(e, t)| ((e.0 + t.0, e.1 + t.1), (e.0 - t.0, e.1 - t.1)))
        .unzip();
    [lower, upper].concat()
}

/// The transform by its definition.
fn defined(x: &[Complex<f32>]) -> Vec<Complex<f64>> {
    let n = x.len();
    (0..n)
        .map(|k| {
            x.iter().enumerate().fold((0.0, 0.0), |sum, (j, value)| {
                let (sine, cosine) = (-2.0 * PI * (j * k % n) as f64 / n as f64).sin_cos();
                let (re, im) = (f64::from(value.0), f64::from(value.1));
                (sum.0 + re * cosine - im * sine, sum.1 + re * sine + im * cosine)
            })
        })
        .collect()
}

#[test]
fn transforms() {
    everywhere(|place| {
        for (log, rows) in [(0, 1), (1, 3), (2, 1), (5, 2), (7, 1), (8, 3)] {
            let n = 1 << log;
            let mut random = Random::new(14);
            let (re, im) = (random.floats(n * rows, -1.0, 1.0), random.floats(n * rows, -1.0, 1.0));
            let (cosines, sines): (Vec<f32>, Vec<f32>) = table(n).into_iter().unzip();
            let (cosines, sines) = (place.device().upload(&cosines)?, place.device().upload(&sines)?);
            let (mut to_re, mut to_im) = (place.device().upload(&re)?, place.device().upload(&im)?);
            let blocks = [rows as u32, 1, 1];
            place.grid(transform(&mut to_re, &mut to_im, &cosines, &sines, log), blocks)?;

            let x: Vec<Complex<f32>> = re.iter().copied().zip(im.iter().copied()).collect();
            let (got_re, got_im) = (to_re.download()?, to_im.download()?);
            let (wanted_re, wanted_im): (Vec<f32>, Vec<f32>) = x.chunks(n).flat_map(transformed).unzip();
            assert_eq!(bits(&got_re), bits(&wanted_re), "{n}");
            assert_eq!(bits(&got_im), bits(&wanted_im), "{n}");
            let error = (x.chunks(n).flat_map(defined).zip(got_re.iter().zip(&got_im)))
                .map(|(wanted, (&re, &im))| (wanted.0 - f64::from(re)).hypot(wanted.1 - f64::from(im)))
                .fold(0.0, f64::max);
            assert!(error < 1e-6 * n as f64, "{n}: off by {error}");

            // With real and imaginary parts exchanged, the transform is its own inverse up to `n`.
            place.grid(transform(&mut to_im, &mut to_re, &cosines, &sines, log), blocks)?;
            let error = (to_re.download()?.iter().zip(&re))
                .map(|(back, value)| (back / n as f32 - value).abs())
                .fold(0.0, f32::max);
            assert!(error < 1e-6, "{n}: back off by {error}");
        }
        Ok(())
    });
}
