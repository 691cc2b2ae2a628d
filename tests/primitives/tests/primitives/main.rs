//! `vyre_primitives` on the CPU and, if present, a GPU, against plain Rust.

mod errors;
mod histogram;
mod kernels;
mod recorded;
mod reduce;
mod scan;
mod segments;
mod select;
mod sort;
mod tasks;

use vyre_test_support::case::is_long;

/// Lengths around warps, blocks and tiles, and larger ones.
const LENGTHS: [usize; 14] = [
    0, 1, 2, 31, 33, 256, 4095, 4096, 4097, 8191, 8193, 16_383, 16_385, 60_000,
];

/// A length of many tiles: fewer on the CPU, whose kernels are not optimised in the tests, and still fewer in an ordinary run.
fn large(device: &vyre::Device) -> usize {
    let exponent = match (device.is_cuda(), is_long()) {
        (true, _) => 20,
        (_, true) => 18,
        (_, false) => 16,
    };
    (1 << exponent) + 1
}
