//! Results, against plain Rust.
