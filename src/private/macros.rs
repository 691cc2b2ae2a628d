//! The macros that kernels know, for a glob import in generated code.

pub use crate::ptx;
pub use std::{
    assert, assert_eq, assert_ne, cfg, debug_assert, debug_assert_eq, debug_assert_ne, matches, panic, print, println,
    todo, unimplemented, unreachable,
};
