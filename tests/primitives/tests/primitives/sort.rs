//! Sorts.

use vyre::primitives::{self, Scalar};
use vyre::{Device, Result};
use vyre_primitives_tests::{Random, any, bits, on_devices};

use super::LENGTHS;

const LONG: usize = 30_001;

fn sorted<K: Scalar>(device: &Device, keys: &[K], from: usize, descending: bool) -> Result<Vec<K>> {
    let mut keys = device.upload(keys)?;
    let view = keys.slice_mut(from..)?;
    if descending {
        primitives::sort_descending(view).launch()?;
    } else {
        primitives::sort(view).launch()?;
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
        primitives::sort_pairs_descending(&mut keys, &mut values).launch()?;
    } else {
        primitives::sort_pairs(&mut keys, &mut values).launch()?;
    }
    Ok((keys.download()?, values.download()?))
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
    of_f32: f32, f32::total_cmp;
    of_u64: u64, u64::cmp;
    of_i64: i64, i64::cmp;
    of_f64: f64, f64::total_cmp;
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
