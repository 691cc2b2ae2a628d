//! Functions of two arguments, and those with two results.

use vyre::prelude::*;

use super::points::{combined, double, hashed, integer, single};
use super::{RUN, Sums, all, compare, gpu};

macro_rules! functions {
    ($($name:ident |$a:ident, $b:ident| $result:expr;)*) => {
        $(mod $name {
            use super::*;

            #[vyre::kernel(block = 128)]
            fn sums(first: u32, sums: &mut [u64]) {
                let i = thread::index();
                if i < sums.len() {
                    let mut sum = 0u64;
                    for k in 0u32..RUN {
                        let number = (first as u64 + i as u64) * RUN as u64 + k as u64;
                        let ($a, $b) = (hashed(2 * number), hashed(2 * number + 1));
                        sum = combined(sum, $result);
                    }
                    sums[i] = sum;
                }
            }

            pub(super) const SUMS: super::Sums = |device, first, sums| Sums::dispatch(device, sums.len(), first, sums);

            #[test]
            #[ignore = "takes seconds on 16 cores, beside a GPU"]
            fn all() {
                super::all(stringify!($name), SUMS, 1 << 18);
            }
        })*

        const FUNCTIONS: &[(&str, Sums)] = &[$((stringify!($name), $name::SUMS)),*];
    };
}

/// An exponent whose power of a number is about e^`of`.
#[vyre::device]
fn exponent(x: f64, of: f64) -> f64 {
    of / x.abs().ln()
}

/// From -1 to 1.
#[vyre::device]
fn unit(bits: u64) -> f64 {
    bits as i64 as f64 * (1.0 / 9_223_372_036_854_775_808.0)
}

functions! {
    atan2_f32 |a, b| math::atan2(single(a as u32), single(b as u32)).to_bits() as u64;
    atan2_f64 |a, b| math::atan2(double(a), double(b)).to_bits();
    hypot_f32 |a, b| math::hypot(single(a as u32), single(b as u32)).to_bits() as u64;
    hypot_f64 |a, b| math::hypot(double(a), double(b)).to_bits();
    log_f32 |a, b| math::log(single(a as u32), single(b as u32)).to_bits() as u64;
    log_f64 |a, b| math::log(double(a), double(b)).to_bits();
    powf_f32 |a, b| math::powf(single(a as u32), single(b as u32)).to_bits() as u64;
    powf_f64 |a, b| math::powf(double(a), double(b)).to_bits();
    // Powers in range, which few pairs have.
    finite_powf_f32 |a, b| {
        let x = single(a as u32);
        math::powf(x, exponent(x as f64, 104.0 * unit(b)) as f32).to_bits() as u64
    };
    finite_powf_f64 |a, b| math::powf(double(a), exponent(double(a), 745.0 * unit(b))).to_bits();
    powi_f32 |a, b| math::powi(single(a as u32), integer(b)).to_bits() as u64;
    powi_f64 |a, b| math::powi(double(a), integer(b)).to_bits();
    ldexp_f32 |a, b| math::ldexp(single(a as u32), integer(b)).to_bits() as u64;
    ldexp_f64 |a, b| math::ldexp(double(a), integer(b)).to_bits();
    frexp_f32 |a, _b| {
        let (m, n) = math::frexp(single(a as u32));
        (m.to_bits() as u64) << 32 | n as u32 as u64
    };
    frexp_f64 |a, _b| {
        let (m, n) = math::frexp(double(a));
        m.to_bits() ^ (n as u64).rotate_left(32)
    };
    ln_gamma_f32 |a, _b| {
        let (y, sign) = math::ln_gamma(single(a as u32));
        (y.to_bits() as u64) << 32 | sign as u32 as u64
    };
    ln_gamma_f64 |a, _b| {
        let (y, sign) = math::ln_gamma(double(a));
        y.to_bits() ^ (sign as u64).rotate_left(32)
    };
    sin_cos_f32 |a, _b| {
        let (s, c) = math::sin_cos(single(a as u32));
        (s.to_bits() as u64) << 32 | c.to_bits() as u64
    };
    sin_cos_f64 |a, _b| {
        let (s, c) = math::sin_cos(double(a));
        s.to_bits() ^ c.to_bits().rotate_left(32)
    };
}

#[test]
fn some_on_the_gpu() {
    let Some(device) = gpu() else { return };
    for (name, of) in FUNCTIONS {
        compare(&device, name, *of, 0, 1 << 8);
    }
}
