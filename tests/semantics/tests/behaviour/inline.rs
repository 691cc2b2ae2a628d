//! Instructions in PTX give what the blocks give that run in their place.

use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! { High Fused Wide Nothing }

#[vyre::kernel(block = 64)]
fn high(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        let a = x[i];
        // SAFETY: no effect but the result.
        y[i] = unsafe {
            ptx!("mul.hi.u32 {result}, {0}, {1};", a, 0x9e37_79b9u32 => u32 {
                ((a as u64 * 0x9e37_79b9) >> 32) as u32
            })
        };
    }
}

#[vyre::kernel(block = 64)]
fn fused(x: &[f64], y: &mut [f64]) {
    let i = thread::index();
    if i < y.len() {
        let (a, b) = (x[i], y[i]);
        // SAFETY: no effect but the result.
        y[i] = b + unsafe {
            ptx!("{{ .reg .f64 %t; fma.rn.f64 %t, {0}, {0}, {1}; mov.f64 {result}, %t; }}", a, b => f64 {
                let square = a.mul_add(a, b);
                square
            })
        };
    }
}

#[vyre::device]
fn shifted(value: u64, by: u32) -> u64 {
    // SAFETY: no effect but the result.
    unsafe { ptx!("shl.b64 {result}, {0}, {1};", value, by => u64 { if by > 63 { 0 } else { value << by } }) }
}

#[vyre::kernel(block = 64)]
fn wide(x: &[u32], y: &mut [u64]) {
    let i = thread::index();
    if i < y.len() {
        for k in 0..3 {
            y[i] += shifted(y[i], x[i] + k);
        }
    }
}

#[vyre::kernel(block = 64)]
fn nothing(y: &mut [i32]) {
    let i = thread::index();
    // SAFETY: no effect at all.
    unsafe { ptx!("fence.acq_rel.gpu;" => () {}) }
    if i < y.len() {
        // SAFETY: no effect but the result.
        y[i] += unsafe { ptx!("mov.b32 {result}, 7;" => i32 { 7 }) };
    }
}

#[test]
fn of_32_bits() {
    everywhere(|place| {
        let x: Vec<u32> = (0..200u32).map(|i| i.wrapping_mul(0x0123_4567) ^ 0x8000_0001).collect();
        let mut y = place.device().zeros::<u32>(200)?;
        place.over(high(&place.device().upload(&x)?, &mut y), 200)?;
        let expected = x.iter().map(|&a| ((u64::from(a) * 0x9e37_79b9) >> 32) as u32);
        assert!(y.download()?.into_iter().eq(expected));
        Ok(())
    });
}

#[test]
fn of_floats_with_registers_of_their_own() {
    everywhere(|place| {
        let x: Vec<f64> = (0..100).map(|i| 1.0 + f64::from(i) / 3.0).collect();
        let before: Vec<f64> = (0..100).map(|i| -f64::from(i) * 1e-9).collect();
        let mut y = place.device().upload(&before)?;
        place.over(fused(&place.device().upload(&x)?, &mut y), 100)?;
        let expected = x.iter().zip(&before).map(|(a, b)| b + a.mul_add(*a, *b));
        assert!(y.download()?.into_iter().eq(expected));
        Ok(())
    });
}

#[test]
fn in_device_functions_and_loops() {
    everywhere(|place| {
        let x: Vec<u32> = (0..100).collect();
        let before: Vec<u64> = (0..100).map(|i| i * i + 1).collect();
        let mut y = place.device().upload(&before)?;
        place.over(wide(&place.device().upload(&x)?, &mut y), 100)?;
        let expected = before
            .iter()
            .zip(&x)
            .map(|(&y, &x)| (0..3).fold(y, |y, k| y.wrapping_add(if x + k > 63 { 0 } else { y << (x + k) })));
        assert!(y.download()?.into_iter().eq(expected));
        Ok(())
    });
}

#[test]
fn without_operands_and_results() {
    everywhere(|place| {
        let mut y = place.device().upload(&[1, 2, 3])?;
        place.over(nothing(&mut y), 3)?;
        assert_eq!(y.download()?, [8, 9, 10]);
        Ok(())
    });
}
