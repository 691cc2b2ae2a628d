//! Values and their memory layout.

use super::memory::Pointer;
use crate::ir::{Constant, Scalar, Type, TypeId, Types};

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Scalar(Constant),
    Reference(Pointer),
    Slice {
        start: Pointer,
        /// Number of elements.
        length: u64,
    },
    /// A tuple, struct or array in its memory layout.
    Aggregate(Vec<u8>),
}

impl Value {
    /// Reads a value of a type from `bytes`, as many as its layout has.
    pub(super) fn read(types: &Types, ty: TypeId, bytes: &[u8]) -> Value {
        match &types[ty] {
            Type::Scalar(scalar) | Type::Atomic(scalar) => Value::Scalar(read_scalar(*scalar, bytes)),
            Type::Reference { .. } => Value::Reference(Pointer::from_bits(read_word(bytes))),
            Type::Slice { .. } => Value::Slice {
                start: Pointer::from_bits(read_word(&bytes[..8])),
                length: read_word(&bytes[8..]),
            },
            Type::Tuple(_) | Type::Struct { .. } | Type::Array { .. } => Value::Aggregate(bytes.to_vec()),
        }
    }

    /// True if `bytes`, as many as the layout of its type has, are those that [`write`](Value::write) would write.
    pub(super) fn is_at(&self, bytes: &[u8]) -> bool {
        let is_word = |word: u64, bytes: &[u8]| bytes == &word.to_le_bytes()[..bytes.len()];
        match self {
            Value::Scalar(constant) => is_word(constant.bits, bytes),
            Value::Reference(pointer) => is_word(pointer.to_bits(), bytes),
            Value::Slice { start, length } => is_word(start.to_bits(), &bytes[..8]) && is_word(*length, &bytes[8..]),
            Value::Aggregate(content) => bytes == content,
        }
    }

    /// Writes the value to `bytes`, as many as the layout of its type has.
    pub(super) fn write(&self, bytes: &mut [u8]) {
        match self {
            Value::Scalar(constant) => write_word(constant.bits, bytes),
            Value::Reference(pointer) => write_word(pointer.to_bits(), bytes),
            Value::Slice { start, length } => {
                let (front, back) = bytes.split_at_mut(8);
                write_word(start.to_bits(), front);
                write_word(*length, back);
            }
            Value::Aggregate(content) => bytes.copy_from_slice(content),
        }
    }

    /// The scalar that a validated program has here.
    pub(super) fn scalar(self) -> Constant {
        match self {
            Value::Scalar(constant) => constant,
            other => {
                debug_assert!(false, "{other:?} is no scalar");
                Constant::bool(false)
            }
        }
    }
}

/// A scalar in memory. A byte other than 0 is a true `bool`.
pub(super) fn read_scalar(scalar: Scalar, bytes: &[u8]) -> Constant {
    match (scalar, read_word(bytes)) {
        (Scalar::Bool, word) => Constant::bool(word != 0),
        (_, word) => Constant::new(scalar, word),
    }
}

/// A word of at most eight bytes. Each size has a copy of its own, which is a move and not a call.
fn read_word(bytes: &[u8]) -> u64 {
    match *bytes {
        [byte] => byte.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        }
    }
}

pub(super) fn write_word(word: u64, bytes: &mut [u8]) {
    let word = word.to_le_bytes();
    match bytes.len() {
        1 => bytes[0] = word[0],
        4 => bytes.copy_from_slice(&word[..4]),
        8 => bytes.copy_from_slice(&word),
        size => bytes.copy_from_slice(&word[..size]),
    }
}
