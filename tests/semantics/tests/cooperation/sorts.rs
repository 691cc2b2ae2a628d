//! Sorts of blocks of many shapes, on every back end, against the stable sort of the host.

use std::cmp::Ordering as Order;

use vyre::prelude::*;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assemble_quickly;

vyre_semantics::kernels! { Widths Often }

/// Floats with all that is hard to compare, many of them equal.
fn floats(count: usize) -> Vec<f32> {
    let nasty = [
        0.0,
        -0.0,
        f32::NAN,
        -f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e-45,
        -1e-45,
        f32::MIN,
    ];
    let number = |i: usize| match (i * 7919) % 1013 {
        k if k < 100 => nasty[k % 9],
        k => (k % 300) as f32 * 0.37 - 50.0,
    };
    (0..count).map(number).collect()
}

/// Ascending, -0 before +0, NaNs last.
fn compared(a: &f32, b: &f32) -> Order {
    a.is_nan().cmp(&b.is_nan()).then(a.total_cmp(b))
}

/// Integers, each of which is there a few times, with extreme ones.
fn integers(count: usize) -> Vec<i64> {
    let number = |i: usize| match (i * 31) % 11 {
        0 => i64::MIN,
        1 => i64::MAX,
        2 => -1,
        _ => ((i * 7919 % 97) as i64 - 48).wrapping_mul(0x1e37_79b9_7f4a_7c15),
    };
    (0..count).map(number).collect()
}

/// A value that goes with a key: a device type.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Named {
    place: [u32; 2],
    name: u32,
}

/// Numbers of floats, in which all NaNs are one.
fn bits(all: &[f32]) -> Vec<u32> {
    let of = |x: &f32| if x.is_nan() { u32::MAX } else { x.to_bits() };
    all.iter().map(of).collect()
}

/// Keys, pairs, and several of each thread.
macro_rules! shapes {
    ($($name:ident [$($extent:tt),*];)*) => { $( mod $name {
        use super::*;

        #[vyre::kernel(block = [$($extent),*])]
        fn sorts(x: &[f32], w: &[i64], keys: &mut [f32], pairs: &mut [i64], values: &mut [Named], items: &mut [[f32; 3]], of_items: &mut [[u16; 3]]) {
            let i = thread::index();
            keys[i] = block::sort(x[i]);
            let own = Named { place: [i as u32, 7], name: i as u32 };
            let (key, value) = block::sort_pairs(w[i], own);
            pairs[i] = key;
            values[i] = value;
            items[i] = block::sort_items([x[i], x[i] * 2.0, -x[i]]);
            let places = [3 * i as u16, 3 * i as u16 + 1, 3 * i as u16 + 2];
            let (_, sorted) = block::sort_pair_items([w[i] as i8, 5, (w[i] >> 60) as i8], places);
            of_items[i] = sorted;
        }

        const THREADS: usize = 1 $(* $extent)*;

        #[test]
        fn agrees() {
            let count = 2 * THREADS;
            let (x, w) = (floats(count), integers(count));
            let (mut keys, mut pairs, mut items, mut of_items) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for block in 0..2 {
                let own = block * THREADS..(block + 1) * THREADS;
                let mut sorted = x[own.clone()].to_vec();
                sorted.sort_by(compared);
                keys.extend(sorted);
                let mut sorted: Vec<usize> = own.clone().collect();
                sorted.sort_by_key(|&i| w[i]);
                pairs.extend(sorted);
                let mut sorted: Vec<f32> = x[own.clone()].iter().flat_map(|&x| [x, x * 2.0, -x]).collect();
                sorted.sort_by(compared);
                items.extend(sorted);
                let three = own.flat_map(|i| [w[i] as i8, 5, (w[i] >> 60) as i8].into_iter().zip(3 * i as u16..));
                let mut sorted: Vec<(i8, u16)> = three.collect();
                sorted.sort_by_key(|&(key, _)| key);
                of_items.extend(sorted.into_iter().map(|(_, place)| place));
            }
            everywhere(|place| {
                let device = place.device();
                let (x, w) = (device.upload(&x)?, device.upload(&w)?);
                let (mut own_keys, mut own_pairs) = (device.zeros::<f32>(count)?, device.zeros::<i64>(count)?);
                let none = Named { place: [0; 2], name: 0 };
                let (mut values, mut own_items) = (device.upload(&vec![none; count])?, device.zeros::<[f32; 3]>(count)?);
                let mut own_of_items = device.zeros::<[u16; 3]>(count)?;
                let kernel = sorts(&x, &w, &mut own_keys, &mut own_pairs, &mut values, &mut own_items, &mut own_of_items);
                place.grid(kernel, [2, 1, 1])?;
                assert_eq!(bits(&own_keys.download()?), bits(&keys), "on {}", place.name());
                let sorted: Vec<i64> = pairs.iter().map(|&i| self::integers(count)[i]).collect();
                assert_eq!(own_pairs.download()?, sorted, "on {}", place.name());
                let places: Vec<_> = pairs.iter().map(|&i| Named { place: [i as u32, 7], name: i as u32 }).collect();
                assert_eq!(values.download()?, places, "on {}", place.name());
                assert_eq!(bits(own_items.download()?.as_flattened()), bits(&items), "on {}", place.name());
                assert_eq!(own_of_items.download()?.as_flattened(), of_items, "on {}", place.name());
                Ok(())
            });
            assemble_quickly(Sorts::info());
        }
    } )* };
}

shapes! {
    one [1];
    small [7];
    warp [32];
    more_than_a_warp [33];
    odd [11, 7];
    three_axes [5, 3, 9];
    usual [256];
}

/// Keys of every width.
#[vyre::kernel(block = 75)]
fn widths(x: &[i64], narrow: &mut [[i32; 5]], wide: &mut [[i64; 4]], doubles: &mut [f64], halves: &mut [[f32; 2]]) {
    let i = thread::index();
    let v = x[i];
    narrow[i] = [
        block::sort(v as i8) as i32,
        block::sort(v as u8) as i32,
        block::sort(v as i16) as i32,
        block::sort(v as u16) as i32,
        block::sort(v as i32),
    ];
    wide[i] = [
        block::sort(v as u32) as i64,
        block::sort(v as u64) as i64,
        block::sort(v as usize) as i64,
        block::sort(v as isize) as i64,
    ];
    doubles[i] = block::sort((v >> 8) as f64);
    halves[i] = [
        f32::from(block::sort(f16::from_f32((v % 1000) as f32))),
        f32::from(block::sort(bf16::from_f32((v % 1000) as f32))),
    ];
}

#[test]
fn every_width() {
    fn sorted<T: PartialOrd, U>(x: &[i64], of: impl Fn(i64) -> T, to: impl Fn(T) -> U) -> Vec<U> {
        let mut all: Vec<T> = x.iter().map(|&x| of(x)).collect();
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all.into_iter().map(to).collect()
    }
    let x = integers(75);
    let narrow = [
        sorted(&x, |v| v as i8, i32::from),
        sorted(&x, |v| v as u8, i32::from),
        sorted(&x, |v| v as i16, i32::from),
        sorted(&x, |v| v as u16, i32::from),
        sorted(&x, |v| v as i32, |v| v),
    ];
    let wide = [
        sorted(&x, |v| v as u32, i64::from),
        sorted(&x, |v| v as u64, |v| v as i64),
        sorted(&x, |v| v as usize, |v| v as i64),
        sorted(&x, |v| v, |v| v),
    ];
    let doubles = sorted(&x, |v| (v >> 8) as f64, |v| v);
    let halves = [
        sorted(&x, |v| f16::from_f32((v % 1000) as f32), f32::from),
        sorted(&x, |v| bf16::from_f32((v % 1000) as f32), f32::from),
    ];
    everywhere(|place| {
        let device = place.device();
        let (mut a, mut b) = (device.zeros::<[i32; 5]>(75)?, device.zeros::<[i64; 4]>(75)?);
        let (mut c, mut d) = (device.zeros::<f64>(75)?, device.zeros::<[f32; 2]>(75)?);
        place.over(widths(&device.upload(&x)?, &mut a, &mut b, &mut c, &mut d), 75)?;
        let (a, b, d) = (a.download()?, b.download()?, d.download()?);
        for i in 0..75 {
            assert_eq!(a[i], narrow.each_ref().map(|all| all[i]), "{i} on {}", place.name());
            assert_eq!(b[i], wide.each_ref().map(|all| all[i]), "{i} on {}", place.name());
            assert_eq!(d[i], halves.each_ref().map(|all| all[i]), "{i} on {}", place.name());
        }
        assert_eq!(c.download()?, doubles, "on {}", place.name());
        Ok(())
    });
}

/// Sorts after one another, in a loop and a function, which have their memory in common.
#[vyre::device]
fn median(value: u32) -> u32 {
    let sorted = block::sort(value);
    block::broadcast(sorted, 20)
}

#[vyre::kernel(block = 40)]
fn often(rounds: u32, x: &mut [u32]) {
    let i = thread::index();
    let mut value = x[i];
    for round in 0..rounds {
        value = block::sort(value * 37 % 101) + median(value ^ round);
    }
    x[i] = value;
}

#[test]
fn sorts_follow_one_another() {
    let x: Vec<u32> = (0..40).map(|i| i * 29 % 41).collect();
    let mut expected = x.clone();
    for round in 0..3 {
        let mut sorted: Vec<u32> = expected.iter().map(|v| v * 37 % 101).collect();
        sorted.sort_unstable();
        let mut others: Vec<u32> = expected.iter().map(|v| v ^ round).collect();
        others.sort_unstable();
        expected = sorted.iter().map(|v| v + others[20]).collect();
    }
    everywhere(|place| {
        let mut values = place.device().upload(&x)?;
        place.over(often(3, &mut values), 40)?;
        assert_eq!(values.download()?, expected, "on {}", place.name());
        Ok(())
    });
}
