//! Forms and methods of Rust that are lowered to others: each function runs on every back end, and
//! as plain Rust.

mod bound_by_reference;
mod bytes;
mod casts;
mod chunks;
mod conditions;
mod const_blocks;
mod double_buffers;
mod iterators;
mod numbers;
mod options;
mod orderings;
mod overlapping_fields;
mod parts;
mod question_mark;
mod ranges;
mod slices;
mod tables;
mod through_references;
mod values;
