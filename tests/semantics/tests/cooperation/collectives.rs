//! Reductions, scans and broadcasts of blocks of many shapes, on every back end, against plain Rust in the documented
//! order.

use vyre::prelude::*;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::Place;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assemble_quickly;

vyre_semantics::kernels! { Often Within Orders Divergent Beyond LateReturns }

/// The values of a block's threads, combined as `block::reduce` does.
fn reduced<T: Copy>(values: &[T], combine: impl Fn(T, T) -> T) -> T {
    let of_warp = |warp: &[T]| {
        let mut level = warp.to_vec();
        while level.len() > 1 {
            let pair = |pair: &[T]| if let [a, b] = *pair { combine(a, b) } else { pair[0] };
            level = level.chunks(2).map(pair).collect();
        }
        level[0]
    };
    values.chunks(32).map(of_warp).reduce(&combine).unwrap()
}

/// The combinations of a warp's lanes with those below, as `block::inclusive_scan` makes them.
fn scanned_warp<T: Copy>(values: &[T], combine: &impl Fn(T, T) -> T) -> Vec<T> {
    let mut values = values.to_vec();
    for distance in [1, 2, 4, 8, 16] {
        let step = |lane: usize| match lane.checked_sub(distance) {
            Some(below) => combine(values[below], values[lane]),
            None => values[lane],
        };
        values = (0..values.len()).map(step).collect();
    }
    values
}

/// The combinations of a block's threads with those below.
fn inclusive<T: Copy>(values: &[T], combine: impl Fn(T, T) -> T) -> Vec<T> {
    let mut before = None;
    let mut all = Vec::new();
    for warp in values.chunks(32) {
        let own = scanned_warp(warp, &combine);
        all.extend(own.iter().map(|&own| before.map_or(own, |before| combine(before, own))));
        let last = own[own.len() - 1];
        before = Some(before.map_or(last, |before| combine(before, last)));
    }
    all
}

/// The same of `first` and those below.
fn exclusive<T: Copy>(values: &[T], first: T, combine: impl Fn(T, T) -> T) -> Vec<T> {
    let mut before = first;
    let mut all = Vec::new();
    for warp in values.chunks(32) {
        let own = scanned_warp(warp, &combine);
        all.push(before);
        all.extend(own[..own.len() - 1].iter().map(|&below| combine(before, below)));
        before = combine(before, own[own.len() - 1]);
    }
    all
}

/// A permutation of two bits of each of four, an operation whose order counts: `later` after `first`.
#[vyre::device]
fn after(first: u32, later: u32) -> u32 {
    let mut both = 0;
    for at in 0..4 {
        let middle = first >> (2 * at) & 3;
        both |= (later >> (2 * middle) & 3) << (2 * at);
    }
    both
}

/// Words that are permutations.
fn permutation(number: usize) -> u32 {
    let mut left = vec![0, 1, 2, 3];
    let mut number = number * 7 + number / 5;
    let mut word = 0;
    for at in 0..4 {
        word |= left.remove(number % left.len()) << (2 * at);
        number /= 3;
    }
    word
}

fn inputs(threads: usize) -> (Vec<f32>, Vec<i64>, Vec<u32>) {
    let floats = (0..threads)
        .map(|i| ((i * 7919) % 1013) as f32 * 0.37 - 150.0)
        .collect();
    let words = (0..threads)
        .map(|i| (i as i64).wrapping_mul(0x1e37_79b9_7f4a_7c15).rotate_left(7))
        .collect();
    (floats, words, (0..threads).map(permutation).collect())
}

/// Every function in blocks of every shape.
macro_rules! shapes {
    ($($name:ident [$($extent:tt),*];)*) => { $( mod $name {
        use super::*;

        #[vyre::kernel(block = [$($extent),*])]
        fn reductions(x: &[f32], w: &[i64], p: &[u32], floats: &mut [[f32; 4]], words: &mut [[i64; 7]], order: &mut [u32]) {
            let i = thread::index();
            floats[i] = [block::sum(x[i]), block::product(x[i] * 0.02), block::min(x[i]), block::max(x[i])];
            words[i] = [
                block::sum(w[i]),
                block::product(w[i]),
                block::min(w[i]),
                block::max(w[i]),
                block::and(w[i] | 0xff),
                block::or(w[i] & 0x7777),
                block::xor(w[i]),
            ];
            order[i] = block::reduce(p[i], |a, b| after(a, b));
        }

        #[vyre::kernel(block = [$($extent),*])]
        fn scans(x: &[f32], w: &[i64], p: &[u32], floats: &mut [[f32; 2]], words: &mut [[i64; 3]], order: &mut [[u32; 2]]) {
            let i = thread::index();
            floats[i] = [block::inclusive_sum(x[i]), block::exclusive_sum(x[i])];
            words[i] = [block::inclusive_sum(w[i]), block::exclusive_sum(w[i]), block::broadcast(w[i], THREADS / 2)];
            order[i] = [
                block::inclusive_scan(p[i], |a, b| after(a, b)),
                block::exclusive_scan(p[i], 0b11100100, |a, b| after(a, b)),
            ];
        }

        const EXTENTS: &[usize] = &[$($extent),*];
        #[vyre::device]
        const THREADS: usize = 1 $(* $extent)*;
        /// Blocks of the launch.
        const BLOCKS: u32 = if THREADS < 300 { 2 } else { 1 };

        #[test]
        fn agrees() {
            let count = THREADS * BLOCKS as usize;
            let (x, w, p) = inputs(count);
            let (mut floats, mut words, mut order) = (Vec::new(), Vec::new(), Vec::new());
            let (mut float_scans, mut word_scans, mut order_scans) = (Vec::new(), Vec::new(), Vec::new());
            for block in 0..BLOCKS as usize {
                let own = block * THREADS..(block + 1) * THREADS;
                let (x, w, p) = (&x[own.clone()], &w[own.clone()], &p[own]);
                let small: Vec<f32> = x.iter().map(|x| x * 0.02).collect();
                let (low, high): (Vec<i64>, Vec<i64>) = w.iter().map(|w| (w | 0xff, w & 0x7777)).unzip();
                let of_block = [
                    reduced(x, |a, b| a + b),
                    reduced(&small, |a, b| a * b),
                    reduced(x, f32::min),
                    reduced(x, f32::max),
                ];
                floats.extend(vec![of_block.map(f32::to_bits); THREADS]);
                let of_block = [
                    w.iter().fold(0i64, |a, &b| a.wrapping_add(b)),
                    w.iter().fold(1i64, |a, &b| a.wrapping_mul(b)),
                    *w.iter().min().unwrap(),
                    *w.iter().max().unwrap(),
                    low.iter().fold(-1, |a, b| a & b),
                    high.iter().fold(0, |a, b| a | b),
                    w.iter().fold(0, |a, b| a ^ b),
                ];
                words.extend(vec![of_block; THREADS]);
                order.extend(vec![p.iter().copied().reduce(after).unwrap(); THREADS]);
                let (up_to, below) = (inclusive(x, |a, b| a + b), exclusive(x, 0.0, |a, b| a + b));
                float_scans.extend((0..THREADS).map(|t| [up_to[t].to_bits(), below[t].to_bits()]));
                let (up_to, below) = (inclusive(w, i64::wrapping_add), exclusive(w, 0, i64::wrapping_add));
                word_scans.extend((0..THREADS).map(|t| [up_to[t], below[t], w[THREADS / 2]]));
                let mut running = 0b11100100;
                for &p in p {
                    order_scans.push([after(running, p), running]);
                    running = after(running, p);
                }
            }
            everywhere(|place| {
                let device = place.device();
                let (x, w, p) = (device.upload(&x)?, device.upload(&w)?, device.upload(&p)?);
                let mut of_floats = device.upload(&vec![[0.0f32; 4]; count])?;
                let mut of_words = device.upload(&vec![[0i64; 7]; count])?;
                let mut of_order = device.upload(&vec![0u32; count])?;
                place.grid(reductions(&x, &w, &p, &mut of_floats, &mut of_words, &mut of_order), [BLOCKS, 1, 1])?;
                let of_floats: Vec<_> = of_floats.download()?.into_iter().map(|all| all.map(f32::to_bits)).collect();
                assert_eq!(of_floats, floats, "{} {EXTENTS:?}", place.name());
                assert_eq!(of_words.download()?, words, "{} {EXTENTS:?}", place.name());
                assert_eq!(of_order.download()?, order, "{} {EXTENTS:?}", place.name());

                let mut of_floats = device.upload(&vec![[0.0f32; 2]; count])?;
                let mut of_words = device.upload(&vec![[0i64; 3]; count])?;
                let mut of_order = device.upload(&vec![[0u32; 2]; count])?;
                place.grid(scans(&x, &w, &p, &mut of_floats, &mut of_words, &mut of_order), [BLOCKS, 1, 1])?;
                let of_floats: Vec<_> = of_floats.download()?.into_iter().map(|all| all.map(f32::to_bits)).collect();
                assert_eq!(of_floats, float_scans, "{} {EXTENTS:?}", place.name());
                assert_eq!(of_words.download()?, word_scans, "{} {EXTENTS:?}", place.name());
                assert_eq!(of_order.download()?, order_scans, "{} {EXTENTS:?}", place.name());
                Ok(())
            });
            assemble_quickly(Reductions::info());
            assemble_quickly(Scans::info());
        }
    } )* };
}

shapes! {
    one [1];
    small [7];
    almost_a_warp [31];
    warp [32];
    more_than_a_warp [33];
    odd [11, 7];
    three_axes [5, 3, 9];
    usual [256];
    almost_all [1023];
    all [32, 32];
}

#[vyre::device]
fn mean(value: f32) -> f32 {
    block::sum(value) / block::sum(1.0f32)
}

/// Calls after one another, in a loop, under a condition that is the same in all threads, and in functions.
#[vyre::kernel(block = 96)]
fn often(rounds: usize, x: &[f32], y: &mut [[f32; 3]]) {
    let i = thread::index();
    let mut value = x[i];
    let mut sums = 0.0;
    for round in 0..rounds {
        value -= mean(value);
        sums += block::max(value) + block::sum(value * value);
        if round % 2 == 1 {
            sums += block::exclusive_sum(value);
            sums -= block::exclusive_sum(sums);
        }
        value *= 1.25;
    }
    y[i] = [value, sums, mean(sums)];
}

#[test]
fn calls_follow_one_another() {
    let x: Vec<f32> = (0..96).map(|i| ((i * 37) % 96) as f32 * 0.75 + 0.1).collect();
    let add = |a: f32, b: f32| a + b;
    let mean = |values: &[f32]| reduced(values, add) / 96.0;
    for rounds in [0, 1, 5] {
        let (mut values, mut sums) = (x.clone(), vec![0.0f32; 96]);
        for round in 0..rounds {
            let middle = mean(&values);
            values.iter_mut().for_each(|value| *value -= middle);
            let squares: Vec<f32> = values.iter().map(|value| value * value).collect();
            let step = reduced(&values, f32::max) + reduced(&squares, add);
            sums.iter_mut().for_each(|sum| *sum += step);
            if round % 2 == 1 {
                let below = exclusive(&values, 0.0, add);
                sums.iter_mut().zip(below).for_each(|(sum, below)| *sum += below);
                let below = exclusive(&sums, 0.0, add);
                sums.iter_mut().zip(below).for_each(|(sum, below)| *sum -= below);
            }
            values.iter_mut().for_each(|value| *value *= 1.25);
        }
        let last = mean(&sums);
        let expected: Vec<_> = (0..96).map(|t| [values[t], sums[t], last].map(f32::to_bits)).collect();
        everywhere(|place| {
            let x = place.device().upload(&x)?;
            let mut y = place.device().upload(&[[0.0f32; 3]; 96])?;
            place.over(often(rounds, &x, &mut y), 96)?;
            let y: Vec<_> = y.download()?.into_iter().map(|y| y.map(f32::to_bits)).collect();
            assert_eq!(y, expected, "{rounds} rounds on {}", place.name());
            Ok(())
        });
    }
    assemble_quickly(Often::info());
}

/// Closures that capture, and several calls in one expression.
#[vyre::kernel(block = 64)]
fn within(limit: u32, x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    let bounded = |a: u32, b: u32| if a + b > limit { limit } else { a + b };
    y[i] = block::inclusive_scan(x[i], bounded) + 1000 * block::reduce(x[i], bounded);
}

#[test]
fn closures_capture() {
    let x: Vec<u32> = (0..64).collect();
    let bounded = |a: u32, b: u32| (a + b).min(700);
    let mut running = 0;
    let expected: Vec<u32> = x
        .iter()
        .map(|&x| {
            running = bounded(running, x);
            running + 700_000
        })
        .collect();
    everywhere(|place| {
        let (x, mut y) = (place.device().upload(&x)?, place.device().upload(&[0; 64])?);
        place.over(within(700, &x, &mut y), 64)?;
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

/// Integers of all widths and `f64`.
#[vyre::kernel(block = 40)]
fn orders(x: &[i8], y: &mut [[i64; 6]], z: &mut [f64]) {
    let i = thread::index();
    let value = x[i];
    y[i] = [
        block::sum(value) as i64,
        block::max(value as u8) as i64,
        block::min(value as i16) as i64,
        block::exclusive_sum(value as u16) as i64,
        block::sum(value as usize) as i64,
        block::xor(value as u32) as i64,
    ];
    z[i] = block::inclusive_sum(value as f64 / 3.0);
}

#[test]
fn every_width() {
    let x: Vec<i8> = (0..40).map(|i| (i * 29) as i8).collect();
    let thirds: Vec<f64> = x.iter().map(|&x| f64::from(x) / 3.0).collect();
    let up_to = inclusive(&thirds, |a, b| a + b);
    everywhere(|place| {
        let device = place.device();
        let (given, mut y, mut z) = (
            device.upload(&x)?,
            device.upload(&[[0; 6]; 40])?,
            device.upload(&[0.0; 40])?,
        );
        place.over(orders(&given, &mut y, &mut z), 40)?;
        let mut below = 0u16;
        let expected: Vec<[i64; 6]> = x
            .iter()
            .map(|&own| {
                let row = [
                    x.iter().fold(0i8, |a, &b| a.wrapping_add(b)).into(),
                    x.iter().map(|&x| x as u8).max().unwrap().into(),
                    x.iter().map(|&x| i64::from(x)).min().unwrap(),
                    below.into(),
                    x.iter().map(|&x| i64::from(x)).sum(),
                    x.iter().fold(0, |a, &b| a ^ b as u32).into(),
                ];
                below = below.wrapping_add(own as u16);
                row
            })
            .collect();
        assert_eq!(y.download()?, expected, "on {}", place.name());
        let bits = |all: &[f64]| all.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&z.download()?), bits(&up_to), "on {}", place.name());
        Ok(())
    });
}

/// One warp waits for another barrier than that of the call.
#[vyre::kernel(block = 64, allow(races))]
fn divergent(y: &mut [u32]) {
    let i = thread::index();
    if i < 32 {
        y[i] = block::sum(1);
    } else {
        block::sync();
    }
}

#[test]
#[should_panic(expected = "Divergence")]
fn the_interpreter_reports_divergent_calls() {
    let place = Place::Interpreter(Device::cpu());
    let mut y = place.device().upload(&[0u32; 64]).unwrap();
    let _ = place.over(divergent(&mut y), 64);
}

/// A broadcast from a thread that may not be there.
#[vyre::kernel(block = 64)]
fn beyond(from: usize, y: &mut [usize]) {
    let i = thread::index();
    y[i] = block::broadcast(i, from);
}

#[test]
fn broadcasts_come_from_the_block() {
    everywhere(|place| {
        let mut y = place.device().upload(&[0usize; 64])?;
        place.over(beyond(63, &mut y), 64)?;
        assert_eq!(y.download()?, [63; 64], "on {}", place.name());
        let error = place.over(beyond(64, &mut y), 64).unwrap_err().to_string();
        assert!(
            error.contains("block::broadcast from thread 64 of a block of 64"),
            "{error}"
        );
        Ok(())
    });
}

/// A vector and a count: a device type.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mean {
    sum: [f32; 3],
    count: u32,
    order: u32,
}

#[vyre::device]
fn joined(a: Mean, b: Mean) -> Mean {
    Mean {
        sum: [a.sum[0] + b.sum[0], a.sum[1] + b.sum[1], a.sum[2] + b.sum[2]],
        count: a.count + b.count,
        order: after(a.order, b.order),
    }
}

#[vyre::kernel(block = 80)]
fn of_structs(
    x: &[Mean],
    reduced: &mut [[Mean; 2]],
    scanned: &mut [[Mean; 2]],
    sent: &mut [[Mean; 2]],
    elected: &mut [u32],
) {
    let i = thread::index();
    reduced[i] = [
        block::reduce(x[i], |a, b| joined(a, b)),
        vyre::warp::reduce(x[i], |a, b| joined(a, b)),
    ];
    scanned[i] = [
        block::inclusive_scan(x[i], |a, b| joined(a, b)),
        block::exclusive_scan(x[i], x[0], |a, b| joined(a, b)),
    ];
    sent[i] = [block::broadcast(x[i], 37), vyre::warp::shuffle(x[i], 3)];
    if lane::index() > 4 {
        elected[i] = vyre::warp::elect() as u32;
    }
}

#[test]
fn structs_are_combined() {
    let (_, _, orders) = inputs(80);
    let x: Vec<Mean> = (0..80)
        .map(|i| Mean {
            sum: [i as f32 * 0.37, 1.0 / (i + 1) as f32, -(i as f32)],
            count: i % 5,
            order: orders[i as usize],
        })
        .collect();
    everywhere(|place| {
        let device = place.device();
        let given = device.upload(&x)?;
        let mut all = [
            device.zeros::<[Mean; 2]>(80)?,
            device.zeros::<[Mean; 2]>(80)?,
            device.zeros::<[Mean; 2]>(80)?,
        ];
        let mut chosen = device.zeros::<u32>(80)?;
        let [of_blocks, scans, sends] = &mut all;
        place.over(of_structs(&given, of_blocks, scans, sends, &mut chosen), 80)?;
        let [of_blocks, scans, sends] = [all[0].download()?, all[1].download()?, all[2].download()?];
        let (up_to, below) = (inclusive(&x, joined), exclusive(&x, x[0], joined));
        for i in 0..80 {
            let warp = &x[i / 32 * 32..(i / 32 * 32 + 32).min(80)];
            assert_eq!(
                of_blocks[i],
                [reduced(&x, joined), reduced(warp, joined)],
                "{i} on {}",
                place.name()
            );
            assert_eq!(scans[i], [up_to[i], below[i]], "{i} on {}", place.name());
            assert_eq!(sends[i], [x[37], warp[3]], "{i} on {}", place.name());
        }
        let first: Vec<u32> = (0..80).map(|i| u32::from(i % 32 == 5)).collect();
        assert_eq!(chosen.download()?, first, "{}", place.name());
        Ok(())
    });
    assemble_quickly(OfStructs::info());
}

/// Threads leave behind the last collective, in a loop of their own too.
#[vyre::kernel(block = 48)]
fn late_returns(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    let mut sum = 0;
    for k in 0..3 {
        sum += block::sum(if i < x.len() { x[i] + k } else { 0 });
    }
    if i >= y.len() {
        return;
    }
    for k in 0..9 {
        if x[i] == k {
            return;
        }
    }
    y[i] = sum;
}

#[test]
fn threads_return_behind_the_last_collective() {
    let x: Vec<u32> = (0..90).map(|i| i % 30).collect();
    everywhere(|place| {
        let given = place.device().upload(&x)?;
        let mut y = place.device().upload(&[7; 90])?;
        place.over(late_returns(&given, &mut y), 96)?;
        let sum = |block: &[u32]| block.iter().map(|x| 3 * x + 3).sum::<u32>();
        let expected = (0..90).map(|i| {
            if x[i] < 9 {
                7
            } else {
                sum(&x[i / 48 * 48..90.min(i / 48 * 48 + 48)])
            }
        });
        assert_eq!(y.download()?, expected.collect::<Vec<_>>(), "{}", place.name());
        Ok(())
    });
    assemble_quickly(LateReturns::info());
}
