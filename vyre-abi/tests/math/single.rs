//! Functions of `f32`. The bounds are those that the book and `CHANGELOG.md` state.

use vyre_abi::math::double;
use vyre_abi::math::single::{erf_inv, error, exact, exp, gamma, gelu, hyperbolic, inverse, log, pow, roots, trig};

use super::random::Random;
use super::{reference, ulps};

/// A function of one argument, one to compare it with (of `vyre` where no other is at hand: MPFR holds it), and the bound in units in the last place.
type Row = (&'static str, fn(f32) -> f32, fn(f64) -> f64, f64);

#[rustfmt::skip]
const FUNCTIONS: &[Row] = &[
    ("exp", exp::exp, f64::exp, 1.0),
    ("exp2", exp::exp2, f64::exp2, 1.0),
    ("exp10", exp::exp10, reference::exp10, 1.25),
    ("exp_m1", exp::exp_m1, f64::exp_m1, 1.0),
    ("ln", log::ln, f64::ln, 1.0),
    ("log2", log::log2, f64::log2, 1.0),
    ("log10", log::log10, f64::log10, 1.0),
    ("ln_1p", log::ln_1p, f64::ln_1p, 1.0),
    ("sin", trig::sin, f64::sin, 1.0),
    ("cos", trig::cos, f64::cos, 1.0),
    ("tan", trig::tan, f64::tan, 3.5),
    ("sin_pi", trig::sin_pi, reference::sin_pi, 1.0),
    ("cos_pi", trig::cos_pi, reference::cos_pi, 1.0),
    ("asin", inverse::asin, f64::asin, 2.0),
    ("acos", inverse::acos, f64::acos, 1.5),
    ("atan", inverse::atan, f64::atan, 1.5),
    ("sinh", hyperbolic::sinh, f64::sinh, 2.0),
    ("cosh", hyperbolic::cosh, f64::cosh, 1.5),
    ("tanh", hyperbolic::tanh, f64::tanh, 1.0),
    ("asinh", hyperbolic::asinh, f64::asinh, 1.5),
    ("acosh", hyperbolic::acosh, f64::acosh, 2.0),
    ("atanh", hyperbolic::atanh, f64::atanh, 1.25),
    ("sigmoid", hyperbolic::sigmoid, reference::sigmoid, 2.5),
    ("rsqrt", roots::rsqrt, reference::rsqrt, 0.51),
    ("cbrt", roots::cbrt, f64::cbrt, 1.0),
    ("erf", error::erf, reference::erf, 1.0),
    ("erfc", error::erfc, reference::erfc, 4.0),
    ("normal_cdf", error::normal_cdf, reference::normal_cdf, 4.5),
    ("erf_inv", erf_inv::erf_inv, double::erf_inv::erf_inv, 2.0),
    ("gamma", gamma::gamma, double::gamma::gamma, 4.0),
    ("ln_gamma", |x| gamma::ln_gamma(x).0, |x| double::gamma::ln_gamma(x).0, 4.0),
    ("silu", gelu::silu, double::gelu::silu, 3.5),
    ("gelu", gelu::gelu, double::gelu::gelu, 5.0),
    ("gelu_tanh", gelu::gelu_tanh, double::gelu::gelu_tanh, 3.5),
];

fn distance(got: f32, exact: f64) -> f64 {
    // A result that rounds to infinity is infinite.
    let exact = if (exact as f32).is_infinite() {
        f64::from(exact as f32)
    } else {
        exact
    };
    ulps(f64::from(got), exact, 0.0, 24, -126)
}

/// The distance of a function's result from the exact one.
fn error(&(name, function, exact, _): &Row, x: f32) -> f64 {
    let (got, exact) = (function(x), exact(f64::from(x)));
    // Below -2 the logarithm of the gamma function has zeros, about which its error is an absolute one.
    if name == "ln_gamma" && x > -11.0 && x < -2.25 && exact.is_finite() {
        (f64::from(got) - exact).abs() / f64::from(2.0 * f32::EPSILON)
    } else {
        distance(got, exact)
    }
}

/// The largest distance over the patterns `from`, `from + step` and so on, and where it is.
fn worst(row: &Row, from: u64, step: usize) -> (f64, f32) {
    let mut worst = (0.0, 0.0);
    for bits in (from..1 << 32).step_by(step) {
        let x = f32::from_bits(bits as u32);
        let distance = error(row, x);
        if distance > worst.0 {
            worst = (distance, x);
        }
    }
    worst
}

/// Checks all functions on every `step`th pattern.
fn check(step: usize) {
    std::thread::scope(|scope| {
        for rows in FUNCTIONS.chunks(FUNCTIONS.len().div_ceil(2)) {
            scope.spawn(move || {
                for row in rows {
                    let (distance, at) = worst(row, 7 % step as u64, step);
                    println!("{:10} {distance:.4} ulp at {at:e}", row.0);
                    assert!(
                        distance <= row.3,
                        "`{}` of {at:e} is off by {distance} ulp, more than {}",
                        row.0,
                        row.3
                    );
                }
            });
        }
    });
}

#[test]
fn some_patterns() {
    // An odd number: all low bits occur.
    check(if cfg!(debug_assertions) { 2047 } else { 511 });
}

#[test]
#[ignore = "takes half an hour: cargo test --release -p vyre-abi --test math -- --ignored --nocapture"]
fn all_patterns() {
    check(1);
}

#[test]
fn edges() {
    let edges = [
        0.0,
        1.0e-45,
        1.1754942e-38,
        1.1754944e-38,
        1.0e-20,
        0.25,
        0.5,
        0.98,
        0.99999994,
        1.0,
        1.0000001,
        1.5,
        2.0,
        2.5,
        core::f32::consts::PI,
        10.0,
        88.72283,
        88.72284,
        103.97,
        128.0,
        11999.99,
        12000.01,
        8388607.5,
        16777216.0,
        1.0e22,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    for row in FUNCTIONS {
        for x in edges.into_iter().flat_map(|x| [x, -x]) {
            let (got, exact) = (row.1(x), row.2(f64::from(x)));
            assert!(
                error(row, x) <= row.3,
                "`{}` of {x:e} is {got:e}, and not {exact:e}",
                row.0
            );
        }
    }
}

/// A number of any size, or from 2^-8 to 2^8.
fn number(random: &mut Random, any: bool) -> f32 {
    let bits = random.bits() as u32;
    match any {
        true => f32::from_bits(bits),
        false => f32::from_bits(bits & 0x807fffff | (119 + (bits >> 23) % 16) << 23),
    }
}

#[test]
fn two_arguments() {
    let count = if cfg!(debug_assertions) { 200_000 } else { 20_000_000 };
    let mut random = Random::new(1);
    type Row = (&'static str, fn(f32, f32) -> f32, fn(f64, f64) -> f64, f64);
    let rows: [Row; 4] = [
        ("atan2", inverse::atan2, f64::atan2, 2.0),
        ("hypot", roots::hypot, f64::hypot, 1.5),
        ("log", log::log, reference::log, 3.0),
        ("powf", pow::powf, f64::powf, 1.5),
    ];
    let edges = [0.0, 1.0e-45, 0.5, 1.0, 2.0, 3.0, 1.0e30, f32::INFINITY, f32::NAN];
    for (name, function, exact, bound) in rows {
        let mut worst = (0.0, (0.0, 0.0));
        let mut compare = |x: f32, y: f32| {
            let distance = distance(function(x, y), exact(f64::from(x), f64::from(y)));
            if distance > worst.0 {
                worst = (distance, (x, y));
            }
        };
        for x in edges.into_iter().flat_map(|x| [x, -x]) {
            edges.into_iter().flat_map(|y| [y, -y]).for_each(|y| compare(x, y));
        }
        for number in 0..count {
            let (x, y) = (
                self::number(&mut random, number % 2 == 0),
                self::number(&mut random, number % 2 == 0),
            );
            // Powers in range, which few pairs have.
            let inside = ((random.bits() >> 40) as f32 / 8.0e4 - 104.0) / x.abs().ln();
            compare(x, if name == "powf" && number % 3 == 0 { inside } else { y });
        }
        println!("{name:10} {:.4} ulp at {:e}, {:e}", worst.0, worst.1.0, worst.1.1);
        assert!(
            worst.0 <= bound,
            "`{name}` of {:?} is off by {} ulp, more than {bound}",
            worst.1,
            worst.0
        );
    }
}

#[test]
fn integer_powers() {
    for x in [
        0.0f32,
        -0.0,
        0.5,
        -0.999,
        1.0,
        -1.0,
        1.0001,
        -2.0,
        3.0e10,
        f32::INFINITY,
        f32::NAN,
    ] {
        for n in [0, 1, -1, 2, 3, -3, 10, 127, 128, -149, 16777217, i32::MAX, i32::MIN] {
            let (got, exact) = (pow::powi(x, n), f64::from(x).powi(n));
            // The standard library's own product of many factors is less accurate.
            let bound = if n.unsigned_abs() > 1000 { 1.0e4 } else { 1.5 };
            assert!(distance(got, exact) <= bound, "{x:e}^{n} is {got:e}, and not {exact:e}");
        }
    }
    // The exponent counts to its last bit, though it is no `f32`.
    assert_eq!(pow::powi(-1.0, 16777217), -1.0);
    assert_eq!(pow::powi(1.0000001, 16777217), 7.389056);
}

#[test]
fn mantissas_and_exponents() {
    for bits in (0..1u64 << 32)
        .step_by(1 << 20)
        .chain([1, 3, 0x7fffff, 0x800000, 0x7f7fffff])
    {
        let x = f32::from_bits(bits as u32);
        let (m, n) = exact::frexp(x);
        if !x.is_nan() {
            assert_eq!(exact::ldexp(m, n).to_bits(), x.to_bits(), "{x:e}");
        }
        if x.is_finite() && x != 0.0 {
            assert!((0.5..1.0).contains(&m.abs()), "{x:e} is {m:e} * 2^{n}");
            // Into and out of the subnormal numbers: `f64` holds the product.
            for n in [
                -300,
                -150,
                -127,
                -126,
                -25,
                -1,
                1,
                24,
                127,
                128,
                254,
                277,
                i32::MAX,
                i32::MIN,
            ] {
                let exact = f64::from(x) * 2f64.powi(n.clamp(-400, 400));
                assert_eq!(exact::ldexp(x, n).to_bits(), (exact as f32).to_bits(), "{x:e} * 2^{n}");
            }
        }
    }
}

#[test]
fn both_of_an_angle() {
    for x in [0.0, -0.0, 1.0, -2.0, 3.0, 4.5, 1.0e10, -1.0e30, f32::INFINITY] {
        let (s, c) = trig::sin_cos(x);
        let alone = (trig::sin(x), trig::cos(x));
        assert_eq!(
            (s.to_bits(), c.to_bits()),
            (alone.0.to_bits(), alone.1.to_bits()),
            "{x:e}"
        );
    }
}
