//! Results, against plain Rust: each body is compiled once in a kernel and once in a closure.

#![allow(unused_assignments, unused_parens, irrefutable_let_patterns, clippy::all, reason = "the bodies are what kernels look like, odd ones included")]

use crate::same;
use crate::support::{run, scalar, slice};

const I32: [i32; 9] = [0, 1, -1, 2, 7, -100, 1000, i32::MAX, i32::MIN];
const U32: [u32; 8] = [0, 1, 2, 7, 100, 255, 0x8000_0000, u32::MAX];
const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];
const F32: [f32; 10] = [0.0, -0.0, 1.0, -1.5, 2.5, 3.5, 1e30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];

#[test]
fn literals_take_their_types_from_their_uses() {
    same!(|x: u32| -> u32 { let a = 200; (x << 4).wrapping_add(a) }, U32);
    same!(|x: u8| -> u32 { let a = 200; ((x as u32) << 4) as u32 + a }, [0u8, 1, 255]);
    same!(|x: i64| -> i64 { let a = 1 << 3; let b = a; x / 3 + b }, [5i64, -5, 1 << 40]);
    same!(|x: f32| -> f32 { let half = 0.1; x * half }, F32);
    same!(|x: f32| -> f64 { let half = 0.1; x as f64 * half }, F32);
    same!(|x: u32| -> i32 { let mut n = 3; n += 300; n - x as i32 }, SMALL);
    same!(|x: u32| -> u8 { (200 + 100) as u8 + (x as u8) }, [0u32, 1]);
    same!(|x: u32| -> u8 { let n = 300; n as u8 + x as u8 }, [0u32, 1]);
    same!(|x: u32| -> f32 { 1 as f32 + x as f32 + 0.1 as f32 }, SMALL);
    same!(|x: u32| -> f32 { (0.1 as f32 + 0.7) * x as f32 }, SMALL);
    same!(|x: u32| -> u64 { let mut t = 0; t += 1u64 << 40; t + x as u64 }, SMALL);
    same!(|x: u32| -> i8 { let m = -128; if x == 0 { m } else { m + 1 } }, SMALL);
    same!(|x: u32| -> u32 { 0xff_u32 + 0b1010 + 0o17 + 1_000 + x }, SMALL);
    // An integer of undetermined type is an `i32`.
    same!(|x: u32| -> i64 { let top = 1 << 31; top as i64 + x as i64 }, SMALL);
    same!(|x: u32| -> u8 { b'a' + x as u8 }, SMALL);
    same!(|x: u32| -> f64 { 1e-3 + 2.5e2_f64 + 1f64 + x as f64 }, SMALL);
}

#[test]
fn shadowing_and_scopes() {
    same!(|x: u32| -> u32 { let a = x; let a = a + 1; { let a = a * 2; let _b = a; } a }, SMALL);
    same!(|x: u32| -> u32 { let a = 1; let b = { let a = x + a; a * 2 }; a + b }, SMALL);
    same!(|x: u32| -> u32 { let x = x + 1; let x = x as u64; let x = x * 3; x as u32 }, SMALL);
    same!(|x: u32| -> u32 { let mut s = 0; for x in 0..x { s += x; } s + x }, SMALL);
    same!(|x: u32| -> u32 { let a; if x > 3 { a = x; } else { a = 7; } a }, SMALL);
    same!(|x: u32| -> u32 { let (a); if x > 3 { a = x; } else { a = 7; } a }, SMALL);
    same!(|x: u32| -> u32 { let a @ _: u32; if x > 3 { a = x; } else { a = 7; } a }, SMALL);
    same!(|x: u32| -> u32 { let (mut a, [b, c], (..)): (u32, [u32; 2], ()); a = x; b = 2; c = a; a += b; a * c }, SMALL);
    same!(|x: u32| -> u32 { let (a, mut b) = (x, x + 1); b += a; let (a, b) = (b, a); a * 3 + b }, SMALL);
    same!(|x: u32| -> u32 { let t = (x, (x + 1, 2u8)); t.0 + t.1.0 + t.1.1 as u32 }, SMALL);
    same!(|x: u32| -> u32 { let (mut a, mut b) = (0, 1); for _ in 0..x { (a, b) = (b, a + b); } a }, SMALL);
    same!(|x: u32| -> u32 { let mut a = [1, 2]; let mut i = 0; (a[i], (i, _)) = (x, (1, 2u8)); a[0] + a[1] * 10 + i as u32 }, SMALL);
    same!(|x: u32| -> u32 { let mut t = (x, 1); t.1 += t.0; t.0 = 5; t.0 * t.1 }, SMALL);
}

#[test]
fn branches() {
    same!(|x: i32| -> i32 { if x > 0 { 1 } else if x == 0 { 0 } else { -1 } }, I32);
    same!(|x: i32| -> i32 { let mut y = 1; if x > 0 { y = 2; if x > 100 { y = 3; } } else { y = y - 5; } y }, I32);
    same!(|x: u32| -> u32 { let y = if x > 3 { let t = x * 2; t + 1 } else { x }; y + 1 }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; let b = { n += 1; x > 2 } && { n += 10; x > 4 }; n + b as u32 }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; let b = { n += 1; x > 2 } || { n += 10; x == 0 }; n + b as u32 }, SMALL);
    same!(|x: u32| -> bool { x > 2 && x < 5 || x == 20 }, SMALL);
    same!(|x: u32| -> u32 { let a = [1, 2, 3]; if x < 3 && a[x as usize] == 2 { 7 } else { 8 } }, SMALL);
    same!(|x: u32| -> u32 { if x == 3 { 1 } else { if x == 4 { 2 } else { 3 } } }, SMALL);
}

#[test]
fn matches() {
    same!(|x: u32| -> u32 { match x { 0 => 5, 1 | 2 => 6, 3..=5 => 7, n if n % 2 == 0 => n, n => n + 1 } }, SMALL);
    same!(|x: i32| -> i32 { match x { -1 => 1, i32::MIN..=-2 => 2, 0..7 => 3, m @ (7 | 1000) => m, 8.. => 4 } }, I32);
    same!(|x: u32| -> u32 { const K: u32 = 3; let mut n = 0; match x { K => n += 1, _ if x > 8 => { n += 2; } _ => {} } n }, SMALL);
    same!(|x: bool| -> u32 { match x { true => 1, false => { let a = 2; a * 2 } } }, [true, false]);
    same!(|x: u32| -> u32 { match (x % 2, x > 3) { (0, true) => 1, (1, b) if b => 2, (0, _) => 3, (_, false) => 4, _ => 5 } }, SMALL);
    same!(|x: u32| -> u32 { match (x % 3, x > 3) { (0, true) | (1, false) => 1, (2, _) | (0, false) => 2, _ => 3 } }, SMALL);
    same!(|x: u32| -> u32 { let mut s = 0; for i in 0..x { match i % 3 { 0 => continue, 1 => s += i, _ if s > 20 => break, _ => s += 1 } } s }, SMALL);
    same!(|x: u32| -> u32 { let y = 'early: { let y = x else { let double = |n: u32| n * 2; break 'early double(7) + 1 % 7; }; y }; let half = |n: u32| n / 2; half(y) + 1 }, SMALL);
    same!(|x: u32| -> u32 { let mut n = x; let a = x.checked_add(1).unwrap_or({ n += 5; 7 }); a + n }, SMALL);
    same!(|x: u32| -> u32 { match (x % 3, x > 3) { (0, true) => 1, pair if pair.1 => pair.0 + 10, (n, _) => n + 20 } }, SMALL);
    same!(|x: u32| -> u32 { match (x % 3, x) { (0, n) | (1, n) if n > 3 => n, mut pair => { pair.0 += pair.1; pair.0 * 100 } } }, SMALL);
    same!(|x: u8| -> u32 { match x { b'a'..=b'z' => 1, b'A'..=b'Z' => 2, b'0' => 3, _ => 4 } }, [b'a', b'Z', b'0', 0]);
}

#[test]
fn loops() {
    same!(|x: u32| -> u32 { let mut n = 0; let mut i = 0; while i < x { i += 1; if i == 3 { continue; } n += i; } n }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; loop { if n * n > x { break; } n += 1; } n }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; loop { n += 1; if n > x { break n * 2; } } }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; for i in 0..=x { n += i * i; } n }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; for i in (0..x).rev() { n = n * 3 % 1000 + i; } n }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; for i in (0..=x).rev() { n = n * 3 % 1000 + i; } n }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; for i in (0..x).step_by(3) { n = n * 3 % 1000 + i; } n }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; for i in (0..=x).step_by(4) { n = n * 3 % 1000 + i; } n }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 1; for i in (2..x).rev().step_by(2) { n = n * 3 % 1000 + i; } n }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 1; for i in (2..=x).rev().step_by(2) { n = n * 3 % 1000 + i; } n }, SMALL);
    same!(|x: u8| -> u32 { let mut n = 0; for i in x..=255 { n += i as u32; } n }, [0u8, 250, 255]);
    same!(|x: u8| -> u32 { let mut n = 0; for i in (x..255).step_by(100) { n += i as u32; } n }, [0u8, 250, 255]);
    same!(|x: i8| -> i32 { let mut n = 0; for i in (-128..x).step_by(7) { n = n * 3 % 1000 + i as i32; } n }, [0i8, 127, -128]);
    same!(|x: i8| -> i32 { let mut n = 0; for i in (x..=127).rev() { n = n * 3 % 1000 + i as i32; } n }, [0i8, 127, -128]);
    same!(|x: u32| -> u32 {
        let mut n = 0;
        'outer: for i in 0..x {
            for j in 0..x {
                if j == 3 { continue 'outer; }
                if i == 4 { break 'outer; }
                if i == j { continue; }
                n += i * 10 + j;
            }
        }
        n
    }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; for mut i in 0..x { let j = i; i *= 2; n += i + j; } n }, SMALL);
    same!(|x: u32| -> u32 { let r = 'found: { if x == 3 { break 'found 10; } if x > 5 { break 'found 20; } 30 }; r + 1 }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; 'b: { for i in 0..x { if i == 4 { break 'b; } n += i; } n += 100; } n }, SMALL);
    same!(|x: u32| -> u32 { let mut i = 0; while { i += 2; i < x } { i += 1; } i }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; for _ in 0..x { n += 2; } n }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; let mut m = x; for i in 0..m { m = 1; n += i; } n + m }, SMALL);
}

#[test]
fn order_of_evaluation() {
    same!(|x: u32| -> u32 { let mut n = x; let r = n + { n += 1; n } * { n += 1; n }; r + n }, SMALL);
    same!(|x: u32| -> u32 { let mut a = [1, 2, 3]; let mut i = 0; a[{ i += 1; i }] = { i = 1; x }; a[0] + a[1] * 10 + a[2] * 100 }, SMALL);
    same!(|x: u32| -> u32 { let mut a = [1, 2, 3]; let mut i = 0; a[{ i += 1; i }] += { i = 1; x }; a[0] + a[1] * 10 + a[2] * 100 }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 1; n += { n = 10; x }; n }, SMALL);
    same!(|x: u32| -> u32 { let mut n = x; let t = (n, { n += 5; n }, n); t.0 + t.1 * 2 + t.2 * 3 }, SMALL);
    same!(|x: u32| -> u32 { let mut n = x; n.max({ n += 3; 5 }) + n }, SMALL);
    same!(|x: u32| -> u32 { let mut n = 0; let a = [{ n += 1; n }, { n += x; n }, n]; a[0] + a[1] * 2 + a[2] * 4 }, SMALL);
    same!(|x: u32| -> u32 { let mut a = [x, 5]; let old = a; a[0] = 9; a[1] = old[0]; a[0] + a[1] + old[1] }, SMALL);
}

#[test]
fn operators() {
    same!(|x: i32| -> i32 { (x & 0xff) | (x >> 4) ^ 3 }, I32);
    same!(|x: i32| -> i32 { !x }, I32);
    same!(|x: u32| -> u32 { x % 7 + x / 3 }, U32);
    same!(|x: i32| -> i32 { x % 7 + x / 3 }, I32);
    same!(|x: f32| -> f32 { -x + x % 0.7 / 3.0 }, F32);
    same!(|x: u32| -> u32 { let mut y = x; y <<= 2; y >>= 1u8; y ^= 5; y &= 0xfff; y |= 1 << 20; y }, U32);
    same!(|x: u32| -> u64 { 1u64 << (x % 64) }, U32);
    same!(|x: bool| -> bool { !x ^ true | false & x }, [true, false]);
    same!(|x: bool| -> u32 { x as u32 + (x as u8) as u32 }, [true, false]);
    same!(|x: f32| -> i32 { x as i32 }, F32);
    same!(|x: f32| -> u8 { x as u8 }, F32);
    same!(|x: i32| -> u64 { x as u64 }, I32);
    same!(|x: i32| -> i64 { x as i64 as i8 as i64 }, I32);
    same!(|x: f32| -> bool { x < 2.0 && x >= -1.5 || x != x }, F32);
    same!(|x: u32| -> usize { usize::from(x as u16) + x as usize }, U32);
    same!(|x: u32| -> f64 { f64::from(x) * 0.5 + f64::from(x as u8) }, U32);
    same!(|x: i32| -> i32 { i32::MIN.max(x).min(i32::MAX - 1) }, I32);
    same!(|x: i32| -> i32 { -2147483648 + x.abs_diff(3) as i32 / 2 }, [1, 2, 3]);
}

#[test]
fn methods_of_integers() {
    same!(|x: i32| -> i32 { x.wrapping_add(5).wrapping_mul(3).wrapping_sub(7).wrapping_neg() }, I32);
    same!(|x: u32| -> u32 { x.wrapping_neg() }, U32);
    same!(|x: u32| -> u32 { x.wrapping_shl(33) ^ x.wrapping_shr(35) }, U32);
    same!(|x: i32| -> i32 { x.min(7).max(-5) + x.clamp(-3, 9) + x.signum() }, I32);
    same!(|x: i32| -> u32 { x.unsigned_abs() ^ x.abs_diff(-5) }, I32);
    same!(|x: u32| -> u32 { x.abs_diff(100) }, U32);
    same!(|x: u32| -> u32 { x.count_ones() + x.count_zeros() * 100 + x.leading_zeros() * 10000 }, U32);
    same!(|x: u32| -> u32 { x.trailing_zeros() + x.leading_ones() * 100 + x.trailing_ones() * 10000 }, U32);
    same!(|x: u8| -> u32 { x.count_ones() + x.leading_zeros() * 100 + x.count_zeros() * 1000 }, [0u8, 1, 128, 255]);
    same!(|x: u32| -> u32 { x.rotate_left(5) ^ x.rotate_right(3) ^ x.swap_bytes() ^ x.reverse_bits() }, U32);
    same!(|x: i32| -> i32 { x.rem_euclid(7) * 2 + x.div_euclid(7) / 2 + x.rem_euclid(-7) + x.div_euclid(-7) / 2 }, I32);
    same!(|x: u32| -> u32 { x.rem_euclid(7) + x.div_euclid(7) }, U32);
    same!(|x: u32| -> u32 { x.div_ceil(7) }, U32);
    same!(|x: i32| -> i32 { x.saturating_add(2_000_000_000) ^ x.saturating_sub(2_000_000_000) }, I32);
    same!(|x: u32| -> u32 { x.saturating_add(4_000_000_000) ^ x.saturating_sub(50) }, U32);
    same!(|x: u32| -> u32 { x.wrapping_pow(3) + x.wrapping_pow(0) }, [0u32, 1, 2, 3, 70000]);
    same!(|x: u32| -> u32 { 3u32.wrapping_pow(x) }, SMALL);
    same!(|x: u32| -> u32 { 2u32.pow(x) }, SMALL);
    same!(|x: u32| -> bool { x.is_power_of_two() }, U32);
    same!(|x: i32| -> bool { x.is_positive() || x.is_negative() }, I32);
    same!(|x: u32| -> u32 { u32::max(x, 5) + u32::wrapping_add(x, 3) / 2 }, SMALL);
    same!(|x: i32| -> u32 { x.cast_unsigned() }, I32);
    same!(|x: u32| -> u32 { x.wrapping_add_signed(-3) }, U32);
    same!(|x: u32| -> u32 { let three = 3; three.min(x) + 7.max(x) }, SMALL);
}

#[test]
fn methods_of_floats() {
    same!(|x: f32| -> f32 { x.abs().sqrt() }, F32);
    same!(|x: f32| -> f32 { x.mul_add(2.0, 1.0) }, F32);
    same!(|x: f32| -> f32 { x.floor() + x.ceil() * 2.0 + x.trunc() * 4.0 }, F32);
    same!(|x: f32| -> f32 { x.round() + x.round_ties_even() * 16.0 }, F32);
    same!(|x: f32| -> f32 { x.fract() }, F32);
    same!(|x: f32| -> f32 { x.recip() }, F32);
    same!(|x: f32| -> f32 { x.signum() + x.copysign(-2.0) }, F32);
    same!(|x: f32| -> f32 { x.min(1.0).max(-1.0) }, F32);
    same!(|x: f32| -> f32 { x.clamp(-1.0, 1.0) }, F32);
    same!(|x: f32| -> u32 { (x + 0.0).to_bits() }, [0.0f32, 1.0, -2.0, f32::INFINITY]);
    same!(|x: f32| -> u32 { x.is_nan() as u32 + 2 * x.is_finite() as u32 + 4 * x.is_infinite() as u32 }, F32);
    same!(|x: f32| -> u32 { x.is_sign_negative() as u32 + 2 * x.is_sign_positive() as u32 }, F32[..9]);
    same!(|x: f32| -> f32 { x.rem_euclid(0.7) }, F32[..6]);
    same!(|x: f32| -> f32 { x.div_euclid(0.7) + x.div_euclid(-0.7) }, F32[..6]);
    same!(|x: u32| -> f32 { f32::from_bits(x & 0x7f00_0000) }, U32);
    same!(|x: f32| -> f32 { f32::max(x, 0.5) + f32::mul_add(x, x, x) }, F32);
    same!(|x: f32| -> f32 { x * core::f32::consts::PI + f32::EPSILON * f32::MAX }, F32);
    same!(|x: f64| -> f64 { x * std::f64::consts::FRAC_PI_2 + f64::MIN_POSITIVE }, [1.0f64, -1e300]);
    same!(|x: f32| -> f32 { if x.is_nan() { f32::INFINITY } else { f32::NEG_INFINITY } }, F32);
}

#[test]
fn arrays_and_constants() {
    same!(|x: u32| -> u32 { let mut a = [0u32; 16]; for i in 0..16 { a[i] = x + i as u32; } let mut s = 0; for i in 0..a.len() { s += a[i] * (i as u32 + 1); } s }, SMALL);
    same!(|x: u32| -> u32 { let mut m = [[0; 3]; 2]; m[1][2] = x; m[0] = [1, 2, 3]; m[0][1] + m[1][2] + m.len() as u32 + m[0].len() as u32 }, SMALL);
    same!(|x: u32| -> u32 { const N: usize = 2 * M; const M: usize = 3; let a = [x; N]; let mut s = 0; for i in 0..N { s += a[i]; } s + N as u32 }, SMALL);
    same!(|x: u32| -> f32 { const TABLE: [f32; 4] = [0.5, 1.5, -2.0, 0.1]; TABLE[x as usize % 4] + TABLE[1] }, SMALL);
    same!(|x: u32| -> i32 { const K: [[i32; 3]; 2] = [[1, -2, 3], [-4; 3]]; K[x as usize % 2][x as usize % 3] }, SMALL);
    same!(|x: u32| -> u32 { const MASK: u32 = (1 << 5) - 1; const BIG: u64 = 1 << 40; (x & MASK) + (BIG >> 38) as u32 }, U32);
    same!(|x: u32| -> i8 { const LEAST: i8 = -128; const F: f32 = -1.5 * 2.0; LEAST + (F as i8 + 3) + x as i8 % 2 }, SMALL);
    same!(|x: u32| -> u32 { const A: [u32; 3] = [7; 3]; let mut b = A; b[1] = x; b[0] + b[1] + A[2] }, SMALL);
}

#[test]
fn parameters_are_variables() {
    let source = "fn k(mut n: u32, y: &mut [u32]) { #![allow(unused)] n += 1; let z = y; z[0] = n; n = 3; z[1] = n; }";
    let mut data = [scalar(41u32), slice(&[0u32; 2])];
    run(source, &mut data, [1, 1, 1]).expect("runs");
    assert_eq!(data[1].values::<u32>(), [42, 3]);
}

#[test]
fn unsafe_and_unchecked() {
    let source = "fn k(x: &[u32], y: &mut [u32]) {
        let i = thread::index();
        if i >= y.len() { return; }
        unsafe {
            *y.get_unchecked_mut(i) = *x.get_unchecked(i) + x.get_unchecked(0).wrapping_mul(1);
            *y.get_unchecked_mut(i) += 1;
        }
    }";
    let mut data = [slice(&[1u32, 2, 3]), slice(&[0u32; 3])];
    run(source, &mut data, [1, 1, 1]).expect("runs");
    assert_eq!(data[1].values::<u32>(), [3, 4, 5]);
}

#[test]
fn shared_memory_and_indices() {
    let source = "fn k(src: &[u32], dst: &mut [u32], width: usize, height: usize) {
        let tile = shared::<[[u32; 33]; 32]>();
        let (x, y) = thread::index_2d();
        let t = thread::idx();
        if x < width && y < height { tile[t.y][t.x] = src[y * width + x]; }
        block::sync();
        let (bx, by) = (block::idx().x * block::dim().x, block::idx().y * block::dim().y);
        let u = by + t.x;
        let v = bx + t.y;
        let _ = grid::dim().x;
        if t.x < block::dim().y && t.y < block::dim().x { }
        for j in (t.y..32).step_by(8) {
            let v = bx + j;
            if t.x < 8 && u < height && v < width { dst[v * height + u] = tile[t.x][j]; }
        }
    }";
    let (w, h) = (40usize, 20usize);
    let input: Vec<u32> = (0..(w * h) as u32).collect();
    let mut data = [slice(&input), slice(&vec![0u32; w * h]), scalar(w), scalar(h)];
    run(source, &mut data, [2, 3, 1]).expect("runs");
    let out = data[1].values::<u32>();
    for y in 0..h {
        for x in 0..w {
            assert_eq!(out[x * h + y], input[y * w + x]);
        }
    }
}

#[test]
fn atomics() {
    let source = "fn k(x: &[u32], counts: &[AtomicU32], sum: &[AtomicF32], flag: &[AtomicU64]) {
        let local = shared::<[AtomicU32; 4]>();
        let t = thread::idx().x;
        if t < 4 { local[t].store(0, Ordering::Relaxed); }
        block::sync();
        let i = thread::index();
        if i < x.len() {
            local[x[i] as usize % 4].fetch_add(1, Ordering::Relaxed);
            sum[0].fetch_add(x[i] as f32, core::sync::atomic::Ordering::Relaxed);
            if flag[0].compare_exchange(0, 7, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                flag[1].store(1, Ordering::Release);
            }
            let old = flag[2].fetch_max(i as u64, Ordering::Relaxed);
            assert!(old < 1000);
        }
        block::sync();
        if t < 4 { counts[t].fetch_add(local[t].load(Ordering::Relaxed), Ordering::Relaxed); }
    }";
    let mut data = [slice(&[0u32, 1, 2, 3, 0, 0, 1]), slice(&[10u32; 4]), slice(&[0.0f32]), slice(&[0u64; 3])];
    run(source, &mut data, [1, 1, 1]).expect("runs");
    assert_eq!(data[1].values::<u32>(), [13, 12, 11, 11]);
    assert_eq!(data[2].values::<f32>(), [7.0]);
    assert_eq!(data[3].values::<u64>(), [7, 1, 6]);
}

#[test]
fn faults() {
    let fault = |body: &str| {
        let source = format!("fn k(x: &mut [u32]) {{ {body} }}");
        let mut data = [slice(&[1u32; 3])];
        format!("{:?}", run(&source, &mut data, [1, 1, 1]).expect_err("faults"))
    };
    assert!(fault("x[thread::index()] = 1;").contains("IndexOutOfBounds"));
    assert!(fault("assert!(x.len() > 3, \"too {{short}}\");").contains("too {short}"));
    assert!(fault("assert_eq!(x.len(), 4);").contains("=="));
    assert!(fault("if x.len() == 3 { panic!(\"three\"); }").contains("three"));
    assert!(fault("x[0] = 1 / (x[1] - 1);").contains("DivisionByZero"));
    assert!(fault("let y = x[0].clamp(5, 3); x[0] = y;").contains("min <= max"));
    assert!(fault("let y = x[0].checked_add(1).unwrap_or(1 / (x[1] - 1)); x[0] = y;").contains("DivisionByZero"));
    assert!(fault("for i in (0..x.len()).step_by(x.len() - 3) { x[i] = 0; }").contains("step != 0"));
}
