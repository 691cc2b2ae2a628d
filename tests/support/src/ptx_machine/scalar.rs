//! Scalar instructions, with the semantics of the PTX manual. Operands and results are bits.

use vyre_abi::semantics;

use super::half;
use super::parse::width;

/// A type of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) kind: Kind,
    pub(super) bits: u32,
}

/// The kind of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bits,
    Unsigned,
    Signed,
    Float,
    /// `bf16`.
    Brain,
    Predicate,
}

impl Type {
    pub(super) fn parse(text: &str) -> Result<Type, String> {
        if text == "bf16" {
            return Ok(Type {
                kind: Kind::Brain,
                bits: 16,
            });
        }
        let kind = match text.as_bytes().first() {
            Some(b'b') => Kind::Bits,
            Some(b'u') => Kind::Unsigned,
            Some(b's') => Kind::Signed,
            Some(b'f') => Kind::Float,
            Some(b'p') => Kind::Predicate,
            _ => return Err(format!("`{text}` is no type")),
        };
        Ok(Type {
            kind,
            bits: width(text)? as u32,
        })
    }

    pub(super) fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// Sign-extends the bits to 64 if the type is signed.
    pub(super) fn extend(self, bits: u64) -> u64 {
        let bits = bits & self.mask();
        if self.kind == Kind::Signed {
            let spare = 64 - self.bits;
            return ((bits << spare) as i64 >> spare) as u64;
        }
        bits
    }

    fn is_float(self) -> bool {
        matches!(self.kind, Kind::Float | Kind::Brain)
    }

    fn is_half(self) -> bool {
        self.is_float() && self.bits == 16
    }
}

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn f64_of(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// An instruction on floats of both widths, written once. No NaN that it yields is the canonical one.
macro_rules! on_floats {
    ($ty:expr, $($x:ident),+ => $value:expr) => {
        if $ty.bits == 32 {
            $(let $x = f32_of($x);)+
            u64::from({ let value: f32 = $value; if value.is_nan() { nan() } else { value } }.to_bits())
        } else {
            $(let $x = f64_of($x);)+
            { let value: f64 = $value; if value.is_nan() { nan() } else { value } }.to_bits()
        }
    };
}

/// An instruction with one operand.
pub(super) fn unary(name: &[&str], ty: Type, a: u64) -> Result<u64, String> {
    if ty.is_half() {
        return half::arithmetic(name, ty, &[a]);
    }
    let x = ty.extend(a);
    let bits = ty.bits;
    Ok(match name[0] {
        "mov" => x,
        "not" => !x,
        "neg" if ty.is_float() => on_floats!(ty, a => -a),
        "neg" => x.wrapping_neg(),
        "abs" if ty.is_float() => on_floats!(ty, a => a.abs()),
        "abs" => (x as i64).wrapping_abs() as u64,
        "sqrt" if name.contains(&"rn") => on_floats!(ty, a => a.sqrt()),
        "rcp" if name.contains(&"rn") => on_floats!(ty, a => a.recip()),
        // Any result within the bound would do.
        op if name.contains(&"approx") && ty.is_float() && bits == 32 => {
            // `.ftz` takes subnormal numbers for zero, and yields zero in their place.
            let flushed = |x: f32| match name.contains(&"ftz") && x.is_subnormal() {
                true => 0f32.copysign(x),
                false => x,
            };
            let x = flushed(f32_of(a));
            let y = match op {
                "ex2" => semantics::approx_exp2(x),
                "lg2" => semantics::approx_log2(x),
                "sin" => semantics::approx_sin(x),
                "cos" => semantics::approx_cos(x),
                "tanh" => semantics::approx_tanh(x),
                "rsqrt" => semantics::approx_rsqrt(x),
                "rcp" => semantics::approx_recip(x),
                "sqrt" => semantics::approx_sqrt(x),
                _ => return Err("unknown instruction".to_owned()),
            };
            u64::from(flushed(y).to_bits())
        }
        "brev" => (a & ty.mask()).reverse_bits() >> (64 - bits),
        "popc" => u64::from((a & ty.mask()).count_ones()),
        "clz" => u64::from((a & ty.mask()).leading_zeros()) - u64::from(64 - bits),
        _ => return Err("unknown instruction".to_owned()),
    })
}

/// A NaN with unspecified sign and payload: neither the canonical one nor its negative.
fn nan<T: From<f32>>() -> T {
    T::from(f32::from_bits(0xffc0_1234))
}

/// An instruction with two operands.
pub(super) fn binary(name: &[&str], ty: Type, a: u64, b: u64) -> Result<u64, String> {
    if ty.is_half() {
        return half::arithmetic(name, ty, &[a, b]);
    }
    let (x, y) = (ty.extend(a), ty.extend(b));
    let bits = ty.bits;
    if ty.is_float() {
        let rounds = name.contains(&"rn");
        return Ok(match name[0] {
            "add" if rounds => on_floats!(ty, a, b => a + b),
            "sub" if rounds => on_floats!(ty, a, b => a - b),
            "mul" if rounds => on_floats!(ty, a, b => a * b),
            "div" if rounds => on_floats!(ty, a, b => a / b),
            "div" if name.contains(&"approx") && bits == 32 => on_floats!(ty, a, b => a / b),
            // -0 is less than +0; a NaN loses.
            "min" => {
                on_floats!(ty, a, b => if a.is_nan() { b } else if b.is_nan() || a < b || (a == b && a.is_sign_negative()) { a } else { b })
            }
            "max" => {
                on_floats!(ty, a, b => if a.is_nan() { b } else if b.is_nan() || a > b || (a == b && a.is_sign_positive()) { a } else { b })
            }
            _ => return Err("unknown instruction".to_owned()),
        });
    }
    let signed = ty.kind == Kind::Signed;
    Ok(match name[0] {
        "add" => x.wrapping_add(y),
        "sub" => x.wrapping_sub(y),
        "mul" => match name[1] {
            "lo" => x.wrapping_mul(y),
            "hi" if signed => ((i128::from(x as i64) * i128::from(y as i64)) >> bits) as u64,
            "hi" => ((u128::from(x) * u128::from(y)) >> bits) as u64,
            "wide" => x.wrapping_mul(y),
            _ => return Err("unknown multiplication".to_owned()),
        },
        "div" | "rem" if y == 0 => return Err("division by zero".to_owned()),
        "div" if signed => (x as i64).wrapping_div(y as i64) as u64,
        "div" => x / y,
        "rem" if signed => (x as i64).wrapping_rem(y as i64) as u64,
        "rem" => x % y,
        "and" => x & y,
        "or" => x | y,
        "xor" => x ^ y,
        "min" if signed => (x as i64).min(y as i64) as u64,
        "min" => x.min(y),
        "max" if signed => (x as i64).max(y as i64) as u64,
        "max" => x.max(y),
        // Amounts are clamped at the width.
        "shl" => {
            let amount = b & 0xffff_ffff;
            if amount >= u64::from(bits) { 0 } else { x << amount }
        }
        "shr" if signed => ((x as i64) >> (b & 0xffff_ffff).min(63)) as u64,
        "shr" => {
            let amount = b & 0xffff_ffff;
            if amount >= u64::from(bits) { 0 } else { x >> amount }
        }
        _ => return Err("unknown instruction".to_owned()),
    })
}

/// An instruction with three operands.
pub(super) fn ternary(name: &[&str], ty: Type, a: u64, b: u64, c: u64) -> Result<u64, String> {
    if ty.is_half() {
        return half::arithmetic(name, ty, &[a, b, c]);
    }
    Ok(match name[0] {
        "bfe" if ty.kind == Kind::Unsigned => (a & ty.mask()) >> (b & 0xff) & !(u64::MAX << (c & 0xff)),
        "fma" if name.contains(&"rn") => on_floats!(ty, a, b, c => a.mul_add(b, c)),
        "mad" => {
            let product = binary(&["mul", name[1]], ty, a, b)?;
            product.wrapping_add(c)
        }
        "shf" if name[2] == "wrap" => {
            let amount = (c & 31) as u32;
            let whole = (b & 0xffff_ffff) << 32 | a & 0xffff_ffff;
            match name[1] {
                "l" => whole << amount >> 32,
                _ => whole >> amount,
            }
        }
        "prmt" => {
            let source = (b & 0xffff_ffff) << 32 | a & 0xffff_ffff;
            let mut bytes = 0;
            for position in 0..4 {
                let selector = c >> (4 * position) & 15;
                if selector > 7 {
                    return Err("a byte's sign".to_owned());
                }
                bytes |= (source >> (8 * selector) & 0xff) << (8 * position);
            }
            bytes
        }
        _ => return Err("unknown instruction".to_owned()),
    })
}

/// A comparison.
pub(super) fn compare(operator: &str, ty: Type, a: u64, b: u64) -> Result<bool, String> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let (x, y) = (ty.extend(a), ty.extend(b));
    let order = match ty.kind {
        Kind::Float if ty.bits == 16 => half::decode(ty, a).partial_cmp(&half::decode(ty, b)),
        Kind::Float if ty.bits == 32 => f32_of(a).partial_cmp(&f32_of(b)),
        Kind::Float => f64_of(a).partial_cmp(&f64_of(b)),
        Kind::Signed => Some((x as i64).cmp(&(y as i64))),
        _ => Some(x.cmp(&y)),
    };
    Ok(match operator {
        "eq" => order == Some(Equal),
        "ne" => matches!(order, Some(Less | Greater)),
        "lt" => order == Some(Less),
        "le" => matches!(order, Some(Less | Equal)),
        "gt" => order == Some(Greater),
        "ge" => matches!(order, Some(Greater | Equal)),
        "neu" => order != Some(Equal),
        "equ" => !matches!(order, Some(Less | Greater)),
        "ltu" => !matches!(order, Some(Greater | Equal)),
        "leu" => order != Some(Greater),
        "gtu" => !matches!(order, Some(Less | Equal)),
        "geu" => order != Some(Less),
        "num" => order.is_some(),
        "nan" => order.is_none(),
        _ => return Err(format!("comparison `{operator}`")),
    })
}

/// A conversion.
pub(super) fn convert(name: &[&str], to: Type, from: Type, a: u64) -> Result<u64, String> {
    let rounding = name.get(1).copied().unwrap_or_default();
    match (from.is_float(), to.is_float()) {
        (true, true) if from.is_half() || to.is_half() => half_float(rounding, to, from, a),
        (false, false) => Ok(from.extend(a)),
        (false, true) if rounding == "rn" => Ok(if to.bits == 32 {
            let value = if from.kind == Kind::Signed {
                from.extend(a) as i64 as f32
            } else {
                from.extend(a) as f32
            };
            u64::from(value.to_bits())
        } else if from.kind == Kind::Signed {
            (from.extend(a) as i64 as f64).to_bits()
        } else {
            (from.extend(a) as f64).to_bits()
        }),
        (true, true) if from.bits != to.bits => Ok(if to.bits == 64 {
            f64::from(f32_of(a)).to_bits()
        } else if rounding == "rn" {
            u64::from((f64_of(a) as f32).to_bits())
        } else if rounding == "rz" {
            let near = f64_of(a) as f32;
            let past = f64::from(near).abs() > f64_of(a).abs();
            u64::from(near.to_bits() - u32::from(past))
        } else {
            return Err("a narrowing conversion names its rounding".to_owned());
        }),
        (true, true) => Ok(match rounding {
            "rmi" => on_floats!(to, a => a.floor()),
            "rpi" => on_floats!(to, a => a.ceil()),
            "rzi" => on_floats!(to, a => a.trunc()),
            "rni" => on_floats!(to, a => a.round_ties_even()),
            _ => return Err(format!("rounding `{rounding}`")),
        }),
        (true, false) if rounding == "rzi" => {
            let value = if from.bits == 32 {
                f64::from(f32_of(a))
            } else {
                f64_of(a)
            };
            if value.is_nan() {
                // Zero only if both have 32 bits, else the sign bit.
                let both = from.bits == 32 && to.bits < 64;
                return Ok(if both { 0 } else { 1 << (to.bits - 1) });
            }
            Ok(match (to.kind, to.bits) {
                (Kind::Signed, 32) => value as i32 as u64,
                (Kind::Signed, 64) => value as i64 as u64,
                (Kind::Unsigned, 32) => u64::from(value as u32),
                (Kind::Unsigned, 64) => value as u64,
                _ => return Err("a conversion to a narrow integer".to_owned()),
            })
        }
        _ => Err("a conversion names its rounding".to_owned()),
    }
}

/// A conversion of floats of which one has 16 bits.
fn half_float(rounding: &str, to: Type, from: Type, a: u64) -> Result<u64, String> {
    let value = match from.bits {
        16 => half::decode(from, a),
        32 => f64::from(f32_of(a)),
        _ => f64_of(a),
    };
    match (to.bits, rounding) {
        // Widening is exact. There is none of `bf16` before sm_90.
        (32, "") if from.kind == Kind::Float => Ok(u64::from((value as f32).to_bits())),
        (64, "") if from.kind == Kind::Float => Ok(value.to_bits()),
        (16, "rn") if from.bits == 32 || to.kind == Kind::Float && from.bits == 64 => Ok(half::encode(to, value, 0.0)),
        _ => Err("no such conversion".to_owned()),
    }
}
