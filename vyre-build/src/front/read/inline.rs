//! `ptx!("mul.hi.u32 {result}, {0}, {1};", a, b => u32 { .. })`: instructions in PTX, and what
//! other back ends run in their place.

use syn::parse::{ParseStream, Parser};
use syn::{Expr as Syntax, LitStr, Macro, Token, Type};
use vyre_core::format::{Part, parts};
use vyre_core::ir::MAX_PTX_OPERANDS;

use super::super::tree::{Expr, ExprKind, Inline};
use super::Reader;
use crate::errors::Code;

/// The arguments of the macro.
struct Arguments {
    text: LitStr,
    operands: Vec<Syntax>,
    result: Type,
    host: syn::Block,
}

fn arguments(input: ParseStream<'_>) -> syn::Result<Arguments> {
    let text = input.parse()?;
    let mut operands = Vec::new();
    while input.parse::<Option<Token![,]>>()?.is_some() {
        operands.push(input.parse()?);
    }
    input.parse::<Token![=>]>()?;
    Ok(Arguments {
        text,
        operands,
        result: input.parse()?,
        host: input.parse()?,
    })
}

impl Reader<'_> {
    pub(super) fn inline(&mut self, macro_: &Macro) -> Expr {
        let span = macro_.bang_token.span;
        let arguments = match arguments.parse2(macro_.tokens.clone()) {
            Ok(arguments) => arguments,
            Err(error) => {
                // Where the end is missing, the error stands nowhere.
                self.errors.refuse_all(
                    Code::InlinePtx,
                    &macro_.path,
                    format_args!("cannot read this as PTX: {error}"),
                    "write `ptx!(\"neg.s32 {result}, {0};\", a => i32 { -a })`: text, operands, type of the result, and \
                     what the CPU runs",
                );
                self.errors.repeat();
                return self.refused(span);
            }
        };
        let Arguments {
            text,
            operands,
            result,
            host,
        } = arguments;
        let value = text.value();
        let fits = |part: &Part<'_>| match part {
            Part::Text(_) | Part::Place("result") => true,
            Part::Place(number) => number.parse().is_ok_and(|number: usize| number < operands.len()),
        };
        if !parts(&value).is_ok_and(|parts| parts.iter().all(fits)) {
            self.errors.refuse(
                Code::InlinePtx,
                text.span(),
                "a place in this PTX names no operand",
                "`{0}` is the first operand, `{result}` the result; braces of PTX are doubled, `{{` and `}}`",
            );
            return self.refused(span);
        }
        if operands.len() > MAX_PTX_OPERANDS {
            self.errors.refuse_all(
                Code::InlinePtx,
                &operands[MAX_PTX_OPERANDS],
                format_args!("PTX of {} operands: it has {MAX_PTX_OPERANDS} at most", operands.len()),
                "pack them, or split the instructions",
            );
            return self.refused(span);
        }
        let inline = Inline {
            text: value,
            operands: operands.iter().map(|operand| self.expr(operand)).collect(),
            result: self.ty(&result),
            host: self.block(&host),
        };
        Expr::new(ExprKind::Ptx(Box::new(inline)), span)
    }
}
