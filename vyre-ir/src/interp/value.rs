//! Values between statements: arguments, results, and what warp operations exchange.

use super::memory::Pointer;

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// The bits of a scalar, or of the address of a reference.
    Word(u64),
    Slice {
        start: Pointer,
        /// Number of elements.
        length: u64,
    },
    /// A tuple, struct or array in its memory layout.
    Bytes(Vec<u8>),
}

impl Value {
    /// Writes the value to `bytes`, as many as the layout of its type has.
    pub(super) fn write(&self, bytes: &mut [u8]) {
        match self {
            Value::Word(word) => {
                let size = bytes.len();
                bytes.copy_from_slice(&word.to_le_bytes()[..size]);
            }
            Value::Slice { start, length } => {
                let (front, back) = bytes.split_at_mut(8);
                front.copy_from_slice(&start.to_bits().to_le_bytes());
                back.copy_from_slice(&length.to_le_bytes());
            }
            Value::Bytes(content) => bytes.copy_from_slice(content),
        }
    }
}
