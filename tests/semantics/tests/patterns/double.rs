//! Functions of one `f64`.

use vyre::prelude::*;

use super::points::{combined, double, hashed};
use super::{RUN, Sums, all, compare, gpu, sums};

macro_rules! functions {
    ($($name:ident)*) => {
        $(mod $name {
            use super::*;

            #[vyre::kernel(block = 128)]
            fn sums(first: u32, sums: &mut [u64]) {
                let i = thread::index();
                if i < sums.len() {
                    let mut sum = 0u64;
                    for k in 0u32..RUN {
                        let x = double(hashed((first as u64 + i as u64) * RUN as u64 + k as u64));
                        sum = combined(sum, math::$name(x).to_bits());
                    }
                    sums[i] = sum;
                }
            }

            pub(super) const SUMS: super::Sums = |device, first, sums| Sums::dispatch(device, sums.len(), first, sums);

            #[test]
            #[ignore = "takes seconds on 16 cores, beside a GPU"]
            fn all() {
                super::all(concat!(stringify!($name), " of f64"), SUMS, 1 << 18);
            }
        })*

        const FUNCTIONS: &[(&str, Sums, fn(f64) -> f64)] = &[$((stringify!($name), $name::SUMS, math::$name::<f64>)),*];
    };
}

functions! {
    exp exp2 exp10 exp_m1 ln log2 log10 ln_1p sin cos tan sin_pi cos_pi asin acos atan sinh cosh tanh asinh acosh atanh
    sigmoid rsqrt cbrt erf erfc normal_cdf erf_inv gamma silu gelu gelu_tanh
}

#[test]
fn some_on_the_cpu() {
    for (name, of, host) in FUNCTIONS {
        let (got, _) = sums(&Device::cpu(), name, *of, 3, 1);
        let from = 3 * u64::from(RUN);
        let on_host = (from..from + u64::from(RUN)).fold(0, |sum, number| {
            let y = host(double(hashed(number)));
            combined(sum, if y.is_nan() { f64::NAN } else { y }.to_bits())
        });
        assert_eq!(got, [on_host], "`{name}`");
    }
}

#[test]
fn some_on_the_gpu() {
    let Some(device) = gpu() else { return };
    for (name, of, _) in FUNCTIONS {
        compare(&device, name, *of, 0, 1 << 8);
    }
}
