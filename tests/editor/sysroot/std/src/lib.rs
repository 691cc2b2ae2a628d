//! The part of the standard library that crates see: all of `core`, and output.

#![no_std]

pub use core::{clone, convert, iter, marker, ops, option, prelude, primitive, slice};
pub use core::{assert, compile_error};

#[macro_export]
macro_rules! println {
    ($($argument:tt)*) => {};
}
