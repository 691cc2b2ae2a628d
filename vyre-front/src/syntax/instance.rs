//! The instances of generic kernels, as their attribute lists them.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Expr, GenericParam, Lit, UnOp};

use crate::errors::{Code, Errors};
use crate::surface::Primitive;

/// How the instances of a generic parameter are written.
pub(crate) struct Instance {
    /// Two of them.
    pub(super) examples: &'static str,
    one: &'static str,
    /// The values of the list.
    pub(super) several: &'static str,
    is_one: fn(&Expr) -> bool,
}

impl Instance {
    /// Those of a parameter; `None` of a `char` or a float, which none has.
    pub(crate) fn of(parameter: &GenericParam) -> Option<Self> {
        let GenericParam::Const(constant) = parameter else {
            return Some(Instance {
                examples: "f32, f64",
                one: "the path of a type",
                several: "the types of its instances",
                is_one: |value| matches!(value, Expr::Path(_)),
            });
        };
        let ty = constant.ty.to_token_stream().to_string();
        let mut numbers = Instance {
            examples: "16, 32",
            one: "a number",
            several: "the numbers of its instances",
            is_one: is_number,
        };
        match &*ty {
            "char" | "f16" | "bf16" | "f32" | "f64" => return None,
            name if name.starts_with('u') && Primitive::from_name(name).is_some() => {
                (numbers.one, numbers.is_one) = ("an unsigned number", is_unsigned);
            }
            "bool" => {
                return Some(Instance {
                    examples: "false, true",
                    one: "`false` or `true`",
                    several: "the values of its instances",
                    is_one: is_flag,
                });
            }
            // It may be the name of either.
            name if Primitive::from_name(name).is_none() => numbers.is_one = |value| is_number(value) || is_flag(value),
            _ => {}
        }
        Some(numbers)
    }

    /// True of an expression that may be an instance.
    pub(crate) fn is(&self, value: &Expr) -> bool {
        (self.is_one)(value)
    }

    /// Refuses instances of the parameter that are none.
    pub(super) fn refuse(&self, option: &Ident, value: Option<&Expr>, errors: &mut Errors) {
        let Instance { examples, one, .. } = self;
        let list = match value {
            Some(Expr::Array(list)) => list,
            value => {
                let shown = value.map_or((*examples).to_owned(), |value| value.to_token_stream().to_string());
                let (fault, help) = (
                    format!("`{option}` is no list"),
                    format!("a generic kernel lists the instances of a parameter: `{option} = [{shown}]`"),
                );
                return errors.refuse(Code::UnknownOption, option.span(), fault, help);
            }
        };
        let help = format!("write `{option} = [{examples}]`");
        if list.elems.is_empty() {
            let fault = format!("`{option}` has no instance");
            return errors.refuse(Code::UnknownOption, option.span(), fault, help);
        }
        // The others are mostly of its kind.
        if let Some(value) = list.elems.iter().find(|value| !self.is(value)) {
            let fault = format!("an instance of `{option}` is {one}");
            errors.refuse_all(Code::UnknownOption, value, fault, &help);
        }
    }
}

fn is_number(value: &Expr) -> bool {
    match value {
        Expr::Unary(negated) => matches!(negated.op, UnOp::Neg(_)) && is_number(&negated.expr),
        value => is_unsigned(value),
    }
}

fn is_unsigned(value: &Expr) -> bool {
    matches!(value, Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_)))
}

fn is_flag(value: &Expr) -> bool {
    matches!(value, Expr::Lit(literal) if matches!(literal.lit, Lit::Bool(_)))
}
