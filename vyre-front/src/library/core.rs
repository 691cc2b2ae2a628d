//! Functions of `core` that kernels call by their paths.

use super::methods::on::SEQUENCE;
use super::{Row, row};

/// Functions by their modules.
#[rustfmt::skip]
const FUNCTIONS: &[(&str, Row)] = &[
    ("core::mem::swap", row(SEQUENCE, "fn swap<T>(a: &mut T, b: &mut T) { let c = *a; *a = *b; *b = c; }")),
    ("core::mem::replace", row(SEQUENCE, "fn replace<T>(a: &mut T, b: T) -> T { let c = *a; *a = b; c }")),
    ("core::mem::take", row(SEQUENCE, "fn take<T: Default>(a: &mut T) -> T { let c = *a; *a = T::default(); c }")),
    ("core::cmp::min", row(SEQUENCE, "fn min<T: PartialOrd>(a: T, b: T) -> T { if b < a { b } else { a } }")),
    ("core::cmp::max", row(SEQUENCE, "fn max<T: PartialOrd>(a: T, b: T) -> T { if b < a { a } else { b } }")),
    ("core::array::from_fn", row(SEQUENCE, "fn from_fn<T, const N: usize>(mut f: impl FnMut(usize) -> T) -> [T; N] { if N == 0 { [] } else { let mut all = [f(0); N]; for i in 1..N { all[i] = f(i); } all } }")),
];

/// Functions of types, which have no rows.
const OF_TYPES: [&str; 2] = ["core::mem::size_of", "core::mem::align_of"];

/// The function of a path after `core`, with that path: `mem::swap`.
pub(crate) fn function(path: &[&str]) -> Option<(&'static str, &'static Row)> {
    let mut known = FUNCTIONS.iter();
    let found = known.find(|(known, _)| known.split("::").skip(1).eq(path.iter().copied()));
    found.map(|(known, row)| (*known, row))
}

/// The function of a type that a path names: `mem::size_of`, also by its last name alone.
pub(crate) fn of_type(path: &[&str]) -> Option<&'static str> {
    OF_TYPES.into_iter().find(|known| match path {
        [name] => known.rsplit("::").next() == Some(*name),
        _ => known.split("::").skip(1).eq(path.iter().copied()),
    })
}
