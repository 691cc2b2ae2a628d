//! Parts of arrays and slices, against plain Rust.

#![allow(clippy::all, reason = "the bodies are what kernels look like, odd ones included")]

use crate::same;
use vyre_ir::interp::Error;

use crate::support::{in_file, run, run_lowered, scalar, slice};

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];

#[test]
fn parts() {
    with!({ fn sum(x: &[u32]) -> u32 { let mut s = x.len() as u32; for v in x { s = s * 3 + v; } s } fn fill(x: &mut [u32], v: u32) { for i in 0..x.len() { x[i] += v; } if x.len() > 1 { fill_one(&mut x[1..2], 5); } } fn fill_one(x: &mut [u32], v: u32) { x[0] *= v; } } |x: u32| -> u32 { let mut a = [3, 1, 4, 1, 5, x]; let n = (x % 4) as usize; let b = [[1, 2, 3], [x, 5, 6]]; fill(&mut a[n..], 2); fill(&mut a[..=1], 1); sum(&a[n..5]) + sum(&a[..n]) * 7 + sum(&b[n % 2][1..]) + sum(&a[1..][n..][..2]) }, SMALL);
    with!({} |x: u32| -> u32 { let mut a = [3, 1, 4, 1, 5, x]; let n = (x % 4) as usize; let part = &mut a[n..n + 2]; part[0] = 9; part[1] += part[0]; let view = &a[1..]; let all = &view[..]; let m: u32 = a[n..].iter().zip(&a[..3]).map(|(p, q)| p * q).sum(); let k = a[1..n + 1].len() + all.len(); a[2..].swap(0, 1); a[..4].reverse(); for v in &mut a[n..] { *v += 1; } m + k as u32 * 100 + a[0] * 3 + a[5] + a[1..3].contains(&x) as u32 }, SMALL);
    same!(|x: u32| -> u32 { const T: [u32; 5] = [1, 20, 3, 40, 5]; let n = (x % 5) as usize; T[n..].iter().sum::<u32>() + T[..n].iter().rev().fold(0, |s, v| s * 2 + v) }, SMALL);
}

#[test]
fn bounds() {
    let source = "fn k(x: &[u32], a: usize, b: usize, y: &mut [u32]) { let part = &x[a..b]; y[0] = part.len() as u32; }";
    let closed = "fn k(x: &[u32], a: usize, b: usize, y: &mut [u32]) { y[0] = x[a..=b].len() as u32; }";
    let len = |source: &str, a: usize, b: usize| {
        let mut data = [slice(&[1u32, 2, 3]), scalar(a), scalar(b), slice(&[0u32])];
        match run(source, &mut data, [1, 1, 1]) {
            Ok(()) => Some(data[3].values::<u32>()[0] as usize),
            // A kernel that compares nothing ends by an error of another kind.
            Err(Error::Fault(_)) => None,
            Err(other) => panic!("{a} and {b}: {other:?}"),
        }
    };
    let x = [1, 2, 3];
    for a in [0, 1, 2, 3, 4, usize::MAX] {
        for b in [0, 1, 3, 4, usize::MAX - 1, usize::MAX] {
            assert_eq!(len(source, a, b), x.get(a..b).map(|part| part.len()), "{a}..{b}");
            assert_eq!(len(closed, a, b), x.get(a..=b).map(|part| part.len()), "{a}..={b}");
        }
    }
}
