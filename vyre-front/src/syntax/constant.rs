//! Constants inside a kernel: their values are computed here, because array lengths need them.

use quote::ToTokens;
use syn::{Expr as Syntax, ItemConst};
use vyre_ir::ir::Constant;

use super::evaluate::{self, Failure};
use super::expr::unparenthesised;
use super::passes::Computed;
use super::{Binding, Reader};
use crate::errors::{self, Code};
use crate::resolve::{declared, transport};
use crate::surface::Primitive;
use crate::types::{Kind, Ty, is_known};

impl Reader<'_> {
    /// Brings the constants of a block into scope. They may mention each other in any order.
    pub(super) fn constants(&mut self, items: &[&ItemConst]) {
        let mut waiting: Vec<&ItemConst> = items.to_vec();
        while !waiting.is_empty() {
            let ready = waiting.iter().position(|item| {
                !waiting
                    .iter()
                    .any(|other| mentions(item.expr.to_token_stream(), &other.ident.to_string()))
            });
            let Some(ready) = ready else {
                // A cycle.
                self.errors.mismatch();
                for item in waiting {
                    self.bring(&item.ident, Binding::Refused);
                }
                return;
            };
            let item = waiting.remove(ready);
            let binding = match self.constant(item) {
                Some(constant) => Binding::Constant(constant),
                None => Binding::Refused,
            };
            self.bring(&item.ident, binding);
        }
    }

    /// Computes a constant; refuses it where that cannot be done.
    pub(super) fn constant(&mut self, item: &ItemConst) -> Option<usize> {
        if let Syntax::Lit(syn::ExprLit {
            lit: syn::Lit::Str(_), ..
        }) = &*item.expr
        {
            // The literal says more than its type.
            self.expr(&item.expr);
            return None;
        }
        let ty = self.ty(&item.ty);
        if ty == Ty::REFUSED {
            return None;
        }
        // So it does of bytes.
        let is_literal = matches!(&*item.expr, Syntax::Lit(_));
        if matches!(self.tree.types.kind(ty), Kind::Reference(..) | Kind::Slice(..)) && !is_literal {
            self.errors.refuse_all(
                Code::ConstantForm,
                &item.ty,
                format_args!("the constant `{}` is a reference", item.ident),
                "write what it refers to: a number, or an array with its length, `[f32; 4]`",
            );
            return None;
        }
        let (values, computed) = match self.values_of(item, ty) {
            Ok(values) => values,
            Err(failure) => {
                if failure == Failure::Unknown && self.tree.wanted.is_empty() {
                    self.errors.refuse_all(
                        Code::UncomputableConstant,
                        &item.expr,
                        format_args!("vyre cannot compute the constant `{}`", item.ident),
                        "use literals, operators, casts, and other constants of the kernel; a `#[vyre::device] const` beside it may \
                         call functions",
                    );
                }
                return None;
            }
        };
        let number = self.new_constant(item.ident.to_string(), ty, values, item.ident.span());
        self.tree.constants[number].computed = computed;
        Some(number)
    }

    /// The value of an array's length, or of another constant in a type, which vyre must know.
    pub(super) fn length(&mut self, length: &Syntax) -> Option<u64> {
        if let Some(length) = self.generic_length(length) {
            return Some(length);
        }
        if self.computes_with_generics(length) {
            // rustc refuses it where it stands.
            self.errors.mismatch();
            return None;
        }
        if let Syntax::Lit(syn::ExprLit {
            lit: syn::Lit::Int(number),
            ..
        }) = length
            && number.base10_parse::<u64>().is_err()
        {
            let fault = format!("{} is more than any memory holds", number.base10_digits());
            self.errors
                .refuse_all(Code::ThreadMemory, length, fault, "write a smaller number");
            return None;
        }
        match self.values(length, Ty::USIZE) {
            Ok(values) => values.first().copied().filter(|&value| {
                if !is_known(value) {
                    self.errors.refuse_all(
                        Code::ThreadMemory,
                        length,
                        format_args!("{value} is more than any memory holds"),
                        "write a smaller number",
                    );
                }
                is_known(value)
            }),
            Err(failure) => {
                if failure == Failure::Unknown && self.tree.wanted.is_empty() {
                    self.refuse_length(length);
                }
                None
            }
        }
    }

    /// True if a constant of a type is computed from generic parameters, `N + 1`.
    fn computes_with_generics(&self, length: &Syntax) -> bool {
        let is_generic = |name: &proc_macro2::Ident| self.generic(&name.clone().into()).is_some();
        !self.generics.is_empty() && any_name(length.to_token_stream(), &is_generic)
    }

    /// The bits of a constant argument of this type, as [`decoded`] takes them.
    pub(super) fn constant_bits(&mut self, argument: &Syntax, of: Primitive) -> Option<u64> {
        if of == Primitive::Usize {
            return self.length(argument);
        }
        let value = match negative(argument) {
            Some(value) => value,
            None => match self.values(argument, Ty::primitive(of)) {
                Ok(values) => *values.first()?,
                Err(failure) => {
                    if failure == Failure::Unknown && self.tree.wanted.is_empty() {
                        self.refuse_length(argument);
                    }
                    return None;
                }
            },
        };
        let bits = Constant::new(of.scalar(), value).bits;
        let coded = bits & (u64::MAX >> 1);
        if decoded(coded, of) != bits {
            self.errors.refuse_all(
                Code::ConstParameter,
                argument,
                "this number is too large for a constant argument in a kernel, which has 63 bits",
                "pass the value as a parameter",
            );
            return None;
        }
        Some(coded)
    }

    /// The value of a constant that is an extent of the block.
    pub(super) fn block_extent(&mut self, path: &Syntax) -> Option<u64> {
        let externals = self.tree.externals.len();
        let outer = std::mem::replace(&mut self.within_constant, true);
        let read = self.expr(path);
        self.within_constant = outer;
        if let super::tree::ExprKind::Constant(number) = read.kind {
            let constant = &self.tree.constants[number];
            let of = self.tree.types.as_primitive(constant.ty);
            if let Some(of) = of.map(|of| of.scalar())
                && of.is_integer()
            {
                let bits = constant.values.first().copied()?;
                let is_negative = of.is_signed() && bits >> (of.bits() - 1) & 1 == 1;
                // As an extent of 0 it is refused.
                return Some(if is_negative { 0 } else { bits });
            }
            let (name, shown) = (&constant.name, self.tree.types.show(constant.ty));
            self.errors.refuse_all(
                Code::BlockExtents,
                path,
                format_args!("an extent of the block is an integer, and `{name}` is of type `{shown}`"),
                "make it a `usize`, or write a literal",
            );
            return None;
        }
        self.want_constants(&read);
        // It does not belong to the kernel.
        self.tree.externals.truncate(externals);
        if self.tree.wanted.is_empty() {
            self.errors.refuse_all(
                Code::BlockExtents,
                path,
                format_args!(
                    "vyre does not see the value of `{}`, an extent of the block",
                    path.to_token_stream()
                ),
                "write a literal, or mark the constant, an integer, `#[vyre::device]`",
            );
        }
        None
    }

    /// Refuses the length of an array, whose value vyre does not see.
    fn refuse_length(&mut self, length: &Syntax) {
        let shown = match unparenthesised(length) {
            Syntax::Path(path) => transport::text(&path.path),
            other => other.to_token_stream().to_string(),
        };
        let fault = format!("vyre does not see the value of `{shown}`, and must know the length of an array");
        let help = match declared::nearest(&shown) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "write the number, or put `#[vyre::device]` on the constant".to_owned(),
        };
        match unparenthesised(length) {
            Syntax::Path(path) => {
                let place = (Code::UnknownLength, super::start(length));
                self.refuse_item(&path.path, place, &fault, &help);
            }
            _ => self.errors.refuse_all(Code::UnknownLength, length, fault, help),
        }
    }

    /// The discriminant of a variant.
    pub(super) fn discriminant(&mut self, expr: &Syntax, ty: Ty) -> Option<u64> {
        match self.values(expr, ty) {
            Ok(values) => values.first().copied(),
            Err(failure) => {
                if failure == Failure::Unknown {
                    self.errors.refuse_all(
                        Code::UncomputableConstant,
                        expr,
                        "vyre cannot compute this discriminant",
                        "write the number",
                    );
                }
                None
            }
        }
    }

    /// The scalars of a constant, and whether it took more than an expression.
    fn values_of(&mut self, item: &ItemConst, ty: Ty) -> Result<(Vec<u64>, bool), Failure> {
        if !runs(&item.expr) {
            let calls = self.tree.calls.len();
            let values = self.values(&item.expr, ty);
            self.tree.calls.truncate(calls);
            if values != Err(Failure::Unknown) || !self.tree.wanted.is_empty() {
                return values.map(|values| (values, false));
            }
        }
        // A constant inside a kernel is known only to the kernel.
        let numbers = self.tree.types.numbers(ty).filter(|_| self.scopes.is_empty());
        let (cell, lengths) = numbers.ok_or(Failure::Unknown)?;
        match (self.tree.passes.run)(item, cell, &lengths, &self.names, self.errors) {
            Computed::Values(values) => Ok((values, true)),
            Computed::Wanted(paths) => {
                self.tree.wanted.extend(paths);
                Err(Failure::Unknown)
            }
            Computed::Refused => Err(Failure::Reported),
            Computed::Unknown => Err(Failure::Unknown),
        }
    }

    /// The scalars of a constant expression. What rustc refuses in it is left to rustc.
    fn values(&mut self, expr: &Syntax, ty: Ty) -> Result<Vec<u64>, Failure> {
        let (externals, types) = (self.tree.externals.len(), self.tree.types.count());
        let outer = std::mem::replace(&mut self.within_constant, true);
        let in_type = std::mem::replace(&mut self.in_type, false);
        let start = super::start(expr);
        let mut expr = self.expr(expr);
        (self.within_constant, self.in_type) = (outer, in_type);
        let typed = (self.tree.passes.infer)(&mut self.tree, self.errors, &mut expr, ty, types);
        let values = match typed {
            true => evaluate::values(&self.tree, &expr),
            false => Err(Failure::Reported),
        };
        if values == Err(Failure::Unknown) {
            self.want_constants(&expr);
        }
        // Constants used only by the expression do not belong to the kernel.
        self.tree.externals.truncate(externals);
        if values == Err(Failure::Refused) {
            self.errors.late(errors::no_value(start));
        }
        values
    }
}

/// The bits of a constant argument, of which the highest is left out: numbers with it are variables.
pub(super) fn decoded(coded: u64, of: Primitive) -> u64 {
    match of {
        Primitive::I64 | Primitive::Isize => (((coded << 1) as i64) >> 1) as u64,
        _ => coded,
    }
}

/// The bits of a literal such as `-3`, which is one token where it is a generic argument.
fn negative(argument: &Syntax) -> Option<u64> {
    let Syntax::Lit(syn::ExprLit {
        lit: syn::Lit::Int(number),
        ..
    }) = argument
    else {
        return None;
    };
    let digits = number.base10_digits();
    digits
        .starts_with('-')
        .then(|| digits.parse::<i64>().ok())?
        .map(|value| value as u64)
}

fn mentions(tokens: proc_macro2::TokenStream, name: &str) -> bool {
    any_name(tokens, &|ident| ident == name)
}

fn any_name(tokens: proc_macro2::TokenStream, holds: &dyn Fn(&proc_macro2::Ident) -> bool) -> bool {
    find_name(tokens, &mut |name| holds(name)).is_some()
}

/// The first word, of those in tokens, for which this holds.
pub(crate) fn find_name(
    tokens: proc_macro2::TokenStream,
    holds: &mut dyn FnMut(&proc_macro2::Ident) -> bool,
) -> Option<proc_macro2::Ident> {
    tokens.into_iter().find_map(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => holds(&ident).then_some(ident),
        proc_macro2::TokenTree::Group(group) => find_name(group.stream(), holds),
        _ => None,
    })
}

/// True if an expression has statements or names of its own, so that running it is the way to its value.
fn runs(expr: &Syntax) -> bool {
    match expr {
        Syntax::Lit(_) | Syntax::Path(_) => false,
        Syntax::Loop(_) | Syntax::While(_) | Syntax::ForLoop(_) | Syntax::Match(_) | Syntax::Let(_) => true,
        Syntax::Block(block) => block_runs(&block.block),
        Syntax::Const(block) => block_runs(&block.block),
        Syntax::If(of) => {
            let otherwise = of.else_branch.as_ref().map(|(_, otherwise)| &**otherwise);
            runs(&of.cond) || block_runs(&of.then_branch) || otherwise.is_some_and(runs)
        }
        Syntax::Group(of) => runs(&of.expr),
        Syntax::Paren(of) => runs(&of.expr),
        Syntax::Unary(of) => runs(&of.expr),
        Syntax::Cast(of) => runs(&of.expr),
        Syntax::Field(of) => runs(&of.base),
        Syntax::Repeat(of) => runs(&of.expr),
        Syntax::Binary(of) => runs(&of.left) || runs(&of.right),
        Syntax::Index(of) => runs(&of.expr) || runs(&of.index),
        Syntax::Array(of) => of.elems.iter().any(runs),
        Syntax::Tuple(of) => of.elems.iter().any(runs),
        Syntax::Call(of) => of.args.iter().any(runs),
        Syntax::MethodCall(of) => runs(&of.receiver) || of.args.iter().any(runs),
        _ => false,
    }
}

fn block_runs(block: &syn::Block) -> bool {
    !matches!(&block.stmts[..], [syn::Stmt::Expr(only, None)] if !runs(only))
}
