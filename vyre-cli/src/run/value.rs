//! Prints what a slice holds.

use vyre_core::ir::{Constant, Scalar, Type, TypeId, Types};
use vyre_core::semantics;

/// The first elements of a slice, and how many there are where that is more.
pub(super) fn slice(types: &Types, element: TypeId, bytes: &[u8], shown: usize) -> String {
    let size = (types.layout(element).size as usize).max(1);
    let elements = bytes.chunks(size);
    let length = elements.len();
    let mut texts: Vec<String> = elements.take(shown).map(|bytes| value(types, element, bytes)).collect();
    if length > shown {
        texts.push(format!(".. {length} elements"));
    }
    format!("[{}]", texts.join(", "))
}

fn value(types: &Types, ty: TypeId, bytes: &[u8]) -> String {
    let part = |ty: TypeId, offset: u64| {
        let start = offset as usize;
        value(types, ty, &bytes[start..start + types.layout(ty).size as usize])
    };
    match &types[ty] {
        Type::Atomic(scalar) if scalar.is_half() => {
            format!(
                "[{}, {}]",
                self::scalar(*scalar, &bytes[..2]),
                self::scalar(*scalar, &bytes[2..])
            )
        }
        Type::Scalar(scalar) | Type::Atomic(scalar) => self::scalar(*scalar, bytes),
        Type::Array { element, length } => {
            let size = types.layout(*element).size;
            let parts: Vec<String> = (0..*length).map(|number| part(*element, number * size)).collect();
            format!("[{}]", parts.join(", "))
        }
        Type::Tuple(fields) => {
            let offsets = types.layout(ty).offsets;
            let parts: Vec<String> = fields.iter().zip(offsets).map(|(field, at)| part(*field, at)).collect();
            format!("({})", parts.join(", "))
        }
        Type::Struct { name, fields, .. } => {
            let offsets = types.layout(ty).offsets;
            let parts = fields.iter().zip(offsets);
            let parts: Vec<String> = parts
                .map(|(field, at)| format!("{}: {}", field.name, part(field.ty, at)))
                .collect();
            format!("{name} {{ {} }}", parts.join(", "))
        }
        Type::Reference { .. } | Type::Slice { .. } => "?".to_owned(),
    }
}

fn scalar(scalar: Scalar, bytes: &[u8]) -> String {
    let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
    let constant = Constant::new(scalar, bits);
    match scalar {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::F64 => format!("{:?}", f64::from_bits(bits)),
        _ if scalar.is_float() => format!(
            "{:?}",
            f32::from_bits(semantics::cast(constant, Scalar::F32).bits as u32)
        ),
        _ => constant.as_i128().to_string(),
    }
}
