//! Payload enums with numbers of 128 bits in fields that share bytes with others, and sugar of Rust on such numbers.

use vyre::prelude::*;
use vyre_semantics::{agree, everywhere};

#[vyre::device]
mod enums {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) enum Mixed {
        Wide(u128),
        Words(u64, u64),
        Small([u32; 5]),
        Signed { a: i128, b: u8 },
        None,
    }
    pub(super) fn updated(m: &mut Mixed, y: u128) {
        match m {
            Mixed::Wide(v) => {
                *v += y;
                *v *= 3;
                let w = &mut *v;
                *w ^= 1;
            }
            Mixed::Words(a, b) => {
                core::mem::swap(a, b);
                *a += y as u64;
            }
            Mixed::Small(s) => {
                s[4] += 1;
                let [p, rest @ ..] = s;
                *p += 1;
                rest[2] = 9;
            }
            Mixed::Signed { a, b } => {
                *a -= y as i128;
                *b = b.wrapping_add((*a >> 100) as u8);
                *a = -*a;
            }
            Mixed::None => {
                *m = Mixed::Signed {
                    a: -5 - y as i128,
                    b: 3,
                }
            }
        }
    }
}

use enums::Mixed;

#[vyre::kernel]
fn update(#[each] e: &mut Mixed, y: u128) {
    enums::updated(e, y);
}

#[vyre::kernel]
fn equal(a: &[Mixed], b: &[Mixed], y: &mut [u32]) {
    let i = thread::index();
    if i < a.len() && i < b.len() && i < y.len() {
        y[i] = (a[i] == b[i]) as u32;
    }
}

#[test]
fn mixed_enums() {
    let x = [
        Mixed::Wide(u128::MAX / 50),
        Mixed::Words(1, 2),
        Mixed::Small([1, 2, 3, 4, 5]),
        Mixed::Signed { a: -(1 << 101), b: 7 },
        Mixed::None,
    ];
    let mut w = x;
    let y = (7u128 << 64) + 9;
    for e in &mut w {
        enums::updated(e, y);
    }
    everywhere(|place| {
        let mut b = place.device().upload(&x)?;
        place.over(update(&mut b, y), 5)?;
        assert_eq!(b.download()?, w);
        let (a, c) = (
            place.device().upload(&x)?,
            place.device().upload(&[x[0], Mixed::Words(1, 3), x[2], x[3], x[4]])?,
        );
        let mut z = place.device().upload(&[9u32; 5])?;
        place.over(equal(&a, &c, &mut z), 5)?;
        assert_eq!(z.download()?, [1, 0, 1, 1, 1]);
        Ok(())
    });
}

#[vyre::device]
const SHIFT: u128 = 3;
#[vyre::device]
const NARROW: u8 = (0x1ffu128 >> SHIFT << 2) as u8;
#[vyre::device]
const NEG: i32 = -(5i128 << 3) as i32;
#[vyre::device]
const BIG: f32 = u128::MAX as f32;
#[vyre::device]
const FROMF: i128 = -1e30f32 as i128;
#[vyre::device]
const LEN: usize = (1u128 << 65 >> 64) as usize;
#[vyre::device]
const CMP: bool = (-1i128) < 0 && i128::MIN as u128 == 1 << 127;

agree! {
    fn opt(a: u128, b: u128) -> u128 { let o = if a > b { Some(a) } else { None }; o.map(|x| x ^ b).unwrap_or(b) }
    fn opt2(a: u128, b: u128) -> u128 { a.checked_add(b).or(a.checked_sub(b)).unwrap_or(7) }
    fn sums(a: u128, b: u128) -> u128 { [a, b, 3].iter().map(|x| x >> 3).sum::<u128>() }
    fn prods(a: i128, b: i128) -> i128 { [a >> 100, b >> 100, 3].iter().copied().product::<i128>() }
    fn maxs(a: u128, b: u128) -> u128 { [a, b, 3].iter().copied().max().unwrap_or(0) }
    fn mins(a: i128, b: i128) -> i128 { *[a, b, 3].iter().min().unwrap() }
    fn folds(a: i128, b: i128) -> i128 { [a, b, 3].iter().fold(0i128, |x, y| x ^ *y) }
    fn pos(a: i128, b: i128) -> u32 { [3, 4, b].iter().position(|x| *x == a).map_or(9, |x| x as u32) }
    fn swaps(a: i128, b: i128) -> i128 { let (mut x, mut y) = (a, b); core::mem::swap(&mut x, &mut y); let z = core::mem::replace(&mut x, 5); z ^ (y >> 3) ^ x }
    fn gen_u(a: u128, b: u128) -> u128 { let c = if a < b { a } else { b }; (c & u128::MAX) ^ (a | b) ^ 1 }
    fn consts(a: u128) -> u128 { a ^ constants() }
    fn index(a: u128) -> u32 { [5u32, 6, 7, 8][(a & 3) as usize] }
    fn tuples(a: u128, b: i128) -> bool { (a, b) < (b as u128, a as i128) }
    fn partial(a: i128, b: i128) -> bool { a.partial_cmp(&b) == Some(core::cmp::Ordering::Greater) }
    fn clamp(a: i128, b: i128) -> i128 { a.clamp(-5, 1 << 90) ^ b.signum() }
    fn ranges(a: i128) -> bool { (-5..=1 << 100).contains(&a) }
    fn matches2(a: i128) -> u32 { match a { i128::MIN..=-2 => 1, -1 => 2, 0 | 1 => 3, 0x1_0000_0000_0000_0000.. => 4, _ => 5 } }
    fn matches3(a: u128, b: u128) -> u32 { match (a, b) { (0, _) => 1, (x, y) if x == y => 2, (_, 0..=0x1_0000_0000_0000_0000) => 3, (u128::MAX, _) => 4, _ => 5 } }
    fn shl_by_i128(a: i32, b: i128) -> i32 { a >> (b & 31) }
    fn shl_assign(a: i128, b: u8) -> i128 { let mut x = a; x <<= b & 127; x >>= 3u64; x |= 1; x %= 1 << 66; x /= 3; x -= 2; x }
    fn wshl(a: i128, b: u128) -> i128 { a << (b & 127) }
    fn wshr(a: i128, b: i128) -> i128 { a >> (b & 127) }
    fn closures(a: u128, b: u128) -> u128 { let mut t = a; let mut add = |x: u128| { t ^= x >> 1; t }; add(b); add(3); t }
    fn whiles(a: u128) -> u32 { let mut n = 0; let mut x = a; while x != 0 { x &= x - 1; n += 1; } n }
    fn gcds(a: u128, b: u128) -> u128 { let (mut a, mut b) = (a, b | 1); while b != 0 { (a, b) = (b, a % b); } a }
    fn ilog(a: u128) -> u32 { if a == 0 { 0 } else { a.ilog2() + a.ilog10() } }
    fn ptwo(a: u128) -> u128 { a.checked_next_power_of_two().unwrap_or(5) }
    fn multiple(a: u128, b: u128) -> u128 { if b == 0 { 0 } else { (a >> 1).next_multiple_of((b >> 1) | 1) ^ a.div_ceil(b) } }
    fn euclid(a: i128, b: i128) -> i128 { if b == 0 || b == -1 { 0 } else { a.div_euclid(b) ^ a.rem_euclid(b) } }
    fn wrapping_ops(a: i128, b: i128) -> i128 { if b == 0 { 0 } else { a.wrapping_div(b) ^ a.wrapping_rem(b) ^ a.wrapping_abs() ^ a.wrapping_neg() } }
    fn unsigned_abs(a: i128) -> u128 { a.unsigned_abs() ^ a.abs_diff(3) }
    fn mixed_sign(a: u128, b: i128) -> u128 { a.wrapping_add_signed(b) ^ a.checked_add_signed(b).unwrap_or(3) ^ a.saturating_add_signed(b) }
    fn pows(a: i128, b: u32) -> i128 { a.wrapping_pow(b) }
    fn eqs(a: u128, b: u128) -> bool { [a, b] == [b, a] || Some(a) == Some(b) || (a, 1) != (a, 1) }
    fn parity(a: u128) -> bool { a.is_power_of_two() || a.count_zeros() % 2 == 0 || a.trailing_ones() > 3 }
    fn bytes(a: u128) -> u128 { let b = a.to_ne_bytes(); let mut s = 0; for x in b { s = s * 31 + x as u128; } s ^ u128::from_ne_bytes(b) } as { let b = a.to_ne_bytes(); let mut s = 0u128; for x in b { s = s.wrapping_mul(31).wrapping_add(x as u128); } s ^ a }
    fn inf(a: f32) -> u128 { a as u128 ^ (a as f64 * 1e10) as u128 }
}
#[vyre::device]
fn constants() -> u128 {
    let sum = (NARROW as u128)
        .wrapping_add(NEG as i128 as u128 & 0xffff)
        .wrapping_add(BIG.to_bits() as u128);
    sum.wrapping_add(FROMF as u128)
        .wrapping_add(LEN as u128)
        .wrapping_add(CMP as u128)
}
