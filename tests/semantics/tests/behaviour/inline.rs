//! Instructions in PTX give what the blocks give that run in their place.

use vyre::prelude::*;
use vyre::{Error, Kernel};
use vyre_semantics::{Place, everywhere};

super::kernels! { High Later Fused Wide Nothing Widest Dots Bare }

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

/// Both halves of the products.
#[vyre::kernel(block = 64)]
fn widest(x: &[u64], y: &mut [[u64; 2]]) {
    let i = thread::index();
    if i < y.len() {
        for k in 0..3 {
            let (a, b) = (x[i] + k, y[i][0]);
            // SAFETY: no effect but the results.
            let (low, high) = unsafe {
                ptx!("mul.lo.u64 {result.0}, {0}, {1}; mul.hi.u64 {result.1}, {0}, {1};", a, b => (u64, u64) {
                    let (a0, a1, b0, b1) = (a & 0xffff_ffff, a >> 32, b & 0xffff_ffff, b >> 32);
                    let middle = a1 * b0 + ((a0 * b0) >> 32);
                    let other = a0 * b1 + (middle & 0xffff_ffff);
                    (a.wrapping_mul(b), a1 * b1 + (middle >> 32) + (other >> 32))
                })
            };
            y[i] = [low, high ^ y[i][1]];
        }
    }
}

/// Three sums of products, of as many operands as there may be, and of all widths.
#[vyre::kernel(block = 64)]
fn dots(x: &[u32], y: &mut [[u32; 4]], z: &mut [f64]) {
    let i = thread::index();
    if i < y.len() {
        let (a, b, c, d) = (x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]);
        // SAFETY: no effect but the results.
        let (p, q, r, s) = unsafe {
            ptx!(
                "mad.lo.u32 {result.0}, {0}, {1}, {4};
                 fma.rn.f64 {result.1}, {10}, {11}, {9};
                 mad.lo.u32 {result.2}, {2}, {3}, {5};
                 add.u64 {result.3}, {6}, {8}; add.u64 {result.3}, {result.3}, {7};",
                a, b, c, d, 7u32, a ^ d, 1u64 << 40, b as u64, c as u64, 0.5f64, a as f64, 3.0f64
                    => (u32, f64, u32, u64) {
                    let sum = (1 << 40) + b as u64 + c as u64;
                    (a * b + 7, (a as f64).mul_add(3.0, 0.5), c * d + (a ^ d), sum)
                }
            )
        };
        y[i] = [p, r, s as u32, (s >> 32) as u32];
        z[i] = q;
    }
}

/// Inline PTX without a block is reached only on a GPU, or never.
#[vyre::kernel(block = 64)]
fn bare(from: usize, y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() && i >= from {
        // SAFETY: no effect but the results.
        unsafe {
            let (a, b) = ptx!("mov.b32 {result.0}, {0}; mov.b32 {result.1}, 3;", i as u32 => (u32, u32));
            y[i] = a * b + ptx!("mov.b32 {result}, 1;" => u32);
            ptx!("fence.acq_rel.gpu;" => ());
        }
    }
}

#[test]
fn of_several_results() {
    everywhere(|place| {
        let x: Vec<u64> = (0..100u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let before: Vec<[u64; 2]> = (0..100u64).map(|i| [!(i << 56) ^ i, i]).collect();
        let mut y = place.device().upload(&before)?;
        place.over(widest(&place.device().upload(&x)?, &mut y), 100)?;
        let expected = x.iter().zip(&before).map(|(&x, &y)| {
            (0..3).fold(y, |[low, high], k| {
                let product = u128::from(x.wrapping_add(k)) * u128::from(low);
                [product as u64, (product >> 64) as u64 ^ high]
            })
        });
        assert!(y.download()?.into_iter().eq(expected));
        Ok(())
    });
}

#[test]
fn of_many_operands() {
    everywhere(|place| {
        let x: Vec<u32> = (0..400u32).map(|i| i.wrapping_mul(0x0123_4567) ^ 0x8000_0001).collect();
        let (mut y, mut z) = (
            place.device().zeros::<[u32; 4]>(100)?,
            place.device().zeros::<f64>(100)?,
        );
        place.over(dots(&place.device().upload(&x)?, &mut y, &mut z), 100)?;
        let expected = x.chunks(4).map(|x| {
            let (p, r) = (
                x[0].wrapping_mul(x[1]).wrapping_add(7),
                x[2].wrapping_mul(x[3]).wrapping_add(x[0] ^ x[3]),
            );
            let sum = (1 << 40) + u64::from(x[1]) + u64::from(x[2]);
            [p, r, sum as u32, (sum >> 32) as u32]
        });
        assert!(y.download()?.into_iter().eq(expected));
        let expected = x.chunks(4).map(|x| f64::from(x[0]).mul_add(3.0, 0.5));
        assert!(z.download()?.into_iter().eq(expected));
        Ok(())
    });
}

#[test]
fn without_a_block_on_gpus_alone() {
    everywhere(|place| {
        let mut y = place.device().upload(&[5; 8])?;
        place.over(bare(8, &mut y), 8)?;
        assert_eq!(y.download()?, [5; 8], "nobody has come to the instructions");
        let is_gpu = match place {
            Place::Interpreter(_) => false,
            Place::Machine(_) => true,
            Place::Device(device, _) => device.is_cuda(),
        };
        match place.over(bare(6, &mut y), 8) {
            Ok(()) => {
                assert!(is_gpu);
                assert_eq!(y.download()?, [5, 5, 5, 5, 5, 5, 19, 22]);
            }
            Err(Error::Fault(fault)) => {
                assert!(!is_gpu);
                assert!(fault.message.contains("run on a GPU alone"), "{fault}");
                assert!(fault.file.ends_with("inline.rs") && fault.thread[0] == 6, "{fault}");
            }
            Err(error) => return Err(error),
        }
        Ok(())
    });
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

/// Instructions of a later PTX version than a module has otherwise.
#[vyre::kernel(block = 64)]
fn later(y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        // SAFETY: no effect but a pause.
        unsafe { ptx!(version = "6.3", "nanosleep.u32 {0};", 20u32 => () {}) }
        y[i] += 1;
    }
}

#[test]
fn of_a_later_version() {
    assert!(Later::<'_>::info().ptx.contains(".version 6.3\n"));
    everywhere(|place| {
        let mut y = place.device().upload(&[7; 40])?;
        place.over(later(&mut y), 40)?;
        assert_eq!(y.download()?, [8; 40]);
        Ok(())
    });
}
