//! Optional elements and subslices: each function runs on every back end, and as plain Rust.

use vyre::Kernel;
use vyre::prelude::*;
use vyre_semantics::{agree, everywhere};

agree! {
    fn equal(a: u32, b: u32) -> u32 {
        let (x, y) = ([a % 3, b % 3, a % 2, b % 2], [b % 3, a % 3, b % 2, a % 2]);
        let (n, m) = ((a % 5) as usize, (b % 5) as usize);
        let (one, other) = (&x[..n], &y[..m]);
        let alike = [one == other, one != other, x[n..] == y[n..], one == [b % 3, 1], [a % 2] == x[3..], &x == other];
        alike.iter().fold(0, |bits, &it| 2 * bits + it as u32)
    }
    fn equal_pairs(a: f32, b: f32) -> bool {
        let x = [(a, 1u32), (b, 2)];
        let y = [(b, 1u32), (a, 2)];
        x[..1] == y[..1] || x[1..] != x[1..]
    }
    fn found(a: u32, b: u32) -> u32 {
        let x = [a, b, 7, a ^ b];
        let n = (a % 6) as usize;
        let mut s = match x.get(n) {
            Some(&v) => v,
            None => 11,
        };
        if let Some(v) = x[..n.min(4)].last() {
            s = s.rotate_left(3) ^ *v;
        }
        s ^= x.get(n + 1).copied().unwrap_or(b) ^ x[n.min(4)..].first().map_or(5, |v| v >> 1);
        let least = x.iter().min().unwrap();
        let pair = x.iter().enumerate().find(|(_, v)| **v > a).unwrap_or((9, &3));
        s ^ least.rotate_left(7) ^ pair.1 ^ pair.0 as u32
    }
    fn changed(a: u32, b: u32) -> u32 {
        let mut x = [a, b, 7, a ^ b];
        let n = (b % 6) as usize;
        if let Some(v) = x.get_mut(n) {
            *v = v.rotate_left(5) ^ a;
        }
        let (low, high) = x.split_at_mut(n.min(4));
        if let (Some(l), Some(&h)) = (low.last().copied(), high.first()) {
            for v in low.iter_mut() {
                *v ^= h.rotate_left(l % 32);
            }
        }
        for (i, part) in x.chunks_mut(1 + n).enumerate() {
            let Some(first) = part.first_mut() else { continue };
            *first ^= i as u32;
        }
        x.iter().fold(0u32, |s, v| s.rotate_left(9) ^ v)
    }
    fn parts(a: u32, b: u32) -> u32 {
        let x = [a, b, 7, a ^ b, b / 3];
        let n = 1 + (a % 7) as usize;
        let mut s = x.windows(n).filter(|w| w[0] <= w[n - 1]).count() as u32;
        for part in x.chunks(n).rev() {
            s = s.rotate_left(5) ^ part.iter().fold(1u32, |s, v| s ^ v) ^ part.len() as u32;
        }
        for (one, two) in x.chunks_exact(2).zip(x.windows(3).skip(1)) {
            s = s.rotate_left(5) ^ one[1] ^ two[0];
        }
        s
    }
    fn ends(a: u32, b: u32) -> u32 {
        let all = [a, b, 7, a ^ b, b / 3];
        let x = &all[..(b % 6) as usize];
        let first = x.first_chunk::<3>();
        let mut s = first.map_or(1, |[p, _, q]| p ^ q.rotate_left(3));
        if let Some([p, q]) = x.last_chunk::<2>() {
            s ^= p.rotate_left(9) ^ q;
        }
        s ^ x.first_chunk::<1>().is_none() as u32
    }
    fn turned(a: u32, b: u32) -> u32 {
        let mut x = [a, b, 7, a ^ b, b / 3];
        x.rotate_left((a % 6) as usize);
        x[1..].rotate_right((b % 5) as usize);
        x.iter().fold(0u32, |s, v| s.rotate_left(9) ^ v)
    }
    fn searched(a: u32, b: u32) -> u32 {
        let x = [1u32, 5, 9, 20, 33];
        let (a, b) = (a % 36, b % 36);
        let one = match x[..(b % 6) as usize].binary_search(&a) {
            Ok(i) => i as u32,
            Err(i) => 100 + i as u32,
        };
        one ^ x.binary_search_by(|v| (v + 3).cmp(&b)).unwrap_or_else(|i| i + 50) as u32 * 8
    }
}

/// Elements of slices of the launch and of the block, and one of each thread's own that is changed where it is.
#[vyre::kernel(block = 32)]
fn neighbours(x: &[f32], y: &mut [f32], sums: &mut [f32], hits: &[AtomicU32]) {
    let tile = shared::<[f32; 32]>();
    let (i, t) = (thread::index(), thread::idx().x);
    tile[t] = x.get(i).copied().unwrap_or(0.5);
    block::sync();
    let left = match tile.get(t.wrapping_sub(1)) {
        Some(v) => *v,
        None => -1.0,
    };
    let right = tile.get(t + 1).unwrap_or(&-2.0);
    if let Some(v) = y.get_mut(i) {
        *v += left + right;
    }
    let row: f32 = tile.chunks_exact(8).map(|part| part[t % 8]).sum();
    if let Some(sum) = sums.get_mut(i) {
        *sum = row + x.windows(3).map(|w| w[0] * w[2]).sum::<f32>() + x.last().map_or(0.0, |v| v * 0.5);
    }
    if let Some(hit) = hits.get(t % 5) {
        hit.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn slices_of_every_memory() {
    everywhere(|place| {
        let device = place.device();
        let x: Vec<f32> = (0..45).map(|i| (i % 7) as f32).collect();
        let mut y = device.upload(&[1.0f32; 40])?;
        let (mut sums, mut hits) = (device.zeros::<f32>(64)?, device.zeros::<u32>(3)?);
        place.over(neighbours(&device.upload(&x)?, &mut y, &mut sums, &mut hits), 64)?;
        let tile = |i: usize| x.get(i).copied().unwrap_or(0.5);
        let ends = x.windows(3).map(|w| w[0] * w[2]).sum::<f32>() + x[44] * 0.5;
        let (y, sums) = (y.download()?, sums.download()?);
        for i in 0..64 {
            let left = if i % 32 == 0 { -1.0 } else { tile(i - 1) };
            let right = if i % 32 == 31 { -2.0 } else { tile(i + 1) };
            assert!(i >= 40 || y[i] == 1.0 + left + right, "{i}");
            let row: f32 = (0..4).map(|k| tile(i / 32 * 32 + k * 8 + i % 8)).sum();
            assert_eq!(sums[i], row + ends, "{i}");
        }
        let expected = |k: usize| (0..64).filter(|i| i % 32 % 5 == k).count() as u32;
        assert_eq!(hits.download()?, [expected(0), expected(1), expected(2)]);
        Ok(())
    });
}

#[vyre::kernel(block = 1)]
fn windowed(x: &[u32], n: usize, y: &mut [u32]) {
    y[0] = x.windows(n).count() as u32;
}

#[vyre::kernel(block = 1)]
fn split(x: &[u32], n: usize, y: &mut [u32]) {
    let (one, other) = x.split_at(n);
    y[0] = one.iter().sum::<u32>() * 10 + other.len() as u32;
}

#[test]
fn parts_that_there_are_not() {
    everywhere(|place| {
        let device = place.device();
        let x = device.upload(&[1u32, 2, 3])?;
        let mut y = device.zeros::<u32>(1)?;
        for (n, count, sum) in [(1, 3, 12), (2, 2, 31), (3, 1, 60)] {
            place.over(windowed(&x, n, &mut y), 1)?;
            assert_eq!(y.download()?, [count]);
            place.over(split(&x, n, &mut y), 1)?;
            assert_eq!(y.download()?, [sum]);
        }
        let fault = place.over(windowed(&x, 0, &mut y), 1).and_then(|()| y.download());
        let text = fault.unwrap_err().to_string();
        assert!(
            text.starts_with("panicked: window size must be non-zero\n"),
            "{}: {text}",
            place.name()
        );
        let fault = place.over(split(&x, 4, &mut y), 1).and_then(|()| y.download());
        assert!(fault.is_err(), "{}", place.name());
        Ok(())
    });
}

#[vyre::kernel]
fn matched(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if let (Some(&v), Some(w)) = (x.get(i), y.get_mut(i)) {
        *w = v;
    }
}

#[test]
fn indices_are_compared_once() {
    let ptx = vyre_semantics::ptx::checked(Matched::info());
    assert_eq!(ptx.matches("setp").count(), 2, "{ptx}");
}
