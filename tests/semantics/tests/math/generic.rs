//! Functions of mathematics in generic device functions and kernels, which have the same bits on the host.

use vyre::prelude::*;
use vyre::{bf16, f16};
use vyre_semantics::places::gpu;

#[vyre::device]
fn mixed<T: Float>(x: T, y: T) -> T {
    let (s, c) = x.sin_cos();
    let one = x.exp() + y.atan2(x) * s.powi(3);
    let other = T::hypot(c, one).ln() + math::erf(y) + math::gelu(x);
    other + math::ln_gamma(y).0.tanh()
}

#[vyre::kernel(T = [f32, f64, f16, bf16])]
fn all<T: Float>(x: &[T], y: &[T], out: &mut [T]) {
    let i = thread::index();
    if i < out.len() {
        out[i] = mixed(x[i], y[i]);
    }
}

macro_rules! check {
    ($($T:ident)*) => { $({
        let numbers = |from: f64| -> Vec<$T> { (0..100).map(|i| <$T as Float>::from_f64(from + f64::from(i) * 0.07)).collect() };
        let (x, y) = (numbers(-3.5), numbers(0.1));
        let expected: Vec<$T> = x.iter().zip(&y).map(|(&x, &y)| mixed(x, y)).collect();
        assert!(expected.iter().all(|y| y.is_finite()));
        for device in [Some(Device::cpu()), gpu()].into_iter().flatten() {
            let mut out = vec![<$T as Number>::ZERO; x.len()];
            All::<$T>::dispatch(&device, out.len(), &x, &y, &mut out).unwrap();
            assert_eq!(out, expected, "{} on {}", stringify!($T), device.name());
        }
    })* };
}

#[test]
fn generic_functions_have_the_bits_of_kernels() {
    check! { f32 f64 f16 bf16 }
}

/// Literal arguments, whose type comes from the place of the result.
#[vyre::kernel(block = 1, T = [f32, f64])]
fn of_literals<T: Float>(single: &mut [f32], double: &mut [f64], any: &mut [T]) {
    single[0] = math::erf(1.0);
    double[0] = math::erf(1.0);
    let gamma: f32 = math::gamma(4.5);
    single[1] = gamma + math::rsqrt(3.0);
    any[0] = math::sigmoid(T::ONE);
}

#[test]
fn literal_arguments_have_the_type_of_the_place() {
    for device in [Some(Device::cpu()), gpu()].into_iter().flatten() {
        let (mut single, mut double, mut any) = ([0.0; 2], [0.0; 1], [0.0; 1]);
        OfLiterals::<f64>::dispatch(&device, 1, &mut single, &mut double, &mut any).unwrap();
        let expected = (
            [math::erf(1.0_f32), math::gamma(4.5_f32) + math::rsqrt(3.0_f32)],
            [math::erf(1.0_f64)],
            [math::sigmoid(1.0_f64)],
        );
        assert_eq!((single, double, any), expected, "{}", device.name());
    }
}
