//! Patterns with several cases, with `..` and of slices, against plain Rust: the same tokens stand in a file and here.

#![allow(clippy::all, unused_mut, unused_variables, reason = "the bodies are what kernels look like, odd ones included")]

use crate::support::{in_file, run_lowered, slice};

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];

#[test]
fn names_in_several_cases() {
    with!({} |x: u32| -> u32 { match (x, x + 1) { (1, a) | (a, 1) => a + 100, (a, 3 | 4) | (9, a) => a + 200, (mut a, b) => { a *= 2; a + b } } }, SMALL);
    with!({ enum E { A(u32, u32), B { n: u32 }, C } fn make(x: u32) -> E { match x % 3 { 0 => E::A(x, 7), 1 => E::B { n: x }, _ => E::C } } fn run(x: u32) -> u32 { let e = make(x); let s = match e { E::A(_, n) | E::B { n } => n, E::C => 50 }; let t = match &e { E::A(n, 7) | E::A(7, n) | E::B { n } => *n * 3, _ => 9 }; let (Ok(v) | Err(v)) = (if x > 3 { Ok(x) } else { Err(x as u8 as u32 + 5) }); s + t * 100 + v * 1000 } } |x: u32| -> u32 { run(x) }, SMALL);
    with!({} |x: u32| -> u32 { let f = |((Some(a), _) | (None, a)): (Option<u32>, u32)| a * 3; let mut pairs = [(x, 1), (1, x), (2, 3)]; for p in &mut pairs { if let (1, n) | (n, 1) = p { *n += 10; } } let mut s = 0; for ((0, a) | (a, _)) in pairs { s = s * 7 + a; } if x > 2 && let [(1, a), ..] | [.., (a, _)] = pairs { s += a; } s + pairs[1].1 * 5 + f((None, x)) + f((Some(2), x)) }, SMALL);
    with!({} |x: u32| -> u32 { match (x % 4, x, x + 2) { (0, a, b) | (1, b, a) | (b, a, _) => a * 10 + b } }, SMALL);
}

#[test]
fn parts_that_are_left_out() {
    with!({ fn last(t: (u8, u32, f32)) -> f32 { let (.., f) = t; f } } |x: u32| -> u32 { let t = (x, 2u8, 3.5f32, x + 1); let (a, ..) = t; let (.., d) = t; let (b, .., e) = &t; let (n, ..) = (x + 3, { let m = 2; m }); let s = match t { (1, ..) => 10, (.., 4) => 20, (0, _, .., 1) => 30, (_, _, f, ..) => f as u32 }; a + d * 3 + b * 5 + e * 7 + n * 11 + s * 13 + last((1, 2, 9.0)) as u32 }, SMALL);
    with!({} |x: u32| -> u32 { let a = [x, 9, 4, 5]; let [first, .., last] = a; let [_, rest @ ..] = &a; let [.., p, _] = &a; let s = match a { [9, ..] => 1, [.., 5] if x > 3 => 2, [v, _, ..] => v }; first + last * 3 + rest.len() as u32 * 1000 + rest[0] * 5 + p * 7 + s }, SMALL);
}

#[test]
fn slices() {
    with!({ fn run(x: &[u32]) -> u32 { let mut s = 0; if let [a, b] = x[..2] { let c: u32 = a; s += c * 3 + b; } if x.len() > 3 && let [.., a] = x[1..] { let c: u32 = a; s += c * 17; } if let &[a, _, c] = &x[1..] { s += a + c * 7; } if let [a] = x { s += 5000 + a; } for w in x.windows(3) { let [a, b, c] = w else { continue }; s = s * 3 % 9973 + a + b * c; } for c in x.chunks(2) { match c { [a, b] => s += a ^ b, [a] => s += *a, _ => s = 0 } } s } } |x: u32| -> u32 { let a = [x, 9, 4, 5, 6]; run(&a) + run(&a[1..]) * 7 + run(&a[3..]) }, SMALL);
    with!({ fn run(x: &[u32]) -> u32 { match x { [] => 1, [a] => *a, [3, .., b] => 100 + b, [a, rest @ .., b] => a + b * 2 + rest.len() as u32 * 1000 } } fn sum(mut x: &[u32]) -> u32 { let mut s = 0; while let [first, rest @ ..] = x { s = s * 3 + first; x = rest; } s } } |x: u32| -> u32 { let a = [x, 9, 4, 5]; let n = x as usize % 5; run(&a[..n]) + sum(&a[n..]) * 7 }, SMALL);
    with!({ fn run(x: &mut [u32]) { if let [first, .., last] = x { *first += 10; *last *= 2; } if let [_, middle @ .., _] = x { middle.swap(0, 1); middle[0] += 1; } } } |x: u32| -> u32 { let mut a = [x, 9, 4, 5]; run(&mut a); a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7 }, SMALL);
}
