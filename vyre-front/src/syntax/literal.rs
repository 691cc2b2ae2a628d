//! Literals.

use syn::{Expr as Syntax, Lit};

use super::Reader;
use super::expr::unparenthesised;
use super::tree::{Expr, ExprKind};
use crate::errors::Code;
use crate::surface::Primitive;

impl Reader<'_> {
    pub(super) fn literal(&mut self, literal: &Lit, whole: &Syntax) -> Expr {
        let span = literal.span();
        let kind = match literal {
            Lit::Bool(literal) => ExprKind::Bool(literal.value),
            Lit::Byte(literal) => ExprKind::Integer(u128::from(literal.value()), Some(Primitive::U8)),
            Lit::Int(literal) => match suffix(literal.suffix()) {
                // `1f32` is a float in the dress of an integer.
                Some(float) if float.scalar().is_float() => {
                    ExprKind::Float(literal.base10_digits().to_owned(), Some(float))
                }
                None if !literal.suffix().is_empty() => return self.suffix(literal.suffix(), whole),
                suffix => match literal.base10_parse::<u128>() {
                    Ok(value) => ExprKind::Integer(value, suffix),
                    Err(_) => return self.left_to_rustc(span),
                },
            },
            Lit::Float(literal) => match suffix(literal.suffix()) {
                None if !literal.suffix().is_empty() => return self.suffix(literal.suffix(), whole),
                suffix => ExprKind::Float(literal.base10_digits().to_owned(), suffix),
            },
            Lit::Char(_) => {
                return self.refuse(
                    Code::Text,
                    whole,
                    "there is no `char` in a kernel",
                    "write its code, or a byte: `b'a'`",
                );
            }
            Lit::ByteStr(_) => {
                return self.refuse(
                    Code::Text,
                    whole,
                    "`b\"..\"` is a reference to its bytes, which is not a value in a kernel",
                    "write the bytes, `*b\"..\"`, and index those",
                );
            }
            Lit::Str(_) | Lit::CStr(_) => return self.text(literal, whole),
            _ => {
                return self.refuse(
                    Code::Expression,
                    whole,
                    "this literal is not supported in a kernel",
                    "use a scalar",
                );
            }
        };
        Expr::new(kind, span)
    }

    /// Refuses a text, once in a function: others are compared with it, or are its other values.
    fn text(&mut self, literal: &Lit, whole: &Syntax) -> Expr {
        let help = match literal {
            Lit::Str(text) if text.value().len() == 1 => {
                format!("write the byte: `b'{}'`", text.value().escape_default())
            }
            _ => "use an array of bytes, `*b\"text\"`, or pass `&[u8]`".to_owned(),
        };
        if self.errors.has(Code::Text) {
            self.errors.elsewhere();
            return self.refused(literal.span());
        }
        self.refuse(Code::Text, whole, "there are no strings in a kernel", &help)
    }

    /// The referent of `b"text"`: an array of bytes.
    pub(super) fn bytes(&mut self, expr: &Syntax) -> Option<Expr> {
        let Syntax::Lit(literal) = unparenthesised(expr) else {
            return None;
        };
        let Lit::ByteStr(bytes) = &literal.lit else { return None };
        let span = bytes.span();
        let byte = |byte| Expr::new(ExprKind::Integer(u128::from(byte), Some(Primitive::U8)), span);
        let bytes: Vec<Expr> = bytes.value().into_iter().map(byte).collect();
        (!bytes.is_empty()).then(|| Expr::new(ExprKind::Array(bytes), span))
    }

    fn suffix(&mut self, suffix: &str, whole: &Syntax) -> Expr {
        match suffix {
            "f16" | "bf16" => self.refuse(
                Code::WideNumber,
                whole,
                "there are no literals of half precision",
                "write `f16::from_f32(0.5)`",
            ),
            "f128" => self.refuse(
                Code::WideNumber,
                whole,
                "this float type is not supported",
                "use `f32` or `f64`",
            ),
            _ => self.left_to_rustc(super::start(whole)),
        }
    }
}

/// The type that a literal names; `None` where it names none, or one that kernels have not.
fn suffix(name: &str) -> Option<Primitive> {
    match name.is_empty() {
        true => None,
        false => Primitive::from_name(name).filter(|primitive| !primitive.scalar().is_half()),
    }
}
