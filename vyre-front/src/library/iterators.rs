//! Iterators: their consumers, their adapters, and the functions of indices that both are made of.
//!
//! Consumers and adapters are written over the loop that they become, `for x in this`, and read by `syntax/iterator_text.rs`.

use super::methods::on::SEQUENCE;
use super::{Row, row};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(SEQUENCE, "fn __range<T>(a: T, b: T) -> usize { if a < b { (b as i64 - a as i64) as usize } else { 0 } }"),
    row(SEQUENCE, "fn __closed_range<T>(a: T, b: T) -> usize { if a <= b { ((b as i64 - a as i64) as usize).saturating_add(1) } else { 0 } }"),
    row(SEQUENCE, "fn __after<T>(a: T, k: usize) -> T { a + k as T }"),
    row(SEQUENCE, "fn __from_end(n: usize, k: usize) -> usize { n - 1 - k }"),
    row(SEQUENCE, "fn __without(n: usize, m: usize) -> usize { n.saturating_sub(m) }"),
    row(SEQUENCE, "fn __past(m: usize, k: usize) -> usize { k + m }"),
    row(SEQUENCE, "fn __at_most(n: usize, m: usize) -> usize { n.min(m) }"),
    row(SEQUENCE, "fn __steps(n: usize, m: usize) -> usize { if m == 0 { panic!(\"assertion failed: step != 0\"); } n / m + (n % m).min(1) }"),
    row(SEQUENCE, "fn __step(m: usize, k: usize) -> usize { k * m }"),
    row(SEQUENCE, "fn __windows(n: usize, m: usize) -> usize { if m == 0 { panic!(\"window size must be non-zero\"); } if n < m { 0 } else { n - m + 1 } }"),
    row(SEQUENCE, "fn __chunks(n: usize, m: usize) -> usize { if m == 0 { panic!(\"chunk size must be non-zero\"); } n / m + (n % m).min(1) }"),
    row(SEQUENCE, "fn __exact_chunks(n: usize, m: usize) -> usize { if m == 0 { panic!(\"chunk size must be non-zero\"); } n / m }"),
    row(SEQUENCE, "fn __next(k: usize) -> usize { k + 1 }"),
    // The empty sum of floats is -0.0.
    row(SEQUENCE, "fn __sum<T: Number>() -> T { T::ZERO * (T::ZERO - T::ONE) }"),
    row(SEQUENCE, "fn __product<T: Number>() -> T { T::ONE }"),
    row(SEQUENCE, "fn __least<T: PartialOrd>(best: Option<T>, x: T) -> Option<T> { if let Some(b) = best { if !(x < b) { return best; } } Some(x) }"),
    row(SEQUENCE, "fn __most<T: PartialOrd>(best: Option<T>, x: T) -> Option<T> { if let Some(b) = best { if x < b { return best; } } Some(x) }"),
    row(SEQUENCE, "fn __so_far<T>(best: Option<T>, x: T) -> T { match best { Some(b) => b, None => x } }"),
    row(SEQUENCE, "fn __below<T: PartialOrd>(best: Option<T>, x: T) -> bool { match best { Some(b) => x < b, None => true } }"),
    row(SEQUENCE, "fn __not_below<T: PartialOrd>(best: Option<T>, x: T) -> bool { match best { Some(b) => !(x < b), None => true } }"),
];

/// Methods that end a chain.
#[rustfmt::skip]
pub(super) const CONSUMERS: &[Row] = &[
    // The element first: its type is known.
    row(SEQUENCE, "fn sum<T>(this) { let mut found: T = __sum(); for x in this { found = x + found; } found }"),
    row(SEQUENCE, "fn product<T>(this) { let mut found: T = __product(); for x in this { found = x * found; } found }"),
    row(SEQUENCE, "fn count(this) { let mut found = 0; for x in this { found = __next(found); } found }"),
    row(SEQUENCE, "fn min(this) { let mut found = None; for x in this { found = __least(found, x); } found }"),
    row(SEQUENCE, "fn max(this) { let mut found = None; for x in this { found = __most(found, x); } found }"),
    row(SEQUENCE, "fn last(this) { let mut found = None; for x in this { found = Some(x); } found }"),
    row(SEQUENCE, "fn next(this) { let mut found = None; for x in this { found = Some(x); break; } found }"),
    row(SEQUENCE, "fn nth(this, n) { let mut left = __past(n, 0); let mut found = None; for x in this { if left == 0 { found = Some(x); break; } left = left - 1; } found }"),
    row(SEQUENCE, "fn reduce(this, f) { let mut found = None; for x in this { let now = x; let before = __so_far(found, now); if found.is_some() { found = Some(f(before, now)); } else { found = Some(now); } } found }"),
    row(SEQUENCE, "fn min_by(this, f) { let mut found = None; for x in this { let now = x; let before = __so_far(found, now); if found.is_none() || f(&before, &now) == Ordering::Greater { found = Some(now); } } found }"),
    row(SEQUENCE, "fn max_by(this, f) { let mut found = None; for x in this { let now = x; let before = __so_far(found, now); if found.is_none() || f(&before, &now) != Ordering::Greater { found = Some(now); } } found }"),
    row(SEQUENCE, "fn min_by_key(this, f) { let mut found = None; let mut least = None; for x in this { let now = x; let key = f(&now); if __below(least, key) { least = Some(key); found = Some(now); } } found }"),
    row(SEQUENCE, "fn max_by_key(this, f) { let mut found = None; let mut most = None; for x in this { let now = x; let key = f(&now); if __not_below(most, key) { most = Some(key); found = Some(now); } } found }"),
    row(SEQUENCE, "fn fold(this, init, f) { let mut found = init; for x in this { found = f(found, x); } found }"),
    row(SEQUENCE, "fn any(this, f) { let mut found = false; for x in this { if f(x) { found = true; break; } } found }"),
    row(SEQUENCE, "fn all(this, f) { let mut found = true; for x in this { if !f(x) { found = false; break; } } found }"),
    row(SEQUENCE, "fn position(this, f) { let mut found = None; let mut at = 0; for x in this { if f(x) { found = Some(at); break; } at = __next(at); } found }"),
    row(SEQUENCE, "fn find(this, f) { let mut found = None; for x in this { if f(&x) { found = Some(x); break; } } found }"),
    row(SEQUENCE, "fn find_map(this, f) { let mut found = None; for x in this { found = f(x); if found.is_some() { break; } } found }"),
    row(SEQUENCE, "fn for_each(this, f) { for x in this { f(x); } }"),
];

/// Methods that run between the number of an element and the element; the loop goes on with what they yield. Those that
/// only choose among numbers, as `rev` and `step_by`, are in `syntax/iterator.rs`.
#[rustfmt::skip]
pub(super) const ADAPTERS: &[Row] = &[
    row(SEQUENCE, "fn map(this, f) { for x in this { yield f(x); } }"),
    row(SEQUENCE, "fn filter(this, f) { for x in this { if !f(&x) { continue; } yield x; } }"),
    row(SEQUENCE, "fn take_while(this, f) { for x in this { if !f(&x) { break; } yield x; } }"),
    row(SEQUENCE, "fn skip_while(this, f) { let mut skips = true; for x in this { if skips { if f(&x) { continue; } skips = false; } yield x; } }"),
    row(SEQUENCE, "fn filter_map(this, f) { for x in this { let y = f(x); if y.is_none() { continue; } yield y.unwrap(); } }"),
    row(SEQUENCE, "fn map_while(this, f) { for x in this { let y = f(x); if y.is_none() { break; } yield y.unwrap(); } }"),
    row(SEQUENCE, "fn inspect(this, f) { for x in this { f(&x); yield x; } }"),
    row(SEQUENCE, "fn enumerate(this) { let mut count = 0; for x in this { let number = count; count = __next(count); yield (number, x); } }"),
];
