//! Functions of `vyre::math` on the host beside the standard library's, alternating in one process: the medians of the
//! nanoseconds for a value, and their quotient.
//!
//! ```text
//! cargo bench --bench host_mathematics
//! ```

use std::hint::black_box;
use std::time::Instant;

use vyre::math;

/// Values of a run, from 0.001 to 0.9, or so many times as large.
const VALUES: usize = 100_000;
/// Runs of each; the median is reported.
const RUNS: usize = 11;

fn nanoseconds<T: Copy + std::ops::Add<Output = T>>(values: &[T], function: impl Fn(T) -> T) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let began = Instant::now();
            black_box(black_box(values).iter().map(|&x| function(x)).reduce(|sum, y| sum + y));
            began.elapsed().as_secs_f64() * 1e9 / values.len() as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

macro_rules! functions {
    ($($name:ident $scale:literal |$x:ident| $std:expr;)*) => {
        $(
            let small = (0..VALUES).map(|i| (0.001 + i as f64 * 9e-6) * $scale);
            let double: Vec<f64> = small.collect();
            let single: Vec<f32> = double.iter().map(|&x| x as f32).collect();
            let (ours, std) = (nanoseconds(&single, math::$name), nanoseconds(&single, |$x: f32| $std));
            let (ours64, std64) = (nanoseconds(&double, math::$name), nanoseconds(&double, |$x: f64| $std));
            println!(
                "{:8} f32 {ours:6.2} ns, std {std:6.2}: {:4.2}   f64 {ours64:6.2} ns, std {std64:6.2}: {:4.2}",
                stringify!($name),
                ours / std,
                ours64 / std64
            );
        )*
    };
}

fn main() {
    functions! {
        exp 10.0 |x| x.exp();
        exp2 10.0 |x| x.exp2();
        exp_m1 1.0 |x| x.exp_m1();
        ln 10.0 |x| x.ln();
        log2 10.0 |x| x.log2();
        ln_1p 1.0 |x| x.ln_1p();
        sin 10.0 |x| x.sin();
        cos 10.0 |x| x.cos();
        tan 10.0 |x| x.tan();
        asin 1.0 |x| x.asin();
        acos 1.0 |x| x.acos();
        atan 10.0 |x| x.atan();
        sinh 10.0 |x| x.sinh();
        cosh 10.0 |x| x.cosh();
        tanh 10.0 |x| x.tanh();
        asinh 10.0 |x| x.asinh();
        cbrt 10.0 |x| x.cbrt();
    }
}
