//! Iterators over indices.

use vyre::prelude::*;
use vyre_semantics::{agree, everywhere};

agree! {
    fn pairs_and_places(a: u32, b: u32) -> u32 {
        let (mut one, other) = ([a, b, a ^ b, 7], [b, 3, a]);
        let mut s = a;
        for (i, v) in one.iter_mut().enumerate().rev() {
            *v ^= i as u32;
        }
        for ((i, &u), v) in one.iter().enumerate().skip((b % 5) as usize).zip(&other).rev() {
            s = s.rotate_left(5) ^ u ^ v ^ i as u32;
        }
        for (i, v) in one.iter().rev().enumerate().step_by(2).take(3) {
            s = s.rotate_left(5) ^ v ^ i as u32;
        }
        s
    }
    fn ranges(a: i8, b: i8) -> i64 {
        let mut s = 0i64;
        for (k, v) in (a..b).enumerate().skip(2) {
            s = s.rotate_left(3) ^ (v as i64 + k as i64);
        }
        for v in (a..=b).step_by(7).rev().map(|v| v as i64 * 3).filter(|v| v % 2 == 0) {
            s = s.rotate_left(3) ^ v;
        }
        s ^ (a..b).map(|v| v as i64).sum::<i64>() ^ (a..=b).map(|v| v as i64).max().unwrap_or(300)
    }
    fn sums_of_floats(a: f32, b: f32) -> f32 {
        let x = [a, b, 1.5, a];
        let nothing: f32 = x.iter().skip(4).sum();
        let dot = x.iter().zip([b, 2.0]).map(|(u, v)| u * v).sum::<f32>();
        if dot.is_nan() { nothing } else { dot + x.iter().copied().product::<f32>() }
    }
    fn folds_and_searches(a: u32, b: u32) -> u64 {
        let x = [a, b, a / 3, b ^ 5, 9];
        let mut calls = 0;
        let any = x.iter().any(|&v| { calls += 1; v > 7 && v % 2 == 0 });
        let all = x.iter().all(|v| { calls += 10; *v != a / 3 });
        let place = x.iter().position(|&v| v == b).unwrap_or(6) as u64;
        let found = x.iter().copied().find(|v| v & 1 == 1).or(x.iter().find_map(|v| v.checked_sub(a))).unwrap_or(11);
        let folded = x.iter().rev().fold(0u64, |s, &v| { if v == 9 { return s; } s.rotate_left(9) ^ v as u64 });
        let counted = x.iter().take_while(|&&v| v != 9).filter(|v| **v > b).count() as u64;
        folded ^ found as u64 ^ (place << 40) ^ (counted << 50) ^ ((any as u64) << 60) ^ ((all as u64) << 61) ^ (calls << 32)
            ^ x.iter().copied().min().map_or(0, |v| v as u64)
    }
}

#[vyre::device]
mod marked {
    #[derive(Clone, Copy, PartialEq)]
    pub(super) struct Mark {
        pub(super) at: u32,
        pub(super) sides: [u32; 3],
    }

    impl Mark {
        pub(super) fn sum(&self) -> u32 {
            self.at ^ self.sides[2]
        }

        pub(super) fn is_above(&self, other: &Mark) -> bool {
            self.at > other.at
        }

        pub(super) fn halved(self) -> u32 {
            self.at / 2
        }
    }
}

use marked::Mark;

#[vyre::device]
fn weight(mark: &Mark) -> u32 {
    mark.at ^ mark.sides[1]
}

#[vyre::device]
fn folded(row: &[u32]) -> u32 {
    row.iter().fold(0u32, |s, v| s.rotate_left(3) ^ v)
}

agree! {
    // The elements are references to references.
    fn methods_of_elements(a: u32, b: u32) -> u32 {
        let marks = [Mark { at: a, sides: [1, 2, b] }, Mark { at: b, sides: [a, 4, 4] }, Mark { at: 9, sides: [b; 3] }];
        let limit = Mark { at: a / 2, sides: [0; 3] };
        let kept = marks.iter().filter(|mark| mark.sum() > 3).count() as u32;
        let above = marks.iter().find(|mark| mark.is_above(&limit) && mark.halved() > 2).map_or(5, |mark| mark.at);
        let first = marks.iter().take_while(|mark| mark.sides.contains(&b)).count() as u32;
        let late = marks.iter().skip_while(|mark| mark.sum() > 7).map(|mark| mark.sum()).fold(0u32, |s, v| s.rotate_left(3) ^ v);
        let most = marks.iter().max_by_key(|mark| mark.sum()).unwrap().at;
        kept ^ above.rotate_left(3) ^ first.rotate_left(9) ^ late.rotate_left(15) ^ most.rotate_left(21)
    }
    fn slices_of_elements(a: u32, b: u32) -> u32 {
        let rows = [[a, 1, 5], [b, 2, 6], [7, a, b]];
        let sums = rows.iter().filter(|row| row.iter().fold(0u32, |s, v| s ^ v) > 3).count() as u32;
        let found = rows.iter().find(|row| row.contains(&6) || row[1..].contains(&a)).map_or(9, |row| row[0]);
        let ends = rows.iter().take_while(|row| row.first() != Some(&b) && row.ends_with(&[5])).count() as u32;
        let pairs = rows.iter().filter(|row| row.windows(2).any(|pair| pair[0] > pair[1])).count() as u32;
        let chunks = rows.iter().filter(|row| row.as_chunks::<2>().0[0][1] > 1 && row.map(|v| v / 2)[0] > 2).count() as u32;
        sums ^ found.rotate_left(4) ^ ends.rotate_left(11) ^ pairs.rotate_left(17) ^ chunks.rotate_left(23)
    }
    fn functions_of_elements(a: u32, b: u32) -> u32 {
        let marks = [Mark { at: a, sides: [1, b, 3] }, Mark { at: b, sides: [a; 3] }];
        let rows = [[a, 1], [b, 2]];
        let heavy = marks.iter().filter(|mark| weight(mark) > 4).count() as u32;
        let long = rows.iter().filter(|row| folded(*row) > b).map(|row| folded(row)).fold(5u32, |s, v| s ^ v);
        heavy.rotate_left(9) ^ long
    }
    fn comparisons_of_elements(a: f32, b: f32) -> u32 {
        let a = if a.is_nan() { 2.0 } else { a };
        let values = [a, if b.is_nan() { 1.0 } else { b }, 7.0];
        let least = values.iter().min_by(|p, q| p.partial_cmp(q).unwrap()).unwrap();
        let most = values.iter().enumerate().max_by(|(_, p), (_, q)| p.partial_cmp(q).unwrap()).unwrap().0;
        let bits = values.map(f32::to_bits);
        let first = bits.iter().min_by(|p, q| p.cmp(q)).unwrap();
        let last = bits.iter().copied().max_by(|p, q| q.cmp(p)).unwrap();
        least.to_bits() ^ most as u32 ^ first.rotate_left(7) ^ last.rotate_left(13)
    }
    fn options_of_elements(a: u32, b: u32) -> u32 {
        let values = [Some(a), None, Some(b), a.checked_sub(b)];
        let mut s = 0u32;
        for value in &values {
            s = s.rotate_left(5) ^ value.unwrap_or(7);
        }
        let last = &values[(a % 4) as usize];
        if last.is_some() {
            s ^= last.unwrap().rotate_left(3);
        }
        let large = values.iter().filter(|value| value.unwrap_or(0) > 3).count() as u32;
        let found = values.iter().filter(|value| value.is_some_and(|value| value > b)).count() as u32;
        s ^ large.rotate_left(13) ^ found.rotate_left(19) ^ values.iter().map(|value| value.unwrap_or(1)).fold(0u32, |s, v| s ^ v)
    }
}

#[vyre::device]
fn weighted(row: &[f32], weights: &[f32]) -> f32 {
    row.iter().zip(weights).map(|(x, w)| x * w).sum()
}

/// A sum over slices of the launch and of the block, a position in one, and a thread's own value.
#[vyre::kernel(block = 32)]
fn gather(x: &[f32], keys: &[u32], #[each] y: &mut [f32; 4], #[each] place: &mut u32) {
    let tile = shared::<[f32; 32]>();
    let t = thread::idx().x;
    tile[t] = x[t] + 1.0;
    block::sync();
    let sum = weighted(x, tile) + tile.iter().step_by(5).sum::<f32>();
    for (k, v) in y.iter_mut().enumerate().skip(1) {
        *v += sum * k as f32;
    }
    *place = keys
        .iter()
        .position(|&key| key as usize == t)
        .map_or(99, |at| at as u32);
}

#[test]
fn slices_of_every_memory() {
    everywhere(|place| {
        let x: Vec<f32> = (0..32).map(|i| (i % 7) as f32).collect();
        let keys = [3, 0, 3, 31];
        let device = place.device();
        let mut y = device.upload(&[[1.0f32; 4]; 32])?;
        let mut found = device.zeros(32)?;
        place.over(
            gather(&device.upload(&x)?, &device.upload(&keys)?, &mut y, &mut found),
            32,
        )?;
        let tile: Vec<f32> = x.iter().map(|v| v + 1.0).collect();
        let sum = weighted(&x, &tile) + tile.iter().step_by(5).sum::<f32>();
        assert!(
            y.download()?
                .iter()
                .all(|y| *y == [1.0, 1.0 + sum, 1.0 + sum * 2.0, 1.0 + sum * 3.0])
        );
        let expected = |t| keys.iter().position(|&key| key == t).map_or(99, |at| at as u32);
        assert_eq!(found.download()?, (0..32).map(expected).collect::<Vec<_>>());
        Ok(())
    });
}
