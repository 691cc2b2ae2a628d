//! Sorts.

use vyre::{Device, Result};
use vyre_primitives::Scalar;
use vyre_primitives_tests::{Random, any, bits, on_devices};

use super::LENGTHS;

const LONG: usize = 30_001;

fn sorted<K: Scalar>(device: &Device, keys: &[K], from: usize, descending: bool) -> Result<Vec<K>> {
    let mut keys = device.upload(keys)?;
    let view = keys.slice_mut(from..)?;
    if descending {
        vyre_primitives::sort_descending(view).launch()?;
    } else {
        vyre_primitives::sort(view).launch()?;
    }
    keys.download()
}

fn pairs<K: Scalar, V: Scalar>(
    device: &Device,
    keys: &[K],
    values: &[V],
    descending: bool,
) -> Result<(Vec<K>, Vec<V>)> {
    let (mut keys, mut values) = (device.upload(keys)?, device.upload(values)?);
    if descending {
        vyre_primitives::sort_pairs_descending(&mut keys, &mut values).launch()?;
    } else {
        vyre_primitives::sort_pairs(&mut keys, &mut values).launch()?;
    }
    Ok((keys.download()?, values.download()?))
}

/// The key of a float in a sort: there is one NaN, which is positive.
fn positive(x: f64) -> f64 {
    if x.is_nan() {
        f64::from_bits(0x7ff8_0000_0000_0000)
    } else {
        x
    }
}

/// Which NaN a processor makes of a quotient is its own affair.
#[vyre::kernel]
fn over_itself(#[each] x: &mut f32) {
    *x /= *x;
}

#[test]
fn computed_nans_come_last() {
    on_devices(|device| {
        let mut x = device.upload(&[1.0f32, 0.0, 2.0])?;
        over_itself(&mut x).launch(device)?;
        vyre_primitives::sort(&mut x).launch()?;
        let x = x.download()?;
        assert!(x[..2] == [1.0, 1.0] && x[2].is_nan(), "{x:?}");
        Ok(())
    });
}

/// NaNs of both signs, quiet and signalling, among numbers.
#[test]
fn nans_are_equal() {
    on_devices(|device| {
        let nans = [
            0x7fc0_0000u32,
            0xffc0_0000,
            0x7f80_0001,
            0xff80_0001,
            0x7fff_ffff,
            0xffff_ffff,
        ]
        .map(f32::from_bits);
        let numbers = [f32::NEG_INFINITY, f32::INFINITY, -0.0, 0.0, f32::MIN, 1.0];
        let keys: Vec<f32> = (0..3000)
            .map(|i| if i % 3 == 1 { nans[i / 3 % 6] } else { numbers[i % 6] })
            .collect();
        let wide = |&key: &f32| {
            let sign = (key.to_bits() as u64 >> 31) << 63;
            let payload = (key.to_bits() as u64 & 0x007f_ffff) << 29 | 1;
            let nan = f64::from_bits(sign | f64::INFINITY.to_bits() | payload);
            if key.is_nan() { nan } else { key as f64 }
        };
        let wide: Vec<f64> = keys.iter().map(wide).collect();
        let places: Vec<u32> = (0..3000).collect();
        for descending in [false, true] {
            let mut expected = places.clone();
            expected.sort_by(|&a, &b| {
                let [a, b] = [a, b].map(|place| positive(keys[place as usize] as f64));
                if descending { b.total_cmp(&a) } else { a.total_cmp(&b) }
            });
            let (sorted, found) = pairs(device, &keys, &places, descending)?;
            assert_eq!(found, expected, "{descending}");
            let in_order: Vec<f32> = expected.iter().map(|&place| keys[place as usize]).collect();
            assert_eq!(bits(&sorted), bits(&in_order), "{descending}");
            assert_eq!(pairs(device, &wide, &places, descending)?.1, expected, "{descending}");
        }
        Ok(())
    });
}

macro_rules! keys {
    ($($name:ident: $type:ident, $compare:expr;)*) => { $(
        #[test]
        fn $name() {
            let compare = $compare;
            on_devices(|device| {
                for length in LENGTHS.into_iter().filter(|&length| length < LONG).chain([LONG]) {
                    let from = length % 3;
                    let x = any::<$type>(length as u64, length + from);
                    let mut expected = x.clone();
                    expected[from..].sort_by(compare);
                    assert!(bits(&sorted(device, &x, from, false)?) == bits(&expected), "{length}");
                }
                let x = any::<$type>(7, 10_000);
                let mut expected = x.clone();
                expected.sort_by(|a, b| compare(b, a));
                assert!(bits(&sorted(device, &x, 0, true)?) == bits(&expected), "descending");

                // Few keys, so that equal ones are everywhere.
                let keys: Vec<$type> = x.iter().map(|&key| x[bits(&[key])[0] as usize % 17]).collect();
                let mut ascending: Vec<($type, u32)> = keys.iter().copied().zip(0..).collect();
                let mut descending = ascending.clone();
                ascending.sort_by(|a, b| compare(&a.0, &b.0));
                descending.sort_by(|a, b| compare(&b.0, &a.0));
                for (descends, expected) in [(false, ascending), (true, descending)] {
                    let numbers: Vec<u32> = (0..keys.len() as u32).collect();
                    let (found, places) = pairs(device, &keys, &numbers, descends)?;
                    let keys: Vec<$type> = expected.iter().map(|pair| pair.0).collect();
                    assert!(bits(&found) == bits(&keys), "keys");
                    assert!(places.into_iter().eq(expected.iter().map(|pair| pair.1)), "places");
                }
                Ok(())
            });
        }
    )* };
}

keys! {
    of_u32: u32, u32::cmp;
    of_i32: i32, i32::cmp;
    of_f32: f32, |a: &f32, b: &f32| positive(*a as f64).total_cmp(&positive(*b as f64));
    of_u64: u64, u64::cmp;
    of_i64: i64, i64::cmp;
    of_f64: f64, |a: &f64, b: &f64| positive(*a).total_cmp(&positive(*b));
}

/// Values of each size with keys of each size.
#[test]
fn values_of_all_types() {
    fn check<K: Scalar, V: Scalar>(device: &Device) -> Result<()> {
        for length in [0, 1, 100, 20_000] {
            let keys: Vec<K> = any::<u32>(3, length)
                .into_iter()
                .map(|key| K::from_word(key as u64 % 1000))
                .collect();
            let values = any::<V>(4, length);
            let mut expected: Vec<(u64, u64)> = bits(&keys).into_iter().zip(bits(&values)).collect();
            expected.sort_by_key(|pair| pair.0);
            let (keys, values) = pairs(device, &keys, &values, false)?;
            assert!(bits(&keys).into_iter().zip(bits(&values)).eq(expected), "{length}");
        }
        Ok(())
    }
    on_devices(|device| {
        check::<u32, f32>(device)?;
        check::<u32, f64>(device)?;
        check::<i64, i32>(device)?;
        check::<u64, i64>(device)
    });
}

/// Keys that are sorted, in reverse, all the same, or differ in one digit.
#[test]
fn patterns() {
    on_devices(|device| {
        let n = 20_000u32;
        let mut random = Random::new(1);
        let inputs: [Vec<u32>; 5] = [
            (0..n).collect(),
            (0..n).rev().collect(),
            vec![77; n as usize],
            (0..n).map(|i| (i % 2) << 31).collect(),
            (0..n).map(|_| (random.below(256) as u32) << 16).collect(),
        ];
        for input in inputs {
            let mut expected = input.clone();
            expected.sort();
            assert!(sorted(device, &input, 0, false)? == expected);
        }
        Ok(())
    });
}

#[test]
fn many_keys() {
    on_devices(|device| {
        let x = any::<u32>(9, super::large(device));
        let mut expected = x.clone();
        expected.sort();
        assert!(sorted(device, &x, 0, false)? == expected);
        Ok(())
    });
}
