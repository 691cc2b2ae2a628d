//! Half precision as users write it: in buffers, parameters, structs, memory of every kind, constants,
//! exchanges, messages and generic functions.

use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! { Axpy Dot Mixed Sorted Lanes Constants Told MeanF16 MeanBf16 }

fn f16s(count: usize) -> Vec<f16> {
    (0..count)
        .map(|i| f16::from_f32((i * 7 % 31) as f32 / 8.0 - 1.5))
        .collect()
}

/// y := a*x + y
#[vyre::kernel]
fn axpy(a: f16, #[each] x: &f16, #[each] y: &mut f16) {
    *y += a * *x;
}

#[test]
fn each_element() {
    let (a, x, y) = (f16::from_f32(0.1), f16s(300), f16s(700).split_off(400));
    let expected: Vec<f16> = x.iter().zip(&y).map(|(x, y)| *y + a * *x).collect();
    everywhere(|place| {
        let mut there = place.device().upload(&y)?;
        place.over(axpy(a, &place.device().upload(&x)?, &mut there), 300)?;
        assert_eq!(there.download()?, expected);
        Ok(())
    });
}

/// The products of each block's elements, added in `f32`.
#[vyre::kernel(block = 64)]
fn dot(x: &[f16], y: &[bf16], sums: &mut [f32]) {
    let tile = shared::<[f16; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    tile[t] = if i < x.len() { x[i] } else { f16::ZERO };
    block::sync();
    let mut sum = 0.0;
    if t == 0 {
        for k in 0..64 {
            if i + k < y.len() {
                sum = tile[k].to_f32().mul_add(f32::from(y[i + k]), sum);
            }
        }
        // SAFETY: there are as many sums as blocks, and one thread of each writes.
        unsafe { *sums.get_unchecked_mut(block::idx().x) = sum };
    }
}

#[test]
fn sums_in_single_precision() {
    let x = f16s(150);
    let y: Vec<bf16> = x.iter().rev().map(|x| bf16::from_f32(x.to_f32() + 0.25)).collect();
    let expected: Vec<f32> = (x.chunks(64).zip(y.chunks(64)))
        .map(|(x, y)| {
            x.iter()
                .zip(y)
                .fold(0.0, |sum, (x, y)| x.to_f32().mul_add(y.to_f32(), sum))
        })
        .collect();
    everywhere(|place| {
        let (device, mut sums) = (place.device(), place.device().zeros(3)?);
        place.over(dot(&device.upload(&x)?, &device.upload(&y)?, &mut sums), 150)?;
        assert_eq!(sums.download()?, expected);
        Ok(())
    });
}

/// Numbers of several widths.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    place: [f16; 3],
    weight: bf16,
    sum: f32,
}

#[vyre::kernel]
fn mixed(scale: [f16; 2], #[each] sample: &mut Sample) {
    let Sample {
        place: [x, y, z],
        weight,
        ..
    } = *sample;
    sample.sum = weight.to_f32() * (x + y * scale[0] - z).to_f32();
    sample.place[1] = sample.place[2].max(scale[1]);
    sample.weight = -weight;
}

#[test]
fn structs_hold_them() {
    let scale = [f16::from_f32(0.3), f16::ONE];
    let samples: Vec<Sample> = (f16s(80).windows(3).enumerate())
        .map(|(i, place)| Sample {
            place: [place[0], place[1], place[2]],
            weight: bf16::from_f32(i as f32 * 0.7),
            sum: 0.0,
        })
        .collect();
    let expected = samples.iter().map(|sample| {
        let [x, y, z] = sample.place;
        Sample {
            place: [x, if z > scale[1] { z } else { scale[1] }, z],
            weight: -sample.weight,
            sum: sample.weight.to_f32() * (x + y * scale[0] - z).to_f32(),
        }
    });
    let expected: Vec<Sample> = expected.collect();
    everywhere(|place| {
        let mut there = place.device().upload(&samples)?;
        place.over(mixed(scale, &mut there), samples.len())?;
        assert_eq!(there.download()?, expected);
        Ok(())
    });
}

/// Sorts eight numbers at a time, in memory of the thread; and as many in that of the block.
#[vyre::kernel(block = 32)]
fn sorted(x: &[bf16], y: &mut [[bf16; 8]]) {
    let i = thread::index();
    let own = shared::dynamic::<bf16>();
    let mut values = [bf16::ZERO; 8];
    for k in 0..8 {
        values[k] = x[8 * i + k];
    }
    let before = values;
    for end in 1..8 {
        let mut k = end;
        while k > 0 && values[k] < values[k - 1] {
            (values[k], values[k - 1]) = (values[k - 1], values[k]);
            k -= 1;
        }
    }
    own[thread::idx().x] = values[0] + before[i % 8];
    block::sync();
    values[7] = own[31 - thread::idx().x];
    y[i] = values;
}

#[test]
fn arrays_and_memory_of_the_block() {
    let x: Vec<bf16> = f16s(256).iter().map(|x| bf16::from_f32(x.to_f32())).collect();
    let mut expected: Vec<[bf16; 8]> = Vec::new();
    let mut own = Vec::new();
    for (i, before) in x.chunks(8).enumerate() {
        let mut values: [bf16; 8] = before.try_into().unwrap();
        values.sort_by(|a, b| a.partial_cmp(b).unwrap());
        own.push(values[0] + before[i % 8]);
        expected.push(values);
    }
    (0..32).for_each(|i| expected[i][7] = own[31 - i]);
    everywhere(|place| {
        let device = place.device();
        let mut y = device.zeros(32)?;
        place.over_sharing(sorted(&device.upload(&x)?, &mut y), 32, 64)?;
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

#[vyre::kernel(block = 32)]
fn lanes(x: &[f16], y: &mut [[f16; 4]], z: &mut [bf16]) {
    let i = thread::index();
    let same = warp::match_any(x[i]).count_ones();
    y[i] = [
        warp::shuffle_xor(x[i], 3),
        warp::max(x[i]),
        warp::exclusive_min(x[i]),
        f16::from(same as u8),
    ];
    z[i] = warp::sum(bf16::from_f32(x[i].to_f32()));
}

#[test]
fn lanes_exchange_them() {
    let x = f16s(32);
    let greatest = x.iter().copied().fold(x[0], |a, b| if a < b { b } else { a });
    everywhere(|place| {
        let device = place.device();
        let (mut y, mut z) = (device.zeros(32)?, device.zeros(32)?);
        place.over(lanes(&device.upload(&x)?, &mut y, &mut z), 32)?;
        let mut least = f16::INFINITY;
        for (i, y) in y.download()?.into_iter().enumerate() {
            let same = x.iter().filter(|&&other| other == x[i]).count();
            assert_eq!(y, [x[i ^ 3], greatest, least, f16::from(same as u8)]);
            least = if x[i] < least { x[i] } else { least };
        }
        // Added in pairs of lanes that differ in one bit, from the highest on or from the lowest.
        let sums = z.download()?;
        let exact: f32 = x.iter().map(|x| x.to_f32()).sum();
        assert!(sums.iter().all(|sum| *sum == sums[0]) && (sums[0].to_f32() - exact).abs() < 0.5);
        Ok(())
    });
}

const OUTSIDE: f16 = f16::from_f32_const(0.3);

#[vyre::device]
const WEIGHTS: [bf16; 2] = [bf16::from_f32_const(0.7), bf16::MIN_POSITIVE];

#[vyre::device]
const SHIFT: f16 = f16::from_f64_const(-1.5);

#[vyre::kernel(block = 8)]
fn constants(x: f32, y: &mut [f16], z: &mut [bf16]) {
    const HERE: f16 = f16::from_bits(0x3555);
    let i = thread::index();
    y[i] = [
        OUTSIDE,
        HERE,
        f16::PI,
        f16::EPSILON,
        SHIFT,
        f16::NEG_INFINITY,
        f16::default(),
        vyre::f16::MAX,
    ][i];
    z[i] = WEIGHTS[i % 2] * bf16::from_f32(x) + bf16::FRAC_1_SQRT_2;
}

#[test]
fn constants_of_every_origin() {
    let [first, second] = WEIGHTS.map(|weight| weight * bf16::from_f32(3.0) + bf16::FRAC_1_SQRT_2);
    everywhere(|place| {
        let (mut y, mut z) = (place.device().zeros(8)?, place.device().zeros(8)?);
        place.over(constants(3.0, &mut y, &mut z), 8)?;
        let here = f16::from_bits(0x3555);
        let expected = [
            OUTSIDE,
            here,
            f16::PI,
            f16::EPSILON,
            SHIFT,
            f16::NEG_INFINITY,
            f16::ZERO,
            f16::MAX,
        ];
        assert_eq!(y.download()?, expected);
        assert_eq!(z.download()?, [first, second].repeat(4));
        Ok(())
    });
}

#[vyre::kernel(block = 1)]
fn told(x: &[f16], y: bf16) {
    let x = x[0];
    println!("{x} {x:?} {y:>8.2} {x:#06x} {y:e} {:?}", (x, [y, -y]));
    assert_eq!(x, f16::ONE, "about {y}");
}

#[test]
fn messages_are_those_of_the_host() {
    let (x, y) = (f16::from_f32(0.1), bf16::from_f32(1000.0));
    everywhere(|place| {
        let (text, result) = place.printed(told(&place.device().upload(&[x])?, y), 1);
        let (wide, single) = (x.to_f32(), y.to_f32());
        let bits = x.to_bits();
        assert_eq!(
            text,
            format!("{x} {x:?} {single:>8.2} {bits:#06x} {y:e} {:?}\n", (x, [y, -y]))
        );
        let error = result.unwrap_err().to_string();
        assert!(
            error.contains(&format!("about {single}\n  left: {wide:?}\n right: 1.0")),
            "{error}"
        );
        Ok(())
    });
}

/// The mean of three neighbours.
#[vyre::kernel(T = [f16, bf16])]
fn mean<T: Float>(x: &[T], y: &mut [T]) {
    let i = thread::index();
    if i < y.len() {
        let sum = x[i] + x[i + 1].mul_add(T::ONE + T::ONE, x[i + 2]);
        y[i] = (sum * T::from_f64(0.25)).max(T::MIN).abs().sqrt();
    }
}

#[test]
fn generic_in_their_type() {
    fn by_host<T: Float>(x: &[T]) -> Vec<T> {
        let of = |x: &[T]| x[0] + x[1].mul_add(T::ONE + T::ONE, x[2]);
        let root = |sum: T| (sum * T::from_f64(0.25)).max(T::MIN).abs().sqrt();
        x.windows(3).map(|x| root(of(x))).collect()
    }
    let x = f16s(100);
    let short: Vec<bf16> = x.iter().map(|x| bf16::from_f32(x.to_f32())).collect();
    everywhere(|place| {
        let device = place.device();
        let mut y = device.zeros(98)?;
        place.over(mean(&device.upload(&x)?, &mut y), 98)?;
        assert_eq!(y.download()?, by_host(&x));
        let mut y = device.zeros(98)?;
        place.over(mean(&device.upload(&short)?, &mut y), 98)?;
        assert_eq!(y.download()?, by_host(&short));
        Ok(())
    });
}
