//! Vectors, complex and random numbers: every place against the same functions on the host.

use vyre::complex::{Complex32, Complex64};
use vyre::random::Philox;
use vyre::vector::*;
use vyre_semantics::everywhere;
use vyre_test_support::random::Random;

use super::vectors;

const COUNT: usize = 64;

fn number(random: &mut Random) -> f32 {
    // Some of them whole, and zero.
    match random.below(8) {
        0 => random.below(7) as f32 - 3.0,
        _ => (random.below(1 << 24) as f32 / (1 << 22) as f32) - 2.0,
    }
}

fn vec4s(seed: u64) -> Vec<Vec4> {
    let mut random = Random::new(seed);
    let mut four = || Vec4::from_array(std::array::from_fn(|_| number(&mut random)));
    (0..COUNT).map(|_| four()).collect()
}

/// The bits of floats, with one NaN for all.
fn bits(values: impl IntoIterator<Item = f32>) -> Vec<u32> {
    let bits = |value: f32| if value.is_nan() { f32::NAN } else { value }.to_bits();
    values.into_iter().map(bits).collect()
}

#[test]
fn floats_have_the_bits_of_the_host() {
    let (a, b) = (vec4s(1), vec4s(2));
    let (mut two, mut three, mut four) = (Vec::new(), Vec::new(), Vec::new());
    for (&a, &b) in a.iter().zip(&b) {
        two.extend(vectors::float2(a.xy(), b.xy(), a.w).iter().flat_map(Vec2::to_array));
        three.extend(vectors::float3(a.xyz(), b.xyz(), b.w).iter().flat_map(Vec3::to_array));
        four.extend(vectors::turned(a, b, a.z).iter().flat_map(Vec4::to_array));
    }
    everywhere(|place| {
        let device = place.device();
        let (x, y) = (device.upload(&a)?, device.upload(&b)?);
        let mut twos = device.zeros::<[Vec2; 8]>(COUNT)?;
        let mut threes = device.zeros::<[Vec3; 6]>(COUNT)?;
        let mut fours = device.zeros::<[Vec4; 8]>(COUNT)?;
        place.over(vectors::floats(&x, &y, &mut twos, &mut threes, &mut fours), COUNT)?;
        let of = twos.download()?.into_iter().flatten().flat_map(|v| v.to_array());
        assert_eq!(bits(of), bits(two.clone()), "{}", place.name());
        let of = threes.download()?.into_iter().flatten().flat_map(|v| v.to_array());
        assert_eq!(bits(of), bits(three.clone()), "{}", place.name());
        let of = fours.download()?.into_iter().flatten().flat_map(|v| v.to_array());
        assert_eq!(bits(of), bits(four.clone()), "{}", place.name());
        Ok(())
    });
}

#[test]
fn integers_and_complex_numbers_have_the_bits_of_the_host() {
    let mut random = Random::new(3);
    let a: Vec<IVec4> = (0..COUNT)
        .map(|_| IVec4::from_array(std::array::from_fn(|_| random.below(200) as i32 - 100)))
        .collect();
    let b: Vec<UVec3> = (0..COUNT)
        .map(|_| UVec3::from_array(std::array::from_fn(|_| random.below(200) as u32)))
        .collect();
    let z: Vec<Complex32> = (0..COUNT)
        .map(|_| Complex32::new(number(&mut random), number(&mut random)))
        .collect();
    let w: Vec<Complex64> = z
        .iter()
        .map(|z| Complex64::new(f64::from(z.im) * 1.3, f64::from(z.re)))
        .collect();
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    everywhere(|place| {
        let device = place.device();
        let given = (
            device.upload(&a)?,
            device.upload(&b)?,
            device.upload(&z)?,
            device.upload(&w)?,
        );
        let (mut integer, mut unsigned) = (device.zeros::<IVec4>(COUNT)?, device.zeros::<UVec3>(COUNT)?);
        let (mut single, mut double) = (device.zeros::<Complex32>(COUNT)?, device.zeros::<Complex64>(COUNT)?);
        let kernel = vectors::others(
            &given.0,
            &given.1,
            &given.2,
            &given.3,
            &mut integer,
            &mut unsigned,
            &mut single,
            &mut double,
        );
        place.over(kernel, COUNT)?;
        let (integer, unsigned) = (integer.download()?, unsigned.download()?);
        let (single, double) = (single.download()?, double.download()?);
        for i in 0..COUNT {
            assert_eq!(
                (integer[i], unsigned[i]),
                vectors::integers(a[i], b[i]),
                "{i} on {}",
                place.name()
            );
            let (x, y) = vectors::complex(z[i], w[i], DVec2::new(w[i].im, 1.0));
            assert_eq!(
                bits([single[i].re, single[i].im]),
                bits([x.re, x.im]),
                "{i} on {}",
                place.name()
            );
            assert!(
                same(double[i].re, y.re) && same(double[i].im, y.im),
                "{i} on {}",
                place.name()
            );
        }
        Ok(())
    });
}

#[test]
fn shared_memory_and_parameters_hold_vectors() {
    let (x, scale) = (vec4s(5), vec4(1.0, 2.0, 3.0, -4.0));
    everywhere(|place| {
        let mut given = place.device().upload(&x)?;
        let mut noise = place.device().zeros::<f32>(COUNT)?;
        place.over(vectors::reversed(&mut given, scale, &mut noise), COUNT)?;
        let expected: Vec<Vec4> = (0..COUNT).map(|i| x[i / 32 * 32 + 31 - i % 32] * scale).collect();
        assert_eq!(given.download()?, expected, "{}", place.name());
        let drawn = (0..COUNT).map(|i| Philox::new(3, i as u64, 1).uniform_f32());
        assert!(noise.download()?.into_iter().eq(drawn), "{}", place.name());
        Ok(())
    });
    let ptx = <vectors::Reversed as vyre::Kernel>::info().ptx;
    for access in [
        "ld.global.v4.f32",
        "st.global.v4.f32",
        "ld.shared.v4.f32",
        "st.shared.v4.f32",
    ] {
        assert!(ptx.contains(access), "{access}: {ptx}");
    }
}
