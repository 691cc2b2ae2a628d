//! Formatting of one value. The digits are written by Rust's own formatting, so that the text is
//! the same; padding and signs are added here, because the flags of a format string are fixed at
//! compile time.

use std::iter::repeat_n;

use super::spec::{Align, Count, Spec, Style};
use crate::scalar::Scalar;
use crate::semantics::{BF16, F16, Half, to_bits};

/// The bits of a value within the width of its type.
pub(super) fn pattern(scalar: Scalar, bits: u64) -> u64 {
    let unused = match scalar {
        Scalar::Bool => 63,
        _ => 64 - 8 * scalar.size().min(8),
    };
    bits << unused >> unused
}

/// A value.
pub(super) struct Value {
    /// The type; of integers of 128 bits that of the high word.
    pub(super) scalar: Scalar,
    pub(super) bits: u128,
    /// The number of bits.
    pub(super) width: u32,
}

/// Appends a value, or `()` for `None`; `count` evaluates a width or precision.
pub(super) fn write(value: Option<Value>, spec: &Spec, count: impl Fn(Count) -> usize, out: &mut String) {
    let precision = spec.precision.map(&count);
    let (mut written, is_number) = match value {
        None => (cut("()", precision), false),
        Some(Value {
            scalar: Scalar::Bool,
            bits,
            ..
        }) => (cut(if bits == 1 { "true" } else { "false" }, precision), false),
        Some(value) => {
            let scalar = value.scalar;
            // `{:x?}` differs from `{:?}` for integers only.
            let style = match spec.style {
                Style::DebugLowerHex if scalar.is_integer() => Style::LowerHex,
                Style::DebugUpperHex if scalar.is_integer() => Style::UpperHex,
                Style::DebugLowerHex | Style::DebugUpperHex => Style::Debug,
                style => style,
            };
            (digits(&value, style, spec.alternate, precision), true)
        }
    };
    if is_number && spec.plus && !written.starts_with(['-', 'N']) {
        written.insert(0, '+');
    }
    let missing = count(spec.width).saturating_sub(written.len());
    if is_number && spec.zero {
        let sign = usize::from(written.starts_with(['+', '-']));
        let has_prefix = matches!(&written.as_bytes()[sign..], [b'0', b'x' | b'o' | b'b', ..]);
        let prefix = 2 * usize::from(has_prefix);
        out.push_str(&written[..sign + prefix]);
        out.extend(repeat_n('0', missing));
        out.push_str(&written[sign + prefix..]);
        return;
    }
    let align = spec.align.unwrap_or(if is_number { Align::Right } else { Align::Left });
    let before = match align {
        Align::Left => 0,
        Align::Center => missing / 2,
        Align::Right => missing,
    };
    out.extend(repeat_n(spec.fill, before));
    out.push_str(&written);
    out.extend(repeat_n(spec.fill, missing - before));
}

/// The text cut to at most `precision` characters.
fn cut(text: &str, precision: Option<usize>) -> String {
    text[..precision.unwrap_or(text.len()).min(text.len())].to_owned()
}

/// A number in a style other than hexadecimal, octal and binary.
macro_rules! number {
    ($value:expr, $style:expr, $precision:expr) => {{
        let value = $value;
        match ($style, $precision) {
            (Style::Debug, None) => format!("{value:?}"),
            (Style::Debug, Some(digits)) => format!("{value:.digits$?}"),
            (Style::LowerExp, None) => format!("{value:e}"),
            (Style::LowerExp, Some(digits)) => format!("{value:.digits$e}"),
            (Style::UpperExp, None) => format!("{value:E}"),
            (Style::UpperExp, Some(digits)) => format!("{value:.digits$E}"),
            (_, None) => format!("{value}"),
            (_, Some(digits)) => format!("{value:.digits$}"),
        }
    }};
}

/// The bits as a kernel sees them: a NaN is the canonical one.
fn seen(scalar: Scalar, bits: u128) -> u128 {
    match scalar {
        Scalar::F16 => to_bits(F16::from_bits(bits as u16)).into(),
        Scalar::BF16 => to_bits(BF16::from_bits(bits as u16)).into(),
        Scalar::F32 => to_bits(f32::from_bits(bits as u32)).into(),
        Scalar::F64 => to_bits(f64::from_bits(bits as u64)).into(),
        _ => bits,
    }
}

/// The digits of a number, without plus and padding.
fn digits(value: &Value, style: Style, alternate: bool, precision: Option<usize>) -> String {
    let &Value { scalar, bits, width } = value;
    let bits = seen(scalar, bits);
    match (style, alternate, scalar) {
        (Style::LowerHex, false, _) => format!("{bits:x}"),
        (Style::LowerHex, true, _) => format!("{bits:#x}"),
        (Style::UpperHex, false, _) => format!("{bits:X}"),
        (Style::UpperHex, true, _) => format!("{bits:#X}"),
        (Style::Octal, false, _) => format!("{bits:o}"),
        (Style::Octal, true, _) => format!("{bits:#o}"),
        (Style::Binary, false, _) => format!("{bits:b}"),
        (Style::Binary, true, _) => format!("{bits:#b}"),
        (_, _, Scalar::F16) => number!(F16::from_bits(bits as u16).widen(), style, precision),
        (_, _, Scalar::BF16) => number!(BF16::from_bits(bits as u16).widen(), style, precision),
        (_, _, Scalar::F32) => number!(f32::from_bits(bits as u32), style, precision),
        (_, _, Scalar::F64) => number!(f64::from_bits(bits as u64), style, precision),
        _ if scalar.is_signed() => {
            let unused = 128 - width;
            number!((bits << unused) as i128 >> unused, style, precision)
        }
        _ => number!(bits, style, precision),
    }
}
