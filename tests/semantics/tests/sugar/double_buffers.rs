//! Pairs of slices that branches choose, and that change places: each function runs on every back end, and as plain
//! Rust.

use vyre::Kernel;
use vyre::prelude::*;
use vyre_semantics::{agree, everywhere, ptx};

agree! {
    fn chosen(a: u32, b: u32) -> u32 {
        let mut one = [a, b, a ^ b, 7];
        let mut other = [b, 1, a, a | b];
        for round in 0..5usize {
            let (from, to) = if (a >> round) % 2 == 0 { (&one, &mut other) } else { (&other, &mut one) };
            for i in 0..4 {
                to[i] = from[(i + round) % 4].rotate_left(3) ^ to[i];
            }
        }
        one[0] ^ one[3] ^ other[1].rotate_left(9)
    }
    fn by_match(a: u32, b: u32) -> u32 {
        let x = [a, b, 3, 4, 5];
        let y = [b, a];
        let mut n = 0u32;
        for round in 0..4u32 {
            let (part, other, step) = match (a >> round) % 5 {
                0 => (&x[..2], &y[..], 1),
                1 | 2 => {
                    let from = round as usize;
                    (&y[1..], &x[from..], from as u32 + 2)
                }
                3 => (&x[3..], &x[1..4], 5),
                _ => break,
            };
            n = part.iter().fold(n, |n, v| n.rotate_left(step) ^ v) ^ other[0];
            n ^= (part.len() * 16 + other.len()) as u32;
        }
        n
    }
    fn swapped(a: u32, b: u32) -> u32 {
        let (mut one, mut other) = ([a, b, 5], [b, a, 9]);
        let (mut from, mut to) = (&mut one, &mut other);
        for round in 0..4usize {
            for i in 0..3 {
                to[i] = from[(i + 1) % 3] ^ to[i].rotate_left(1);
            }
            (from, to) = if (b >> round) % 3 == 0 { (from, to) } else { (to, from) };
            if (a >> round) % 2 == 0 {
                core::mem::swap(&mut from, &mut to);
            }
        }
        from[0] ^ from[2] ^ to[1]
    }
    fn values(a: i32, b: i32) -> i32 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let (x, (y, z)) = if low < 0 { (high, (low, 3)) } else { (low, (4, high)) };
        x ^ y.rotate_left(3) ^ z
    }
}

/// Steps from one buffer to the other, in global and in shared memory.
#[vyre::kernel(block = 32, launcher = Steps, allow(races))] // references that change places
fn steps(x: &mut [u32], y: &mut [u32], rounds: u32) {
    let left = shared::<[u32; 32]>();
    let right = shared::<[u32; 32]>();
    let (i, t) = (thread::index(), thread::idx().x);
    left[t] = i as u32;
    let (mut near, mut far) = (&mut *left, &mut *right);
    for round in 0..rounds {
        let (from, to) = if round % 2 == 0 { (&*x, &mut *y) } else { (&*y, &mut *x) };
        block::sync();
        far[31 - t] = near[t] + round;
        to[i] = from[i].rotate_left(1) ^ far[31 - t];
        (near, far) = (far, near);
    }
    block::sync();
    x[i] ^= near[t];
}

#[test]
fn buffers_of_a_kernel() {
    let host = |x: &mut [u32], rounds: u32| {
        let mut y = vec![0; x.len()];
        let mut tiles: Vec<u32> = (0..x.len() as u32).collect();
        for round in 0..rounds {
            let next: Vec<u32> = tiles.iter().map(|v| v + round).collect();
            let (from, to) = if round % 2 == 0 {
                (&*x, &mut y[..])
            } else {
                (&y[..], &mut *x)
            };
            (0..to.len()).for_each(|i| to[i] = from[i].rotate_left(1) ^ next[i]);
            tiles = next.chunks(32).flat_map(|tile| tile.iter().rev().copied()).collect();
        }
        x.iter_mut().zip(tiles).for_each(|(x, tile)| *x ^= tile);
    };
    everywhere(|place| {
        for rounds in [0, 1, 4, 5] {
            let mut x: Vec<u32> = (0..64).map(|i| i * i + 5).collect();
            let (mut there, mut y) = (place.device().upload(&x)?, place.device().zeros(64)?);
            place.over(steps(&mut there, &mut y, rounds), 64)?;
            host(&mut x, rounds);
            assert_eq!(there.download()?, x, "on {}", place.name());
        }
        Ok(())
    });
    ptx::assemble_quickly(Steps::info());
}
