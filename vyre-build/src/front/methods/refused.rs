//! The methods of Rust that kernels have not, in a table: what to write in their place.

/// Methods that Rust has and kernels have not, with what to write instead. A name that ends in
/// `_` stands for all names that begin so.
const REFUSED: &[(&str, &str)] = &[
    (
        "checked_",
        "there is no `Option` in a kernel: compare before you compute, or use the `wrapping_` form",
    ),
    ("overflowing_", "use the `wrapping_` form and compare the result"),
    ("saturating_mul", "widen the operands, multiply, and clamp with `min`"),
    ("saturating_pow", "widen the operands, multiply, and clamp with `min`"),
    ("powi", "multiply in a loop, or write the product out: `x * x * x`"),
    ("powf", TRANSCENDENTAL),
    ("sin", TRANSCENDENTAL),
    ("cos", TRANSCENDENTAL),
    ("sin_cos", TRANSCENDENTAL),
    ("tan", TRANSCENDENTAL),
    ("asin", TRANSCENDENTAL),
    ("acos", TRANSCENDENTAL),
    ("atan", TRANSCENDENTAL),
    ("atan2", TRANSCENDENTAL),
    ("sinh", TRANSCENDENTAL),
    ("cosh", TRANSCENDENTAL),
    ("tanh", TRANSCENDENTAL),
    ("exp", TRANSCENDENTAL),
    ("exp2", TRANSCENDENTAL),
    ("exp_m1", TRANSCENDENTAL),
    ("ln", TRANSCENDENTAL),
    ("ln_1p", TRANSCENDENTAL),
    ("log", TRANSCENDENTAL),
    ("log2", TRANSCENDENTAL),
    ("log10", TRANSCENDENTAL),
    ("cbrt", TRANSCENDENTAL),
    ("hypot", "write `(x * x + y * y).sqrt()`"),
    ("iter", ITERATION),
    ("iter_mut", ITERATION),
    ("into_iter", ITERATION),
    ("chunks", ITERATION),
    ("chunks_exact", ITERATION),
    ("windows", ITERATION),
    ("map", ITERATION),
    ("sum", ITERATION),
    ("fold", ITERATION),
    ("zip", ITERATION),
    ("enumerate", ITERATION),
    ("contains", ITERATION),
    ("get", "compare the index with `len()` and use `x[i]`"),
    ("get_mut", "compare the index with `len()` and use `x[i]`"),
    ("first", "use `x[0]`"),
    ("last", "use `x[x.len() - 1]`"),
    ("fill", "assign the elements in a loop"),
    ("copy_from_slice", "assign the elements in a loop"),
    ("clone_from_slice", "assign the elements in a loop"),
    ("split_at", "index the whole slice"),
    ("split_at_mut", "index the whole slice"),
    ("swap", "exchange them through a variable"),
    ("unwrap_or_else", TAKE_APART),
    ("unwrap_or_default", "name the value: `x.unwrap_or(0)`"),
    ("unwrap_err", TAKE_APART),
    ("ok", TAKE_APART),
    ("err", TAKE_APART),
    ("map_or", TAKE_APART),
    ("map_err", TAKE_APART),
    ("and_then", TAKE_APART),
    ("ok_or", TAKE_APART),
    ("filter", TAKE_APART),
    ("clone", "the values of a kernel are `Copy`: leave it out"),
    ("into", "name the type: `u64::from(x)` or `x as u64`"),
    ("try_into", "cast with `as` after a comparison"),
    ("cmp", "compare with `<`, `==` and `>`"),
    ("partial_cmp", "compare with `<`, `==` and `>`"),
    ("total_cmp", "compare with `<`, `==` and `>`"),
    ("to_string", "there are no strings in a kernel"),
    (
        "to_vec",
        "nothing allocates in a kernel: use a local array, `[0.0f32; 16]`",
    ),
    ("push", "nothing allocates in a kernel: use a local array and a counter"),
    ("fetch_update", "loop over `compare_exchange`"),
    ("then", "use `if`"),
    ("then_some", "use `if`"),
    ("to_le_bytes", "shift and mask"),
    ("to_be_bytes", "shift and mask"),
    ("to_ne_bytes", "shift and mask"),
    ("as_ptr", "index the slice; unchecked with `get_unchecked`"),
    ("as_mut_ptr", "index the slice; unchecked with `get_unchecked_mut`"),
];

const TAKE_APART: &str = "take the value apart: `match x { Some(v) => .., None => .. }`";
const TRANSCENDENTAL: &str = "transcendental functions are not supported yet";
const ITERATION: &str = "loop over the indices: `for i in 0..x.len()`";

/// What to write instead of a method that Rust has.
pub(in crate::front) fn instead(name: &str) -> Option<&'static str> {
    REFUSED
        .iter()
        .find(|(known, _)| *known == name || (known.ends_with('_') && name.starts_with(known)))
        .map(|&(_, help)| help)
}
