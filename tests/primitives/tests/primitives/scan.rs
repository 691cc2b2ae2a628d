//! Scans.

use vyre::{Device, Result};
use vyre_primitives::Scalar;
use vyre_primitives_tests::{any, bits, on_devices};

use super::{LENGTHS, large};

/// The inclusive and the exclusive sums of a view that begins at `from`.
fn sums<T: Scalar>(device: &Device, x: &[T], from: usize) -> Result<[Vec<T>; 2]> {
    let x = device.upload(x)?;
    let mut y = device.zeros::<T>(x.len())?;
    vyre_primitives::inclusive_sum(x.slice(from..)?, y.slice_mut(from..)?).launch()?;
    let inclusive = y.slice(from..)?.download()?;
    vyre_primitives::exclusive_sum(x.slice(from..)?, y.slice_mut(from..)?).launch()?;
    Ok([inclusive, y.slice(from..)?.download()?])
}

macro_rules! integers {
    ($($name:ident: $type:ident,)*) => { $(
        #[test]
        fn $name() {
            on_devices(|device| {
                for length in LENGTHS.into_iter().chain([large(device)]) {
                    let from = length % 3;
                    let x = any::<$type>(length as u64, length + from);
                    let mut sum: $type = 0;
                    let inclusive: Vec<$type> = (x[from..].iter())
                        .map(|&x| {
                            sum = sum.wrapping_add(x);
                            sum
                        })
                        .collect();
                    let mut exclusive = vec![0; length.min(1)];
                    exclusive.extend(&inclusive[..length.saturating_sub(1)]);
                    let found = sums(device, &x, from)?;
                    assert!(found[0] == inclusive, "inclusive, {length}");
                    assert!(found[1] == exclusive, "exclusive, {length}");
                }
                Ok(())
            });
        }
    )* };
}

integers! {
    of_u32: u32,
    of_i32: i32,
    of_u64: u64,
    of_i64: i64,
}

/// A step of a scan by a warp: each value with the one `distance` below.
fn scan_warp<T: Copy>(mut lanes: Vec<T>, combine: &impl Fn(T, T) -> T) -> Vec<T> {
    for distance in [1, 2, 4, 8, 16] {
        let below = lanes.clone();
        for lane in distance..lanes.len() {
            lanes[lane] = combine(below[lane - distance], below[lane]);
        }
    }
    lanes
}

/// The threads of a tile, and the tiles of a group.
const THREADS: usize = 256;
const GROUP: usize = 32;

/// The order that `vyre_primitives::inclusive_sum` documents, for so many elements a thread.
fn tree<T: Copy>(x: &[T], each: usize, initial: T, zero: T, combine: &impl Fn(T, T) -> T) -> [Vec<T>; 2] {
    let (mut inclusive, mut exclusive) = (Vec::new(), Vec::new());
    let mut before_group = initial;
    let mut totals = Vec::new();
    for tile in x.chunks(THREADS * each) {
        let mut tile = tile.to_vec();
        let length = tile.len();
        tile.resize(THREADS * each, zero);
        let own: Vec<Vec<T>> = (tile.chunks(each))
            .map(|own| {
                let mut sum = own[0];
                let mut sums = vec![sum];
                for &x in &own[1..] {
                    sum = combine(sum, x);
                    sums.push(sum);
                }
                sums
            })
            .collect();
        let mut sums = Vec::new();
        let mut warps: Vec<T> = Vec::new();
        for warp in own.chunks(32) {
            let lanes = scan_warp(warp.iter().map(|own| own[each - 1]).collect(), combine);
            let before = warps.iter().copied().reduce(combine);
            sums.extend(
                lanes
                    .iter()
                    .map(|&lane| before.map_or(lane, |before| combine(before, lane))),
            );
            warps.push(lanes[31]);
        }
        let in_group = scan_warp(totals.clone(), combine);
        let before_tile = (in_group.last()).map_or(before_group, |&tiles| combine(before_group, tiles));
        for i in 0..length {
            let (thread, k) = (i / each, i % each);
            let before = if thread == 0 {
                before_tile
            } else {
                combine(before_tile, sums[thread - 1])
            };
            inclusive.push(combine(before, own[thread][k]));
            exclusive.push(if k == 0 {
                before
            } else {
                combine(before, own[thread][k - 1])
            });
        }
        totals.push(sums[THREADS - 1]);
        if totals.len() == GROUP {
            before_group = combine(before_group, scan_warp(totals, combine)[GROUP - 1]);
            totals = Vec::new();
        }
    }
    [inclusive, exclusive]
}

macro_rules! floats {
    ($($name:ident: $type:ident, $each:literal;)*) => { $(
        #[test]
        fn $name() {
            on_devices(|device| {
                for length in LENGTHS.into_iter().chain([large(device)]) {
                    let x: Vec<$type> = any::<i32>(length as u64, length).into_iter().map(|x| x as $type * 1e-9).collect();
                    let found = sums(device, &x, 0)?;
                    let add = |a: $type, b: $type| a + b;
                    let [inclusive, _] = tree(&x, $each, -0.0, 0.0, &add);
                    let [_, exclusive] = tree(&x, $each, 0.0, 0.0, &add);
                    assert!(bits(&found[0]) == bits(&inclusive), "inclusive, {length}");
                    assert!(bits(&found[1]) == bits(&exclusive), "exclusive, {length}");
                    let mut exact = 0.0f64;
                    for (&x, &sum) in x.iter().zip(&found[0]) {
                        exact += x as f64;
                        assert!((sum as f64 - exact).abs() < 1e-2, "{sum} {exact}");
                    }
                }
                Ok(())
            });
        }
    )* };
}

floats! {
    of_f32: f32, 25;
    of_f64: f64, 11;
}

/// One warp of each block reads the values of groups of tiles, all of them complete by then.
#[test]
fn of_more_groups_than_a_look_back_sees() {
    on_devices(|device| {
        let x = device.upload(&vec![3u32; 41 * GROUP * THREADS * 16 + 77])?;
        let mut y = device.zeros(x.len())?;
        vyre_primitives::inclusive_sum(&x, &mut y).launch()?;
        assert!((y.download()?.iter().zip(1u32..)).all(|(&sum, i)| sum == 3 * i));
        Ok(())
    });
}

/// Scans of several streams share the multiprocessors, and wait for blocks of their own only.
#[test]
fn on_several_streams() {
    on_devices(|device| {
        let lengths = [large(device), 3 * THREADS * 16, large(device) / 3, 70_001];
        let inputs = lengths.map(|length| any::<u64>(length as u64, length));
        let buffers = inputs.iter().map(|x| device.upload(x)).collect::<Result<Vec<_>>>()?;
        let mut results = lengths
            .iter()
            .map(|&length| device.zeros(length))
            .collect::<Result<Vec<_>>>()?;
        let streams = (lengths.iter().map(|_| device.stream())).collect::<Result<Vec<_>>>()?;
        for _ in 0..4 {
            for ((x, y), stream) in buffers.iter().zip(&mut results).zip(&streams) {
                vyre_primitives::inclusive_sum(x, y).on(stream).launch()?;
            }
        }
        for (x, y) in inputs.iter().zip(&results) {
            let mut sum = 0u64;
            let expected: Vec<u64> = x.iter().map(|&x| (sum = sum.wrapping_add(x), sum).1).collect();
            assert!(y.download()? == expected, "{}", x.len());
        }
        Ok(())
    });
}
