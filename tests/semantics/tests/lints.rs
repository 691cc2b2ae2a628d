//! Kernels under the strictest lints: generated code triggers none of the user's, and lints that a
//! kernel's body would trigger by its nature are allowed.
#![forbid(unsafe_code)]
#![deny(
    warnings,
    unused,
    unreachable_pub,
    missing_docs,
    missing_debug_implementations,
    single_use_lifetimes
)]
#![deny(
    let_underscore_drop,
    trivial_casts,
    trivial_numeric_casts,
    unused_qualifications,
    clippy::all
)]

use vyre::prelude::*;
use vyre_semantics::everywhere;

/// Range loops, many arguments, a variable that is written and never read again.
#[vyre::kernel]
pub fn everything(a: f32, b: f32, c: f32, d: f32, e: f32, f: f32, n: usize, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i >= y.len() {
        return;
    }
    let weights = [a, b, c, d, e, f];
    let mut sum = 0.0;
    for k in 0..6 {
        if i + k < x.len() {
            sum += weights[k] * x[i + k];
        }
    }
    for k in 0..n {
        sum += k as f32;
    }
    y[i] = sum;
}

/// Shared memory, whose reference a plain function could not return safely.
#[vyre::kernel(block = 32)]
fn through_shared_memory(x: &mut [u32]) {
    let tile = shared::<[u32; 32]>();
    let t = thread::idx().x;
    tile[t] = x[t];
    block::sync();
    x[t] = tile[31 - t];
}

#[vyre::kernel]
fn each_of_them(#[each] x: &u32, #[each] y: &mut u32) {
    *y += *x;
}

#[test]
fn they_run() {
    everywhere(|place| {
        let x = place.device().upload(&[1.0f32; 20])?;
        let mut y = place.device().zeros::<f32>(10)?;
        place.over(everything(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3, &x, &mut y), 10)?;
        assert_eq!(y.download()?, [24.0; 10]);

        let mut z = place.device().upload(&(0..32).collect::<Vec<u32>>())?;
        place.grid(through_shared_memory(&mut z), [1, 1, 1])?;
        let ones = place.device().upload(&[1u32; 32])?;
        place.over(each_of_them(&ones, &mut z), 32)?;
        assert_eq!(z.download()?, (1..=32).rev().collect::<Vec<u32>>());
        Ok(())
    });
}
