//! Floats of 16 bits: computed exactly and rounded by arithmetic.

use super::scalar::{Kind, Type};

/// The bit layout of a type.
struct Format {
    /// Explicit bits of the significand.
    fraction: i32,
    /// The exponent of the smallest normal number.
    least: i32,
}

impl Format {
    fn of(ty: Type) -> Format {
        match ty.kind {
            Kind::Brain => Format {
                fraction: 7,
                least: -126,
            },
            _ => Format {
                fraction: 10,
                least: -14,
            },
        }
    }

    fn infinity(&self) -> u64 {
        0x8000 - (1 << self.fraction)
    }
}

/// The number of these bits.
pub(super) fn decode(ty: Type, bits: u64) -> f64 {
    let format = Format::of(ty);
    let size = bits & 0x7fff;
    let (field, fraction) = (size >> format.fraction, size & ((1 << format.fraction) - 1));
    let value = match field {
        0 => fraction as f64 * 2f64.powi(format.least - format.fraction),
        _ if size > format.infinity() => f64::NAN,
        _ if size == format.infinity() => f64::INFINITY,
        _ => (fraction + (1 << format.fraction)) as f64 * 2f64.powi(format.least - format.fraction + field as i32 - 1),
    };
    if bits & 0x8000 == 0 { value } else { -value }
}

/// The bits of `value + rest` rounded to nearest, where `rest` is less than the last bit of
/// `value`.
pub(super) fn encode(ty: Type, value: f64, rest: f64) -> u64 {
    let format = Format::of(ty);
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let (size, rest) = (value.abs(), if sign == 0 { rest } else { -rest });
    if size.is_nan() {
        // Sign and payload are unspecified: neither the canonical NaN nor its negative.
        return 0xffd5;
    }
    if size == 0.0 || size.is_infinite() {
        return sign | if size == 0.0 { 0 } else { format.infinity() };
    }
    let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(format.least);
    let scaled = size / 2f64.powi(exponent - format.fraction);
    let whole = scaled.floor();
    let up = match (scaled - whole).total_cmp(&0.5) {
        std::cmp::Ordering::Equal => rest > 0.0 || rest == 0.0 && whole % 2.0 == 1.0,
        order => order.is_gt(),
    };
    let units = whole as u64 + u64::from(up);
    sign | ((((exponent - format.least) as u64) << format.fraction) + units).min(format.infinity())
}

/// An instruction on numbers of the type.
pub(super) fn arithmetic(name: &[&str], ty: Type, operands: &[u64]) -> Result<u64, String> {
    let values: Vec<f64> = operands.iter().map(|&bits| decode(ty, bits)).collect();
    let rounds = name.contains(&"rn");
    let of_f16 = ty.kind == Kind::Float;
    let (value, rest) = match (name[0], &values[..]) {
        // Sums of two are exact, and so are products.
        ("add", [a, b]) if rounds && of_f16 => (a + b, 0.0),
        ("sub", [a, b]) if rounds && of_f16 => (a - b, 0.0),
        ("mul", [a, b]) if rounds && of_f16 => (a * b, 0.0),
        ("neg", [a]) if of_f16 => (-a, 0.0),
        ("fma", [a, b, c]) if rounds => {
            let product = a * b;
            let sum = product + c;
            let part = sum - product;
            let rest = (product - (sum - part)) + (c - part);
            (sum, if rest.is_finite() { rest } else { 0.0 })
        }
        _ => return Err("unknown instruction".to_owned()),
    };
    Ok(encode(ty, value, rest))
}
