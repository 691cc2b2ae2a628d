//! Constant parameters of every type of integer and of `bool`, in functions, methods and kernels.

use vyre::Kernel as _;
use vyre::prelude::*;
use vyre_semantics::{everywhere, ptx};

#[vyre::device]
const STEP: i16 = -7;

#[vyre::device]
fn scaled<const UP: bool, const BY: u32, const PLUS: i64>(x: u32) -> u32 {
    if UP {
        x.wrapping_mul(BY)
    } else {
        (i64::from(x) + PLUS) as u32
    }
}

#[vyre::device]
fn mixed<const A: u8, const B: i8, const C: u16, const D: i16, const E: isize, const F: usize>(x: u32) -> u32 {
    let ends = [B as i32, D as i32, E as i32];
    let mut sum = x ^ u32::from(A) ^ u32::from(C);
    for k in 0..F {
        sum = sum.rotate_left(3) ^ ends[k] as u32;
    }
    sum ^ F as u32
}

/// Passes its own parameter on.
#[vyre::device]
fn passed<const UP: bool, const BY: u32>(x: u32) -> u32 {
    scaled::<UP, BY, { -3 + 1 }>(x) ^ scaled::<false, BY, 0>(x)
}

#[vyre::device]
mod boxed {
    #[derive(Clone, Copy)]
    pub struct Boxed {
        pub x: u32,
    }

    impl Boxed {
        pub fn turned<const LEFT: bool>(self) -> u32 {
            if LEFT {
                self.x.rotate_left(5)
            } else {
                self.x.rotate_right(5)
            }
        }
    }
}

use boxed::Boxed;

#[vyre::device]
fn total_of(x: u32) -> u32 {
    let there = Boxed { x };
    scaled::<true, 3, -2>(x)
        ^ scaled::<false, 0, -9000000000>(x).rotate_left(1)
        ^ mixed::<255, -128, 65535, STEP, -1, 3>(x).rotate_left(2)
        ^ mixed::<0, 0, 0, 0, 0, 0>(x).rotate_left(3)
        ^ passed::<true, 5>(x).rotate_left(4)
        ^ passed::<false, 0>(x).rotate_left(5)
        ^ there.turned::<true>()
        ^ there.turned::<false>().rotate_left(9)
}

#[vyre::kernel]
fn every(#[each] x: &u32, #[each] y: &mut u32) {
    *y = total_of(*x);
}

/// Instances by values of three types.
#[vyre::kernel(ADD = [false, true], BY = [-2, 5], SKIP = [0, 2])]
fn shifted<const ADD: bool, const BY: i8, const SKIP: usize>(x: &[i32], y: &mut [i32]) {
    let i = thread::index();
    if i >= SKIP && i < y.len() {
        y[i] = if ADD { x[i] + BY as i32 } else { x[i] * BY as i32 };
    }
}

/// One source with and without contraction, for two blocks; the body mentions neither.
#[vyre::kernel(T = [f32, f64], FUSE = [false, true], B = [64, 96], contract = FUSE, block = B)]
fn axpy<T: Float, const FUSE: bool, const B: u32>(a: T, x: &[T], y: &mut [T]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// The approximations of `fast_math`, or none.
#[vyre::kernel(FAST = [false, true], fast_math = FAST)]
fn inverse<const FAST: bool>(#[each] x: &f32, #[each] y: &mut f32) {
    *y = 3.0 / *x;
}

#[test]
fn options_of_instances() {
    let (a, x, start) = (1.1f32, [0.1f32, 3.3, -7.7], [0.2f32, 4.4, 8.5]);
    everywhere(|place| {
        let device = place.device();
        let there = device.upload(&x)?;
        let (mut y, mut fused) = (device.upload(&start)?, device.upload(&start)?);
        place.over(axpy::<_, false, 64>(a, &there, &mut y), 3)?;
        place.over(axpy::<_, true, 96>(a, &there, &mut fused), 3)?;
        let (y, fused) = (y.download()?, fused.download()?);
        for i in 0..3 {
            assert_eq!(y[i], a * x[i] + start[i], "on {}", place.name());
            assert_eq!(fused[i], a.mul_add(x[i], start[i]), "on {}", place.name());
        }
        assert_ne!(y, fused);
        let (mut exact, mut near) = (device.zeros(3)?, device.zeros(3)?);
        place.over(inverse::<false>(&there, &mut exact), 3)?;
        place.over(inverse::<true>(&there, &mut near), 3)?;
        let (exact, near) = (exact.download()?, near.download()?);
        for i in 0..3 {
            assert_eq!(exact[i], 3.0 / x[i], "on {}", place.name());
            assert!((near[i] / exact[i] - 1.0).abs() < 1e-6, "on {}", place.name());
        }
        Ok(())
    });
    let kernels = [
        AxpyF64FuseTrueB96::info(),
        AxpyF64FuseFalseB64::info(),
        InverseFastTrue::info(),
    ];
    assert_eq!(kernels[0].block, [96, 1, 1]);
    assert!(kernels[0].ptx.contains("fma.rn.f64") && !kernels[1].ptx.contains("fma.rn.f64"));
    assert!(kernels[2].ptx.contains("div.approx") || kernels[2].ptx.contains("rcp.approx"));
    ptx::assembled(&kernels);
}

#[test]
fn functions_and_methods() {
    everywhere(|place| {
        let x: Vec<u32> = (0..64u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 1).collect();
        let (there, mut y) = (place.device().upload(&x)?, place.device().zeros(64)?);
        place.over(every(&there, &mut y), 64)?;
        let expected: Vec<u32> = x.iter().map(|&x| total_of(x)).collect();
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

#[test]
fn kernels() {
    everywhere(|place| {
        let x = place.device().upload(&[1, 2, 3, 4])?;
        let mut y = place.device().zeros(4)?;
        place.over(shifted::<true, -2, 2>(&x, &mut y), 4)?;
        assert_eq!(y.download()?, [0, 0, 1, 2]);
        place.over(shifted::<false, 5, 0>(&x, &mut y), 4)?;
        assert_eq!(y.download()?, [5, 10, 15, 20]);
        Ok(())
    });
    let kernels = [
        Every::info(),
        ShiftedAddFalseByMinus2Skip0::info(),
        ShiftedAddTrueBy5Skip2::info(),
    ];
    assert_eq!(kernels[1].name, "shifted_add_false_by_minus_2_skip0");
    ptx::assembled(&kernels);
}

/// An element of an array of optional values, whose index is evaluated once.
#[vyre::kernel]
fn unwrapped(#[each] x: &u32, #[each] y: &mut u32) {
    let values = [Some(3), None, Some(*x)];
    let picked = [values[(*x % 3) as usize], Some(1)];
    *y = values[(*x % 3) as usize].unwrap_or(8) + picked[(*x % 2) as usize].unwrap_or(100);
}

#[test]
fn optional_elements() {
    everywhere(|place| {
        let x: Vec<u32> = (0..12).collect();
        let (there, mut y) = (place.device().upload(&x)?, place.device().zeros(12)?);
        place.over(unwrapped(&there, &mut y), 12)?;
        let plain = |&x: &u32| {
            let values = [Some(3), None, Some(x)];
            let picked = [values[(x % 3) as usize], Some(1)];
            values[(x % 3) as usize].unwrap_or(8) + picked[(x % 2) as usize].unwrap_or(100)
        };
        assert_eq!(
            y.download()?,
            x.iter().map(plain).collect::<Vec<u32>>(),
            "on {}",
            place.name()
        );
        Ok(())
    });
}
