//! Casts from and to every type, and `From`.

use vyre::prelude::*;
use vyre_semantics::agree;

macro_rules! casts {
    ($($module:ident $T:ident)*) => {$(
        mod $module {
            use super::agree;

            agree! {
                fn to_u128(a: $T) -> u128 { a as u128 }
                fn to_i128(a: $T) -> i128 { a as i128 }
                fn of_u128(a: u128) -> $T { a as $T }
                fn of_i128(a: i128) -> $T { a as $T }
            }
        }
    )*};
}

casts!(i8 i8 i16 i16 i32 i32 i64 i64 isize isize u8 u8 u16 u16 u32 u32 u64 u64 usize usize f32 f32 f64 f64
       u128 u128 i128 i128);

agree! {
    fn of_bool(a: bool) -> u128 { a as u128 + u128::from(a) }
    fn from_u64(a: u64) -> u128 { u128::from(a) << 7 }
    fn from_u64_signed(a: u64) -> i128 { i128::from(a) - 5 }
    fn from_i64(a: i64) -> i128 { i128::from(a) * 3 }
    fn full_product(a: u64, b: u64) -> u64 { ((a as u128 * b as u128) >> 64) as u64 }
    fn full_signed_product(a: i64, b: i64) -> i64 { ((a as i128 * b as i128) >> 64) as i64 }
    fn remainder_of_product(a: u64, b: u64, n: u64) -> u64 {
        if n == 0 { 0 } else { (a as u128 * b as u128 % n as u128) as u64 }
    }
    fn amount(a: u32, b: u128) -> u32 { a << b } as { a.wrapping_shl(b as u32) }
}

/// Numbers of 128 bits about the borders at which floats round.
fn borders() -> Vec<u128> {
    let mut all = Vec::new();
    for top in 0..128 {
        for fraction in [23u32, 24, 52, 53] {
            let one = 1u128 << top;
            let half = (one >> fraction) >> 1;
            for value in [one + half, one | (one >> fraction) | half, one - 1, one] {
                all.extend([value, value.wrapping_add(1), value.wrapping_sub(1)]);
            }
        }
    }
    all
}

#[vyre::kernel]
fn rounded(x: &[u128], single: &mut [f32], double: &mut [f64], signed: &mut [f32]) {
    let i = thread::index();
    if i < x.len() && i < single.len() && i < double.len() && i < signed.len() {
        single[i] = x[i] as f32;
        double[i] = x[i] as f64;
        signed[i] = x[i] as i128 as f32;
    }
}

#[test]
fn integers_round_to_nearest_even() {
    let x = borders();
    vyre_semantics::everywhere(|place| {
        let device = place.device();
        let input = device.upload(&x)?;
        let mut single = device.upload(&vec![0f32; x.len()])?;
        let mut double = device.upload(&vec![0f64; x.len()])?;
        let mut signed = device.upload(&vec![0f32; x.len()])?;
        place.over(rounded(&input, &mut single, &mut double, &mut signed), x.len())?;
        let (single, double, signed) = (single.download()?, double.download()?, signed.download()?);
        for (i, &x) in x.iter().enumerate() {
            assert_eq!(
                single[i].to_bits(),
                (x as f32).to_bits(),
                "{x:#x} as f32 on {}",
                place.name()
            );
            assert_eq!(
                double[i].to_bits(),
                (x as f64).to_bits(),
                "{x:#x} as f64 on {}",
                place.name()
            );
            let value = x as i128;
            assert_eq!(
                signed[i].to_bits(),
                (value as f32).to_bits(),
                "{value} as f32 on {}",
                place.name()
            );
        }
        Ok(())
    });
}
