//! Iterators that stand for indices, against those of the standard library.

#![allow(clippy::all, reason = "the bodies are what kernels look like, odd ones included")]

use crate::same;
use crate::support::{in_file, run_lowered, slice};

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];

#[test]
fn loops() {
    same!(|x: u32| -> u32 { let a = [3, 1, 4, 1, 5 + x]; let mut s = x; for (i, v) in a.iter().enumerate().rev() { s = s * 7 + i as u32 * v; } for (i, &v) in a.iter().rev().enumerate() { s = s * 5 % 9973 + i as u32 * v; } s }, SMALL);
    same!(|x: u32| -> u32 { let a = [3, 1, 4, 1, 5]; let b = [x, 2, 7]; let mut s = 0; for (u, v) in a.iter().zip(&b) { s = s * 3 + u * v; } for ((i, &u), v) in a.iter().enumerate().skip(1).zip(b).rev() { s = s * 5 % 9973 + u * v + i as u32; } s }, SMALL);
    same!(|x: u32| -> u32 { let mut a = [3, 1, 4, 1, 5, 9, 2, 6]; for (i, v) in a.iter_mut().enumerate().skip(x as usize).step_by(2) { *v += i as u32; } for v in a.iter_mut().rev().take(3) { *v *= 2; } let mut s = 0; for v in a.iter().skip(1).take(6).step_by(3) { s = s * 100 + v; } s + a[7] + a[0] }, SMALL);
    same!(|x: u32| -> u32 { let mut s = 0; for i in (0..x).rev().step_by(2) { s = s * 7 % 9973 + i; } for i in (0..x).step_by(3).rev() { s = s * 7 % 9973 + i; } for (k, i) in (2..x).enumerate() { s += k as u32 * i; } for (i, j) in (0..x).zip(5u8..) { s = s * 3 % 9973 + i * j as u32; } s }, SMALL);
    same!(|x: i8| -> i64 { let mut s = 0i64; for i in (x..100).skip(3).map(|v| v as i64 * 3).filter(|v| v % 2 == 0) { s = s * 7 % 9973 + i; } s }, [-128i8, -3, 0, 99, 100, 127]);
    same!(|x: u32| -> u32 { let a = [3, 1, 4, 1, 5, 9]; let mut s = 0; 'all: for (i, v) in a.iter().copied().filter(|&v| v > 1).enumerate().map(|(i, v)| { let w = v + x; (i as u32, w) }) { if i == 2 { continue; } for k in (0..v).take_while(|k| *k < 6) { if k == 5 && v > 20 { break 'all; } s += k * v; } } s }, SMALL);
}

#[test]
fn ends() {
    same!(|x: u32| -> u32 { let a = [3, 1, 4, 1, 5 + x]; let s: u32 = a.iter().sum(); let p = a.iter().skip(1).product::<u32>(); s * 100 + p + (0..x).sum::<u32>() + a.iter().filter(|v| **v > 1).count() as u32 * 10_000 }, SMALL);
    same!(|x: u32| -> f32 { let a = [0.5f32, 1.25, 1e10, -1e10, x as f32]; let s: f32 = a.iter().map(|v| v * 2.0).sum(); let n = a.iter().skip(9).sum::<f32>(); s + n.to_bits() as f32 + a.iter().fold(f32::MIN, |m, &v| m.max(v)) + a.iter().copied().fold(0.0, f32::max) }, SMALL);
    same!(|x: u32| -> u32 { let a = [3, 1, 4, 1, 5, 9, 2, 6]; let any = a.iter().any(|&v| v == x); let all = a.iter().all(|v| *v < x); let place = a.iter().position(|&v| v > x).unwrap_or(77); let back = a.iter().rev().position(|v| *v == 1).unwrap(); any as u32 + all as u32 * 2 + place as u32 * 10 + back as u32 * 1000 }, SMALL);
    same!(|x: u32| -> u32 { let a = [3, 1, 4, 1, 5, 9, 2, 6]; let least = a.iter().copied().filter(|&v| v > x).min(); let most = (0..x).map(|v| v * 37 % 11).max(); let found = (1..x).find(|v| v * v > 10); let mapped = a.iter().find_map(|&v| v.checked_sub(x)); least.unwrap_or(50) + most.unwrap_or(60) * 100 + found.unwrap_or(7) * 10_000 + mapped.map_or(3, |v| v * 2) + a.iter().copied().last().unwrap() }, SMALL);
    same!(|x: u32| -> u32 { let a = [3u32, 1, 4, 1, 5]; let (mut calls, mut seen, mut order) = (0, 0, 0); a.iter().rev().for_each(|v| order = order * 10 + v); let n = a.iter().inspect(|_| seen += 1).take_while(|&&v| v != x).map(|v| { if *v == 4 { return 0; } calls += 10; v * 2 }).fold(x, |s, v| s * 3 + v); n * 1000 + calls + seen * 7 + order }, SMALL);
    same!(|x: u32| -> u32 { let a = [3u32, 1, 4]; let b = [x, 7, 2]; let best = a.iter().zip(b.iter()).enumerate().fold((0, 0), |(at, most), (i, (u, v))| if u * v > most { (i, u * v) } else { (at, most) }); best.0 as u32 * 1000 + best.1 + a.iter().zip(&b).map(|(u, v)| u * v).sum::<u32>() }, SMALL);
    with!({ fn dot(a: &[f32], b: &[f32]) -> f32 { a.iter().zip(b).map(|(x, y)| x * y).sum() } fn total<T: Copy + core::ops::Add<Output = T>>(a: &[T]) -> T { let mut s = a[0]; for (i, v) in a.iter().enumerate().rev() { if i != 1 { s = s + *v; } } s } fn odd(v: &u32) -> bool { v % 2 == 1 } fn twice(v: u32) -> u32 { v * 2 } } |x: u32| -> f32 { let f = |v: u32| v + x; let n = [x, 2, 3].iter().copied().filter(odd).map(twice).map(f).sum::<u32>(); dot(&[1.5, 2.0, x as f32], &[x as f32, 3.0]) + total(&[1.0, 2.0, x as f32]) + total(&[x, 5]) as f32 + n as f32 }, SMALL);
}

#[test]
fn arrays_that_functions_return() {
    with!({ fn corners(x: u32) -> [u32; 4] { [x, x + 1, x * 2, 7] } } |x: u32| -> u32 { let mut s = 0; for v in corners(x) { s = s * 3 + v; } for v in &corners(s) { s ^= *v; } for mut v in corners(2) { v += s; s += v; } for (i, v) in corners(x).iter().enumerate() { s += *v * i as u32; } s }, SMALL);
    with!({} |x: u32| -> u32 { let mut s = 0; for byte in x.to_le_bytes() { s = s * 5 + byte as u32; } for byte in (x + 300).to_be_bytes().into_iter().rev() { s = s * 5 + byte as u32; } s }, SMALL);
}
