//! Functions of one argument on all bit patterns of `f32`, or on some of them: kernels on the CPU against the functions
//! on the host, and kernels on a GPU against those on the CPU.

use vyre::prelude::*;
use vyre_semantics::places::gpu;

/// Patterns of one thread.
const RUN: u32 = 1 << 12;

/// Combines results so that a single differing bit shows; all NaNs count as one.
#[vyre::device]
fn combined(sum: u64, y: f32) -> u64 {
    let bits = if y.is_nan() { 0x7fc00000 } else { y.to_bits() };
    (sum ^ bits as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

macro_rules! functions {
    ($($name:ident $launcher:ident;)*) => { $(
        #[vyre::kernel(block = 128, launcher = $launcher)]
        fn $name(first: u32, sums: &mut [u64]) {
            let i = thread::index();
            if i < sums.len() {
                let mut sum = 0u64;
                for k in 0..RUN {
                    let x = f32::from_bits((first + i as u32) * RUN + k);
                    sum = combined(sum, math::$name(x));
                }
                sums[i] = sum;
            }
        }
    )*

        /// The sums of a function's results for `count` runs from one on.
        type Sums = fn(&Device, u32, &mut [u64]) -> vyre::Result<()>;

        /// A function's name, its sums by kernels, and itself on the host.
        type Function = (&'static str, Sums, fn(f32) -> f32);

        const FUNCTIONS: &[Function] = &[$(
            (
                stringify!($name),
                |device, first, sums| $launcher::dispatch(device, sums.len(), first, sums),
                math::$name::<f32>,
            ),
        )*];
    };
}

functions! {
    exp Exp; exp2 Exp2; exp10 Exp10; exp_m1 ExpM1;
    ln Ln; log2 Log2; log10 Log10; ln_1p Ln1p;
    sin Sin; cos Cos; tan Tan; sin_pi SinPi; cos_pi CosPi;
    asin Asin; acos Acos; atan Atan;
    sinh Sinh; cosh Cosh; tanh Tanh; asinh Asinh; acosh Acosh; atanh Atanh; sigmoid Sigmoid;
    rsqrt Rsqrt; cbrt Cbrt; erf Erf; erfc Erfc; normal_cdf NormalCdf;
}

/// The sums of `count` runs on a device.
fn sums(device: &Device, (name, sums, _): &Function, first: u32, count: usize) -> Vec<u64> {
    let mut got = vec![0; count];
    sums(device, first, &mut got).unwrap_or_else(|error| panic!("`{name}` on {}: {error}", device.name()));
    got
}

#[test]
fn some_on_the_cpu() {
    for function in FUNCTIONS {
        // Runs with subnormal numbers, about 1 and 1000, near infinity and NaN, and the same below 0.
        for run in [0, 0x3f7ff, 0x447a0, 0x7f7ff, 0x80000, 0xbf7ff, 0xc47a0] {
            let from = run * RUN;
            let on_host =
                (from..=from + (RUN - 1)).fold(0, |sum, bits| combined(sum, function.2(f32::from_bits(bits))));
            let got = sums(&Device::cpu(), function, run, 1);
            assert_eq!(got, [on_host], "`{}` of the {RUN} patterns from {from:#x}", function.0);
        }
    }
}

/// Compares the GPU with the CPU on every `step`th of 256 parts of the patterns.
fn compare(step: usize) {
    let Some(device) = gpu() else { return };
    let count = 1 << 12;
    for function in FUNCTIONS {
        for first in (0..1 << 20).step_by(count).step_by(step) {
            let (got, expected) = (
                sums(&device, function, first, count),
                sums(&Device::cpu(), function, first, count),
            );
            if let Some(at) = (0..count).find(|&at| got[at] != expected[at]) {
                let from = (first + at as u32) * RUN;
                panic!("`{}` differs among the {RUN} patterns from {from:#x}", function.0);
            }
        }
    }
}

#[test]
fn some_on_the_gpu() {
    // Odd, so that all exponents occur.
    compare(if cfg!(debug_assertions) { 85 } else { 17 });
}

#[test]
#[ignore = "takes minutes on 16 cores, beside a GPU"]
fn all_on_the_gpu() {
    compare(1);
}
