//! The options of `#[vyre::kernel]`, as an editor completes and explains them; the values are the defaults.

#![allow(non_upper_case_globals, reason = "the names are those of the options")]

/// The block size along each axis: `block = 128`, `block = [32, 8]`, `block = [8, 8, 4]`.
///
/// By default 256, or `[32, 8]` and `[8, 8, 4]` in two and three dimensions, depending on what the kernel uses.
pub const block: [u32; 3] = [256, 1, 1];

/// The number of blocks of a cluster along each axis, at most 8 together: `cluster = 2`, `cluster = [2, 2]`.
///
/// By default there are no clusters.
pub const cluster: [u32; 3] = [1, 1, 1];

/// The number of blocks that shall be resident on a multiprocessor at once: `min_blocks = 2`.
///
/// A thread then gets no more registers than leave room for them. By default the assembler chooses.
pub const min_blocks: u32 = 1;

/// The name of the launcher: `launcher = Name`.
///
/// By default the kernel's in camel case.
pub const launcher: &str = "Name";

/// Things that are errors in this kernel, by their names: `deny(races)`, `deny(races, bounds_checks)`.
///
/// With `bounds_checks` the kernel does not compile if a launch that keeps its conditions checks an index or a range. By default
/// checks are left where nothing proves them. With `races` a launch that breaks any condition of the proof that no access races
/// is an error, too.
pub const deny: &[&str] = &["races", "bounds_checks"];

/// Things that are no errors in this kernel, by their names: `allow(races)`.
///
/// By default a kernel does not compile if an access may race in every launch, or threads may part before a barrier. With `races`
/// that goes unchecked.
pub const allow: &[&str] = &["races"];
