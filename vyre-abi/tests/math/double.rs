//! Functions of `f64`, and those of two `f32`, at the points of `vectors.txt` or of another file that
//! `scripts/math-vectors` has written.

use std::fs::File;
use std::io::{BufRead, BufReader};

use vyre_abi::math::double::{erf_inv, error, exact, exp, gamma, gelu, hyperbolic, inverse, log, pow, roots, trig};

use vyre_abi::math::single;

use super::ulps;

/// A function and the bound in units in the last place.
enum Row {
    One(fn(f64) -> f64, f64),
    Two(fn(f64, f64) -> f64, f64),
    Power(fn(f64, i32) -> f64, f64),
    Single(fn(f32, f32) -> f32, f64),
    SinglePower(fn(f32, i32) -> f32, f64),
}
use Row::{One, Power, Single, SinglePower, Two};

fn row(name: &str) -> Row {
    match name {
        "exp" => One(exp::exp, 1.0),
        "exp2" => One(exp::exp2, 1.0),
        "exp10" => One(exp::exp10, 1.0),
        "exp_m1" => One(exp::exp_m1, 1.0),
        "ln" => One(log::ln, 1.0),
        "log2" => One(log::log2, 1.0),
        "log10" => One(log::log10, 1.0),
        "ln_1p" => One(log::ln_1p, 1.0),
        "sin" => One(trig::sin, 1.0),
        "cos" => One(trig::cos, 1.0),
        "tan" => One(trig::tan, 1.25),
        "sin_pi" => One(trig::sin_pi, 1.0),
        "cos_pi" => One(trig::cos_pi, 1.0),
        "asin" => One(inverse::asin, 2.0),
        "acos" => One(inverse::acos, 1.5),
        "atan" => One(inverse::atan, 2.0),
        "sinh" => One(hyperbolic::sinh, 1.0),
        "cosh" => One(hyperbolic::cosh, 1.0),
        "tanh" => One(hyperbolic::tanh, 1.25),
        "asinh" => One(hyperbolic::asinh, 1.5),
        "acosh" => One(hyperbolic::acosh, 2.0),
        "atanh" => One(hyperbolic::atanh, 1.0),
        "sigmoid" => One(hyperbolic::sigmoid, 2.5),
        "rsqrt" => One(roots::rsqrt, 0.51),
        "cbrt" => One(roots::cbrt, 0.51),
        "erf" => One(error::erf, 1.25),
        "erfc" => One(error::erfc, 4.0),
        "normal_cdf" => One(error::normal_cdf, 4.5),
        "erf_inv" => One(erf_inv::erf_inv, 2.0),
        "gamma" => One(gamma::gamma, 4.0),
        "ln_gamma" => One(|x| gamma::ln_gamma(x).0, 4.0),
        "silu" => One(gelu::silu, 3.0),
        "gelu" => One(gelu::gelu, 5.0),
        "gelu_tanh" => One(gelu::gelu_tanh, 3.5),
        "atan2" => Two(inverse::atan2, 2.0),
        "hypot" => Two(roots::hypot, 1.0),
        "log" => Two(log::log, 3.0),
        "powf" => Two(pow::powf, 2.0),
        "powi" => Power(pow::powi, 2.0),
        "atan2_f32" => Single(single::inverse::atan2, 2.0),
        "hypot_f32" => Single(single::roots::hypot, 1.5),
        "log_f32" => Single(single::log::log, 3.0),
        "powf_f32" => Single(single::pow::powf, 1.5),
        "powi_f32" => SinglePower(single::pow::powi, 1.5),
        _ => panic!("no function `{name}`"),
    }
}

/// The largest error of a function, its bound, and the arguments.
struct Worst {
    name: String,
    distance: f64,
    bound: f64,
    at: Vec<f64>,
}

#[test]
fn vectors() {
    let mut worst: Vec<Worst> = Vec::new();
    let file: Box<dyn BufRead> = match std::env::var_os("VYRE_MATH_VECTORS") {
        Some(path) => Box::new(BufReader::new(
            File::open(path).expect("VYRE_MATH_VECTORS names a file"),
        )),
        None => Box::new(include_bytes!("vectors.txt").as_slice()),
    };
    for line in file.lines() {
        let line = line.expect("text");
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        let bits: Vec<u64> = words.map(|word| u64::from_str_radix(word, 16).expect("bits")).collect();
        let number = |at: usize| f64::from_bits(bits[at]);
        let (got, bound) = match row(name) {
            One(function, bound) => (function(number(0)), bound),
            Two(function, bound) => (function(number(0), number(1)), bound),
            Power(function, bound) => (function(number(0), bits[1] as u32 as i32), bound),
            Single(function, bound) => (function(number(0) as f32, number(1) as f32).into(), bound),
            SinglePower(function, bound) => (function(number(0) as f32, bits[1] as u32 as i32).into(), bound),
        };
        let is_single = matches!(row(name), Single(..) | SinglePower(..));
        let (high, low) = (number(bits.len() - 2), number(bits.len() - 1));
        // Below -2 the logarithm of the gamma function has zeros, about which its error is an absolute one.
        let is_near_zeros = name == "ln_gamma" && number(0) > -11.0 && number(0) < -2.25 && high.is_finite();
        let distance = match is_near_zeros {
            true => (got - high - low).abs() / (2.0 * f64::EPSILON),
            // A result that rounds to infinity is infinite.
            false if is_single && (high as f32).is_infinite() => ulps(got, (high as f32).into(), 0.0, 24, -126),
            false if is_single => ulps(got, high, low, 24, -126),
            false => ulps(got, high, low, 53, -1022),
        };
        let mut arguments: Vec<f64> = (0..bits.len() - 2).map(number).collect();
        if matches!(row(name), Power(..) | SinglePower(..)) {
            arguments[1] = f64::from(bits[1] as u32 as i32);
        }
        match worst.last_mut().filter(|known| known.name == name) {
            Some(known) if distance > known.distance => (known.distance, known.at) = (distance, arguments),
            Some(_) => {}
            None => worst.push(Worst {
                name: name.to_owned(),
                distance,
                bound,
                at: arguments,
            }),
        }
    }
    for Worst { name, distance, at, .. } in &worst {
        println!("{name:10} {distance:.4} ulp at {at:?}");
    }
    for Worst {
        name,
        distance,
        bound,
        at,
    } in worst
    {
        assert!(
            distance <= bound,
            "`{name}` of {at:?} is off by {distance} ulp, more than {bound}"
        );
    }
}

#[test]
fn mantissas_and_exponents() {
    for bits in (0..1 << 12)
        .map(|high: u64| high << 52 | 0x8_0000_0000_0001)
        .chain([1, 3, 0xf_ffff_ffff_ffff])
    {
        let x = f64::from_bits(bits);
        let (m, n) = exact::frexp(x);
        assert!(exact::ldexp(m, n) == x || x.is_nan(), "{x:e}");
        if x.is_finite() {
            assert!((0.5..1.0).contains(&m.abs()), "{x:e} is {m:e} * 2^{n}");
        }
    }
    // A subnormal result is rounded once: 1 + 2^-52 is above the middle between 0 and the smallest number.
    assert_eq!(exact::ldexp(1.0 + f64::EPSILON, -1075), f64::from_bits(1));
    assert_eq!(exact::ldexp(1.0, -1075), 0.0);
    assert_eq!(exact::ldexp(f64::from_bits(1), 2097), 2f64.powi(1023));
    assert_eq!(exact::ldexp(-1.0, i32::MAX), f64::NEG_INFINITY);
    assert_eq!(exact::ldexp(f64::MAX, i32::MIN), 0.0);
}

#[test]
fn nan_payloads_overflow_nothing() {
    for bits in (0..32u64).map(|high| 0x7ff8_0000_0000_0000 | high << 29) {
        for name in [
            "exp",
            "exp_m1",
            "sinh",
            "cosh",
            "sigmoid",
            "erf",
            "erfc",
            "normal_cdf",
            "gelu",
            "silu",
            "gelu_tanh",
            "gamma",
        ] {
            if let One(function, _) = row(name) {
                assert!(function(f64::from_bits(bits)).is_nan(), "`{name}` of {bits:#x}");
            }
        }
    }
}
