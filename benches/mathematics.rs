//! Functions of `f32` in a kernel that does nothing else, beside CUDA's accurate ones in `mathematics/twins.cu`,
//! alternating in one process: the medians of the times for a value, and their quotient.
//!
//! ```text
//! nvcc -O3 -arch=sm_90 -ptx -o twins.ptx benches/mathematics/twins.cu
//! cargo bench --bench mathematics -- twins.ptx [FUNCTION..]
//! ```

use std::ffi::{CString, c_void};
use std::time::Instant;

use vyre::prelude::*;

#[allow(dead_code, reason = "another program launches single blocks")]
mod raw;
use raw::Raw;

/// Threads of a launch: 16 times those that 132 multiprocessors hold.
const THREADS: usize = 132 * 2048 * 4;
/// Values of a thread.
const VALUES: u32 = 512;
/// Runs per kernel; the median is reported.
const RUNS: usize = 11;

/// A function's name, its kernel, and the arguments between which its values lie.
type Function = (
    &'static str,
    fn(&Device, f32, f32, &mut DeviceBuffer<f32>) -> vyre::Result<()>,
    f32,
    f32,
);

macro_rules! functions {
    ($($name:ident |$x:ident| $value:expr, $from:literal, $to:literal;)*) => {
        $(mod $name {
            use vyre::prelude::*;

            #[vyre::kernel(block = 256)]
            fn sum_of_values(from: f32, step: f32, values: u32, sums: &mut [f32]) {
                let i = thread::index();
                if i < sums.len() {
                    let mut $x = from + i as f32 * step;
                    let mut sum = 0f32;
                    for _ in 0..values {
                        sum += $value;
                        $x += step;
                    }
                    sums[i] = sum;
                }
            }

            pub(super) fn launch(device: &Device, from: f32, step: f32, sums: &mut DeviceBuffer<f32>) -> vyre::Result<()> {
                sum_of_values(from, step, super::VALUES, sums).over(super::THREADS).launch(device)
            }
        })*

        const FUNCTIONS: &[Function] = &[$((stringify!($name), $name::launch, $from, $to)),*];
    };
}

functions! {
    exp |x| math::exp(x), -20.0, 20.0;
    exp2 |x| math::exp2(x), -20.0, 20.0;
    exp10 |x| math::exp10(x), -10.0, 10.0;
    exp_m1 |x| math::exp_m1(x), -5.0, 5.0;
    ln |x| math::ln(x), 0.001, 1000.0;
    log2 |x| math::log2(x), 0.001, 1000.0;
    log10 |x| math::log10(x), 0.001, 1000.0;
    ln_1p |x| math::ln_1p(x), -0.9, 10.0;
    sin |x| math::sin(x), -100.0, 100.0;
    cos |x| math::cos(x), -100.0, 100.0;
    tan |x| math::tan(x), -100.0, 100.0;
    sin_pi |x| math::sin_pi(x), -100.0, 100.0;
    cos_pi |x| math::cos_pi(x), -100.0, 100.0;
    asin |x| math::asin(x), -1.0, 1.0;
    acos |x| math::acos(x), -1.0, 1.0;
    atan |x| math::atan(x), -10.0, 10.0;
    sinh |x| math::sinh(x), -10.0, 10.0;
    cosh |x| math::cosh(x), -10.0, 10.0;
    tanh |x| math::tanh(x), -5.0, 5.0;
    asinh |x| math::asinh(x), -100.0, 100.0;
    acosh |x| math::acosh(x), 1.0, 100.0;
    atanh |x| math::atanh(x), -1.0, 1.0;
    rsqrt |x| math::rsqrt(x), 0.001, 1000.0;
    cbrt |x| math::cbrt(x), -1000.0, 1000.0;
    erf |x| math::erf(x), -4.0, 4.0;
    erfc |x| math::erfc(x), -4.0, 8.0;
    normal_cdf |x| math::normal_cdf(x), -8.0, 4.0;
    erf_inv |x| math::erf_inv(x), -1.0, 1.0;
    gamma |x| math::gamma(x), -5.0, 30.0;
    ln_gamma |x| math::ln_gamma(x).0, -2.0, 100.0;
}

fn main() -> vyre::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("SKIP-GPU bench mathematics: {error}");
            return Ok(());
        }
    };
    let Some((path, names)) = words.split_first() else {
        println!("give the PTX of benches/mathematics/twins.cu");
        return Ok(());
    };
    let ptx = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let ptx = CString::new(ptx).expect("PTX is text");

    println!("device: {device}; ns for 1000 values");
    println!("{:<10} {:>8} {:>8} {:>6}", "function", "vyre", "CUDA", "ratio");
    let mut sums = device.zeros::<f32>(THREADS)?;
    for (name, launch, from, to) in FUNCTIONS {
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        let step = (to - from) / (THREADS as f32 + VALUES as f32);
        let symbol = CString::new(format!("{name}_values")).expect("a name");
        let twin = Raw::load(&ptx, &symbol);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for run in 0..=RUNS {
            device.synchronize()?;
            let started = Instant::now();
            launch(&device, *from, step, &mut sums)?;
            device.synchronize()?;
            let our_time = started.elapsed();
            let (mut from, mut step, mut values, mut address) = (*from, step, VALUES, sums.as_view().address());
            let mut parameters = [
                (&raw mut from).cast::<c_void>(),
                (&raw mut step).cast(),
                (&raw mut values).cast(),
                (&raw mut address).cast(),
            ];
            let started = Instant::now();
            // SAFETY: the parameters are those of the twin, whose every thread has an element.
            unsafe { twin.launch([THREADS as u32 / 256, 1, 1], [256, 1, 1], &mut parameters) };
            twin.synchronize();
            // The first run loads the kernels.
            if run > 0 {
                ours.push(our_time);
                theirs.push(started.elapsed());
            }
        }
        let [ours, theirs] = [ours, theirs].map(|mut times| {
            times.sort();
            times[RUNS / 2].as_secs_f64() * 1e12 / (THREADS as f64 * f64::from(VALUES))
        });
        println!("{name:<10} {ours:>8.3} {theirs:>8.3} {:>6.2}", ours / theirs);
    }
    Ok(())
}
