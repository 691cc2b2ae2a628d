//! Methods that are written in terms of others, against those of the standard library.

use crate::same;
use crate::support::{in_file, run_lowered, slice};

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];
const I32: [i32; 9] = [0, 1, -1, 2, 7, -100, 1000, i32::MAX, i32::MIN];

#[test]
fn options() {
    with!({ fn half(x: u32) -> Option<u32> { (x % 2 == 0).then_some(x / 2) } } |x: u32| -> u32 { let o = half(x); let n = 3; o.map(|v| v * 2 + n).unwrap_or(7) + o.and_then(half).map_or(100, |v| v * 10) + o.map_or_else(|| n * 1000, |v| v) }, SMALL);
    with!({} |x: u32| -> u32 { let o = (x > 2).then(|| x * 3); let mut seen = 0; let r = o.filter(|v| v % 2 == 1).or(Some(5)).xor(o.filter(|&v| v > 20)).inspect(|v| seen += *v).unwrap_or_else(|| { seen += 1; 40 }); r * 100 + seen }, SMALL);
    with!({} |x: u32| -> u32 { let a = if x > 1 { Some(x) } else { None }; let b = if x < 9 { Some(x as f32 + 0.5) } else { None }; let z = a.zip(b); let (p, q) = z.unzip(); (z.is_some_and(|(m, n)| m as f32 + n > 6.0) as u32) * 100 + a.is_none_or(|v| v == 4) as u32 * 10 + p.unwrap_or_default() + q.unwrap_or_default() as u32 * 1000 + a.and(b).is_some() as u32 * 7 }, SMALL);
    with!({} |x: u32| -> u32 { let mut o = Some(x); let t = o.take(); let u = o.replace(x + 1); let v = o.replace(9); let n: Option<Option<u32>> = if x > 3 { Some(v) } else { None }; t.unwrap() + u.is_none() as u32 * 10 + v.unwrap() * 100 + o.or_else(|| Some(1)).unwrap() * 1000 + n.flatten().unwrap_or(50) }, SMALL);
    with!({} |x: u32| -> u32 { let r: Result<u32, u8> = if x > 3 { Some(x) } else { None }.ok_or(x as u8 + 1); let s = Some(x).filter(|v| *v != 4).ok_or_else(|| x * 2); r.map(|v| v + 1).map_err(|e| e as u32 * 10).unwrap_or_else(|e| e) + s.or_else(|e| if e == 8 { Err(2u8) } else { Ok(e) }).map_or(60, |v| v * 100) }, SMALL);
    with!({ fn check(x: u32) -> Result<u32, u32> { if x % 3 == 0 { Err(x) } else { Ok(x) } } } |x: u32| -> u32 { let r = check(x); let mut n = 0; let t = r.and_then(|v| check(v + 1)).inspect(|v| n += *v).inspect_err(|e| n += e * 3); n + r.ok().unwrap_or(7) + r.err().map_or(0, |e| e * 100) + t.is_ok_and(|v| v > 5) as u32 * 1000 + t.is_err_and(|e| e == 3) as u32 * 2000 + r.and(t).unwrap_or_default() + r.or(check(4)).unwrap_or_default() + t.map_or_else(|e| e, |v| v * 2) + if r.is_err() { r.unwrap_err() } else { 0 } }, SMALL);
    with!({} |x: u32| -> f32 { let o = (x > 3).then_some([x as f32, 2.0]); let t = (x > 4).then_some((x, true)); o.unwrap_or_default()[1] + t.unwrap_or_default().0 as f32 }, SMALL);
    with!({} |x: u32| -> f32 { let o = Some(x as f32).map(f32::sqrt).map(Some); o.flatten().and_then(|v| Some(v)).map_or(0.0, f32::floor) }, SMALL);
}

#[test]
fn integers() {
    same!(|x: i32| -> i64 { let mut s = 0i64; for y in [0, 1, -1, 3, -7, 46341, i32::MAX, i32::MIN] { s = s * 3 + x.checked_mul(y).map_or(5, |v| v as i64) + x.saturating_mul(y) as i64 + x.overflowing_mul(y).1 as i64 + x.midpoint(y) as i64 + x.saturating_sub_unsigned(y as u32) as i64 + x.checked_add_unsigned(y as u32).unwrap_or(4) as i64; s %= 1 << 40; } s }, I32);
    same!(|x: u32| -> u64 { let mut s = 0u64; for e in [0u32, 1, 2, 3, 5, 31, 32, 40] { s = s * 7 + x.checked_pow(e).unwrap_or(9) as u64 + x.saturating_pow(e) as u64 + x.checked_shl(e).unwrap_or(3) as u64 + x.unbounded_shr(e) as u64; s %= 1 << 40; } s + x.isqrt() as u64 + x.checked_ilog10().unwrap_or(77) as u64 + x.checked_next_multiple_of(7).unwrap_or(1) as u64 }, [0u32, 1, 2, 3, 10, 99, 65535, 65536, u32::MAX]);
    same!(|x: u32| -> u32 { let b = x.to_be_bytes(); let c = f32::from_bits(x & 0x7f00_ffff).to_le_bytes(); u32::from_le_bytes(b) ^ u32::from_be_bytes(c) ^ u32::from_ne_bytes([1, 2, b[0], 4]) ^ u16::from_be_bytes([b[1], 7]) as u32 ^ u32::from_be(x) }, [0u32, 1, 0x8000_0000, 0x1234_5678]);
    same!(|x: i32| -> bool { let o: Option<i32> = Some(x.wrapping_neg()).and_then(i32::checked_neg).and_then(i32::checked_abs); o == Some(x.saturating_abs()) || i32::checked_mul(x, 2).is_none() }, I32);
}

#[test]
fn slices() {
    with!({ fn all(a: &mut [u32], x: u32) -> u32 { a.swap(0, 2); a.reverse(); let had = a.contains(&x); a.copy_from_slice(&[x, x + 1, x * 2]); let low = a.partition_point(|&v| v < 10); had as u32 * 100 + low as u32 * 10 + a.is_sorted() as u32 + a.starts_with(&[4, 5]) as u32 * 1000 + a.ends_with(&[10]) as u32 * 2000 } } |x: u32| -> u32 { let mut a = [5, 4, 9]; let n = all(&mut a, x); let mut b = [[1u8; 2]; 3]; b.fill([x as u8, 2]); b.swap(1, 2); n + b[1][0] as u32 + a.contains(&4) as u32 }, SMALL);
}
