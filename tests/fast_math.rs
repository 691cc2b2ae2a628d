//! `contract`, `fast` and `fast_math` on every device: contraction has the bits of the standard library's `mul_add`, and
//! the fast forms are within their bounds of what the standard library computes in `f64`.

use vyre::prelude::*;
use vyre_test_support::random::Random;

#[allow(unreachable_pub, reason = "other tests share the file")]
#[path = "examples/devices.rs"]
mod devices;

use devices::devices;

#[vyre::device]
fn polynomial(x: f32, y: f32) -> f32 {
    (x * x + y) * x - y
}

/// The same code, with options and without.
macro_rules! forms {
    ($name:ident $($option:ident)?) => {
        #[vyre::kernel($($option)?)]
        fn $name(x: &[f32], y: &[f32], z: &[f32], out: &mut [f32], wide: &mut [f64]) {
            let i = thread::index();
            if i < x.len() {
                let (a, b, c) = (x[i], y[i], z[i]);
                let product = b * c;
                let mut sum = a;
                for k in 0..5 {
                    sum += c * k as f32;
                }
                out[6 * i] = a * b + c;
                out[6 * i + 1] = c - a * b;
                out[6 * i + 2] = a - product;
                out[6 * i + 3] = polynomial(a, b);
                out[6 * i + 4] = sum;
                out[6 * i + 5] = c;
                out[6 * i + 5] += a * b;
                wide[i] = a as f64 * b as f64 + c as f64 / 3.0;
            }
        }
    };
}

forms!(fused contract);
forms!(separate);

#[test]
fn contracted_kernels_have_the_bits_of_mul_add() {
    let mut random = Random::new(7);
    let count = 1000;
    let [x, y, z] = [(); 3].map(|()| -> Vec<f32> { (0..count).map(|_| number(&mut random)).collect() });
    let (mut expected, mut plain) = (Vec::new(), Vec::new());
    for ((&a, &b), &c) in x.iter().zip(&y).zip(&z) {
        let fused = |sum: f32, k| c.mul_add(k as f32, sum);
        expected.extend([
            a.mul_add(b, c),
            (-a).mul_add(b, c),
            (-b).mul_add(c, a),
            a.mul_add(a, b).mul_add(a, -b),
            (0..5).fold(a, fused),
            a.mul_add(b, c),
        ]);
        let sum = (0..5).fold(a, |sum, k| sum + c * k as f32);
        plain.extend([a * b + c, c - a * b, a - b * c, (a * a + b) * a - b, sum, c + a * b]);
    }
    assert_ne!(expected, plain);
    let wide = |fused: bool| -> Vec<f64> {
        let values = x.iter().zip(&y).zip(&z).map(|((&a, &b), &c)| {
            let (a, b, c) = (f64::from(a), f64::from(b), f64::from(c) / 3.0);
            if fused { a.mul_add(b, c) } else { a * b + c }
        });
        values.collect()
    };
    for device in devices("contracted_kernels_have_the_bits_of_mul_add") {
        let (mut out, mut doubles) = (vec![0.0; 6 * count], vec![0.0; count]);
        Fused::dispatch(&device, count, &x, &y, &z, &mut out, &mut doubles).unwrap();
        assert!(out == expected, "{device}");
        assert!(doubles == wide(true), "{device}");
        Separate::dispatch(&device, count, &x, &y, &z, &mut out, &mut doubles).unwrap();
        assert!(out == plain, "{device}");
        assert!(doubles == wide(false), "{device}");
    }
}

/// With more elements a thread, in generic kernels, and beside a function of mathematics, which stays as it is.
#[vyre::kernel(contract)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < x.len() && i < y.len() {
        y[i] += a * x[i];
    }
}

#[vyre::kernel(contract, T = [f32, f64])]
fn generic<T: Float>(#[each] x: &T, #[each] y: &mut T) {
    *y = *x * *x - *y;
}

#[vyre::kernel(contract)]
fn exponential(#[each] x: &f32, #[each] y: &mut f32) {
    *y = x.exp() * *x + x.ln();
}

#[test]
fn contraction_reaches_every_form_of_kernel() {
    let mut random = Random::new(8);
    let x: Vec<f32> = (0..(1 << 20) + 77).map(|_| number(&mut random)).collect();
    let y: Vec<f32> = x.iter().map(|x| 1.0 - x * 0.3).collect();
    for device in devices("contraction_reaches_every_form_of_kernel") {
        let mut sum = y.clone();
        Saxpy::dispatch(&device, x.len(), 0.7, &x, &mut sum).unwrap();
        let same = sum
            .iter()
            .zip(&x)
            .zip(&y)
            .all(|((sum, x), y)| *sum == 0.7f32.mul_add(*x, *y));
        assert!(same, "{device}");
        let (x, y) = (&x[..1000], &y[..1000]);
        let mut out = y.to_vec();
        Generic::<f32>::dispatch(&device, x, &mut out).unwrap();
        assert!(
            out.iter().zip(x).zip(y).all(|((out, x), y)| *out == x.mul_add(*x, -y)),
            "{device}"
        );
        let positive: Vec<f32> = x.iter().map(|x| x.abs()).collect();
        Exponential::dispatch(&device, &positive, &mut out).unwrap();
        let same = (out.iter().zip(&positive)).all(|(out, &x)| *out == math::exp(x).mul_add(x, math::ln(x)));
        assert!(same, "{device}");
    }
}

/// From -4 to 4, with all bits of the fraction.
fn number(random: &mut Random) -> f32 {
    random.below(1 << 24) as f32 / (1 << 21) as f32 - 4.0
}

/// The distance of two neighbours of `f32` at a number.
fn ulp(x: f64) -> f64 {
    2f64.powi((x.abs().log2().floor() as i32).max(-126) - 23)
}

/// A range of arguments, of which the logarithm is random where both ends are positive.
type Range = (f64, f64);

fn argument(random: &mut Random, (low, high): Range) -> f32 {
    let at = f64::from(random.below(1 << 30) as u32) / f64::from(1 << 30);
    let number = match low > 0.0 {
        true => (low.ln() + at * (high.ln() - low.ln())).exp(),
        false => low + at * (high - low),
    };
    number as f32
}

macro_rules! functions {
    ($($test:ident: $name:ident($($p:ident),+) in $($range:expr),+; $exact:expr, $bound:expr;)*) => { $(
        mod $test {
            use super::*;

            #[vyre::kernel]
            fn apply($(#[each] $p: &f32,)+ #[each] out: &mut f32) {
                *out = fast::$name($(*$p),+);
            }

            #[test]
            fn is_within_its_bound() {
                let count = 100_000;
                let mut random = Random::new(1);
                $(let $p: Vec<f32> = (0..count).map(|_| argument(&mut random, $range)).collect();)+
                for device in devices(stringify!($test)) {
                    let mut out = vec![0f32; count];
                    Apply::dispatch(&device, $(&$p,)+ &mut out).unwrap();
                    let mut worst = 0.0;
                    for (i, found) in out.iter().enumerate() {
                        $(let $p = f64::from($p[i]);)+
                        let exact: f64 = $exact;
                        let bound: f64 = $bound(exact);
                        let error = (f64::from(*found) - exact).abs();
                        let at = ($($p),+);
                        assert!(error <= bound, "{device}: {at:?} gives {found:?}, not {exact:?}: {error:?} is more than {bound:?}");
                        worst = f64::max(worst, error / bound);
                        // The host's function is that of kernels on the CPU.
                        if !device.is_cuda() {
                            assert_eq!(found.to_bits(), fast::$name($($p as f32),+).to_bits());
                        }
                    }
                    println!("{}: {device}: {worst:.3} of the bound", stringify!($test));
                }
            }
        }
    )* };
}

/// A bound in parts of the result.
fn relative(power: f64) -> impl Fn(f64) -> f64 {
    move |exact| exact.abs() * 2f64.powf(power) + ulp(exact) / 2.0
}

/// A bound in ulp.
fn ulps(count: f64) -> impl Fn(f64) -> f64 {
    move |exact| count * ulp(exact)
}

/// That of logarithms: absolute from 1/2 to 2, and another one elsewhere.
fn near_one(x: f64, power: f64, elsewhere: impl Fn(f64) -> f64) -> impl Fn(f64) -> f64 {
    move |exact| match (0.5..=2.0).contains(&x) {
        true => 2f64.powf(power),
        false => elsewhere(exact),
    }
}

const TURN: f64 = 2.0 * core::f64::consts::PI;

functions! {
    exp: exp(x) in (-87.0, 88.0); x.exp(), ulps(3.0 + (1.173 * x).abs());
    exp2: exp2(x) in (-125.0, 127.0); x.exp2(), relative(-22.5);
    exp10: exp10(x) in (-37.0, 38.0); 10f64.powf(x), ulps(3.0 + (2.97 * x).abs());
    ln: ln(x) in (1e-44, 1e38); x.ln(), near_one(x, -21.41, ulps(3.0));
    ln_near_one: ln(x) in (0.5, 2.0); x.ln(), near_one(x, -21.41, ulps(3.0));
    log2: log2(x) in (1e-44, 1e38); x.log2(), near_one(x, -22.0, relative(-22.0));
    log2_near_one: log2(x) in (0.5, 2.0); x.log2(), near_one(x, -22.0, relative(-22.0));
    log10: log10(x) in (1e-44, 1e38); x.log10(), near_one(x, -23.4, ulps(3.0));
    log10_near_one: log10(x) in (0.5, 2.0); x.log10(), near_one(x, -23.4, ulps(3.0));
    log: log(x, base) in (4.0, 1e30), (4.0, 1e10); x.log(base), relative(-20.0);
    sin: sin(x) in (-TURN, TURN); x.sin(), |_| 2f64.powf(-20.0);
    sin_of_large: sin(x) in (-50.0 * TURN, 50.0 * TURN); x.sin(), |_| 2f64.powf(-14.7);
    cos: cos(x) in (-TURN, TURN); x.cos(), |_| 2f64.powf(-20.0);
    cos_of_large: cos(x) in (-50.0 * TURN, 50.0 * TURN); x.cos(), |_| 2f64.powf(-14.7);
    tan: tan(x) in (-1.0, 1.0); x.tan(), |_| 2f64.powf(-18.0);
    tanh: tanh(x) in (-10.0, 10.0); x.tanh(), relative(-11.0);
    sigmoid: sigmoid(x) in (-80.0, 80.0); 1.0 / (1.0 + (-x).exp()), ulps(5.0 + (1.173 * x).abs());
    rsqrt: rsqrt(x) in (1e-44, 3e38); 1.0 / x.sqrt(), relative(-22.9);
    recip: recip(x) in (1e-38, 1e38); 1.0 / x, ulps(1.0);
    sqrt: sqrt(x) in (1e-44, 3e38); x.sqrt(), relative(-23.0);
    div: div(x, y) in (1e-18, 1e18), (1e-18, 1e18); x / y, ulps(2.0);
    powf: powf(x, y) in (1e-3, 1e3), (-10.0, 10.0); x.powf(y), relative(-20.0 + (1.0 + (y * x.log2()).abs()).log2());
}

#[vyre::kernel]
fn subnormals(#[each] x: &f32, #[each] out: &mut f32) {
    *out = fast::exp2(*x) + fast::recip(fast::exp2(-*x));
}

#[test]
fn subnormal_numbers_are_kept() {
    for device in devices("subnormal_numbers_are_kept") {
        let (x, mut out) = ([-127.0f32, -130.0, -140.0], [0f32; 3]);
        Subnormals::dispatch(&device, &x, &mut out).unwrap();
        for (x, out) in x.into_iter().zip(out) {
            // The power of -140 is that of 140 for the reciprocal, which is infinite.
            let parts = if x < -128.0 { 1.0 } else { 2.0 };
            let exact = parts * f64::from(x).exp2();
            assert!(
                (f64::from(out) / exact - 1.0).abs() < 1e-2,
                "{device}: {x} gives {out:?}"
            );
        }
    }
}

#[vyre::device]
fn scaled(x: f32, most: f32) -> f32 {
    (x - most).exp()
}

/// Code that says nothing of approximations.
macro_rules! gaussian {
    ($name:ident $($option:ident)?) => {
        #[vyre::kernel($($option)?)]
        fn $name(#[each] x: &f32, #[each] y: &mut f32) {
            let (sine, cosine) = x.sin_cos();
            let root = (1.0 + *x * *x).sqrt();
            *y = scaled(*x, 4.0) / root + sine * cosine + x.tanh() * math::sigmoid(*x) + x.abs().powf(1.5).ln_1p();
        }
    };
}

gaussian!(fast_one fast_math);
gaussian!(accurate);

#[test]
fn fast_math_stays_near() {
    let mut random = Random::new(9);
    let x: Vec<f32> = (0..10_000).map(|_| number(&mut random)).collect();
    for device in devices("fast_math_stays_near") {
        let (mut fast, mut exact) = (vec![0f32; x.len()], vec![0f32; x.len()]);
        FastOne::dispatch(&device, &x, &mut fast).unwrap();
        Accurate::dispatch(&device, &x, &mut exact).unwrap();
        assert!(fast != exact, "{device}");
        for ((&x, &fast), &exact) in x.iter().zip(&fast).zip(&exact) {
            let x = f64::from(x);
            let value = (x - 4.0).exp() / (1.0 + x * x).sqrt()
                + x.sin() * x.cos()
                + x.tanh() / (1.0 + (-x).exp())
                + x.abs().powf(1.5).ln_1p();
            assert!(
                (f64::from(fast) - value).abs() < 2f64.powi(-10),
                "{device}: {x}: {fast} for {value}"
            );
            assert!(
                (f64::from(exact) - value).abs() < 2f64.powi(-21),
                "{device}: {x}: {exact} for {value}"
            );
        }
    }
}
