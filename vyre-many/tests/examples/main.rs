//! The examples: each against plain Rust on any number of ranks, and as programs.
#![allow(clippy::duplicate_mod, reason = "both examples have the modules that they share")]
#![allow(
    dead_code,
    unreachable_pub,
    reason = "the examples are programs, of which the tests call parts, and the checks those of other examples, too"
)]

#[path = "../../../tests/examples/checks.rs"]
mod checks;
#[path = "../../../tests/examples/devices.rs"]
mod devices;
mod heat;
mod programs;
mod train;
