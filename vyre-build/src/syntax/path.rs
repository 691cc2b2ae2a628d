//! Names as values: variables, constants of the kernel, of the primitive types, and from elsewhere.

use std::borrow::Cow;

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr as Syntax, ExprPath, Item};
use vyre_ir::ir::Scalar;

use super::assoc_path::without_brackets;
use super::evaluate::float;
use super::obligations::{Claim, Obligation};
use super::outer_item::Outside;
use super::tree::{Constant, Expr, ExprKind, External};
use super::{Binding, Reader, cuda_names};
use crate::editor;
use crate::errors::{self, Code};
use crate::library::{intrinsics, methods};
use crate::resolve::declared;
use crate::resolve::names::plain;
use crate::resolve::source_scan::Surroundings;
use crate::surface::Primitive;
use crate::types::Ty;

/// The meaning of a path in a body.
pub(super) enum Meaning<'p> {
    Local(usize),
    /// A constant of the function.
    Constant(usize),
    /// A name whose definition was refused.
    Refused,
    /// An item outside of the function, by its path there.
    Outside(Cow<'p, ExprPath>),
}

impl Reader<'_> {
    /// The meaning of a path in a body.
    pub(super) fn meaning<'p>(&mut self, path: &'p ExprPath) -> Meaning<'p> {
        let path = match without_brackets(path) {
            Some(plain) => Cow::Owned(plain),
            None => Cow::Borrowed(path),
        };
        if let (Some(name), None) = (path.path.get_ident(), &path.qself) {
            match self.lookup(name) {
                Some(Binding::Local(local)) => return Meaning::Local(local),
                Some(Binding::Constant(constant)) => return Meaning::Constant(constant),
                Some(Binding::Refused) => return Meaning::Refused,
                Some(Binding::Around) => {
                    let fault =
                        format!("`{name}` is a variable of the function around this one, which does not see it");
                    let help = "pass it as an argument";
                    self.errors
                        .late(errors::diagnostic(Code::CapturedVariable, name.span(), fault, help));
                    return Meaning::Refused;
                }
                Some(Binding::Path(_)) | None => {}
            }
        }
        Meaning::Outside(match self.resolve(&path.path) {
            Some(resolved) => Cow::Owned(ExprPath {
                path: resolved,
                ..path.into_owned()
            }),
            None => path,
        })
    }

    pub(super) fn path(&mut self, path: &ExprPath, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        match self.meaning(path) {
            // rustc looks no further.
            Meaning::Local(_) if self.within_constant => {
                self.errors.elsewhere();
                self.refused(span)
            }
            Meaning::Local(local) => {
                self.tree.locals[local].read = true;
                Expr::new(ExprKind::Local(local), span)
            }
            Meaning::Constant(constant) => Expr::new(ExprKind::Constant(constant), span),
            Meaning::Refused => self.refused(span),
            Meaning::Outside(path) => self.path_outside(&path, whole, span),
        }
    }

    /// A path that names nothing of the kernel.
    fn path_outside(&mut self, path: &ExprPath, whole: &Syntax, span: Span) -> Expr {
        let segments: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let names: Vec<&str> = segments.iter().map(String::as_str).collect();
        if names == ["self"] {
            return self.refuse(
                Code::SelfName,
                whole,
                "a kernel is a free function: it has no `self`",
                "take what it needs of it as parameters: `factor: f32`",
            );
        }
        if names.first() == Some(&"Self") {
            return self.refuse(
                Code::SelfName,
                whole,
                "a kernel is a free function: it has no `Self`",
                "name the type, or define the constant inside the kernel",
            );
        }
        if (names.len() > 1 || path.qself.is_some())
            && let Some(constant) = self.associated_constant(path, span)
        {
            return constant;
        }
        if path.qself.is_some() {
            return self.refuse(
                Code::TraitPath,
                whole,
                "paths through traits are not supported in a kernel",
                "name the method on the value: `x.abs()`",
            );
        }
        match self.generic_primitive(&path.path) {
            Some(Ok(primitive)) => {
                if let Some((ty, bits)) = self.generic_constant(primitive, names[1]) {
                    return self.known_constant(names.join("::"), ty, bits, span);
                }
                if methods::find(names[1], methods::receiver(primitive)).is_some() {
                    return self.function_as_part(&names.join("::"), span);
                }
            }
            Some(Err(ty)) => return self.of_parameter(ty, &path.path, span),
            None => {}
        }
        let of_alias = |reader: &mut Self| limit(reader.primitive_before(&path.path)?, names.last()?);
        if let Some((primitive, bits)) = known(&names).or_else(|| of_alias(self)) {
            self.claim(&path.path, Claim::Known(primitive, bits));
            return self.known_constant(names.join("::"), primitive, bits, span);
        }
        let last = names.last().copied().unwrap_or_default();
        if matches!(last, "Relaxed" | "Acquire" | "Release" | "AcqRel" | "SeqCst") {
            if self.errors.has(Code::AtomicOrder) {
                // The other branch of a choice.
                return self.refused(span);
            }
            return self.refuse(
                Code::AtomicOrder,
                whole,
                "an `Ordering` is not a value in a kernel",
                "write it where the atomic is accessed: `x.load(Ordering::Relaxed)`",
            );
        }
        if let Some(made) = self.made_by_name(&path.path, span) {
            return made;
        }
        if let Some(variant) = self.variant(&path.path, span) {
            return variant;
        }
        if let [.., ty, function] = names[..]
            && let Some(primitive) = Primitive::from_name(ty)
            && methods::find(function, methods::receiver(primitive)).is_some()
        {
            return self.function_as_part(&names.join("::"), span);
        }
        let named = path.path.segments.iter().all(|segment| segment.arguments.is_none());
        if let ([only], Some(instead)) = (&names[..], cuda_names::instead(last)) {
            self.errors.refuse(
                Code::UnknownFunction,
                span,
                format_args!("`{only}` is a name of CUDA C++"),
                format_args!("write `{instead}`"),
            );
            return self.refused(span);
        }
        if let [.., ty, last] = names[..]
            && ty.starts_with(char::is_uppercase)
            && last.starts_with(char::is_uppercase)
            && self.is_unmarked_enum(&path.path)
        {
            let fault = format!("vyre does not know the enum `{ty}`");
            let help = format!("put `#[vyre::device]` on `{ty}`");
            self.errors.refuse(Code::UnknownType, span, fault, help);
            return self.refused(span);
        }
        let spelled = match &names[..] {
            ["vyre", rest @ ..] => rest,
            names => names,
        };
        if spelled == ["shared"] && !named && !matches!(self.leads_to(&path.path), Outside::Found(..)) {
            return self.refuse(
                Code::SharedBinding,
                whole,
                "`shared` is a function, and it is not called here",
                "call it: `let tile = shared::<[f32; 256]>();`",
            );
        }
        if let Some(function) = intrinsics::named(spelled) {
            // rustc warns of the statement `block::sync;`, and speaks of operators where a number is expected.
            self.errors.refuse(
                Code::Closure,
                span,
                format_args!("`{function}` is a function, and it is not called here"),
                format_args!("call it: `{function}()`"),
            );
            return self.refused(span);
        }
        if self.is_captured(&path.path) {
            let name = last;
            let what = match self.is_device {
                true => "device function",
                false => "kernel",
            };
            self.errors.refuse(
                Code::CapturedVariable,
                span,
                format_args!("`{name}` is a variable of the function around this {what}, which does not see it"),
                format_args!("take it as a parameter of the {what}, and pass it"),
            );
            return self.refused(span);
        }
        if !named || last.contains(char::is_lowercase) {
            // No constant: a name that is not there, or one that yields no value of a kernel.
            let name = names.join("::");
            if !self.errors.has(Code::Closure) {
                self.errors.conditional(
                    Code::Closure,
                    span,
                    format_args!("`{name}` is neither a variable nor a constant in upper case"),
                    format_args!(
                        "call a function, pass it on, or name it alone, `let f = {name};`, and choose among several in a \
                         closure that calls them; rename a constant"
                    ),
                );
            }
            return self.refused(span);
        }
        self.external(path, span)
    }

    /// True of a variable of the function around the item that is read.
    pub(super) fn is_captured(&self, path: &syn::Path) -> bool {
        let (Some(name), Some(item)) = (path.get_ident(), &self.item) else {
            return false;
        };
        let name = name.to_string();
        // An item in a function is indented.
        let may_be = !self.is_elsewhere && !self.names.complete && item.span().start().column > 3;
        may_be
            && name.contains(char::is_lowercase)
            && !editor::is_here()
            && Surroundings::of(item).is_some_and(|around| around.captures(&name))
    }

    /// True if the type before the last name of a path, which is no constant's, lacks the attribute.
    fn is_unmarked_enum(&self, path: &syn::Path) -> bool {
        let mut ty = path.clone();
        let last = ty.segments.pop();
        ty.segments.pop_punct();
        let is_variant = last.is_some_and(|last| last.ident.to_string().contains(char::is_lowercase));
        is_variant && matches!(self.leads_to(&ty), Outside::Unmarked | Outside::Missing)
    }

    pub(super) fn known_constant(&mut self, name: String, primitive: Primitive, bits: u128, span: Span) -> Expr {
        self.tree.constants.push(Constant {
            name,
            ty: Ty::primitive(primitive),
            values: words(primitive, bits),
            computed: false,
            host: None,
            span,
        });
        Expr::new(ExprKind::Constant(self.tree.constants.len() - 1), span)
    }

    /// True of a name that surely nothing around this item has.
    fn is_nowhere(&self, path: &ExprPath) -> bool {
        let name = path.path.get_ident().map(plain);
        name.is_some_and(|name| self.file().is_some_and(|around| around.lacks(&name)))
    }

    /// True of a misspelt name, where rustc does not say so of the type of a parameter.
    fn is_misspelt(&self, path: &ExprPath) -> bool {
        self.launcher.is_none() && self.is_nowhere(path)
    }

    /// A constant from outside the kernel.
    fn external(&mut self, path: &ExprPath, span: Span) -> Expr {
        let name = path.to_token_stream().to_string().replace(' ', "");
        let outside = self.leads_to(&path.path);
        let is_unmarked = matches!(outside, Outside::Unmarked);
        match outside {
            Outside::Found(item, names, key) => {
                let Item::Const(item) = *item else {
                    return self.left_to_rustc(span);
                };
                let found = self.constant_outside(&item, names, key, span);
                if let (ExprKind::Constant(number), false, false) =
                    (&found.kind, self.names.complete, self.is_elsewhere)
                {
                    self.tree.oblige(Obligation::Constant(path.to_token_stream(), *number));
                }
                return found;
            }
            Outside::Refused => {
                self.errors.elsewhere();
                return self.refused(span);
            }
            // A variable that is misspelt: rustc knows the others.
            Outside::Elsewhere | Outside::Unmarked
                if !name.starts_with(char::is_uppercase) && self.is_nowhere(path) =>
            {
                return self.left_to_rustc(span);
            }
            // Its tokens say more than the value that rustc writes into finished PTX: the optimiser sees them.
            Outside::Elsewhere if self.is_device || self.is_item(&path.path) => {
                self.want(&path.path);
                return self.refused(span);
            }
            Outside::Unmarked if self.is_device || self.is_misspelt(path) => {
                let help = match declared::nearest(&name) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None if CONSTS.iter().any(|(known, ..)| *known == name) => {
                        format!("write `core::f32::consts::{name}`, or that of `f64`")
                    }
                    None if self.is_nowhere(path) && cuda_names::of_others(&name).is_some() => {
                        format!("write `{}`", cuda_names::of_others(&name).unwrap_or_default())
                    }
                    None if self.is_nowhere(path) => {
                        "define or import a constant of this name, with `#[vyre::device]`".to_owned()
                    }
                    None => "put `#[vyre::device]` on it".to_owned(),
                };
                self.errors.refuse_all(
                    Code::NotDevice,
                    path,
                    format_args!("`{name}` is not a device constant"),
                    help,
                );
                return self.refused(span);
            }
            Outside::Missing => {
                self.errors.refuse_all(
                    Code::NotInThisFile,
                    path,
                    format_args!("`{name}` is not defined in this file"),
                    "define the constant in the file of the kernel",
                );
                return self.refused(span);
            }
            // A crate by itself is no value.
            _ if path.path.leading_colon.is_some() && path.path.segments.len() == 1 => {
                return self.left_to_rustc(span);
            }
            // rustc supplies the value.
            Outside::Elsewhere | Outside::Unmarked => {}
        }
        let known = self.tree.externals.iter().position(|external| external.name == name);
        let number = known.unwrap_or_else(|| {
            let ty = self.tree.types.unknown();
            self.tree.externals.push(External {
                path: path.to_token_stream(),
                name,
                ty,
                span,
                is_unmarked,
            });
            self.tree.externals.len() - 1
        });
        Expr::new(ExprKind::External(number), span)
    }

    /// True if a path leads to an item of a module, as far as can be told: what a type has cannot be imported.
    fn is_item(&self, path: &syn::Path) -> bool {
        let is_module = |segment: &syn::PathSegment| {
            let name = segment.ident.to_string();
            !name.starts_with(char::is_uppercase) && Primitive::from_name(&name).is_none()
        };
        let mut segments = path.segments.iter();
        segments.next_back().is_some() && segments.all(is_module) && !self.is_of_type(path)
    }
}

/// The constants that Rust defines on its primitive types.
fn known(names: &[&str]) -> Option<(Primitive, u128)> {
    let names = match names {
        ["core" | "std", rest @ ..] => rest,
        names => names,
    };
    match *names {
        [ty, name] => limit(Primitive::from_name(ty)?, name),
        // By any path, since the type is no primitive of Rust.
        [.., ty @ ("f16" | "bf16"), name] => limit(Primitive::from_name(ty)?, name),
        ["f32", "consts", name] => {
            let value = CONSTS.iter().find(|known| known.0 == name)?.1;
            Some((Primitive::F32, value.to_bits().into()))
        }
        ["f64", "consts", name] => {
            let value = CONSTS.iter().find(|known| known.0 == name)?.2;
            Some((Primitive::F64, value.to_bits().into()))
        }
        _ => None,
    }
}

/// The bits of a number as the scalars of a constant: two of 128 bits.
fn words(of: Primitive, bits: u128) -> Vec<u64> {
    match of.is_wide() {
        true => vec![bits as u64, (bits >> 64) as u64],
        false => vec![bits as u64],
    }
}

pub(super) fn limit(ty: Primitive, name: &str) -> Option<(Primitive, u128)> {
    let scalar = ty.scalar();
    if scalar.is_float() {
        let value = float_limit(scalar, name)?;
        return Some((ty, float(scalar, value).bits.into()));
    }
    if !scalar.is_integer() {
        return None;
    }
    let ones = u128::MAX >> (128 - ty.bits());
    match (name, scalar.is_signed()) {
        ("BITS", _) => Some((Primitive::U32, ty.bits().into())),
        ("MAX", false) => Some((ty, ones)),
        ("MIN", false) => Some((ty, 0)),
        ("MAX", true) => Some((ty, ones >> 1)),
        ("MIN", true) => Some((ty, (ones >> 1) + 1)),
        _ => None,
    }
}

/// A constant of a float type. The crate `half` has all there, also those of `consts`.
fn float_limit(scalar: Scalar, name: &str) -> Option<f64> {
    // Explicit bits of the significand, and the greatest exponent.
    let (fraction, most): (i32, i32) = match scalar {
        Scalar::F16 => (10, 15),
        Scalar::BF16 => (7, 127),
        Scalar::F32 => (23, 127),
        _ => (52, 1023),
    };
    let power = |exponent: i32| f64::from_bits(((1023 + exponent) as u64) << 52);
    Some(match name {
        "MAX" => (2.0 - power(-fraction)) * power(most),
        "MIN" => (power(-fraction) - 2.0) * power(most),
        "MIN_POSITIVE" => power(1 - most),
        "EPSILON" => power(-fraction),
        "INFINITY" => f64::INFINITY,
        "NEG_INFINITY" => f64::NEG_INFINITY,
        "NAN" => f64::NAN,
        _ if !scalar.is_half() => return None,
        "ZERO" => 0.0,
        "NEG_ZERO" => -0.0,
        "ONE" => 1.0,
        "NEG_ONE" => -1.0,
        "MIN_POSITIVE_SUBNORMAL" => power(1 - most - fraction),
        "MAX_SUBNORMAL" => power(1 - most) - power(1 - most - fraction),
        _ => CONSTS.iter().find(|known| known.0 == name)?.2,
    })
}

macro_rules! consts {
    ($($name:ident)*) => {
        &[$((stringify!($name), std::f32::consts::$name, std::f64::consts::$name),)*]
    };
}

/// `core::f32::consts` and `core::f64::consts`.
const CONSTS: &[(&str, f32, f64)] = consts! {
    PI TAU E SQRT_2 LN_2 LN_10 LOG2_E LOG2_10 LOG10_E LOG10_2 FRAC_PI_2 FRAC_PI_3 FRAC_PI_4
    FRAC_PI_6 FRAC_PI_8 FRAC_1_PI FRAC_2_PI FRAC_2_SQRT_PI FRAC_1_SQRT_2
};
