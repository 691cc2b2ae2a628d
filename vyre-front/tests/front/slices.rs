//! Elements that may be there, against plain Rust: the same tokens stand in a file and here.

use crate::support::{in_file, run_lowered, said_of, slice};

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];

#[test]
fn elements_that_may_be_there() {
    with!({} |x: u32| -> u32 { let a = [x, 5, x + 3, 7]; let mut s = 0; if let Some(&v) = a.get(x as usize) { s += v; } if let Some(v) = a.get(x as usize + 1) { s = s * 10 + *v; } match a.get(2) { Some(v) => s += v * 2, None => s += 1000 } s + a.first().unwrap() + *a.last().unwrap() * 3 }, SMALL);
    with!({ fn at(a: &[u32], i: usize) -> Option<&u32> { if i == 3 { return None; } a.get(i) } fn sum(a: &[u32]) -> u32 { a.first().copied().unwrap_or(100) + a.last().map_or(7, |v| v * 2) } } |x: u32| -> u32 { let a = [x, 5, x + 3, 7]; let n = (x % 5) as usize; let b = &a[..n]; sum(b) * 1000 + at(&a, n).copied().unwrap_or(50) + b.get(1).cloned().unwrap_or_default() + (b.get(2) == Some(&5)) as u32 + (b.first() == a.first()) as u32 * 2 }, SMALL);
    with!({ fn run(x: u32) -> u32 { let mut a = [x, 5, 9, 7]; let n = x as usize; if let Some(v) = a.get_mut(n) { *v += 100; *v *= 2; } match a.first_mut() { Some(v) if *v > 3 => *v = 1, Some(v) => *v += 50, None => {} } let Some(v) = a[1..].last_mut() else { return 9; }; *v ^= x; a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7 } } |x: u32| -> u32 { run(x) }, SMALL);
    with!({} |x: u32| -> u32 { let a = [(x, 2.5f32), (4, 1.0)]; let v = a.get(x as usize).filter(|p| p.1 > 2.0).map(|p| p.0 + 1).or(a.last().map(|&(n, f)| n * f as u32)); let w = a.get(1).is_some_and(|p| p.0 > x); if let Some(&(n, f)) = a.get((x % 3) as usize) && f > 1.5 { n + v.unwrap_or(3) } else { v.unwrap_or(6) * 10 + w as u32 } }, SMALL);
    with!({} |x: u32| -> u32 { let rows = [[x, 1, 2], [3, x, 5]]; let k = (x % 2) as usize; let o = rows[k].get(x as usize); let p = match rows.get(x as usize) { Some(&[a, _, c]) => a + c, None => 77 }; match o { Some(0) => 90, Some(&(1..=3)) => 91, Some(v) if *v == x => 92 + p, Some(_) => p, None => p + 1 } }, SMALL);
    with!({} |x: u32| -> u32 { let mut a = [3, x, 4]; let mut k = 0; let mut s = 0; while let Some(&v) = a.get(k) { a[k] = 0; s = s * 10 + v; k += 1 + (v == 9) as usize; } let o = a.get(1).copied(); a[1] = 6; let mut p = a.get(2); let q = p.take(); s + o.unwrap_or(70) + p.is_none() as u32 + *q.unwrap() }, SMALL);
    with!({} |x: u32| -> u32 { let a = [x, 8, 3, 9, 1]; let least = a.iter().min().unwrap(); let most = a.iter().skip(1).max(); let found = a.iter().find(|v| **v > 8).copied().unwrap_or(50); let pair = a.iter().enumerate().find(|(i, v)| **v < 5 && *i > 0); let last = a.iter().enumerate().last().map(|(i, &v)| i as u32 + v); least + most.copied().unwrap() * 10 + found * 100 + pair.map_or(0, |(i, v)| i as u32 * 1000 + v) + last.unwrap() }, SMALL);
}

#[test]
fn parts_in_turn() {
    with!({ fn run(a: &[u32], n: usize) -> u32 { let mut s = 0; for w in a.windows(n) { s = s % 999 * 3 + w[0] + w[n - 1]; } for (i, c) in a.chunks(n).enumerate() { s = s % 999 * 5 + i as u32; for &v in c { s += v; } s += c.len() as u32; } for c in a.chunks_exact(n).rev() { s = s % 999 * 7 + c.iter().sum::<u32>(); } s } } |x: u32| -> u32 { let a = [x, 3, 9, 4, 5, x, 1]; run(&a, 1 + x as usize % 4) + run(&a[..3], x as usize + 2) + run(&a[7..], 2) }, SMALL);
    with!({} |x: u32| -> u32 { let mut a = [x, 3, 9, 4, 5, x, 1]; for (i, c) in a.chunks_mut(3).enumerate() { c[0] += i as u32 * 10; if let Some(l) = c.last_mut() { *l *= 2; } } for c in a.chunks_exact_mut(2).skip(1) { c.swap(0, 1); } let up = a.windows(2).all(|w| w[0] <= w[1]); let at = a.windows(2).position(|w| w[1] > w[0]); let most = a.chunks(2).map(|c| c.iter().sum::<u32>()).max(); let falls = a.windows(3).filter(|w| w[0] > w[2]).count(); let dot = a.chunks_exact(2).zip(a.windows(2)).map(|(c, w)| c[0] * w[1]).sum::<u32>(); a.iter().fold(0, |s, v| s % 999 * 3 + v) + up as u32 + at.map_or(9, |v| v as u32) * 2 + most.unwrap() * 4 + falls as u32 * 8 + dot * 16 }, SMALL);
    with!({ fn run(a: &mut [u32], n: usize) -> u32 { let (low, high) = a.split_at_mut(n); for (l, h) in low.iter_mut().zip(high.iter()) { *l += *h; } if let Some(h) = high.first_mut() { *h = low.len() as u32; } let (one, _) = a.split_at(2); one[0] * 100 + one[1] + a.iter().sum::<u32>() } } |x: u32| -> u32 { let mut a = [x, 3, 9, 4]; run(&mut a, x as usize % 5) }, SMALL);
    with!({} |x: u32| -> u32 { let mut a = [x, 3, 9, 4]; let mut s = 0; for pair in a.iter().enumerate().skip(1) { s += pair.0 as u32 * *pair.1; } let mut up = |i: usize| if let Some(v) = a.get_mut(i) { *v += 1; true } else { false }; let was = up(1) as u32 + up(7) as u32 * 2; s + was * 1000 + a[1] }, SMALL);
    with!({} |x: u32| -> u32 { let a = [x, 3, 9, 4]; let p = a.iter().enumerate().filter(|p| p.0 > 0 && *p.1 > x).map(|p| p.0 as u32 + p.1).last(); let &(i, v) = &(x, 3); let t = (&a[1], i); p.unwrap_or(99) + v + *t.0 * t.1 }, SMALL);
}

#[test]
fn pairs_that_may_be_there() {
    with!({} |x: u32| -> u32 { let mut a = [x, 3, 9, 4]; let n = (x % 6) as usize; if let Some(v) = a.get_mut(n) { *v = v.rotate_left(5) ^ x; } a[0] ^ a[1] }, SMALL);
    with!({} |x: u32| -> u32 { let mut a = [x, 3, 9, 4]; let n = (x % 6) as usize; let (low, high) = a.split_at_mut(n.min(4)); low.len() as u32 * 10 + high.len() as u32 }, SMALL);
    with!({} |x: u32| -> u32 { let mut a = [x, 3, 9, 4]; a.iter().fold(0u32, |s, v| s.rotate_left(9) ^ v) }, SMALL);
    with!({} |x: u32| -> u32 { let mut a = [x, 3, 9, 4]; let (low, high) = a.split_at_mut(x as usize % 5); if let (Some(l), Some(&h)) = (low.last().copied(), high.first()) { for v in low.iter_mut() { *v ^= h.rotate_left(l % 32); } } a[0] ^ a[1] }, SMALL);
    with!({} |x: u32| -> u32 { let mut a = [x, 3, 9, 4]; for (i, part) in a.chunks_mut(1 + x as usize).enumerate() { let Some(first) = part.first_mut() else { continue }; *first ^= i as u32; } a[0] ^ a[1] }, SMALL);
}

#[test]
fn what_is_refused() {
    let said = |source: &str| said_of(&format!("fn k(x: &[(f32, f32)], h: &[AtomicU32], y: &mut [f32]) {{ {source} }}"), "k");
    let found = "V0506: an `Option` of a mutable reference, slice or atomic is not a part of a value or an argument in a kernel\nhelp: take it apart where it is found: `if let Some(x) = y.get_mut(i) { .. }`";
    let moved = "V0506: a closure in a kernel does not let `s`, a reference of the function around it, refer to something else\nhelp: return the bounds or the index from the closure, and assign the reference outside of it";
    let taken = "V0502: this closure takes `o` along, which may lack its element\nhelp: take the `Option` apart before the closure";
    let part = "V0506: a slice or a mutable reference is not a part of another value in a kernel\nhelp: give it a name of its own: destructure the pair, `(a, b)`, or use a `let`";
    let split = "V0707: `split_at` is not supported in a kernel\nhelp: destructure the result in a `let`: `let (a, b) = x.split_at(n);`";
    let known = [
        ("let mut o = y.get_mut(1);", found),
        ("let t = (y.get_mut(1), 1);", found),
        ("match (y.get_mut(1), 2) { t => {} }", found),
        ("let mut s = x; let mut f = || { s = &s[1..]; }; f();", moved),
        ("let o = y.get_mut(1); let mut f = || if let Some(v) = o { *v = 1.0 }; f();", taken),
        ("let o = y.get_mut(1);", "accepted"),
        ("let o = h.get(1);", "accepted"),
        ("h.get(1).map(|c| c.load(Ordering::Relaxed));", "accepted"),
        ("if let Some(c) = h.get(1) { c.fetch_add(1, Ordering::Relaxed); }", "accepted"),
        ("if let Some(o @ _) = y.get_mut(1) { *o = 2.0; }", "accepted"),
        ("if let Some((a, b)) = x.get(1) { y[0] = a + b; }", "accepted"),
        ("for p in y.iter_mut().enumerate() { *p.1 = 1.0; }", part),
        ("let t = (y, 1);", part),
        ("let v = y.iter_mut().last();", "V0314: a field of a variant cannot be `&mut f32`\nhelp: use the element, or an index"),
        ("let w = y.windows(2).last();", "V0314: a field of a variant cannot be `&[f32]`\nhelp: use the element, or an index"),
        ("let (a, b) = x.split_at(1).clone();", split),
        ("let s = x.split_at(1);", split),
    ];
    for (source, expected) in known {
        assert_eq!(said(source), [expected], "{source}");
    }
}
