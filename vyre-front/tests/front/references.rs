//! References that control flow chooses, and variables that refer to one thing after another, against plain Rust: the
//! same tokens stand in a file and here.

#![allow(clippy::all, unused_mut, unused_assignments, reason = "the bodies are what kernels look like, odd ones included")]

use crate::support::{in_file, run_lowered, slice};

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];

#[test]
fn conditions_with_references() {
    with!({ fn run(x: u32) -> u32 { let a = [3, x, 4]; let mut b = [1, 2, x, 9, 7]; let i = (x % 7) as usize; if i < a.len() && let Some(s) = b.get_mut(i + 1) { *s += a[i]; } if let Some(v) = a.get(i) && *v > 2 && let Some(s) = b.get_mut(0) && *s < 5 { *s = *v * 10; } else { b[1] += 100; } b[0] + b[1] * 3 + b[2] * 5 + b[3] * 7 + b[4] * 11 } } |x: u32| -> u32 { run(x) }, SMALL);
    with!({ fn run(x: u32) -> u32 { let mut a = [x, 9, 4, 1, 0, 6]; let mut i = 0; while i < 9 && let Some(v) = a.get_mut(i) && *v != 1 { *v += 1; i += 1; if *v == 10 { continue; } *v *= 2; } let r = if let Some(v) = a[i..].first() && let Some(w) = a.last() { v + w } else { 77 }; a[0] + a[1] * 3 + a[2] * 5 + r } } |x: u32| -> u32 { run(x) }, SMALL);
    with!({ fn run(x: u32) -> u32 { let a = [x, 5]; if x > 3 && let Some(v) = a.get(1) && *v == 5 { return 1; } else if let Some(v) = a.get(x as usize) && *v > 0 { return 2; } else { return 3; } } } |x: u32| -> u32 { run(x) }, SMALL);
    with!({ fn run(x: u32) -> u32 { let a = [x, 5]; let n = if x > 3 && let Some(v) = a.get(1) { *v } else { return 9; }; n * 2 + x } } |x: u32| -> u32 { run(x) }, SMALL);
}

#[test]
fn chosen() {
    with!({ fn run(x: u32) -> u32 { let mut a = [x, 9, 4]; let i = x as usize; let s = match a.get_mut(i) { Some(s) => s, None => return 100 }; *s += 5; let t = if let Some(t) = a.first_mut() { t } else { return 200; }; *t ^= 3; a[0] + a[1] * 3 + a[2] * 5 } } |x: u32| -> u32 { run(x) }, SMALL);
    with!({ fn run(x: u32) -> u32 { let mut a = [x, 9, 4]; let s = if x > 3 { &mut a[0] } else { &mut a[2] }; *s += 5; *s *= 2; let mut b = 7; let mut c = 8; let r = match x { 0 => &mut b, 1 => &mut c, 2 => &mut a[1], _ => return a[0] + a[2] * 3 }; *r += 50; a[0] + a[1] * 3 + a[2] * 5 + b * 7 + c * 11 } } |x: u32| -> u32 { run(x) }, SMALL);
    with!({ fn sum(v: &[u32]) -> u32 { v.iter().fold(0, |s, v| s * 3 + v) + v.len() as u32 * 1000 } fn run(x: u32) -> u32 { let a = [x, 9, 4]; let b = [1, 2, 3]; let s = if x > 3 { &a } else { &b }; let t: &[u32] = if x > 4 { &a[1..] } else { &b }; let u: &[u32] = &a; let v = if x % 2 == 0 { u } else { &t[..1] }; s[1] + sum(t) + sum(v) * 7 + sum(if x > 1 { u } else { t }) * 13 + *(if x > 2 { &a[0] } else { &b[2] }) } } |x: u32| -> u32 { run(x) }, SMALL);
    with!({ fn run(x: u32) -> u32 { let mut a = [x, 9, 4]; let s = 'found: { for i in 0..3 { if a[i] > 4 { break 'found &mut a[i]; } } &mut a[1] }; *s += 100; let t = loop { if x > 3 { break &a[1..]; } break &a[..1]; }; let u = if x > 1 && let Some(v) = a.get(x as usize) { v } else { &a[2] }; t[0] + t.len() as u32 * 1000 + *u * 3 } } |x: u32| -> u32 { run(x) }, SMALL);
    with!({ fn run(x: u32) -> u32 { let mut a = [x, 9, 4]; let mut b = [1, 2]; { let s: &mut [u32] = if x > 3 { &mut a } else { &mut b }; s[1] += 10; s.swap(0, 1); } let t = [&a[0], &b[1]]; a[0] + a[1] * 3 + b[0] * 5 + b[1] * 7 + *t[(x % 2) as usize] + t[0] } } |x: u32| -> u32 { run(x) }, SMALL);
}

#[test]
fn elements_that_must_be_there() {
    with!({ fn run(x: u32) -> u32 { let mut a = [x, 9, 4]; *a.get_mut(1).unwrap() = 2; let s = a.last_mut().expect("one"); *s += 7; let i = (x % 5) as usize; let o = if x > 3 { a.get_mut(i) } else { None }; let was = o.is_some(); if let Some(v) = o { *v = 60; } let o = if x > 4 { a.get_mut(0) } else { a.first_mut() }; if let Some(v) = o { *v += 1; } let o = if x == 2 { Some(&mut a[1]) } else { a.get_mut(9) }; let o2 = o; if o2.is_some() { *o2.unwrap() += 1000; } a[0] + a[1] * 3 + a[2] * 5 + was as u32 * 7 } } |x: u32| -> u32 { run(x) }, SMALL);
    with!({ fn run(x: u32) -> u32 { let mut a = [x, 9, 4]; let i = x as usize; let mut n = 0; a.get_mut(i).map(|v| { *v += 50; n += 1; }); let q = a.get_mut(i + 1).map(|v| { *v *= 2; *v }); let r = a.get_mut(2).filter(|v| **v > 5).map_or(70, |v| { *v -= 1; *v }); let s = a.first_mut().is_some_and(|v| *v > 3); a.get_mut(i).or(None).map(|v| *v ^= 8); let t = a.get_mut(1).inspect(|v| n += **v).and_then(|v| if *v > 9 { Some(*v) } else { None }); a[0] + a[1] * 3 + a[2] * 5 + n + q.unwrap_or(6) + r * 7 + s as u32 + t.unwrap_or(3) } } |x: u32| -> u32 { run(x) }, SMALL);
}

#[test]
fn units_that_must_be_there() {
    with!({ fn check(x: u32) -> Result<(), u32> { if x > 90 { Err(x) } else { Ok(()) } } fn run(x: u32) -> u32 { let mut a = [x, 9, 4]; let o: Option<()> = if x > 3 { Some(()) } else { None }; o.unwrap_or(()); a.get_mut(1).map(|v| *v += 50).unwrap(); check(x).unwrap(); check(x).expect("it is small"); let () = Some(()).unwrap(); let r: Result<(), u32> = if x > 4 { Err(x) } else { Ok(()) }; r.unwrap_or({ a[0] += 7; }); let u = r.unwrap_or(()); let _ = u; a[0] + a[1] * 3 } } |x: u32| -> u32 { run(x) }, SMALL);
}

#[test]
fn moving() {
    with!({ fn run(a: &[u32], n: usize) -> u32 { let mut s = a; let mut sum = 0; while s.len() > n { sum = sum * 3 + s[0]; let before = s; s = &s[n + 1..]; sum += before.len() as u32 + before[n]; } let mut p = &a[0]; for v in a { if *v > *p { p = v; } } sum + *p * 1000 + s.len() as u32 } } |x: u32| -> u32 { let a = [x, 9, 4, 5, x + 1, 2, 6]; run(&a, x as usize % 3) }, SMALL);
    with!({ fn run(a: &mut [u32], n: usize) -> u32 { let mut s = &mut a[..]; let mut k = 0; while s.len() > 1 { s[0] += n as u32; s = &mut s[1..]; k += 1; } s[0] *= 2; k } } |x: u32| -> u32 { let mut a = [x, 9, 4, 5]; let k = run(&mut a, x as usize % 3); a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7 + k * 1000 }, SMALL);
    with!({ fn run<'a>(mut a: &'a [u32], mut p: &'a u32) -> u32 { let mut s = 0; while let Some(v) = a.first() && s < 100 { s += v * *p; p = v; a = &a[1..]; } s } } |x: u32| -> u32 { let a = [x, 9, 4, 5]; run(&a, &3) + run(&a[2..], &x) * 7 }, SMALL);
    with!({ fn run(x: u32) -> u32 { let a = [x, 9, 4, 5]; let b = [7, x, 1, 2]; let (mut old, mut new) = (&a[..], &b[..3]); let mut s = 0; for i in 0..x % 6 { s = s * 3 + old[i as usize % 3]; (old, new) = (new, old); } let t; if x > 3 { t = old; } else { t = &new[1..]; } let kept = move |i: usize| old[i]; old = new; let u = t.len() as u32 + { old = &old[1..]; old.len() as u32 } * 10; s + u * 1000 + kept(1) + old[0] } } |x: u32| -> u32 { run(x) }, SMALL);
}

#[test]
fn references_to_references() {
    with!({ fn ask(x: &u32, f: impl Fn(&u32) -> u32) -> u32 { let r = &x; f(r) + f(&&&7) } fn first(a: &[u32], f: impl Fn(&[u32]) -> u32) -> u32 { let r = &a; f(r) } fn count(a: &[u32], f: impl Fn(&u32) -> bool) -> u32 { a.iter().filter(|v| f(v)).count() as u32 } } |x: u32| -> u32 { ask(&x, |v| *v * 3) + first(&[4, x], |a| a[1]) + count(&[x, 3, 9], |v| *v > 3) * 1000 }, SMALL);
    with!({ fn run(x: u32) -> u32 { let a = [x, 9, 4]; let r: &u32 = &&a[1]; let b = a.iter().filter(|v| { let w: &u32 = v; *w > 4 }).count() as u32; let f = |v: &u32| *v + 1; *r * 100 + b * 10 + f(&&x) } } |x: u32| -> u32 { run(x) }, SMALL);
}
