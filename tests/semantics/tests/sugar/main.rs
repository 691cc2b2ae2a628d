//! Forms and methods of Rust that stand for others: each function runs in every place, and as plain Rust.

mod bytes;
mod conditions;
mod iterators;
mod numbers;
mod options;
mod parts;
mod slices;
mod tables;
mod through_references;
