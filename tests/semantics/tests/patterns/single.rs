//! Functions of one `f32`.

use vyre::prelude::*;
use vyre_semantics::places::gpu;

use super::points::{combined, ulps};
use super::{RUN, Sums, compare, sums};

/// The largest error of each of as many runs as there are errors, from one on, and its argument.
type Errors = fn(&Device, u32, &mut [f64], &mut [f32]) -> vyre::Result<()>;

/// A function's name, its sums and errors by kernels, itself on the host, and the bound of its error, which the book
/// states.
struct Function {
    name: &'static str,
    sums: Sums,
    errors: Errors,
    host: fn(f32) -> f32,
    bound: f64,
}

macro_rules! functions {
    ($($name:ident $bound:literal;)*) => {
        $(mod $name {
            use super::*;

            #[vyre::kernel(block = 128)]
            fn sums(first: u32, sums: &mut [u64]) {
                let i = thread::index();
                if i < sums.len() {
                    let mut sum = 0u64;
                    for k in 0..RUN {
                        let x = f32::from_bits((first + i as u32) * RUN + k);
                        sum = combined(sum, math::$name(x).to_bits() as u64);
                    }
                    sums[i] = sum;
                }
            }

            #[vyre::kernel(block = 128)]
            fn errors(first: u32, worst: &mut [f64], at: &mut [f32]) {
                let i = thread::index();
                if i < worst.len() && i < at.len() {
                    let (mut most, mut place) = (0.0, 0.0);
                    for k in 0..RUN {
                        let x = f32::from_bits((first + i as u32) * RUN + k);
                        let error = ulps(math::$name(x), math::$name(x as f64));
                        if error > most {
                            most = error;
                            place = x;
                        }
                    }
                    worst[i] = most;
                    at[i] = place;
                }
            }

            pub(super) const FUNCTION: Function = Function {
                name: stringify!($name),
                sums: |device, first, sums| Sums::dispatch(device, sums.len(), first, sums),
                errors: |device, first, worst, at| Errors::dispatch(device, worst.len(), first, worst, at),
                host: math::$name::<f32>,
                bound: $bound,
            };

            #[test]
            #[ignore = "takes seconds on 16 cores, beside a GPU"]
            fn all() {
                super::all(&FUNCTION);
            }
        })*

        const FUNCTIONS: &[Function] = &[$($name::FUNCTION),*];
    };
}

functions! {
    exp 1.0; exp2 1.0; exp10 1.25; exp_m1 1.0;
    ln 1.0; log2 1.0; log10 1.0; ln_1p 1.0;
    sin 1.0; cos 1.0; tan 3.5; sin_pi 1.0; cos_pi 1.0;
    asin 2.0; acos 1.5; atan 1.5;
    sinh 2.0; cosh 1.5; tanh 1.0; asinh 1.5; acosh 2.0; atanh 1.25; sigmoid 2.5;
    rsqrt 0.51; cbrt 1.0; erf 1.0; erfc 4.0; normal_cdf 4.5; erf_inv 2.0; gamma 4.0;
    silu 3.5; gelu 5.0; gelu_tanh 3.5;
}

/// The largest error of `count` runs, and its argument; the function in `f64` has the exact values.
fn worst(device: &Device, function: &Function, first: u32, count: usize) -> (f64, f32) {
    let (mut worst, mut at) = (vec![0.0; count], vec![0.0; count]);
    (function.errors)(device, first, &mut worst, &mut at)
        .unwrap_or_else(|error| panic!("errors of `{}` on {}: {error}", function.name, device.name()));
    let (most, at) = worst
        .into_iter()
        .zip(at)
        .fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
    assert!(
        most <= function.bound,
        "`{}` of {at:e} is off by {most} ulp, more than {}",
        function.name,
        function.bound
    );
    (most, at)
}

/// Runs with subnormal numbers, about 1 and 1000, near infinity and NaN, and the same below 0.
const RUNS: [u32; 7] = [0, 0x3f7ff, 0x447a0, 0x7f7ff, 0x80000, 0xbf7ff, 0xc47a0];

#[test]
fn some_on_the_cpu() {
    for function in FUNCTIONS {
        for run in RUNS {
            let from = run * RUN;
            let on_host = (from..=from + (RUN - 1)).fold(0, |sum, bits| {
                let y = (function.host)(f32::from_bits(bits));
                // All NaNs have these bits in a kernel.
                let y = if y.is_nan() { f32::NAN } else { y };
                combined(sum, u64::from(y.to_bits()))
            });
            let (got, _) = sums(&Device::cpu(), function.name, function.sums, run, 1);
            assert_eq!(
                got,
                [on_host],
                "`{}` of the {RUN} patterns from {from:#x}",
                function.name
            );
            worst(&Device::cpu(), function, run, 1);
        }
    }
}

#[test]
fn some_on_the_gpu() {
    let Some(device) = gpu() else { return };
    let count = 1 << 12;
    // Odd, so that all exponents occur.
    let step = if cfg!(debug_assertions) { 85 } else { 17 };
    for function in FUNCTIONS {
        for first in (0..1 << 20).step_by(count).step_by(step) {
            compare(&device, function.name, function.sums, first, count);
        }
    }
}

fn all(function: &Function) {
    let Some(device) = gpu() else { return };
    let count = 1 << 20;
    let [gpu, cpu] = compare(&device, function.name, function.sums, 0, count);
    let (error, at) = worst(&device, function, 0, count);
    println!(
        "{} of f32: all patterns, 0 differ; error {error:.4} ulp at {at:e}; GPU {gpu:.2?}, CPU {cpu:.2?}",
        function.name
    );
}
