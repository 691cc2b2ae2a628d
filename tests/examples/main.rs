//! The examples, each against an independent result, on the CPU and, if present, on CUDA.
//!
//! File names are relative to the root of the package, where cargo runs tests.
#![allow(clippy::duplicate_mod, reason = "every example has the module that they share")]
#![allow(
    dead_code,
    unreachable_pub,
    reason = "the examples are programs; the tests call parts of them"
)]

mod checks;
mod devices;
mod edges;
mod histogram;
mod kmeans;
mod life;
mod mandelbrot;
mod nbody;
mod options;
mod programs;
mod ptx;
mod quickstart;
mod reduce;
mod refusals;
mod render;
mod scan;
mod search;
mod softmax;
