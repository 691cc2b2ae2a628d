//! Constants: in the kernel, beside it, from other modules and from the standard library.

use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! { Inner Outer Tables Picked Typed }

const SCALE: f32 = 1.5;
const OFFSET: u32 = 1 << 20;
const NEGATIVE: i64 = -5_000_000_000;
const FLAG: bool = true;
const COUNT: usize = values::SMALL as usize + 3;

mod values {
    pub(super) const SMALL: u8 = 250;
    pub(super) const TINY: f64 = 1e-300;
    pub(super) const SIGNED: i16 = -12_345;
}

#[vyre::kernel]
fn inner(y: &mut [u32]) {
    const STEP: usize = 2;
    const BASE: u32 = 0x1000_0000 | MASK;
    const MASK: u32 = 0xff << 8;
    let i = thread::index();
    if i * STEP < y.len() {
        y[i * STEP] = BASE + i as u32;
    }
}

#[test]
fn in_the_kernel() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(9)?;
        place.over(inner(&mut y), 9)?;
        let b = 0x1000_ff00;
        assert_eq!(y.download()?, [b, 0, b + 1, 0, b + 2, 0, b + 3, 0, b + 4]);
        Ok(())
    });
}

#[vyre::kernel]
fn outer(x: &[f32], y: &mut [f32], z: &mut [i64]) {
    let i = thread::index();
    if i < COUNT && i < y.len() {
        let offset: u32 = OFFSET;
        y[i] = x[i] * SCALE + offset as f32;
        let mut sum: i64 = NEGATIVE;
        if FLAG {
            let signed: i16 = values::SIGNED;
            sum += signed as i64;
        }
        let small: u8 = values::SMALL;
        z[i] = sum + i64::from(small) + (values::TINY > 1e-301f64) as i64;
    }
}

#[test]
fn beside_the_kernel() {
    everywhere(|place| {
        let x: Vec<f32> = (0..300).map(|k| k as f32).collect();
        let (mut y, mut z) = (place.device().zeros::<f32>(300)?, place.device().zeros::<i64>(300)?);
        place.over(outer(&place.device().upload(&x)?, &mut y, &mut z), 300)?;
        let (y, z) = (y.download()?, z.download()?);
        for k in 0..300 {
            let inside = k < 253;
            assert_eq!(y[k], if inside { x[k] * 1.5 + 1_048_576.0 } else { 0.0 });
            assert_eq!(z[k], if inside { -5_000_000_000 - 12_345 + 251 } else { 0 });
        }
        Ok(())
    });
}

#[vyre::kernel]
fn tables(y: &mut [f32], z: &mut [u8]) {
    const WEIGHTS: [f32; 5] = [0.0625, 0.25, 0.375, 0.25, 0.0625];
    const SQUARE: [[u8; 3]; 2] = [[1, 2, 3], [10, 20, 30]];
    let i = thread::index();
    if i < y.len() {
        let mut sum = 0.0;
        for k in 0..WEIGHTS.len() {
            sum += WEIGHTS[k] * (i + k) as f32;
        }
        y[i] = sum + WEIGHTS[i % 5];
        z[i] = SQUARE[i % 2][i % 3];
    }
}

#[test]
fn arrays() {
    everywhere(|place| {
        let (mut y, mut z) = (place.device().zeros::<f32>(20)?, place.device().zeros::<u8>(20)?);
        place.over(tables(&mut y, &mut z), 20)?;
        let weights = [0.0625f32, 0.25, 0.375, 0.25, 0.0625];
        let square = [[1u8, 2, 3], [10, 20, 30]];
        let (y, z) = (y.download()?, z.download()?);
        for i in 0..20 {
            let sum: f32 = (0..5).fold(0.0, |sum, k| sum + weights[k] * (i + k) as f32);
            assert_eq!(y[i], sum + weights[i % 5]);
            assert_eq!(z[i], square[i % 2][i % 3]);
        }
        Ok(())
    });
}

/// Elements at places that the compiler knows, and at places that it does not.
#[vyre::kernel]
fn picked(known: &mut [i64], unknown: &mut [i64], zero: usize) {
    const BYTES: [i8; 3] = [-1, 2, -128];
    const SHORTS: [[i16; 2]; 2] = [[1, -30_000], [7, 30_000]];
    const WORDS: [u32; 2] = [0xffff_fffe, 3];
    const FLAGS: [bool; 2] = [true, false];
    const FLOATS: [f64; 2] = [-0.5, 1e15];
    if thread::index() == 0 && known.len() >= 8 && unknown.len() >= 8 {
        known[0] = BYTES[0] as i64;
        known[1] = BYTES[2] as u8 as i64;
        known[2] = SHORTS[0][1] as i64;
        known[3] = SHORTS[1][1] as i64;
        known[4] = WORDS[0] as i64;
        known[5] = FLAGS[0] as i64;
        known[6] = FLOATS[1] as i64;
        known[7] = FLOATS[0].to_bits() as i64;
        unknown[0] = BYTES[zero] as i64;
        unknown[1] = BYTES[zero + 2] as u8 as i64;
        unknown[2] = SHORTS[zero][zero + 1] as i64;
        unknown[3] = SHORTS[zero + 1][zero + 1] as i64;
        unknown[4] = WORDS[zero] as i64;
        unknown[5] = FLAGS[zero] as i64;
        unknown[6] = FLOATS[zero + 1] as i64;
        unknown[7] = FLOATS[zero].to_bits() as i64;
    }
}

#[test]
fn elements_of_arrays() {
    everywhere(|place| {
        let (mut known, mut unknown) = (place.device().zeros::<i64>(8)?, place.device().zeros::<i64>(8)?);
        place.over(picked(&mut known, &mut unknown, 0), 1)?;
        let bits = (-0.5f64).to_bits() as i64;
        let expected = [-1, 128, -30_000, 30_000, 0xffff_fffe, 1, 1_000_000_000_000_000, bits];
        assert_eq!(known.download()?, expected);
        assert_eq!(unknown.download()?, expected);
        Ok(())
    });
}

/// A constant's type is that of its binding, or follows from its use.
#[vyre::kernel]
fn typed(y: &mut [u64]) {
    let small: u8 = values::SMALL;
    let offset: u32 = OFFSET;
    if y.len() > 3 && thread::index() == 0 {
        y[0] = small as u64;
        y[1] = u64::from(offset);
        y[2] = u64::MAX - u32::MAX as u64;
        y[3] = core::f64::consts::PI.to_bits();
    }
}

#[test]
fn types_of_constants() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u64>(4)?;
        place.over(typed(&mut y), 1)?;
        assert_eq!(
            y.download()?,
            [250, 1 << 20, 0xffff_ffff_0000_0000, 0x4009_21fb_5444_2d18]
        );
        Ok(())
    });
}

#[vyre::device]
#[allow(
    clippy::large_const_arrays,
    reason = "so large that two of them fill constant memory"
)]
const FIRST: [u32; 9000] = [3; 9000];
#[vyre::device]
#[allow(
    clippy::large_const_arrays,
    reason = "so large that two of them fill constant memory"
)]
const SECOND: [u32; 9000] = [5; 9000];
#[vyre::device]
const THIRD: [u16; 4] = [1, 2, 3, 4];

/// Tables that do not all fit into constant memory.
#[vyre::kernel]
fn large(x: &[usize], y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = FIRST[x[i]] + SECOND[x[i]] + THIRD[x[i] % 4] as u32;
    }
}

#[test]
fn more_than_constant_memory() {
    everywhere(|place| {
        let (x, mut y) = (
            place.device().upload(&[0, 1, 8998, 8999])?,
            place.device().zeros::<u32>(4)?,
        );
        place.over(large(&x, &mut y), 4)?;
        assert_eq!(y.download()?, [9, 10, 11, 12]);
        Ok(())
    });
    let info = <Large<'_> as vyre::Kernel>::info();
    let ptx = info.ptx;
    assert_eq!(
        (ptx.matches("\n.const ").count(), ptx.matches("\n.global ").count()),
        (2, 1)
    );
}

/// Local arrays whose indices are known once loops are unrolled.
#[vyre::kernel]
fn registers(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i >= y.len() {
        return;
    }
    let mut window = [0.0; 6];
    let mut sums = [[0.0f32; 3]; 2];
    for k in 0..6 {
        window[k] = x[i + k];
    }
    for row in 0..2 {
        for col in 0..3 {
            sums[row][col] = window[3 * row + col] * window[5 - col];
        }
    }
    window[0] = sums[0][2];
    let pair = (window, sums);
    y[i] = pair.0[0] + pair.1[1][0] + pair.1[1][2];
}

#[test]
fn local_arrays_are_in_registers() {
    everywhere(|place| {
        let (x, mut y) = (
            place.device().upload(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])?,
            place.device().zeros::<f32>(2)?,
        );
        place.over(registers(&x, &mut y), 2)?;
        let expected = |x: [f32; 6]| x[2] * x[3] + x[3] * x[5] + x[5] * x[3];
        let expected = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]].map(expected);
        assert_eq!(y.download()?, expected);
        Ok(())
    });
    let info = <Registers<'_> as vyre::Kernel>::info();
    assert!(!info.ptx.contains(".local"), "{}", info.ptx);
    vyre_semantics::ptx::assembled(&[info]);
}
