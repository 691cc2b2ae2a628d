//! Known algorithms written in vyre, one file each under `tests/algorithms/`: the kernels, a
//! reference in plain Rust or a published result, and sizes that are not multiples of anything.
//!
//! This library has their shared helpers: random numbers, messages to hash, and bitwise
//! comparison.

pub use vyre_test_support::random::Random;

/// The bits of each number, which distinguish -0 from 0.
pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Concatenated messages, the input of kernels that hash many at once.
#[derive(Clone, Debug)]
pub struct Messages {
    /// All messages.
    pub bytes: Vec<u8>,
    /// The start of each message, and the end of the last one.
    pub starts: Vec<usize>,
}

impl Messages {
    /// Concatenates messages.
    pub fn new<'m>(messages: impl IntoIterator<Item = &'m Vec<u8>>) -> Messages {
        let mut all = Messages {
            bytes: Vec::new(),
            starts: vec![0],
        };
        for message in messages {
            all.bytes.extend(message);
            all.starts.push(all.bytes.len());
        }
        all
    }
}
