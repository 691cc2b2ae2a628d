//! Speed of contraction and of fast forms: a matrix product in registers with and without `contract`, and kernels that
//! are bound by a function of mathematics, accurate and fast, interleaved in one process.
//!
//! ```text
//! cargo bench --bench fast_math [-- SIDE]
//! ```

use std::time::{Duration, Instant};

use vyre::prelude::*;

/// c = a*b of square matrices whose side is a multiple of 128: eight by eight elements a thread.
macro_rules! product {
    ($name:ident $($option:ident)?: |$a:ident, $b:ident, $sum:ident| $step:expr) => {
        #[vyre::kernel(block = [256, 1], $($option)?)]
        fn $name(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
            let left = shared::<[[f32; 128]; 8]>();
            let right = shared::<[[f32; 128]; 8]>();
            let (top, first_column) = (block::idx().y * 128, block::idx().x * 128);
            let t = thread::idx().x;
            let (x, y) = (t % 16 * 8, t / 16 * 8);
            let mut sums = [[0.0f32; 8]; 8];
            for first in (0..n).step_by(8) {
                for round in 0..4 {
                    let (row, k) = (round * 32 + t / 8, t % 8);
                    left[k][row] = a[(top + row) * n + first + k];
                    let (k, column) = (round * 2 + t / 128, t % 128);
                    right[k][column] = b[(first + k) * n + first_column + column];
                }
                block::sync();
                for k in 0..8 {
                    let mut of_a = [0.0f32; 8];
                    let mut of_b = [0.0f32; 8];
                    for i in 0..8 {
                        of_a[i] = left[k][y + i];
                        of_b[i] = right[k][x + i];
                    }
                    for i in 0..8 {
                        for j in 0..8 {
                            let ($a, $b, $sum) = (of_a[i], of_b[j], sums[i][j]);
                            sums[i][j] = $step;
                        }
                    }
                }
                block::sync();
            }
            for i in 0..8 {
                for j in 0..8 {
                    c[(top + y + i) * n + first_column + x + j] = sums[i][j];
                }
            }
        }
    };
}

product!(separate: |a, b, sum| sum + a * b);
product!(contracted contract: |a, b, sum| sum + a * b);
product!(written: |a, b, sum| a.mul_add(b, sum));

/// A function, 64 times in a row.
macro_rules! chains {
    ($($accurate:ident $fast:ident |$x:ident| $one:expr, $other:expr;)*) => { $(
        #[vyre::kernel]
        fn $accurate(x: &[f32], y: &mut [f32]) {
            let i = thread::index();
            if i < x.len() && i < y.len() {
                let mut $x = x[i];
                for _ in 0..64 {
                    $x = $one;
                }
                y[i] = $x;
            }
        }

        #[vyre::kernel]
        fn $fast(x: &[f32], y: &mut [f32]) {
            let i = thread::index();
            if i < x.len() && i < y.len() {
                let mut $x = x[i];
                for _ in 0..64 {
                    $x = $other;
                }
                y[i] = $x;
            }
        }
    )* };
}

chains! {
    exp fast_exp |x| (-x).exp(), fast::exp(-x);
    ln fast_ln |x| x.abs().ln(), fast::ln(x.abs());
    sin fast_sin |x| x.sin(), fast::sin(x);
    tanh fast_tanh |x| x.tanh(), fast::tanh(x);
    rsqrt fast_rsqrt |x| math::rsqrt(x.abs()), fast::rsqrt(x.abs());
    sqrt fast_sqrt |x| x.abs().sqrt(), fast::sqrt(x.abs());
    div fast_div |x| 1.5 / x, fast::div(1.5, x);
    powf fast_powf |x| x.abs().powf(1.25), fast::powf(x.abs(), 1.25);
}

/// Runs per kernel; the median is reported.
const RUNS: usize = 11;

fn main() -> vyre::Result<()> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("SKIP-GPU bench fast_math: {error}");
            return Ok(());
        }
    };
    let side = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let n = side.unwrap_or(4096usize).next_multiple_of(128);
    let numbers = |count: usize, factor: u32| -> Vec<f32> {
        let bits = (0..count as u32).map(|i| i.wrapping_mul(factor) >> 8);
        bits.map(|bits| bits as f32 / (1 << 23) as f32 - 1.0).collect()
    };
    let (a, b) = (
        device.upload(&numbers(n * n, 2_654_435_761))?,
        device.upload(&numbers(n * n, 2_246_822_519))?,
    );
    let mut results = [(); 3].map(|()| device.zeros::<f32>(n * n));
    let [Ok(plain), Ok(fused), Ok(written_out)] = &mut results else {
        println!("no memory for three matrices of side {n}");
        return Ok(());
    };
    println!("device: {device}; matrices of side {n}");
    let grid = [n / 128, n / 128].map(|blocks| blocks as u32);
    let [plain_time, fused_time, written_time] = medians(
        &device,
        [
            &mut || separate(&a, &b, &mut *plain, n).grid(grid).launch(&device),
            &mut || contracted(&a, &b, &mut *fused, n).grid(grid).launch(&device),
            &mut || written(&a, &b, &mut *written_out, n).grid(grid).launch(&device),
        ],
    )?;
    let rate = |time: Duration| 2.0 * (n as f64).powi(3) / time.as_secs_f64() / 1e12;
    println!("matrix product, plain     {:7.2} TFLOP/s", rate(plain_time));
    println!(
        "matrix product, contract  {:7.2} TFLOP/s, {:.3} of the time",
        rate(fused_time),
        ratio(fused_time, plain_time)
    );
    println!(
        "matrix product, mul_add   {:7.2} TFLOP/s, {:.3} of the time",
        rate(written_time),
        ratio(written_time, plain_time)
    );
    println!(
        "contract and mul_add agree in all bits: {}",
        fused.download()? == written_out.download()?
    );

    let count = 1 << 24;
    let x = device.upload(&numbers(count, 2_654_435_761))?;
    let mut y = device.zeros::<f32>(count)?;
    let mut z = device.zeros::<f32>(count)?;
    macro_rules! measured {
        ($($accurate:ident $fast:ident;)*) => { $(
            let [accurate, quick] = medians(&device, [
                &mut || $accurate(&x, &mut y).over(count).launch(&device),
                &mut || $fast(&x, &mut z).over(count).launch(&device),
            ])?;
            let each = |time: Duration| time.as_secs_f64() * 1e12 / (64 * count) as f64;
            println!("{:6} {:7.3} ps each, fast {:7.3} ps: {:.3} of the time", stringify!($accurate), each(accurate), each(quick), ratio(quick, accurate));
        )* };
    }
    measured! {
        exp fast_exp;
        ln fast_ln;
        sin fast_sin;
        tanh fast_tanh;
        rsqrt fast_rsqrt;
        sqrt fast_sqrt;
        div fast_div;
        powf fast_powf;
    }
    Ok(())
}

fn ratio(time: Duration, of: Duration) -> f64 {
    time.as_secs_f64() / of.as_secs_f64()
}

/// The median times of launches that take turns, until the device is idle.
fn medians<const N: usize>(
    device: &Device,
    mut work: [&mut dyn FnMut() -> vyre::Result<()>; N],
) -> vyre::Result<[Duration; N]> {
    let mut times = [(); N].map(|()| Vec::new());
    for run in 0..=RUNS {
        for (work, times) in work.iter_mut().zip(&mut times) {
            device.synchronize()?;
            let started = Instant::now();
            work()?;
            device.synchronize()?;
            // The first run loads the kernels.
            if run > 0 {
                times.push(started.elapsed());
            }
        }
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    }))
}
