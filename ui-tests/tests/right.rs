//! The right examples of `vyre-front/src/errors/codes` compile. The build script gathers them.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    unused_variables,
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    reason = "examples show one thing, and leave the rest out"
)]

include!(concat!(env!("OUT_DIR"), "/right.rs"));

/// The test is that this file compiles; this counts the examples.
#[test]
fn all_are_there() {
    assert!(EXAMPLES > 100, "only {EXAMPLES} examples");
}
