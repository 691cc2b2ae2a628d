//! Bugs of ptxas, and how the emitted PTX avoids them.
//!
//! | quirk | versions | the bug | rewrite | cost |
//! |---|---|---|---|---|
//! | `rotated_difference` | 13.0 | `rotate(0 - a) + b` folds the negation into half of a funnel shift | `neg` | none |
//! | `remainder_of_abs` | 13.0 | `abs(a) % c` is an unsigned remainder, wrong for the smallest integer | `max(-a, a)` | one instruction |
//! | `extremum_of_negation` | 13.0, sm_90 and sm_100 | `min(min(a, -b), c)` becomes one instruction without the negation | `~b + 1` | one instruction |
//! | `compared_magnitude` | 13.0, 13.5 | `-1 < abs(a)` and `-abs(a) < 1` of `f32` fold to true, also for a NaN | complement of the unordered opposite | none |
//! | `selected_zero` | 13.0, 13.5 | `c ? -1 : -0` of `f32` converts the predicate to a float, which yields +0 | `selp.b32` | none |
//! | `saturated_nan` | 13.0, 13.5 | `max(min(a, 1), 0)` becomes a saturation, which is 0 of a NaN and not 1 | selection by the sign bit | one instruction |
//! | `saturated_zero` | 13.0, 13.5 | `min(max(a, -0), 1)` becomes a saturation, which yields +0 | comparison and selection | one instruction |
//! | `late_zero_remainder` | 13.0, 13.5 | an address `base + (a - a / 3 * 3) * 8` loses a carry where `a` proves to be zero late | `a + a / 3 * -3`, one `mad`, which the optimiser prefers in any case | none |
//! | `full_mask` | 13.0, 13.5 | `bar.warp.sync` of a mask known to be full is dropped although the warp has diverged | mask from two special registers | three instructions per entry |
//! | `diverged_tiles` | 13.0, 13.5 | lanes count as converged after an operation among part of a warp, and uniform registers are kept across it | a branch that no lane takes around it, `bar.warp.sync` before operations of all lanes | two to three instructions per operation |
//!
//! The rewrites are applied during emission, except [`saturation`], which changes the SSA before
//! it. The optimiser's rules do not know of them.
//!
//! **Adding a quirk:** a row above; a pair of small kernels in `tests.rs` that show the bug in the
//! machine code, so that the test fails once ptxas is fixed and the rewrite can be removed; the
//! rewrite in a file of this folder; a program in `tests/random` that runs on a GPU.

mod floats;
mod integers;
mod lanes;
pub(crate) mod saturation;
#[cfg(test)]
mod tests;

pub(super) use floats::selected_type;
