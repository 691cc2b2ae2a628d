//! The methods of Rust that kernels have not, in a table: what to write in their place.

use crate::surface::Primitive;

/// Rust's methods that kernels do not support, with alternatives. A name that ends in `_` is a
/// prefix.
const REFUSED: &[(&str, &str)] = &[
    ("checked_", "compare before you compute, or use the `wrapping_` form"),
    ("overflowing_", "use the `wrapping_` form and compare the result"),
    ("carrying_", "use the `overflowing_` form"),
    ("borrowing_", "use the `overflowing_` form"),
    ("unchecked_", "use the `wrapping_` form"),
    ("strict_", "use the `checked_` form and `unwrap()`"),
    ("insert", TAKE_APART),
    ("get_or_insert", TAKE_APART),
    ("get_or_insert_with", TAKE_APART),
    ("transpose", TAKE_APART),
    ("expect_err", TAKE_APART),
    (
        "classify",
        "use `is_nan`, `is_infinite`, `is_normal` and `is_subnormal`",
    ),
    ("erf", "write `math::erf(x)`"),
    ("erfc", "write `math::erfc(x)`"),
    ("iter", ITERATION),
    ("iter_mut", ITERATION),
    ("into_iter", ITERATION),
    ("chunks", ITERATION),
    ("chunks_exact", ITERATION),
    ("windows", ITERATION),
    ("rchunks", ITERATION),
    ("split", ITERATION),
    ("length", LENGTH),
    ("size", LENGTH),
    ("par_", THREADS),
    ("into_par_iter", THREADS),
    ("map", ITERATION_OR_APART),
    ("sum", ITERATION),
    ("fold", ITERATION),
    ("zip", ITERATION),
    ("rev", ITERATION),
    ("sort", SORT),
    ("sort_unstable", SORT),
    ("position", ITERATION),
    ("any", ITERATION),
    ("all", ITERATION),
    ("count", ITERATION),
    ("enumerate", ITERATION),
    ("clone_from_slice", "assign the elements in a loop"),
    ("split_at", SPLIT),
    ("split_at_mut", SPLIT),
    ("filter", ITERATION_OR_APART),
    ("take", TAKE_APART),
    ("as_ref", TAKE_APART),
    ("as_mut", TAKE_APART),
    ("clone", "the values of a kernel are `Copy`: leave it out"),
    ("into", "name the type: `u64::from(x)` or `x as u64`"),
    (
        "try_into",
        "cast a number with `as` after a comparison, and take an array by `*x.first_chunk::<4>().unwrap()`",
    ),
    ("try_from", "cast with `as` after a comparison"),
    ("as_slice", "it is a slice already: leave it out"),
    ("as_mut_slice", "it is a slice already: leave it out"),
    ("to_owned", "the values of a kernel are `Copy`: leave it out"),
    ("to_string", "there are no strings in a kernel"),
    (
        "to_vec",
        "nothing allocates in a kernel: use a local array, `[0.0f32; 16]`",
    ),
    ("push", STACK),
    ("pop", STACK),
    ("update", UPDATE),
    ("try_update", UPDATE),
    (
        "in_warp",
        "the narrowest scope of an atomic is its block: write `in_block()`",
    ),
    ("in_grid", "the scope of an atomic is the device: leave it out"),
    ("in_device", "the scope of an atomic is the device: leave it out"),
    ("as_ptr", "index the slice; unchecked with `get_unchecked`"),
    ("as_mut_ptr", "index the slice; unchecked with `get_unchecked_mut`"),
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
const OF_OTHERS: &[(&str, &str)] = &[
    ("norm", "length"),
    ("magnitude", "length"),
    ("mag", "length"),
    ("len", "length"),
    ("norm_squared", "length_squared"),
    ("magnitude_squared", "length_squared"),
    ("length_sq", "length_squared"),
    ("normalized", "normalize"),
    ("unit", "normalize"),
    ("random", "uniform_f32"),
    ("gen", "uniform_f32"),
    ("r#gen", "uniform_f32"),
    ("uniform", "uniform_f32"),
    ("normal", "normal_f32"),
    ("next", "next_u32"),
];

/// The name that a type of vyre's may have for the method of another library.
pub(crate) fn of_others(name: &str) -> Option<&'static str> {
    OF_OTHERS.iter().find(|(known, _)| *known == name).map(|&(_, own)| own)
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
        .find(|(known, _)| *known == name || (known.ends_with('_') && name.starts_with(known)))
        .map(|&(_, help)| help)
}
