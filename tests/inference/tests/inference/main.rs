//! The corpus: functions that rustc and vyre compile from the same tokens, and that must agree.

mod bindings;
mod casts;
mod integers;
mod literals;
mod methods;
