//! Warp shuffles, on every device, against plain Rust: whole warps, a block size that is not a
//! multiple of a warp, exited threads, and threads excluded by a condition.

use vyre::prelude::*;

#[allow(unreachable_pub, reason = "other tests share the file")]
#[path = "examples/devices.rs"]
mod devices;

use devices::devices;

/// Every value through every shuffle, for each scalar type.
macro_rules! shuffles {
    ($($name:ident $ty:ty: $of:expr;)*) => { $( mod $name {
        use super::*;

        #[vyre::kernel(block = 64)]
        fn whole(values: &[$ty], amount: usize, by: &mut [$ty], up: &mut [$ty], down: &mut [$ty], xor: &mut [$ty]) {
            let i = thread::index();
            by[i] = warp::shuffle(values[i], amount);
            up[i] = warp::shuffle_up(values[i], amount);
            down[i] = warp::shuffle_down(values[i], amount);
            xor[i] = warp::shuffle_xor(values[i], amount);
        }

        #[vyre::kernel(block = [9, 5])]
        fn partial(values: &[$ty], amount: usize, by: &mut [$ty], up: &mut [$ty], down: &mut [$ty], xor: &mut [$ty]) {
            let i = thread::index();
            if i % 7 == 3 || i >= values.len() {
                return;
            }
            by[i] = warp::shuffle(values[i], amount);
            up[i] = warp::shuffle_up(values[i], amount);
            down[i] = warp::shuffle_down(values[i], amount);
            xor[i] = warp::shuffle_xor(values[i], amount);
        }

        #[test]
        fn agrees() {
            for device in devices(stringify!($name)) {
                for amount in [0, 1, 5, 16, 31, 32, 37, usize::MAX] {
                    for (threads, some) in [(64, false), (45, true)] {
                        let of: fn(usize) -> $ty = $of;
                        let values: Vec<$ty> = (0..2 * threads).map(of).collect();
                        let input = device.upload(&values).unwrap();
                        let [mut by, mut up, mut down, mut xor] =
                            [(); 4].map(|()| device.upload(&vec![<$ty>::default(); values.len()]).unwrap());
                        if some {
                            partial(&input, amount, &mut by, &mut up, &mut down, &mut xor)
                                .grid([2, 1]).launch(&device).unwrap();
                        } else {
                            whole(&input, amount, &mut by, &mut up, &mut down, &mut xor)
                                .grid(2).launch(&device).unwrap();
                        }
                        let is_there = |thread: usize| !some || thread % 7 != 3;
                        let expected = |source: fn(usize, usize) -> Option<usize>| -> Vec<$ty> {
                            (0..values.len()).map(|i| {
                                let (block, lane) = (i / threads, i % threads % 32);
                                let first = i - lane;
                                let source = source(lane, amount % 32).filter(|&lane| lane < 32).map(|lane| first + lane);
                                let source = source.filter(|&at| at / threads == block && is_there(at));
                                if is_there(i) { values[source.unwrap_or(i)] } else { <$ty>::default() }
                            }).collect()
                        };
                        let name = format!("{} on {device:?}, {threads} threads, {amount}", stringify!($ty));
                        assert_eq!(by.download().unwrap(), expected(|_, amount| Some(amount)), "{name}");
                        assert_eq!(up.download().unwrap(), expected(|lane, amount| lane.checked_sub(amount)), "{name}");
                        assert_eq!(down.download().unwrap(), expected(|lane, amount| Some(lane + amount)), "{name}");
                        assert_eq!(xor.download().unwrap(), expected(|lane, amount| Some(lane ^ amount)), "{name}");
                    }
                }
            }
        }
    } )* };
}

shuffles! {
    bytes u8: |i| i as u8 ^ 0xa5;
    signed_bytes i8: |i| i as i8 - 50;
    shorts u16: |i| i as u16 * 500;
    signed_shorts i16: |i| 1000 - i as i16 * 30;
    words u32: |i| i as u32 * 0x0123_4567;
    signed_words i32: |i| 7 - i as i32;
    longs u64: |i| i as u64 * 0x0123_4567_89ab;
    signed_longs i64: |i| 7 - i as i64;
    sizes usize: |i| usize::MAX - i;
    floats f32: |i| i as f32 * 0.1;
    doubles f64: |i| -(i as f64) / 3.0;
}

#[vyre::kernel(block = 96)]
fn flags(n: usize, taken: &mut [u32], ballots: &mut [u32], all: &mut [u32], any: &mut [u32]) {
    let i = thread::index();
    let flag = i % 3 == 1;
    taken[i] = warp::shuffle_xor(flag, 1) as u32;
    ballots[i] = warp::ballot(flag);
    all[i] = warp::all(i < n) as u32 + 2 * warp::all(true) as u32;
    any[i] = warp::any(i == n) as u32 + 2 * warp::any(false) as u32;
}

#[test]
fn votes() {
    for device in devices("votes") {
        let [mut taken, mut ballots, mut all, mut any] = [(); 4].map(|()| device.zeros::<u32>(192).unwrap());
        let n = 70;
        flags(n, &mut taken, &mut ballots, &mut all, &mut any)
            .grid(2)
            .launch(&device)
            .unwrap();
        let expected = |of: &dyn Fn(usize) -> u32| -> Vec<u32> { (0..192).map(of).collect() };
        assert_eq!(taken.download().unwrap(), expected(&|i| u32::from((i ^ 1) % 3 == 1)));
        assert_eq!(
            ballots.download().unwrap(),
            expected(&|i| (0..32)
                .map(|lane| u32::from((i / 32 * 32 + lane) % 3 == 1) << lane)
                .sum())
        );
        assert_eq!(
            all.download().unwrap(),
            expected(&|i| 2 + u32::from(i / 32 * 32 + 31 < n))
        );
        assert_eq!(any.download().unwrap(), expected(&|i| u32::from(i / 32 == n / 32)));
    }
}

/// The result of `warp::sum` and similar reductions over the values of the active lanes.
fn combined<T: Copy>(values: &[Option<T>], op: fn(T, T) -> T) -> T {
    if values.len() == 32 && values.iter().all(Option::is_some) {
        let mut values: Vec<T> = values.iter().flatten().copied().collect();
        for distance in [16, 8, 4, 2, 1] {
            values = (0..32).map(|lane| op(values[lane], values[lane ^ distance])).collect();
        }
        return values[0];
    }
    values.iter().flatten().copied().reduce(op).unwrap()
}

macro_rules! reductions {
    ($($name:ident $ty:ty: $of:expr, $add:expr;)*) => { $( mod $name {
        use super::*;

        #[vyre::kernel(block = 128)]
        fn whole(values: &[$ty], sums: &mut [$ty], least: &mut [$ty], most: &mut [$ty]) {
            let i = thread::index();
            sums[i] = warp::sum(values[i]);
            least[i] = warp::min(values[i]);
            most[i] = warp::max(values[i]);
        }

        #[vyre::kernel(block = 128)]
        fn guarded(values: &[$ty], sums: &mut [$ty], least: &mut [$ty], most: &mut [$ty]) {
            let i = thread::index();
            if i < values.len() {
                sums[i] = warp::sum(values[i]);
                let mut rounds = 0;
                while rounds < i / 32 {
                    least[i] = warp::min(values[i]);
                    rounds += 1;
                }
                most[i] = warp::max(values[i]);
            }
        }

        #[test]
        fn agrees() {
            let of: fn(usize) -> $ty = $of;
            for device in devices(stringify!($name)) {
                for length in [128usize, 384, 33, 40, 63, 127] {
                    let values: Vec<$ty> = (0..length).map(of).collect();
                    let input = device.upload(&values).unwrap();
                    let [mut sums, mut least, mut most] = [(); 3].map(|()| device.zeros::<$ty>(length).unwrap());
                    let all = length.is_multiple_of(128);
                    if all {
                        whole(&input, &mut sums, &mut least, &mut most).over(length).launch(&device).unwrap();
                    } else {
                        guarded(&input, &mut sums, &mut least, &mut most).over(length).launch(&device).unwrap();
                    }
                    let expected = |op: fn($ty, $ty) -> $ty| -> Vec<u64> {
                        (0..length).map(|i| {
                            let there: Vec<_> = (0..32).map(|lane| values.get(i / 32 * 32 + lane).copied()).collect();
                            bits(combined(&there, op) as f64)
                        }).collect()
                    };
                    let found = |buffer: &DeviceBuffer<$ty>| -> Vec<u64> {
                        buffer.download().unwrap().into_iter().map(|value| bits(value as f64)).collect()
                    };
                    let name = format!("{} on {device:?}, {length}", stringify!($ty));
                    assert_eq!(found(&sums), expected($add), "sum of {name}");
                    assert_eq!(found(&most), expected(|a, b| if b > a { b } else { a }), "max of {name}");
                    let mut wanted = expected(|a, b| if b < a { b } else { a });
                    if !all {
                        wanted[..32].fill(0);
                    }
                    assert_eq!(found(&least), wanted, "min of {name}");
                }
            }
        }
    } )* };
}

fn bits(value: f64) -> u64 {
    value.to_bits()
}

reductions! {
    sums_of_bytes i8: |i| i as i8, |a, b| a.wrapping_add(b);
    sums_of_words u32: |i| (i as u32).wrapping_mul(0x89ab_cdef), |a, b| a.wrapping_add(b);
    sums_of_signed i32: |i| 100 - (i as i32).pow(2), |a, b| a.wrapping_add(b);
    sums_of_longs i64: |i| (i as i64 - 20) << 20, |a, b| a.wrapping_add(b);
    sums_of_floats f32: |i| 1.0 / (1.0 + i as f32), |a, b| a + b;
    sums_of_doubles f64: |i| 1.0 / (0.3 - i as f64), |a, b| a + b;
}

/// Shuffles between barriers, in a loop, and in conditions: the usual block reduction.
#[vyre::kernel(block = 256)]
fn block_sums(values: &[f32], sums: &mut [f32]) {
    let partial = shared::<[f32; 8]>();
    let t = thread::idx().x;
    let mut sum = 0.0;
    let mut i = thread::index();
    while warp::any(i < values.len()) {
        if i < values.len() {
            sum += values[i];
        }
        i += grid::dim().x * 256;
    }
    let sum = warp::sum(sum);
    if lane::index() == 0 {
        partial[t / warp::size()] = sum;
    }
    block::sync();
    if t < 32 {
        let mut sum = if t < 8 { partial[t] } else { 0.0 };
        sum = warp::sum(sum);
        if t == 0 {
            // SAFETY: there is an element for each block, and one thread of each comes here.
            unsafe { *sums.get_unchecked_mut(block::idx().x) = sum };
        }
    }
}

#[test]
fn sums_of_blocks() {
    let values: Vec<f32> = (0..5000).map(|i| (i % 100) as f32).collect();
    let total: f32 = values.iter().sum();
    let mut first = None;
    for device in devices("sums_of_blocks") {
        let input = device.upload(&values).unwrap();
        let mut sums = device.zeros::<f32>(3).unwrap();
        block_sums(&input, &mut sums).grid(3).launch(&device).unwrap();
        let sums = sums.download().unwrap();
        assert_eq!(sums.iter().sum::<f32>(), total);
        assert_eq!(*first.get_or_insert(sums.clone()), sums);
    }
}

#[vyre::kernel(block = 64)]
fn faulty(values: &[u32], out: &mut [u32]) {
    let i = thread::index();
    let value = values[i];
    out[i] = warp::sum(value) + warp::shuffle(value, 3);
}

#[test]
fn a_fault_reaches_the_host() {
    for device in devices("a_fault_reaches_the_host") {
        let values = device.upload(&[1u32; 40]).unwrap();
        let mut out = device.zeros::<u32>(64).unwrap();
        let result = faulty(&values, &mut out)
            .grid(1)
            .launch(&device)
            .and_then(|()| out.download());
        assert!(matches!(result, Err(vyre::Error::Fault(_))), "{result:?}");
    }
}

/// The result of a scan for each lane, from the values of the active lanes.
fn scanned<T: Copy>(values: &[Option<T>], op: fn(T, T) -> T, identity: Option<T>) -> Vec<Option<T>> {
    let mut sums: Vec<Option<T>> = if values.len() == 32 && values.iter().all(Option::is_some) {
        let mut sums: Vec<T> = values.iter().flatten().copied().collect();
        for distance in [1, 2, 4, 8, 16] {
            sums = (0..32)
                .map(|lane| match lane >= distance {
                    true => op(sums[lane - distance], sums[lane]),
                    false => sums[lane],
                })
                .collect();
        }
        sums.into_iter().map(Some).collect()
    } else {
        let mut running = None;
        values
            .iter()
            .map(|value| {
                let value = (*value)?;
                running = Some(running.map_or(value, |sum| op(sum, value)));
                running
            })
            .collect()
    };
    if let Some(identity) = identity {
        let mut below = Some(identity);
        for sum in sums.iter_mut().filter(|sum| sum.is_some()) {
            below = std::mem::replace(sum, below);
        }
    }
    sums
}

macro_rules! scans {
    ($($name:ident $ty:ty: $of:expr, $add:expr, $minus:expr, $least:expr, $greatest:expr;)*) => { $( mod $name {
        use super::*;

        #[vyre::kernel(block = 128)]
        fn whole(values: &[$ty], sums: &mut [$ty], before: &mut [$ty], least: &mut [$ty], most: &mut [$ty]) {
            let i = thread::index();
            sums[i] = warp::inclusive_sum(values[i]);
            before[i] = warp::exclusive_sum(values[i]);
            least[i] = warp::exclusive_min(values[i]);
            most[i] = warp::inclusive_max(warp::exclusive_max(values[i])) - warp::inclusive_min(values[i]);
        }

        #[vyre::kernel(block = 128)]
        fn partial(values: &[$ty], sums: &mut [$ty], before: &mut [$ty], least: &mut [$ty], most: &mut [$ty]) {
            let i = thread::index();
            if i >= values.len() || i % 32 == 5 || i / 32 == 1 && i % 32 < 3 {
                return;
            }
            sums[i] = warp::inclusive_sum(values[i]);
            before[i] = warp::exclusive_sum(values[i]);
            least[i] = warp::exclusive_min(values[i]);
            most[i] = warp::inclusive_max(warp::exclusive_max(values[i])) - warp::inclusive_min(values[i]);
        }

        #[test]
        fn agrees() {
            let of: fn(usize) -> $ty = $of;
            for device in devices(stringify!($name)) {
                for length in [128usize, 100] {
                    let values: Vec<$ty> = (0..length).map(of).collect();
                    let input = device.upload(&values).unwrap();
                    let [mut sums, mut before, mut least, mut most] =
                        [(); 4].map(|()| device.zeros::<$ty>(length).unwrap());
                    if length == 128 {
                        whole(&input, &mut sums, &mut before, &mut least, &mut most)
                            .over(length).launch(&device).unwrap();
                    } else {
                        partial(&input, &mut sums, &mut before, &mut least, &mut most)
                            .over(length).launch(&device).unwrap();
                    }
                    let leaves = |i: usize| length == 100 && (i % 32 == 5 || i / 32 == 1 && i % 32 < 3);
                    let by_warps = |of: &dyn Fn(&[Option<$ty>]) -> Vec<Option<$ty>>| -> Vec<u64> {
                        let there: Vec<Option<$ty>> = (0..128)
                            .map(|i| values.get(i).copied().filter(|_| !leaves(i))).collect();
                        let mut all: Vec<u64> = there.chunks(32).flat_map(|warp| of(warp))
                            .map(|value| bits(value.map_or(0.0, |value| value as f64))).collect();
                        all.truncate(length);
                        all
                    };
                    let found = |buffer: &DeviceBuffer<$ty>| -> Vec<u64> {
                        buffer.download().unwrap().into_iter().map(|value| bits(value as f64)).collect()
                    };
                    let name = format!("{} on {device:?}, {length}", stringify!($ty));
                    let (min, max): (fn($ty, $ty) -> $ty, fn($ty, $ty) -> $ty) =
                        (|a, b| if b < a { b } else { a }, |a, b| if b > a { b } else { a });
                    assert_eq!(found(&sums), by_warps(&|warp| scanned(warp, $add, None)), "sum of {name}");
                    let zero: $ty = Default::default();
                    let expected = by_warps(&|warp| scanned(warp, $add, Some(zero)));
                    assert_eq!(found(&before), expected, "exclusive sum of {name}");
                    let expected = by_warps(&|warp| scanned(warp, min, Some($greatest)));
                    assert_eq!(found(&least), expected, "exclusive min of {name}");
                    let expected = by_warps(&|warp| {
                        let most = scanned(&scanned(warp, max, Some($least)), max, None);
                        let least = scanned(warp, min, None);
                        most.into_iter().zip(least).map(|(most, least)| {
                            let minus: fn($ty, $ty) -> $ty = $minus;
                            Some(minus(most?, least?))
                        }).collect()
                    });
                    assert_eq!(found(&most), expected, "max of {name}");
                }
            }
        }
    } )* };
}

scans! {
    scans_of_bytes i8: |i| (i * 37) as i8, |a, b| a.wrapping_add(b), |a, b| a.wrapping_sub(b), i8::MIN, i8::MAX;
    scans_of_words u32: |i| (i as u32).wrapping_mul(0x89ab_cdef),
        |a, b| a.wrapping_add(b), |a, b| a.wrapping_sub(b), 0, u32::MAX;
    scans_of_longs i64: |i| (20 - i as i64) << 20,
        |a, b| a.wrapping_add(b), |a, b| a.wrapping_sub(b), i64::MIN, i64::MAX;
    scans_of_floats f32: |i| 1.0 / (0.7 - i as f32), |a, b| a + b, |a, b| a - b, f32::NEG_INFINITY, f32::INFINITY;
    scans_of_doubles f64: |i| 1.0 / (0.3 - i as f64), |a, b| a + b, |a, b| a - b, f64::NEG_INFINITY, f64::INFINITY;
}

macro_rules! bit_reductions {
    ($($name:ident $ty:ty;)*) => { $( mod $name {
        use super::*;

        #[vyre::kernel(block = 64)]
        fn combine(values: &[$ty], ands: &mut [$ty], ors: &mut [$ty], xors: &mut [$ty]) {
            let i = thread::index();
            if i < values.len() {
                ands[i] = warp::and(values[i]);
                ors[i] = warp::or(values[i]);
                xors[i] = warp::xor(values[i]);
            }
        }

        #[test]
        fn agrees() {
            for device in devices(stringify!($name)) {
                let values: Vec<$ty> = (0..100usize).map(|i| ((i + 1) * 0x4000_0a07) as $ty | 1).collect();
                let input = device.upload(&values).unwrap();
                let [mut ands, mut ors, mut xors] = [(); 3].map(|()| device.zeros::<$ty>(100).unwrap());
                combine(&input, &mut ands, &mut ors, &mut xors).over(100).launch(&device).unwrap();
                let expected = |op: fn($ty, $ty) -> $ty| -> Vec<$ty> {
                    values.chunks(32).flat_map(|warp| {
                        let all = warp.iter().copied().reduce(op).unwrap();
                        warp.iter().map(move |_| all)
                    }).collect()
                };
                assert_eq!(ands.download().unwrap(), expected(|a, b| a & b));
                assert_eq!(ors.download().unwrap(), expected(|a, b| a | b));
                assert_eq!(xors.download().unwrap(), expected(|a, b| a ^ b));
            }
        }
    } )* };
}

bit_reductions! {
    bits_of_bytes u8;
    bits_of_shorts i16;
    bits_of_words u32;
    bits_of_longs u64;
    bits_of_sizes usize;
}
