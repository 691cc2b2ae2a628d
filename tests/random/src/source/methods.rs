//! Methods of numbers and of `Option`.

use super::Maker;
use super::exprs::{Written, binds};
use super::types::{Prim, Ty};

/// Methods of integers whose arguments and result have the receiver's type.
const SAME: &[(&str, usize)] = &[
    ("min", 1),
    ("max", 1),
    ("wrapping_add", 1),
    ("wrapping_sub", 1),
    ("wrapping_mul", 1),
    ("wrapping_neg", 0),
    ("saturating_add", 1),
    ("saturating_sub", 1),
    ("saturating_mul", 1),
    ("swap_bytes", 0),
    ("reverse_bits", 0),
];

const SIGNED: &[&str] = &["abs", "signum", "wrapping_abs"];

const FLOATS: &[&str] = &[
    "abs",
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "round",
    "round_ties_even",
    "fract",
    "recip",
    "signum",
];

const TO_U32: &[&str] = &[
    "count_ones",
    "count_zeros",
    "leading_zeros",
    "leading_ones",
    "trailing_zeros",
    "trailing_ones",
];

const CHECKED: &[&str] = &[
    "checked_add",
    "checked_sub",
    "checked_mul",
    "checked_div",
    "checked_rem",
    "checked_div_euclid",
    "checked_rem_euclid",
];

impl Maker {
    /// A method receiver: its type does not depend on the context.
    fn receiver(&mut self, prim: Prim, depth: u32) -> String {
        let operand = self.expr(prim, depth, false);
        // The name of the method must not continue a literal's suffix or a path.
        match operand.text.starts_with(|first: char| first.is_ascii_digit()) {
            true => format!("({})", operand.text),
            false => operand.within(binds::TIGHT),
        }
    }

    /// A call of a method with a result of this type.
    pub(super) fn method(&mut self, prim: Prim, depth: u32) -> Option<Written> {
        let text = match prim {
            Prim::Bool => self.asked(depth)?,
            _ if prim.is_float() => self.of_float(prim, depth),
            Prim::U32 if self.random.once_in(3) => {
                let of = self.random.pick(&Prim::INTEGERS);
                let receiver = self.receiver(of, depth);
                format!("{receiver}.{}()", self.random.pick(TO_U32))
            }
            Prim::Usize if self.random.once_in(4) => {
                let arrays = self.visible(|variable| matches!(variable.ty, Ty::Array(..)));
                format!("{}.len()", arrays.first()?.name)
            }
            _ if self.random.once_in(8) => self.unwrapped(prim, depth)?,
            _ => self.of_integer(prim, depth),
        };
        Some(Written::tight(text))
    }

    fn of_integer(&mut self, prim: Prim, depth: u32) -> String {
        let receiver = self.receiver(prim, depth);
        let name = prim.name();
        match self.random.below(17) {
            10 => {
                let exponent = self.random.below(6);
                let method = self.random.pick(&["saturating_pow", "pow"]);
                format!("{receiver}.{method}({exponent})")
            }
            11 => {
                let amount = self.expr(Prim::U32, depth, true).text;
                let method = self.random.pick(&["checked_shl", "checked_shr"]);
                format!("{receiver}.{method}({amount}).unwrap_or(3)")
            }
            12 => {
                let other = self.expr(prim, depth, true).text;
                format!("{receiver}.overflowing_mul({other}).0")
            }
            13 if !prim.is_signed() => format!("{receiver}.isqrt()"),
            13 => format!("{name}::from_le_bytes({receiver}.to_be_bytes())"),
            0 => {
                let amount = self.expr(Prim::U32, depth, true).text;
                let method = self
                    .random
                    .pick(&["rotate_left", "rotate_right", "wrapping_shl", "wrapping_shr"]);
                format!("{receiver}.{method}({amount})")
            }
            1 => {
                let exponent = self.random.below(6);
                format!("{receiver}.{}({exponent})", self.random.pick(&["pow", "wrapping_pow"]))
            }
            2 => {
                let divisor = self.divisor(prim, depth);
                let all = ["rem_euclid", "div_euclid", "wrapping_div", "wrapping_rem"];
                format!("{receiver}.{}({divisor})", self.random.pick(&all))
            }
            3 => format!("{receiver}.clamp(3, 90)"),
            4 if prim.is_signed() => format!("{receiver}.{}()", self.random.pick(SIGNED)),
            4 => {
                let divisor = self.divisor(prim, depth);
                format!("{receiver}.div_ceil({divisor})")
            }
            5 if prim.is_signed() => {
                let other = self.receiver(prim.with_sign(false), depth);
                format!("{other}.cast_signed()")
            }
            5 => {
                let other = self.receiver(prim.with_sign(true), depth);
                let method = self.random.pick(&["unsigned_abs", "cast_unsigned"]);
                format!("{other}.{method}()")
            }
            6 if !prim.is_signed() => {
                let signed = self.random.once_in(2);
                let of = prim.with_sign(signed);
                let (one, other) = (self.receiver(of, depth), self.expr(of, depth, true).text);
                format!("{one}.abs_diff({other})")
            }
            7 if !prim.is_signed() => format!("{receiver}.next_power_of_two()"),
            8 => {
                let (method, other) = (
                    self.random.pick(&["overflowing_add", "overflowing_sub"]),
                    self.expr(prim, depth, true).text,
                );
                format!("{receiver}.{method}({other}).0")
            }
            9 => {
                let (method, other) = (
                    self.random.pick(&["min", "max", "wrapping_add"]),
                    self.expr(prim, depth, true).text,
                );
                let one = self.expr(prim, depth, true).text;
                format!("{name}::{method}({one}, {other})")
            }
            _ => {
                let (method, arguments) = self.random.pick(SAME);
                let arguments: Vec<String> = (0..arguments).map(|_| self.expr(prim, depth, true).text).collect();
                format!("{receiver}.{method}({})", arguments.join(", "))
            }
        }
    }

    fn of_float(&mut self, prim: Prim, depth: u32) -> String {
        let receiver = self.receiver(prim, depth);
        match self.random.below(8) {
            0 => {
                let [one, other] = [0; 2].map(|_| self.expr(prim, depth, true).text);
                format!("{receiver}.mul_add({one}, {other})")
            }
            1 => {
                let other = self.expr(prim, depth, true).text;
                // Zeros of either sign are normalised.
                format!("({receiver}.{}({other}) + 0.0)", self.random.pick(&["min", "max"]))
            }
            2 => format!("({receiver}.clamp(-2.5, 7.0) + 0.0)"),
            3 => format!("{receiver}.{}(0.7)", self.random.pick(&["rem_euclid", "div_euclid"])),
            4 => format!("{receiver}.copysign({}1.0)", self.random.pick(&["", "-"])),
            _ => format!("{receiver}.{}()", self.random.pick(FLOATS)),
        }
    }

    fn asked(&mut self, depth: u32) -> Option<String> {
        Some(match self.random.below(6) {
            0 => {
                let prim = self.random.pick(&[Prim::F32, Prim::F64]);
                let receiver = self.receiver(prim, depth);
                format!(
                    "{receiver}.{}()",
                    self.random.pick(&["is_nan", "is_finite", "is_infinite"])
                )
            }
            1 => {
                let prim = self.random.pick(&[Prim::I8, Prim::I32, Prim::I64]);
                let receiver = self.receiver(prim, depth);
                format!("{receiver}.{}()", self.random.pick(&["is_positive", "is_negative"]))
            }
            2 => {
                let prim = self.random.pick(&[Prim::U8, Prim::U32, Prim::Usize]);
                format!("{}.is_power_of_two()", self.receiver(prim, depth))
            }
            3 => {
                let prim = self.random.pick(&Prim::INTEGERS);
                let (receiver, other) = (self.receiver(prim, depth), self.expr(prim, depth, true).text);
                format!(
                    "{receiver}.{}({other}).1",
                    self.random.pick(&["overflowing_add", "overflowing_sub"])
                )
            }
            4 => {
                let prim = self.random.pick(&Prim::INTEGERS);
                let (receiver, other) = (self.receiver(prim, depth), self.expr(prim, depth, true).text);
                let (method, asked) = (self.random.pick(CHECKED), self.random.pick(&["is_some", "is_none"]));
                format!("{receiver}.{method}({other}).{asked}()")
            }
            _ => {
                let options = self.visible(|variable| matches!(variable.ty, Ty::Option(_)));
                let asked = self.random.pick(&["is_some", "is_none"]);
                format!("{}.{asked}()", options.first()?.name)
            }
        })
    }

    /// An expression that unwraps an `Option`.
    fn unwrapped(&mut self, prim: Prim, depth: u32) -> Option<String> {
        let other = self.expr(prim, depth, true).text;
        if self.random.once_in(2) {
            let (receiver, operand) = (self.receiver(prim, depth), self.expr(prim, depth, true).text);
            return Some(format!(
                "{receiver}.{}({operand}).unwrap_or({other})",
                self.random.pick(CHECKED)
            ));
        }
        let wanted = Ty::Option(Box::new(Ty::Prim(prim)));
        let options = self.visible(|variable| variable.ty == wanted);
        let option = options.first()?.name.clone();
        Some(match self.random.once_in(8) {
            true => format!("{option}.unwrap()"),
            false => match self.random.below(4) {
                0 => format!("{option}.map_or({other}, |it| it.max(3 as {}))", prim.name()),
                1 => format!("{option}.or(Some({other})).unwrap_or_default()"),
                2 => format!(
                    "{option}.xor(Some({other})).unwrap_or_else(|| {} as {})",
                    self.random.below(9),
                    prim.name()
                ),
                _ => format!("{option}.unwrap_or({other})"),
            },
        })
    }
}
