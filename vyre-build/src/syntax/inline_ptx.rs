//! `ptx!("mul.hi.u32 {result}, {0}, {1};", a, b => u32 { .. })`: instructions in PTX, and what
//! other back ends run in their place. Without a block they fault there.

use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Expr as Syntax, LitStr, Macro, Token, Type};
use vyre_abi::format::{Part, parts};
use vyre_core::ir::PtxPlace;
use vyre_core::ir::{MAX_PTX_OPERANDS, MAX_PTX_RESULTS};

use super::Reader;
use super::tree::{Block, Expr, ExprKind, Inline, Message};
use crate::errors::Code;

/// The message if there is no fallback block.
const NO_HOST: &str = "these instructions in PTX run on a GPU alone: `ptx!` has no block for other devices";

/// The arguments of the macro.
struct Arguments {
    text: LitStr,
    operands: Vec<Syntax>,
    result: Type,
    host: Option<syn::Block>,
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
        host: match input.is_empty() {
            true => None,
            false => Some(input.parse()?),
        },
    })
}

impl Reader<'_> {
    pub(super) fn inline(&mut self, macro_: &Macro) -> Expr {
        let span = macro_.bang_token.span;
        let arguments = match macro_.parse_body_with(arguments) {
            Ok(arguments) => arguments,
            Err(error) => {
                self.errors.refuse(
                    Code::InlinePtx,
                    error.span(),
                    format_args!("cannot read this as PTX: {error}"),
                    "write `ptx!(\"neg.s32 {result}, {0};\", a => i32 { -a })`: text, operands, type of the result, and \
                     what the CPU runs, if it shall",
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
        let tuple = match &result {
            Type::Tuple(tuple) => Some(tuple.elems.len()),
            _ => None,
        };
        let fits = |part: &Part<'_>| match part {
            Part::Text(_) => true,
            Part::Place(name) => PtxPlace::of(name, operands.len(), tuple).is_some(),
        };
        if !parts(&value).is_ok_and(|parts| parts.iter().all(fits)) {
            self.errors.refuse(
                Code::InlinePtx,
                text.span(),
                "a placeholder in this PTX names no operand and no result",
                "`{0}` is the first operand, `{result}` the result, `{result.0}` the first of a tuple; braces of PTX \
                 are doubled, `{{` and `}}`",
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
        if let Type::Tuple(tuple) = &result
            && tuple.elems.len() > MAX_PTX_RESULTS
        {
            let count = tuple.elems.len();
            self.errors.refuse_all(
                Code::InlinePtx,
                tuple,
                format_args!("PTX of {count} results: it has {MAX_PTX_RESULTS} at most"),
                "pack them, or split the instructions",
            );
            return self.refused(span);
        }
        let operands = operands.iter().map(|operand| self.expr(operand)).collect();
        let (result, result_span) = (self.ty(&result), result.span());
        let host = match &host {
            Some(host) => self.block(host),
            None => Block {
                statements: Vec::new(),
                tail: Some(Box::new(Expr::new(ExprKind::Panic(Message::plain(NO_HOST)), span))),
                diverges: false,
            },
        };
        let inline = Inline {
            text: value,
            operands,
            result,
            result_span,
            host,
        };
        Expr::new(ExprKind::Ptx(Box::new(inline)), span)
    }
}
