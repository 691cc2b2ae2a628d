//! The methods of Rust that kernels have not, in a table: what to write in their place.

use crate::surface::Primitive;

/// Rust's methods that kernels do not support, with alternatives. A name that ends in `_` is a
/// prefix.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &words![checked_],
        "compare before you compute, or use the `wrapping_` form",
    ),
    (&words![overflowing_], "use the `wrapping_` form and compare the result"),
    (&words![carrying_ borrowing_], "use the `overflowing_` form"),
    (&words![unchecked_], "use the `wrapping_` form"),
    (&words![strict_], "use the `checked_` form and `unwrap()`"),
    (
        &words![insert get_or_insert get_or_insert_with transpose expect_err take as_ref as_mut],
        TAKE_APART,
    ),
    (
        &words![classify],
        "use `is_nan`, `is_infinite`, `is_normal` and `is_subnormal`",
    ),
    (&words![erf], "write `math::erf(x)`"),
    (&words![erfc], "write `math::erfc(x)`"),
    (
        &words![iter iter_mut into_iter chunks chunks_exact windows rchunks split sum fold zip rev position any all count enumerate],
        ITERATION,
    ),
    (&words![length size], LENGTH),
    (&words![par_ into_par_iter], THREADS),
    (&words![map filter], ITERATION_OR_APART),
    (&words![sort sort_unstable], SORT),
    (&words![clone_from_slice], "assign the elements in a loop"),
    (&words![split_at split_at_mut], SPLIT),
    (
        &words![clone to_owned],
        "the values of a kernel are `Copy`: leave it out",
    ),
    (&words![into], "name the type: `u64::from(x)` or `x as u64`"),
    (
        &words![try_into],
        "cast a number with `as` after a comparison, and take an array by `*x.first_chunk::<4>().unwrap()`",
    ),
    (&words![try_from], "cast with `as` after a comparison"),
    (&words![as_slice as_mut_slice], "it is a slice already: leave it out"),
    (&words![to_string], "there are no strings in a kernel"),
    (
        &words![to_vec],
        "nothing allocates in a kernel: use a local array, `[0.0f32; 16]`",
    ),
    (&words![push pop], STACK),
    (&words![update try_update], UPDATE),
    (
        &words![in_warp],
        "the narrowest scope of an atomic is its block: write `in_block()`",
    ),
    (
        &words![in_grid in_device],
        "the scope of an atomic is the device: leave it out",
    ),
    (&words![as_ptr], "index the slice; unchecked with `get_unchecked`"),
    (
        &words![as_mut_ptr],
        "index the slice; unchecked with `get_unchecked_mut`",
    ),
];

const LENGTH: &str = "write `len()`";
const STACK: &str = "nothing allocates in a kernel: use a local array and a counter";
const THREADS: &str = "the threads of a launch are the parallel loop: take one element, `#[each] y: &mut f32`, or index by `thread::index()`";
const TAKE_APART: &str = "destructure the value: `match x { Some(v) => .., None => .. }`";
const ITERATION_OR_APART: &str =
    "loop over the indices, `for i in 0..x.len()`; of an `Option`: `match x { Some(v) => .., None => .. }`";
const SPLIT: &str = "destructure the result in a `let`: `let (a, b) = x.split_at(n);`";
const SORT: &str = "sort in a loop, or by several threads: exchange elements in the wrong order";
const UPDATE: &str = "write `fetch_update(set_order, fetch_order, |old| Some(..))`";
const ITERATION: &str = "loop over the indices: `for i in 0..x.len()`";

/// True of a method of slices, arrays, iterators and options alone, which rustc refuses of a number.
pub(crate) fn is_of_collections(name: &str) -> bool {
    let helps = [ITERATION, ITERATION_OR_APART, SPLIT, SORT, TAKE_APART];
    instead(name).is_some_and(|help| helps.contains(&help))
}

/// True of a method that makes parts of a slice, which takes their length.
pub(crate) fn takes_length(name: &str) -> bool {
    ["chunks", "chunks_exact", "rchunks", "windows"].contains(&name)
}

/// Methods of the vectors and random generators of other libraries, with the names of vyre's.
const OF_OTHERS: &[(&[&str], &str)] = &[
    (&words![norm magnitude mag len], "length"),
    (&words![norm_squared magnitude_squared length_sq], "length_squared"),
    (&words![normalized unit], "normalize"),
    (&words![random gen r#gen uniform], "uniform_f32"),
    (&words![normal], "normal_f32"),
    (&words![next], "next_u32"),
];

/// The name that a type of vyre's may have for the method of another library.
pub(crate) fn of_others(name: &str) -> Option<&'static str> {
    let mut rows = OF_OTHERS.iter();
    rows.find(|(known, _)| known.contains(&name)).map(|&(_, own)| own)
}

/// The type of numbers that a method of another library casts to: `x.to_f64()`.
pub(crate) fn cast(name: &str) -> Option<Primitive> {
    let to = Primitive::from_name(name.strip_prefix("to_").or_else(|| name.strip_prefix("as_"))?)?;
    (to != Primitive::Bool && !to.scalar().is_half()).then_some(to)
}

/// The replacement for a method that Rust has and kernels lack.
pub(crate) fn instead(name: &str) -> Option<&'static str> {
    REFUSED
        .iter()
        .find(|(all, _)| {
            all.iter()
                .any(|known| *known == name || known.ends_with('_') && name.starts_with(known))
        })
        .map(|&(_, help)| help)
}
