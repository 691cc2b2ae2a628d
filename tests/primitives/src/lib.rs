//! Helpers of the tests of `vyre_primitives`: devices, inputs, and comparison by bits.

use vyre::Device;
use vyre_primitives::{Scalar, Value};
use vyre_semantics::everywhere;
use vyre_semantics::places::Place;
pub use vyre_test_support::random::Random;

/// Runs a test on the CPU and on each GPU.
pub fn on_devices(test: impl Fn(&Device) -> vyre::Result<()>) {
    everywhere(|place| match place {
        Place::Device(device, _) => test(device),
        Place::Interpreter(_) | Place::Machine(_) => Ok(()),
    });
}

/// The bits of values, which distinguish -0 from 0. All NaNs have the same.
pub fn bits<T: Value>(values: &[T]) -> Vec<u64> {
    let of = |value: &T| match value.partial_cmp(value) {
        Some(_) => value.to_word(),
        None => f64::NAN.to_bits(),
    };
    values.iter().map(of).collect()
}

/// Random bits as values: of floats any, with infinities and NaNs.
pub fn any<T: Scalar>(seed: u64, length: usize) -> Vec<T> {
    let mut random = Random::new(seed);
    let words = random.words(2 * length);
    let pairs = words.chunks_exact(2);
    pairs
        .map(|pair| T::from_word(pair[0] as u64 | (pair[1] as u64) << 32))
        .collect()
}
