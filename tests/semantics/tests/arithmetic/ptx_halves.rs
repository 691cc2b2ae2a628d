//! Inline PTX with operands and results of 16 bits.

use vyre::prelude::*;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assembled;

#[vyre::kernel]
fn integers(x: &[i16], y: &[u16], sums: &mut [i16], high: &mut [u16], all: &mut [i32]) {
    let i = thread::index();
    if i < sums.len() {
        let (a, b) = (x[i], y[i]);
        // SAFETY: the instructions have no effect but their results, which are those of the blocks.
        unsafe {
            sums[i] = ptx!("add.s16 {result}, {0}, {1};", a, -3i16 => i16 { a.wrapping_add(-3) });
            high[i] =
                ptx!("mul.hi.u16 {result}, {0}, {1};", b, 40_000u16 => u16 { ((b as u32 * 40_000) >> 16) as u16 });
            let (least, word): (i16, u32) = ptx!(
                "min.s16 {result.0}, {0}, {1}; cvt.u32.u16 {result.1}, {2}; add.u32 {result.1}, {result.1}, {3};",
                a, 5i16, b, i as u32 => (i16, u32) {
                    (a.min(5), b as u32 + i as u32)
                }
            );
            all[i] = least as i32 * 3 + word as i32;
        }
    }
}

#[vyre::kernel]
fn floats(x: &[f16], y: &[bf16], z: &mut [f16], w: &mut [bf16]) {
    let i = thread::index();
    if i < z.len() {
        let (a, b) = (x[i], y[i]);
        // SAFETY: as above.
        unsafe {
            z[i] = ptx!("neg.f16 {result}, {0};", a => f16 { -a });
            w[i] = ptx!("mov.b16 {result}, {0};", b => bf16 { b });
        }
    }
}

#[test]
fn numbers_of_16_bits() {
    let x: Vec<i16> = (0..300).map(|i: i32| (i * 331 - 32768) as i16).collect();
    let y: Vec<u16> = (0..300).map(|i: i32| (i * 219) as u16).collect();
    everywhere(|place| {
        let device = place.device();
        let (x_on, y_on) = (device.upload(&x)?, device.upload(&y)?);
        let (mut sums, mut high, mut all) = (device.zeros::<i16>(300)?, device.zeros::<u16>(300)?, device.zeros(300)?);
        place.over(integers(&x_on, &y_on, &mut sums, &mut high, &mut all), 300)?;
        let (sums, high, all) = (sums.download()?, high.download()?, all.download()?);
        for i in 0..300 {
            let word = i32::from(y[i]) + i as i32;
            let wanted = (x[i].wrapping_add(-3), ((u32::from(y[i]) * 40_000) >> 16) as u16);
            assert_eq!((sums[i], high[i]), wanted, "{i} on {}", place.name());
            assert_eq!(all[i], i32::from(x[i].min(5)) * 3 + word, "{i} on {}", place.name());
        }
        let halves: Vec<f16> = x.iter().map(|&v| f16::from_f32(v.into())).collect();
        let others: Vec<bf16> = x.iter().map(|&v| bf16::from_f32(v.into())).collect();
        let (halves_on, others_on) = (device.upload(&halves)?, device.upload(&others)?);
        let (mut z, mut w) = (device.zeros::<f16>(300)?, device.zeros::<bf16>(300)?);
        place.over(floats(&halves_on, &others_on, &mut z, &mut w), 300)?;
        assert_eq!(
            z.download()?,
            halves.iter().map(|&v| -v).collect::<Vec<_>>(),
            "on {}",
            place.name()
        );
        assert_eq!(w.download()?, others, "on {}", place.name());
        Ok(())
    });
    assembled(&[Integers::info(), Floats::info()]);
}
