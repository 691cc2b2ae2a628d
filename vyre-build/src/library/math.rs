//! The functions of `vyre::math`: which there are, and in which module of [`vyre_abi::math`] each is written.

use std::str::FromStr;

use proc_macro2::{Span, TokenStream};
use syn::{Item, UseTree};
use vyre_abi::math::{DOUBLE, SINGLE};

use vyre_ir::ir::UnaryOp;

use super::intrinsics::{Function, Operation, Takes, Yields};
use super::methods::on::{FLOAT, HALF};
use super::{Form, Row, at};
use crate::modules;
use crate::surface::Primitive;
use crate::types::Ty;

/// Rows of functions in modules. Half precision goes through `f32`.
macro_rules! rows {
    ($($module:literal { $($name:ident $head:literal $half:literal,)* })*) => {
        &[$($(
            Row {
                on: FLOAT,
                source: concat!("fn ", stringify!($name), $head),
                form: Form::Module($module),
                path: concat!("math::", stringify!($name)),
            },
            Row {
                on: HALF,
                source: concat!("fn ", stringify!($name), $head, " { ", $half, " }"),
                form: Form::Whole,
                path: concat!("math::", stringify!($name)),
            },
        )*)*]
    };
}

/// Those that Rust has as methods.
#[rustfmt::skip]
pub(super) const METHODS: &[Row] = rows! {
    "exp" {
        exp "(this: Self) -> Self" "Self::from_f32(math::exp(f32::from(this)))",
        exp2 "(this: Self) -> Self" "Self::from_f32(math::exp2(f32::from(this)))",
        exp_m1 "(this: Self) -> Self" "Self::from_f32(math::exp_m1(f32::from(this)))",
    }
    "log" {
        ln "(this: Self) -> Self" "Self::from_f32(math::ln(f32::from(this)))",
        log2 "(this: Self) -> Self" "Self::from_f32(math::log2(f32::from(this)))",
        log10 "(this: Self) -> Self" "Self::from_f32(math::log10(f32::from(this)))",
        ln_1p "(this: Self) -> Self" "Self::from_f32(math::ln_1p(f32::from(this)))",
        log "(this: Self, base: Self) -> Self" "Self::from_f32(math::log(f32::from(this), f32::from(base)))",
    }
    "trig" {
        sin "(this: Self) -> Self" "Self::from_f32(math::sin(f32::from(this)))",
        cos "(this: Self) -> Self" "Self::from_f32(math::cos(f32::from(this)))",
        tan "(this: Self) -> Self" "Self::from_f32(math::tan(f32::from(this)))",
        sin_cos "(this: Self) -> (Self, Self)" "let (s, c) = math::sin_cos(f32::from(this)); (Self::from_f32(s), Self::from_f32(c))",
    }
    "inverse" {
        asin "(this: Self) -> Self" "Self::from_f32(math::asin(f32::from(this)))",
        acos "(this: Self) -> Self" "Self::from_f32(math::acos(f32::from(this)))",
        atan "(this: Self) -> Self" "Self::from_f32(math::atan(f32::from(this)))",
        atan2 "(this: Self, x: Self) -> Self" "Self::from_f32(math::atan2(f32::from(this), f32::from(x)))",
    }
    "hyperbolic" {
        sinh "(this: Self) -> Self" "Self::from_f32(math::sinh(f32::from(this)))",
        cosh "(this: Self) -> Self" "Self::from_f32(math::cosh(f32::from(this)))",
        tanh "(this: Self) -> Self" "Self::from_f32(math::tanh(f32::from(this)))",
        asinh "(this: Self) -> Self" "Self::from_f32(math::asinh(f32::from(this)))",
        acosh "(this: Self) -> Self" "Self::from_f32(math::acosh(f32::from(this)))",
        atanh "(this: Self) -> Self" "Self::from_f32(math::atanh(f32::from(this)))",
    }
    "roots" {
        cbrt "(this: Self) -> Self" "Self::from_f32(math::cbrt(f32::from(this)))",
        hypot "(this: Self, y: Self) -> Self" "Self::from_f32(math::hypot(f32::from(this), f32::from(y)))",
    }
    "pow" {
        powf "(this: Self, y: Self) -> Self" "Self::from_f32(math::powf(f32::from(this), f32::from(y)))",
        powi "(this: Self, n: i32) -> Self" "Self::from_f32(math::powi(f32::from(this), n))",
    }
};

/// Those that only `vyre::math` has.
#[rustfmt::skip]
const FUNCTIONS: &[Row] = rows! {
    "exp" {
        exp10 "(this: Self) -> Self" "Self::from_f32(math::exp10(f32::from(this)))",
    }
    "trig" {
        sin_pi "(this: Self) -> Self" "Self::from_f32(math::sin_pi(f32::from(this)))",
        cos_pi "(this: Self) -> Self" "Self::from_f32(math::cos_pi(f32::from(this)))",
    }
    "hyperbolic" {
        sigmoid "(this: Self) -> Self" "Self::from_f32(math::sigmoid(f32::from(this)))",
    }
    "roots" {
        rsqrt "(this: Self) -> Self" "Self::from_f32(math::rsqrt(f32::from(this)))",
    }
    "error" {
        erf "(this: Self) -> Self" "Self::from_f32(math::erf(f32::from(this)))",
        erfc "(this: Self) -> Self" "Self::from_f32(math::erfc(f32::from(this)))",
        normal_cdf "(this: Self) -> Self" "Self::from_f32(math::normal_cdf(f32::from(this)))",
    }
    "erf_inv" {
        erf_inv "(this: Self) -> Self" "Self::from_f32(math::erf_inv(f32::from(this)))",
    }
    "gamma" {
        gamma "(this: Self) -> Self" "Self::from_f32(math::gamma(f32::from(this)))",
        ln_gamma "(this: Self) -> (Self, i32)" "let (y, sign) = math::ln_gamma(f32::from(this)); (Self::from_f32(y), sign)",
    }
    "gelu" {
        silu "(this: Self) -> Self" "Self::from_f32(math::silu(f32::from(this)))",
        gelu "(this: Self) -> Self" "Self::from_f32(math::gelu(f32::from(this)))",
        gelu_tanh "(this: Self) -> Self" "Self::from_f32(math::gelu_tanh(f32::from(this)))",
    }
    "exact" {
        ldexp "(this: Self, n: i32) -> Self" "Self::from_f32(math::ldexp(f32::from(this), n))",
        frexp "(this: Self) -> (Self, i32)" "let (m, n) = math::frexp(f32::from(this)); (Self::from_f32(m), n)",
    }
};

/// Every function.
pub(super) fn all() -> impl Iterator<Item = &'static Row> {
    METHODS.iter().chain(FUNCTIONS)
}

/// The operations that only these functions call, by name.
const OPERATIONS: [(&str, Function); 3] = [
    ("normal_recip", of_f32(UnaryOp::NormalRecip)),
    ("normal_rsqrt", of_f32(UnaryOp::NormalRsqrt)),
    ("normal_sqrt", of_f32(UnaryOp::NormalSqrt)),
];

const fn of_f32(op: UnaryOp) -> Function {
    const F32: Ty = Ty::primitive(Primitive::F32);
    Function {
        takes: &[Takes::Of(F32)],
        yields: Yields::Of(F32),
        does: Operation::Unary(op),
    }
}

/// The operation of a name in the functions' source.
pub(crate) fn operation(name: &str) -> Option<&'static Function> {
    let (_, function) = OPERATIONS.iter().find(|(known, _)| *known == name)?;
    Some(function)
}

/// The items of a module and of those that it imports from, for `f32` or `f64`, as if they were written at `span`.
pub(crate) fn modules(precision: &str, module: &str, span: Span) -> Option<Vec<(String, Vec<Item>)>> {
    let sources = match precision {
        "f32" => SINGLE,
        _ => DOUBLE,
    };
    let mut modules: Vec<(String, Vec<Item>)> = Vec::new();
    let mut wanted = vec![module.to_owned()];
    while let Some(name) = wanted.pop() {
        if modules.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let (_, source) = sources.iter().find(|(known, _)| *known == name)?;
        let items = items(source, span)?;
        for item in &items {
            if let Item::Use(item) = item
                && let UseTree::Path(outer) = &item.tree
                && outer.ident == "super"
                && let UseTree::Path(inner) = &*outer.tree
            {
                wanted.push(inner.ident.to_string());
            }
        }
        modules.push((name, items));
    }
    Some(modules)
}

fn items(source: &str, span: Span) -> Option<Vec<Item>> {
    // Comments on items would become attributes, which take longer than the code.
    let tokens = TokenStream::from_str(&modules::uncommented(source)).ok()?;
    Some(syn::parse2::<syn::File>(at(tokens, span)).ok()?.items)
}
