//! Functions of `core`, comparisons, and consumers of iterators, against plain Rust: the same tokens stand in a kernel and
//! here.

#![allow(clippy::all, unused_mut, reason = "the bodies are what kernels look like, odd ones included")]

use core::cmp::Ordering;
use core::mem;

use crate::same;

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];
const F32: [f32; 9] = [0.0, -0.0, 1.0, -1.5, 2.5, 1e30, f32::INFINITY, f32::NEG_INFINITY, -1e-40];

#[test]
fn functions_of_core() {
    same!(|x: u32| -> u32 { let (mut a, mut b) = (x, 7); mem::swap(&mut a, &mut b); let c = core::mem::replace(&mut a, b + 1); let d = std::mem::take(&mut b); let mut t = [(1, x), (2, 3)]; let u = mem::replace(&mut t[0].1, 9); a + c * 3 + d * 5 + b * 7 + u * 11 + t[0].1 }, SMALL);
    same!(|x: u32| -> u32 { let a = [x, 9, 4]; let (mut p, mut q) = (&a[..2], &a[1..]); for _ in 0..x % 4 { mem::swap(&mut p, &mut q); } p[0] + q[0] * 3 + q.len() as u32 * 5 + core::cmp::max(x, 5) + std::cmp::min(x, 3) * 7 }, SMALL);
    same!(|x: u32| -> u32 { let a = [x, 9, 4].map(|v| v * 2 + 1); let mut calls = 0; let b: [u32; 5] = core::array::from_fn(|i| { calls += 1; calls * 10 + i as u32 + x }); let c = a.map(|v| (v, v as f32 / 2.0)); let d = std::array::from_fn::<_, 2, _>(|i| a[i]); a[0] + a[2] * 3 + b[0] * 5 + b[4] * 7 + calls + c[1].0 + (c[1].1 * 2.0) as u32 + d[1] }, SMALL);
    same!(|x: u32| -> u32 { (size_of::<f32>() + mem::size_of::<[u16; 3]>() * 10 + core::mem::align_of::<u64>() * 100 + size_of::<usize>() * 1000) as u32 + x }, SMALL);
}

#[test]
fn comparisons() {
    same!(|x: u32| -> i32 { let o = x.cmp(&4); let p = match x.cmp(&3) { Ordering::Less => 10, Ordering::Equal => 20, Ordering::Greater => 30 }; let q = o.reverse().then(x.cmp(&9)); let r = o.then_with(|| 9.cmp(&(x + 5))); o as i32 + p + q as i32 * 100 + r as i32 * 1000 + o.is_lt() as i32 * 7 + o.is_ge() as i32 * 13 + (o == Ordering::Equal) as i32 * 17 + o.is_ne() as i32 + q.is_le() as i32 * 2 + q.is_gt() as i32 * 3 }, SMALL);
    same!(|x: f32| -> i32 { let a = x.partial_cmp(&1.0); let b = x.total_cmp(&-0.0); let c = x.partial_cmp(&f32::NAN); let d = f32::NAN.total_cmp(&x); let e = (&x).partial_cmp(&&2.5); (a == Some(Ordering::Less)) as i32 + b as i32 * 10 + c.is_none() as i32 * 100 + d as i32 * 1000 + e.map_or(50, |o| o as i32) * 10000 }, F32);
    same!(|x: i32| -> i32 { let a = x.cmp(&-3) as i32; let b = (x as i8).cmp(&7) as i32; let c = (x as u64).partial_cmp(&9).unwrap() as i32; a + b * 10 + c * 100 }, [0, -3, -4, 7, i32::MIN, 200, 9]);
}

#[test]
fn ends_of_iterators() {
    same!(|x: u32| -> u32 { let a = [3, 1 + x, 4, 1, 5]; let r = a.iter().copied().reduce(|a, b| a * 3 % 1000 + b); let e = (0..0u32).reduce(|a, b| a + b); let m = a.iter().reduce(|a, b| if b > a { b } else { a }); let f = (1..x).map(|v| v as f32).reduce(f32::max).unwrap_or(0.5); r.unwrap() + e.unwrap_or(7) * 1000 + m.unwrap() * 3 + (f * 2.0) as u32 }, SMALL);
    same!(|x: u32| -> u32 { let a = [3, 1, 4 + x, 1, 5]; let b = [2.5f32, x as f32, -1.0, 2.5, 0.0]; let p = b.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap().0; let q = b.iter().enumerate().max_by(|(_, a), (_, b)| a.partial_cmp(b).unwrap()).map_or(9, |p| p.0); let r = a.iter().min_by(|a, b| a.cmp(b)).unwrap(); let s = a.iter().enumerate().min_by_key(|p| *p.1 % 3).unwrap(); let t = a.iter().enumerate().max_by_key(|(_, v)| **v % 3).unwrap(); let u = (0..x).max_by_key(|v| v * 7 % 5); let mut calls = 0; let v = a.iter().max_by(|a, b| { calls += 1; (*a % 4).cmp(&(*b % 4)) }); p as u32 + q as u32 * 10 + r * 100 + s.0 as u32 * 1000 + t.0 as u32 * 10000 + u.unwrap_or(8) * 100000 + calls + v.unwrap() * 31 }, SMALL);
    same!(|x: u32| -> u32 { let a = [3, 1, 4 + x, 1, 5]; let s = a.iter().skip_while(|v| **v < 4).fold(0, |s, v| s * 3 + v); let t = a.iter().filter_map(|v| if v % 2 == 1 { Some(v * 2 + x) } else { None }).sum::<u32>(); let mut n = 0; let u = a.iter().map_while(|v| { n += 1; v.checked_sub(1 + x / 4) }).count(); let v = a.iter().next().unwrap() + a.iter().rev().nth(2).unwrap() * 3 + a.iter().nth(9).copied().unwrap_or(70) + a.chunks(2).map(|c| c[0]).next().unwrap(); s + t * 1000 + n * 7 + u as u32 * 100 + v }, SMALL);
}
