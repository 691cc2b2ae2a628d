//! The front end: what kernels lower to, what they compute, and what is refused.

mod atomics;
#[rustfmt::skip]
mod behaviour;
#[rustfmt::skip]
mod computes;
mod corpus;
#[rustfmt::skip]
#[macro_use]
mod functions;
#[rustfmt::skip]
mod closures;
#[rustfmt::skip]
mod constants;
#[rustfmt::skip]
mod slices;
#[rustfmt::skip]
mod sums;
#[rustfmt::skip]
mod iterators;
mod long;
mod lowers;
#[rustfmt::skip]
mod parameters;
mod mutate;
#[rustfmt::skip]
mod parts;
mod refuses;
#[rustfmt::skip]
mod patterns;
#[rustfmt::skip]
mod references;
#[rustfmt::skip]
mod idioms;
#[rustfmt::skip]
mod library;
mod support;
mod types;
