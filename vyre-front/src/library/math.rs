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

/// Rows of functions in modules: names of those of one number, then others with their heads and what they are of half
/// precision, which goes through `f32`.
macro_rules! rows {
    ($($module:literal { $($name:ident)* $(; $($other:ident $head:literal $half:literal,)*)? })*) => {
        &[$(
            $(
                in_module($module, concat!("fn ", stringify!($name), "(this: Self) -> Self"), path!($name)),
                of_half(
                    concat!(
                        "fn ", stringify!($name), "(this: Self) -> Self { Self::from_f32(math::", stringify!($name),
                        "(f32::from(this))) }"
                    ),
                    path!($name),
                ),
            )*
            $($(
                in_module($module, concat!("fn ", stringify!($other), $head), path!($other)),
                of_half(concat!("fn ", stringify!($other), $head, " { ", $half, " }"), path!($other)),
            )*)?
        )*]
    };
}

macro_rules! path {
    ($name:ident) => {
        concat!("math::", stringify!($name))
    };
}

const fn in_module(module: &'static str, source: &'static str, path: &'static str) -> Row {
    let (on, form) = (FLOAT, Form::Module(module));
    Row { on, source, form, path }
}

const fn of_half(source: &'static str, path: &'static str) -> Row {
    let (on, form) = (HALF, Form::Whole);
    Row { on, source, form, path }
}

/// Those that Rust has as methods.
#[rustfmt::skip]
pub(super) const METHODS: &[Row] = rows! {
    "exp" { exp exp2 exp_m1 }
    "log" { ln log2 log10 ln_1p;
        log "(this: Self, base: Self) -> Self" "Self::from_f32(math::log(f32::from(this), f32::from(base)))",
    }
    "trig" { sin cos tan;
        sin_cos "(this: Self) -> (Self, Self)" "let (s, c) = math::sin_cos(f32::from(this)); (Self::from_f32(s), Self::from_f32(c))",
    }
    "inverse" { asin acos atan;
        atan2 "(this: Self, x: Self) -> Self" "Self::from_f32(math::atan2(f32::from(this), f32::from(x)))",
    }
    "hyperbolic" { sinh cosh tanh asinh acosh atanh }
    "roots" { cbrt;
        hypot "(this: Self, y: Self) -> Self" "Self::from_f32(math::hypot(f32::from(this), f32::from(y)))",
    }
    "pow" { ;
        powf "(this: Self, y: Self) -> Self" "Self::from_f32(math::powf(f32::from(this), f32::from(y)))",
        powi "(this: Self, n: i32) -> Self" "Self::from_f32(math::powi(f32::from(this), n))",
    }
};

/// Those that only `vyre::math` has.
#[rustfmt::skip]
const FUNCTIONS: &[Row] = rows! {
    "exp" { exp10 }
    "trig" { sin_pi cos_pi }
    "hyperbolic" { sigmoid }
    "roots" { rsqrt }
    "error" { erf erfc normal_cdf }
    "erf_inv" { erf_inv }
    "gamma" { gamma;
        ln_gamma "(this: Self) -> (Self, i32)" "let (y, sign) = math::ln_gamma(f32::from(this)); (Self::from_f32(y), sign)",
    }
    "gelu" { silu gelu gelu_tanh }
    "exact" { ;
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
