//! Functions of the user's that are called like those of mathematics, and calls in device functions and closures.

use vyre::math;
use vyre::prelude::{Device, thread};

mod own {
    #[vyre::device]
    pub(super) fn sin(x: f32) -> f32 {
        x + 1.0
    }

    pub(super) mod math {
        #[vyre::device]
        pub(in super::super) fn exp(x: f32) -> f32 {
            2.0 * x
        }
    }
}
use own::sin;

/// ln(1 + e^x), by methods and by a function.
#[vyre::device]
fn softplus(x: f64) -> f64 {
    if x > 0.0 {
        x + math::ln_1p((-x).exp())
    } else {
        x.exp().ln_1p()
    }
}

#[vyre::kernel]
fn names(y: &mut [f32], z: &mut [f64]) {
    let i = thread::index();
    if i == 0 {
        let power = |x: f32, n: i32| x.powi(n).sqrt();
        y[0] = sin(1.0);
        y[1] = own::math::exp(3.0);
        y[2] = 1f32.sin() + vyre::math::cos(y[0]);
        y[3] = power(1.5, 7);
        z[0] = softplus(0.75);
        z[1] = z[0] + softplus(-0.75);
    }
}

#[test]
fn own_functions_stay() {
    let (mut y, mut z) = ([0.0; 4], [0.0; 2]);
    Names::dispatch(&Device::cpu(), 1, &mut y, &mut z).unwrap();
    assert_eq!(
        y,
        [
            2.0,
            6.0,
            math::sin(1f32) + math::cos(2f32),
            math::powi(1.5f32, 7).sqrt()
        ]
    );
    let above = 0.75 + math::ln_1p(math::exp(-0.75));
    assert_eq!(z, [above, above + math::ln_1p(math::exp(-0.75))]);
}
