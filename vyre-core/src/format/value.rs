//! One value as text. Rust's own formatting writes the digits, so that the text is the same; what
//! stands around them is added here, because a format string must have its flags as they are.

use std::iter::repeat_n;

use super::spec::{Align, Spec, Style};
use crate::ir::Scalar;
use crate::meaning::{BF16, F16, Half};

/// Appends a value, given as bits.
pub(super) fn write(scalar: Scalar, bits: u64, spec: &Spec, out: &mut String) {
    let mut written = digits(scalar, bits, spec);
    let is_number = scalar != Scalar::Bool;
    if is_number && spec.plus && !written.starts_with(['-', 'N']) {
        written.insert(0, '+');
    }
    let missing = spec.width.saturating_sub(written.chars().count());
    if is_number && spec.zero {
        let sign = usize::from(written.starts_with(['+', '-']));
        let prefix = 2 * usize::from(spec.alternate && is_pattern(spec.style));
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

/// Whether a style shows the bits.
fn is_pattern(style: Style) -> bool {
    matches!(style, Style::LowerHex | Style::UpperHex | Style::Octal | Style::Binary)
}

/// A number in a style that does not show the bits.
macro_rules! number {
    ($value:expr, $spec:expr) => {{
        let value = $value;
        match ($spec.style, $spec.precision) {
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

/// A value without a plus and without what fills it up.
fn digits(scalar: Scalar, bits: u64, spec: &Spec) -> String {
    let unused = 64 - 8 * scalar.size().min(8);
    // Bits past the type do not count.
    let pattern = bits << unused >> unused;
    match (spec.style, spec.alternate, scalar) {
        (_, _, Scalar::Bool) => {
            let text = if bits & 1 == 1 { "true" } else { "false" };
            text[..spec.precision.unwrap_or(5).min(text.len())].to_owned()
        }
        (Style::LowerHex, false, _) => format!("{pattern:x}"),
        (Style::LowerHex, true, _) => format!("{pattern:#x}"),
        (Style::UpperHex, false, _) => format!("{pattern:X}"),
        (Style::UpperHex, true, _) => format!("{pattern:#X}"),
        (Style::Octal, false, _) => format!("{pattern:o}"),
        (Style::Octal, true, _) => format!("{pattern:#o}"),
        (Style::Binary, false, _) => format!("{pattern:b}"),
        (Style::Binary, true, _) => format!("{pattern:#b}"),
        (_, _, Scalar::F16) => number!(F16::from_bits(bits as u16).widen(), spec),
        (_, _, Scalar::BF16) => number!(BF16::from_bits(bits as u16).widen(), spec),
        (_, _, Scalar::F32) => number!(f32::from_bits(bits as u32), spec),
        (_, _, Scalar::F64) => number!(f64::from_bits(bits), spec),
        _ if scalar.is_signed() => number!((bits << unused) as i64 >> unused, spec),
        _ => number!(pattern, spec),
    }
}
