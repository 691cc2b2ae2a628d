//! Enums with fields, `Option` and `Result`, against plain Rust: the same tokens stand in a file and here.

use crate::support::{in_file, run_lowered, said_of, slice};

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];

#[test]
fn made_and_matched() {
    with!({ #[derive(Clone, Copy)] enum Shape { Circle(f32), Rect { w: f32, h: f32 }, Empty } } |x: u32| -> f32 { let s = if x % 3 == 0 { Shape::Circle(x as f32) } else if x % 3 == 1 { Shape::Rect { h: x as f32, w: 2.5 } } else { Shape::Empty }; match s { Shape::Circle(r) => r * r, Shape::Rect { w, h: height } => w - height, Shape::Empty => -1.0 } }, SMALL);
    with!({ enum E { A(u32, i64), B(u32), C } fn make(x: u32) -> E { match x % 4 { 0 => E::A(x, -3), 1 => E::B(x + 1), 2 => E::A(7, x as i64), _ => E::C } } fn value(e: E) -> i64 { match e { E::A(0, n) | E::A(7, n) if n > 100 => n, E::A(a, n) if n < 0 => n - a as i64, E::A(_, n) => n * 2, E::B(b @ 2..=6) => b as i64, E::B(..) => 50, E::C => 60 } } } |x: u32| -> i64 { value(make(x)) * 100 + value(E::C) + value(make(x + 1)) }, SMALL);
    with!({ enum Inner { P((u8, u16)), Q([u32; 3]) } enum Outer { One(Inner, bool), Two(Inner, Inner), None_ } } |x: u32| -> u32 { let i = if x > 3 { Inner::P((x as u8, 9)) } else { Inner::Q([x, 1, 2]) }; let o = match x % 3 { 0 => Outer::One(i, x > 4), 1 => Outer::Two(i, Inner::Q([4; 3])), _ => Outer::None_ }; match o { Outer::One(Inner::P((a, b)), true) => a as u32 * b as u32, Outer::One(Inner::Q([a, _, c]), _) => a * 10 + c, Outer::One(..) => 77, Outer::Two(Inner::Q(t), Inner::Q([s, _, _])) => t[1] + s, Outer::Two(_, _) => 88, Outer::None_ => 99 } }, [0, 1, 2, 3, 4, 6, 7, 9]);
    with!({ enum One { Only(u32, u8) } } |x: u32| -> u32 { match One::Only(x, 3) { One::Only(a, b) => a + b as u32 } }, SMALL);
    with!({ enum Big { A(u32), B(f32), C(u32, u32), D, E } fn code(b: &Big) -> u32 { match *b { Big::A(x) => x, Big::B(f) => f as u32, Big::C(p, q) => p * q, Big::D => 1000, Big::E => 2000 } } } |x: u32| -> u32 { let mut b = Big::E; for i in 0..x { b = match b { Big::E => Big::A(i), Big::A(n) => Big::B(n as f32 + 1.5), Big::B(f) => Big::C(f as u32, 3), Big::C(..) => Big::D, Big::D => Big::E }; } code(&b) }, SMALL);
}

#[test]
fn options() {
    with!({} |x: u32| -> u32 { let o = if x > 3 { Some(x) } else { None }; match o { Some(v) if v > 8 => v * 2, Some(v) => v, None => 100 } }, SMALL);
    with!({ fn half(x: u32) -> Option<u32> { if x % 2 == 0 { Some(x / 2) } else { None } } } |x: u32| -> u32 { if let Some(h) = half(x) { h } else { half(x + 1).unwrap() + 1000 } }, SMALL);
    with!({} |x: u32| -> u32 { let o: Option<(u32, f32)> = None; let p = if x == 2 { o } else { Some((x, 0.5)) }; (p.is_some() as u32) * 10 + p.is_none() as u32 + p.unwrap_or((3, 1.0)).0 * 100 }, SMALL);
    with!({} |x: u32| -> u32 { let mut best = None; for i in 0..x { let v = (i * 7) % 5; best = match best { None => Some(v), Some(b) if v > b => Some(v), other => other }; } best.unwrap_or(99) }, SMALL);
    with!({} |x: u32| -> u32 { let mut stack = [None; 4]; let mut n = 0; while n < 4 && n < x as usize { stack[n] = Some(n as u8 * 3); n += 1; } let mut s = 0; while let Some(v) = stack[n.saturating_sub(1)] { s += v as u32; stack[n - 1] = None; n -= 1; if n == 0 { break; } } s + stack[1].is_some() as u32 * 100 }, SMALL);
    with!({} |x: u32| -> u32 { let a = if x > 2 { Some(x) } else { None }; let b = Some(3); (a == b) as u32 + ((a != None) as u32) * 2 + (a == Some(9)) as u32 * 4 }, SMALL);
    with!({} |x: u32| -> u32 { match (Some(x), if x > 3 { None } else { Some(x as u8) }) { (Some(a), Some(b)) => a + b as u32, (Some(0..=5), None) => 500, (Some(a), None) => a, (None, _) => 1 } }, SMALL);
    with!({} |x: u32| -> u32 { let o = Some(Some(x)); let p: Option<Option<u32>> = if x > 4 { Some(None) } else { o }; match p { Some(Some(1 | 2)) => 12, Some(Some(n)) => n, Some(None) => 50, None => 60 } }, SMALL);
    with!({} |x: u32| -> u32 { let u = if x > 3 { Some(()) } else { None }; let mut n = 0; if let Some(()) = u { n += 1; } if matches!(u, Some(_)) { n += 10; } n }, SMALL);
    with!({ fn add(to: &mut Option<u32>, v: u32) { *to = match *to { Some(s) => Some(s + v), None => Some(v) }; } fn last<T: Copy>(a: &[T]) -> Option<T> { if a.len() > 0 { Some(a[a.len() - 1]) } else { None } } } |x: u32| -> u32 { let mut o = None; add(&mut o, x); add(&mut o, 4); o.expect("a sum") + last(&[1, x]).unwrap() + last(&[(x, 2u8)]).unwrap_or((0, 0)).0 }, SMALL);
    with!({ fn first(f: impl Fn(u32) -> Option<u32>, n: u32) -> Option<u32> { for i in 0..n { if let Some(v) = f(i) { return Some(v); } } None } } |x: u32| -> u32 { first(|i| if i * i > x { Some(i) } else { None }, 4).unwrap_or(40) + first(Some, 2).unwrap() }, SMALL);
}

#[test]
fn let_else() {
    with!({ fn f(x: u32) -> u32 { let o = if x > 3 { Some((x, 2u8)) } else { None }; let Some((a, b)) = o else { return 77 }; a * 10 + b as u32 } } |x: u32| -> u32 { f(x) }, SMALL);
    with!({ fn f(t: (u32, u32)) -> u32 { let (0..=4, n) = t else { let n = t.0; return n * 2; }; let mut n @ 1.. = n else { return 1000; }; n += 1; n } } |x: u32| -> u32 { f((x, 3)) + f((1, x)) }, SMALL);
    with!({} |x: u32| -> u32 { let mut s = 0; for i in 0..6 { let Some(v) = (if i == x % 7 { None } else { Some(i) }) else { continue; }; s = s * 10 + v; } s }, SMALL);
}

#[test]
fn patterns_through_references() {
    with!({} |x: u32| -> u32 { let p = (x, [x + 1, 2]); let (a, [b, c]) = &p; *a * 100 + b * 10 + *c }, SMALL);
    with!({} |x: u32| -> u32 { let mut p = (x, 3u32); { let (a, b) = &mut p; *a += 1; *b *= *a; } p.0 * 100 + p.1 }, SMALL);
    with!({ fn both(pair: &(u32, u32)) -> u32 { match pair { (0, b) => *b, (a, 3) => a.pow(2), (a, b) => a + b } } } |x: u32| -> u32 { both(&(x, 3)) + both(&(x / 4, 7)) }, SMALL);
    with!({ fn bump(pair: &mut (u32, Option<u32>)) { match pair { (0, n) => *n = Some(4), (a, Some(n)) => { *n += *a; *a = 1; } (a, None) => *a += 1 } } } |x: u32| -> u32 { let mut p = (x, if x > 2 { Some(x) } else { None }); bump(&mut p); bump(&mut p); p.0 * 1000 + p.1.unwrap_or(500) }, SMALL);
    with!({} |x: u32| -> u32 { let pairs = [(x, 2u8), (3, 4), (x + 2, 1)]; let mut s = 0; if let Some((a, b)) = pairs.get(x as usize) { s = a + *b as u32; } if let Some(&(a, b)) = pairs.last() { s += a * b as u32; } s }, SMALL);
    with!({} |x: u32| -> u32 { let mut pairs = [(x, 2u32), (3, 4)]; if let Some((a, b)) = pairs.get_mut(x as usize % 3) { *a += *b; *b = 9; } pairs[0].0 * 1000 + pairs[0].1 * 100 + pairs[1].0 * 10 + pairs[1].1 }, SMALL);
    with!({} |x: u32| -> u32 { let mut pairs = [(x, 2u32), (3, 4)]; for (a, b) in &mut pairs { *a += *b; } for (a, b) in pairs.iter_mut() { *b ^= *a; } let mut s = 0; for (a, b) in &pairs { s = s * 31 + a + *b; } for (i, (a, b)) in pairs.iter().enumerate() { s += i as u32 * (*a - (*b).min(*a)); } s }, SMALL);
    with!({} |x: u32| -> u32 { let pairs = [(x, 2u32), (3, 4)]; let f = |(a, b): &(u32, u32)| a * b; let g = |&(a, b): &(u32, u32)| a + b; f(&pairs[0]) + g(&pairs[1]) + pairs.iter().map(|(a, b)| a ^ b).sum::<u32>() + pairs.iter().filter(|&&(a, _)| a > 2).count() as u32 }, SMALL);
    with!({} |x: u32| -> u32 { let a = [Some(Some(x)), Some(None), None]; match a.get(x as usize) { Some(Some(Some(v))) => v.count_ones() + *v, Some(Some(None)) => 50, Some(None) => 60, None => 70 } }, SMALL);
    with!({} |x: u32| -> u32 { let mut p = (x, 1u32); let mut add = |by: u32| match &mut p { (0, b) => *b += by, (a, _) => *a -= 1 }; add(5); add(6); p.0 * 100 + p.1 }, SMALL);
}

#[test]
#[allow(non_snake_case, reason = "the names of variables may look like those of constants")]
fn patterns_that_always_match() {
    with!({ enum One { Only(u32, u8) } } |x: u32| -> u32 { let One::Only(a, b) = One::Only(x, 3); let (c, One::Only(d, _)) = (b, One::Only(a + 1, 7)); a * 100 + b as u32 * 10 + c as u32 + d }, SMALL);
    with!({} |x: u32| -> u32 { let p @ (a, _) = (x, 2u8); p.0 + a * 10 + p.1 as u32 }, SMALL);
    with!({ fn pair(x: u32) -> (u32, [u16; 2]) { (x, [x as u16, 7]) } } |x: u32| -> u32 { let (mut a, [b, mut c]) = pair(x); a += 1; c ^= b; let (A, [_, N]) = pair(a); A * 100 + N as u32 + c as u32 }, SMALL);
    with!({} |x: u32| -> u64 { let (a, [b, c]): (u8, [u64; 2]); if x > 3 { a = 250; b = 1 << 40; } else { a = 7; b = 3; } c = b / 3 + (a as u64); a.wrapping_add(9) as u64 + c }, SMALL);
    with!({} |x: u32| -> u32 { let (mut a, mut b) = (x, 3); (a, b) = (b, a + 1); let mut c = 0; ([a, c], _) = ([a * 2, b], 5); a * 100 + b * 10 + c }, SMALL);
    with!({ fn rising<const N: usize>(x: u32) -> [u32; N] { let mut a = [x; N]; for i in 0..N { a[i] += i as u32; } a } } |x: u32| -> u32 { let [a, b] = rising(x); let (c, [d, e, f]) = (1, rising(3)); a + b * 10 + c + d + e + f }, SMALL);
}

#[test]
fn results() {
    with!({ fn checked(x: u32) -> Result<u32, (u8, bool)> { if x < 5 { Ok(x * 2) } else { Err((x as u8, x > 9)) } } } |x: u32| -> u32 { let c = match checked(x) { Ok(v) => v, Err((n, true)) => n as u32 * 100, Err((n, _)) => n as u32 }; c + checked(x).unwrap_or(1000) + checked(x).is_ok() as u32 }, SMALL);
    with!({} |x: u32| -> u32 { let r: Result<u32, u32> = if x > 3 { Ok(x) } else { Err(x + 100) }; let v = match r { Ok(v) | Err(v) => v }; v + r.is_err() as u32 * 1000 }, SMALL);
}

#[test]
fn comparisons_and_instances() {
    with!({ #[derive(Clone, Copy, PartialEq)] enum Key { Number(u32), Pair(u16, u32), Nothing } fn same<T: PartialEq>(a: T, b: T) -> bool { a == b } fn key(x: u32) -> Key { match x { 0 => Key::Nothing, 1..=4 => Key::Number(x / 2), _ => Key::Pair(2, x / 2) } } } |x: u32| -> u32 { same(key(x), key(x + 1)) as u32 + (key(x) != Key::Number(1)) as u32 * 2 + same(key(x), Key::Pair(2, 4)) as u32 * 4 + same(Some(x), None) as u32 * 8 }, SMALL);
    with!({ #[derive(Clone, Copy)] enum Op { Push(i32), Add, Neg } fn run(ops: &[Op], x: i32) -> i32 { let mut stack = [0; 8]; let mut n = 0; for op in ops { match *op { Op::Push(v) => { stack[n] = v + x; n += 1; } Op::Add => { n -= 1; stack[n - 1] += stack[n]; } Op::Neg => stack[n - 1] = -stack[n - 1] } } stack[0] } } |x: u32| -> i64 { run(&[Op::Push(3), Op::Push(4), Op::Neg, Op::Add], x as i32) as i64 }, SMALL);
}

#[test]
fn constructors_with_types() {
    with!({} |x: u32| -> u32 { let o = if x > 3 { Some(x) } else { None::<u32> }; let p = Option::<u32>::Some(x + 1); let n = Option::None::<u8>; o.unwrap_or(5) + p.unwrap_or(0) + n.is_none() as u32 }, SMALL);
    with!({} |x: u32| -> u32 { let r = Ok::<u32, i64>(x); let e = Err::<u8, u32>(x + 2); match (r, e) { (Ok(a), Err(b)) => a * 100 + b, _ => 0 } }, SMALL);
}

#[test]
fn what_is_refused() {
    let said = |source: &str| said_of(&format!("#[device] enum E {{ A(u32), B }} #[device] enum O {{ V(u32) }} fn k(y: &mut [f32]) {{ {source} }}"), "k");
    let known: [(&str, &[&str]); 6] = [
        // rustc refuses it.
        ("let Some(v) = Some(1); y[0] = v as f32;", &["accepted"]),
        ("let O::V(v) = O::V(1); y[0] = v as f32;", &["accepted"]),
        ("let o: Result<&mut [f32], u32> = Ok(y);", &["V0314: a field of a variant cannot be `&mut [f32]`\nhelp: use the element, or an index"]),
        ("let t = (Some(y), 1);", &["V0314: a field of a variant cannot be `&mut [f32]`\nhelp: use the element, or an index"]),
        ("let t = shared::<[Option<u32>; 4]>();", &["V0802: shared memory cannot hold the enum in `[Option<u32>; 4]`\nhelp: keep its discriminant, `kind as u32`: shared memory holds any bits before it is written"]),
        ("let e = E::A(1); let f = e == E::B;", &["V0509: values of `E` are not compared as a whole in a kernel\nhelp: use `match`, or write `#[derive(PartialEq)]` below `#[vyre::device]`, where vyre sees it"]),
    ];
    for (source, expected) in known {
        assert_eq!(said(source), expected, "{source}");
    }
}

#[test]
fn chains_of_conditions() {
    with!({ fn half(x: u32) -> Option<u32> { if x % 2 == 0 { Some(x / 2) } else { None } } } |x: u32| -> u32 { if let Some(h) = half(x) && h > 1 { h } else if x > 4 && let Some(h) = half(x + 1) && let Some(q) = half(h) { h * 100 + q } else { 7 } }, SMALL);
    with!({ fn next(n: &mut u32) -> Option<(u32, bool)> { *n += 1; if *n % 5 == 0 { None } else { Some((*n, *n > 3)) } } } |x: u32| -> u32 { let mut n = x; let mut s = 0; while s < 50 && let Some((v, false)) | Some((v, true)) = next(&mut n) && v != 8 { s += v; if v == 11 { continue; } s += 1; } s * 100 + n }, SMALL);
    with!({ enum E { A(u32, i64), B { n: u32 }, C } fn make(x: u32) -> E { match x % 3 { 0 => E::A(x, -3), 1 => E::B { n: x }, _ => E::C } } } |x: u32| -> i64 { let mut count = 0; let r = if { count += 1; x != 2 } && let E::A(mut a, b) = make(x) && { a += 5; a > 6 } && let (c, 0..=20) = (a + 1, { count += 10; a }) { a as i64 * b + c as i64 } else if let E::B { n } = make(x) && n < 9 && { count += 100; true } { n as i64 } else { 1000 }; r * 1000 + count }, SMALL);
    with!({} |x: u32| -> u32 { let mut o = Some(x); let mut rounds = 0; 'all: while let Some(v) = o && v > 0 { rounds += 1; o = if v > 100 { None } else { Some(v / 2) }; let mut k = v; while k > 1 && let 0 = k % 2 { k /= 2; if k == 5 { break 'all; } } } rounds + o.unwrap_or(90) }, SMALL);
    with!({} |x: u32| -> bool { let o = if x > 3 { Some(x) } else { None }; let is_large = if let Some(v) = o && let true = v > 8 { true } else { false }; is_large && { if x == 9 && let Some(v) = o { v == 9 } else { false } } }, SMALL);
}
