//! Closures, against plain Rust: the same tokens stand in a file and here.

use crate::support::{in_file, run_lowered, said_of, slice};

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];

#[test]
fn in_variables() {
    with!({} |x: u32| -> u32 { let f = |a: u32| a * 2 + 1; f(x) + f(f(3)) }, SMALL);
    with!({} |x: u32| -> u32 { let f = |a: u32, b: u32| -> u32 { if a > b { return a; } b - a }; f(x, 4) * 10 + f(4, x) }, SMALL);
    with!({} |x: u32| -> u32 { let k = 7; let f = |a: u32| { let k = a + k; k * x }; f(x) + k }, SMALL);
    with!({} |x: u32| -> u32 { let f = || x + 1; f() * f() }, SMALL);
    with!({} |x: u32| -> u32 { let f = |_: u32, (a, [b, c]): (u32, [u32; 2])| a + b * c; f(0, (x, [2, x])) }, SMALL);
    with!({} |x: u32| -> u32 { let t = [x, 2, 3]; let f = |i: usize| t[i] * t[2 - i]; f(0) + f(1) * 10 }, SMALL);
    with!({} |x: u32| -> u32 { let f = |mut a: u32| { while a > 3 { a -= 3; } a }; let g = f; g(x) + f(x + 1) }, SMALL);
    with!({} |x: u32| -> f32 { let f = |a: f32| a.max(1.5); f(x as f32) + f(0.25) }, SMALL);
    with!({} |x: u32| -> u32 { let f = |a: &mut u32, b: &[u32]| { *a += b[1]; }; let mut n = x; f(&mut n, &[5, 6]); f(&mut n, &[x, x]); n }, SMALL);
}

#[test]
fn what_they_change() {
    with!({} |x: u32| -> u32 { let mut n = x; let mut f = |a: u32| n += a; f(2); f(3); n }, SMALL);
    with!({} |x: u32| -> u32 { let mut t = [x; 3]; let mut f = |i: usize| { t[i] += 1; t[i] }; let a = f(1); let b = f(1); a * 100 + b * 10 + t[1] + t[0] }, SMALL);
    with!({} |x: u32| -> u32 { let mut p = (x, 1); let mut f = || { p.0 += p.1; p.1 *= 2; }; f(); f(); f(); p.0 * 100 + p.1 }, SMALL);
    with!({} |x: u32| -> u32 { let mut n = x; let mut f = |a: u32| { let mut g = || { n += a; n }; g() + g() }; let s = f(1) * f(10); s + n }, SMALL);
    with!({} |x: u32| -> u32 { let mut a = [x, 2]; let r = &mut a[1]; let mut f = |b: u32| { *r += b; *r }; let s = f(1) + f(2); s * 10 + a[1] }, SMALL);
    with!({} |x: u32| -> u32 { let mut a = x; let mut bump = || { a += 1; a }; let s = [bump(), bump(), bump()]; s[0] + s[1] * 10 + s[2] * 100 }, SMALL);
    with!({} |x: u32| -> u32 { let mut s = 0; let mut add = |v: u32| for i in 0..v { if i == 3 { continue; } s += i; }; add(x); add(5); s }, SMALL);
}

#[test]
fn that_keep_values() {
    with!({} |x: u32| -> u32 { let mut n = x; let f = move |a: u32| a + n; n += 10; f(1) * 100 + n }, SMALL);
    with!({} |x: u32| -> u32 { let mut t = [x, 1]; let f = move |i: usize| t[i]; t[0] = 50; f(0) * 100 + t[0] + f(1) }, SMALL);
    with!({} |x: u32| -> u32 { let mut n = x; let f = |a: u32| { let g = move || n + a; g() * 10 + g() }; let r = f(3); n += 1; r + n }, SMALL);
    with!({ fn call(f: impl Fn(u32) -> u32) -> u32 { f(1) * f(2) } } |x: u32| -> u32 { let mut n = x; let f = move |a: u32| a + n; n *= 2; call(f) + call(&f) + call(move |a| a * n) }, SMALL);
}

#[test]
fn as_arguments() {
    with!({ fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 { f(x) + f(x + 1.0) } } |x: u32| -> f32 { let scale = 0.5; apply(|v| v * scale, x as f32) + apply(|v| (v - 3.0).abs(), 2.0) }, SMALL);
    with!({ fn fold<F: Fn(u32, u32) -> u32>(a: &[u32], first: u32, f: F) -> u32 { let mut s = first; for i in 0..a.len() { s = f(s, a[i]); } s } } |x: u32| -> u32 { let a = [x, 3, x + 2]; fold(&a, 1, |p, q| p * q) + fold(&a, 0, |p, q| p.max(q)) * 1000 }, SMALL);
    with!({ fn each<F>(a: &[u32], mut f: F) where F: FnMut(usize, &u32) { for i in 0..a.len() { f(i, &a[i]); } } } |x: u32| -> u32 { let a = [x, 3, x + 2]; let mut s = 7; each(&a, |i, v| s += *v * i as u32); s }, SMALL);
    with!({ fn map<T: Copy, U, const N: usize>(a: [T; N], f: impl Fn(T) -> U) -> U { f(a[N - 1]) } } |x: u32| -> f32 { map([1, x], |v: u32| v as f32 * 0.5) + map([0.5f32, x as f32], |v| v + 1.0) + map([(x, 1.5f32)], |(a, b)| a as f32 - b) }, SMALL);
    with!({ fn twice(f: impl Fn(u32) -> u32, x: u32) -> u32 { f(f(x)) } fn quad(f: impl Fn(u32) -> u32, x: u32) -> u32 { twice(|y| twice(&f, y), x) + twice(f, x) } } |x: u32| -> u32 { let k = x + 1; quad(|v| v * 3 + k, x) }, SMALL);
    with!({ fn once(f: impl FnOnce() -> u32) -> u32 { f() } fn at(f: &impl Fn(u32) -> u32, g: &mut impl FnMut(u32), x: u32) -> u32 { g(f(x)); g(f(x + 1)); f(x) } } |x: u32| -> u32 { let mut n = 0; let f = |a: u32| a * x; let r = at(&f, &mut |v| n += v, 3); once(|| r + n) + at(&|a| a, &mut |_| {}, 5) }, SMALL);
    with!({ fn apply<A, B>(f: impl Fn(A) -> B, a: A) -> B { f(a) } } |x: u32| -> u32 { apply(|(a, b)| a + b, (x, 2)) + apply(|a: [u32; 2]| apply(|i: usize| a[i] + x, 1), [x, 5]) }, SMALL);
    with!({ fn until(mut f: impl FnMut() -> bool) -> u32 { let mut n = 0; loop { if f() { return n; } n += 1; } } } |x: u32| -> u32 { let mut left = x; until(|| { if left == 0 { return true; } left -= 1; left == 2 }) * 100 + left }, SMALL);
    with!({ fn both(mut f: impl FnMut(u32), mut g: impl FnMut(u32)) { f(1); g(2); f(3); g(4); } } |x: u32| -> u32 { let mut p = (x, 0); both(|a| p.0 += a, |b| p.1 += b * 2); p.0 * 100 + p.1 }, SMALL);
}

#[test]
fn functions_by_their_paths() {
    with!({ fn apply(f: impl Fn(u32) -> u32, x: u32) -> u32 { f(x) + 1 } fn triple(x: u32) -> u32 { x * 3 } fn nested(x: u32) -> u32 { apply(triple, x) } } |x: u32| -> u32 { apply(triple, x) + apply(nested, x) * 100 }, SMALL);
    with!({ fn apply(f: impl Fn(f32, f32) -> f32, x: f32) -> f32 { f(x, 2.5) } fn pick<T: PartialOrd + Copy>(a: T, b: T) -> T { if a < b { b } else { a } } } |x: u32| -> f32 { apply(f32::min, x as f32) + apply(pick, x as f32) * 100.0 }, SMALL);
    with!({ mod ops { pub fn add(a: u32, b: u32) -> u32 { a + b } } fn fold(f: impl Fn(u32, u32) -> u32, x: u32) -> u32 { f(f(1, x), 2) } } |x: u32| -> u32 { use ops::add as plus; fold(ops::add, x) + fold(plus, x) * 100 + fold(&ops::add, 1) }, SMALL);
}

/// Closures of one text in several instances, and instances for closures of one text.
#[test]
fn instances_are_kept_apart() {
    with!({ fn apply(f: impl Fn(u32) -> u32, x: u32) -> u32 { f(x) } fn scaled<const N: usize>(x: u32) -> u32 { apply(|v| v * N as u32, x) } } |x: u32| -> u32 { scaled::<3>(x) + scaled::<100>(x) + apply(|v| v + 1, x) + apply(|v| v + 2, x) }, SMALL);
    with!({ fn twice<T: Copy + core::ops::Add<Output = T>>(x: T, f: impl Fn(T, T) -> T) -> T { let g = |a: T| f(a, x); g(g(x)) } } |x: u32| -> f32 { twice(x, |a, b| a + b) as f32 + twice(x as f32, |a, b| a * 0.5 + b) }, SMALL);
}

#[test]
fn what_is_refused() {
    let said = |source: &str| said_of(&format!("fn k(x: &[f32], y: &mut [f32]) {{ {source} }}"), "k");
    let alone = "V0502: a closure in a kernel is the value of a variable or an argument of a device function\n\
                 help: write `let f = |x: f32| ..;`, and call it: `f(1.0)`";
    assert_eq!(said("let t = (|a: f32| a, 1);"), [alone]);
    assert_eq!(said("let mut f; f = |a: f32| a;"), [alone]);
    let named = "V0502: a closure in a kernel is called, or passed to a device function, and nothing else\n\
                 help: write the code where the value is needed, or call the closure there";
    assert_eq!(said("let f = |a: f32| a; let t = [f, f];"), [named, named]);
    assert_eq!(said("let f = |a: f32| a; let g = if x.len() > 3 { f } else { f };"), [named, named]);
    assert_eq!(
        said("let f = |a, b: f32| a + b;"),
        ["V0502: the parameter types of this closure cannot be inferred before its first call\nhelp: write the type: `|x: f32| ..`"]
    );
    assert_eq!(
        said("let mut n = 0; let mut f = move |a: u32| { n += a; n }; y[0] = (f(1) + f(2)) as f32;"),
        ["V0502: this closure modifies its own copy of `n`, and copies of a closure are not distinguished\n\
          help: leave `move` out, or pass the variable as `&mut`"]
    );
    assert_eq!(
        said("let f = || x; y[0] = f()[0];"),
        ["V0215: a closure in a kernel returns values: a reference is not one\nhelp: return the element, or its index; `.copied()` makes values of the references of an `Option` or an iterator"]
    );
    assert_eq!(
        said("let f = || grid::sync(); f();"),
        ["V0604: a closure does not wait for the whole grid\n\
          help: write `grid::sync()` in the kernel, between two calls"]
    );
    assert_eq!(
        said("let f: fn(f32) -> f32 = |a: f32| a; y[0] = f(1.0);"),
        ["V0502: a kernel knows which function it calls: there are no pointers to functions\n\
          help: let a device function take `impl Fn(f32) -> f32`; it is compiled for each closure"]
    );
}
