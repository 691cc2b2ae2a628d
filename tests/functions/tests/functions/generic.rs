//! Generic functions of another crate, in every place.

use vyre::prelude::*;
use vyre_functions::{mixed_bits, polynomial, row_sum};
use vyre_semantics::{everywhere, ptx};

#[vyre::device]
const COEFFICIENTS: [f32; 4] = [1.0, -0.5, 0.25, 0.125];

/// Both types of floats, and two lengths.
#[vyre::kernel]
fn polynomials(x: &[f32], y: &mut [f32], z: &mut [f64]) {
    let i = thread::index();
    if i < x.len() {
        y[i] = polynomial(&COEFFICIENTS, x[i]);
        z[i] = polynomial(&[0.5, 2.0], x[i] as f64);
    }
}

/// A length determined only by the call, and a type determined by its arguments.
#[vyre::kernel]
fn rows(x: &[i32], y: &[f64], out: &mut [f64]) {
    let i = thread::index();
    if i < out.len() {
        out[i] = row_sum::<3, _>(x, i) as f64 + row_sum::<2, f64>(y, i);
    }
}

/// Integers of several widths.
#[vyre::kernel]
fn bits(x: &[u32], out: &mut [u64]) {
    let i = thread::index();
    if i < out.len() {
        let wide = (x[i] as u64) << 17;
        out[i] = mixed_bits(wide, 5) ^ mixed_bits(x[i], 7) as u64 ^ mixed_bits(x[i] as u8, 1) as u64;
    }
}

#[test]
fn floats() {
    everywhere(|place| {
        let x: Vec<f32> = (0..100).map(|i| i as f32 * 0.37 - 20.0).collect();
        let input = place.device().upload(&x)?;
        let mut y = place.device().zeros::<f32>(x.len())?;
        let mut z = place.device().zeros::<f64>(x.len())?;
        let kernel = Polynomials {
            x: (&input).into(),
            y: (&mut y).into(),
            z: (&mut z).into(),
        };
        place.over(kernel, x.len())?;
        for ((x, y), z) in x.into_iter().zip(y.download()?).zip(z.download()?) {
            assert_eq!(
                y.to_bits(),
                polynomial(&COEFFICIENTS, x).to_bits(),
                "on {}",
                place.name()
            );
            assert_eq!(
                z.to_bits(),
                polynomial(&[0.5, 2.0], f64::from(x)).to_bits(),
                "on {}",
                place.name()
            );
        }
        Ok(())
    });
}

#[test]
fn lengths() {
    everywhere(|place| {
        let x = place.device().upload(&[1, 2, 3, 40, 50, 60])?;
        let y = place.device().upload(&[0.5, 0.25, 1.5, 1.25])?;
        let mut out = place.device().zeros::<f64>(2)?;
        let kernel = Rows {
            x: (&x).into(),
            y: (&y).into(),
            out: (&mut out).into(),
        };
        place.over(kernel, 2)?;
        assert_eq!(out.download()?, [6.75, 152.75]);
        Ok(())
    });
}

#[test]
fn integers() {
    everywhere(|place| {
        let x: Vec<u32> = (0..100u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        let input = place.device().upload(&x)?;
        let mut out = place.device().zeros::<u64>(x.len())?;
        let kernel = Bits {
            x: (&input).into(),
            out: (&mut out).into(),
        };
        place.over(kernel, x.len())?;
        for (x, found) in x.into_iter().zip(out.download()?) {
            let wanted =
                mixed_bits(u64::from(x) << 17, 5) ^ u64::from(mixed_bits(x, 7)) ^ u64::from(mixed_bits(x as u8, 1));
            assert_eq!(found, wanted, "on {}", place.name());
        }
        Ok(())
    });
}

#[test]
fn ptxas_accepts_it() {
    use vyre::Kernel as _;
    ptx::assembled(&[Polynomials::info(), Rows::info(), Bits::info()]);
}
