//! `ptx!("mul.hi.u32 {result}, {0}, {1};", a, b => u32 { .. })`: instructions in PTX, and what
//! other back ends run in their place. Without a block they fault there. `version = "7.8"` before the text is the PTX version
//! that has the instructions.

use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Expr as Syntax, Ident, LitStr, Macro, Token, Type};
use vyre_abi::format::{Part, parts};
use vyre_ir::ir::PtxPlace;
use vyre_ir::ir::{MAX_PTX_OPERANDS, MAX_PTX_RESULTS, PTX_VERSIONS, is_ptx_version};

use super::Reader;
use super::tree::{Callable, Expr, Inline, Message};
use crate::errors::Code;

/// The message if there is no fallback block.
const NO_HOST: &str = "these instructions in PTX run on a GPU alone: `ptx!` has no block for other devices";

/// The arguments of the macro.
struct Arguments {
    version: Option<LitStr>,
    text: LitStr,
    operands: Vec<Syntax>,
    result: Type,
    host: Option<syn::Block>,
}

fn arguments(input: ParseStream<'_>) -> syn::Result<Arguments> {
    let mut version = None;
    if input.peek(Ident) && input.peek2(Token![=]) {
        let name: Ident = input.parse()?;
        if name != "version" {
            return Err(syn::Error::new(name.span(), "expected `version`"));
        }
        input.parse::<Token![=]>()?;
        version = Some(input.parse()?);
        input.parse::<Token![,]>()?;
    }
    let text = input.parse()?;
    let mut operands = Vec::new();
    while input.parse::<Option<Token![,]>>()?.is_some() {
        operands.push(input.parse()?);
    }
    input.parse::<Token![=>]>()?;
    Ok(Arguments {
        version,
        text,
        operands,
        result: input.parse()?,
        host: if input.is_empty() { None } else { Some(input.parse()?) },
    })
}

/// The numbers of a PTX version that there is.
fn number(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.split_once('.')?;
    let version = (major.parse().ok()?, minor.parse().ok()?);
    is_ptx_version(version).then_some(version)
}

impl Reader<'_> {
    pub(super) fn inline(&mut self, macro_: &Macro) -> Expr {
        let span = macro_.bang_token.span;
        let arguments = match macro_.parse_body_with(arguments) {
            Ok(arguments) => arguments,
            Err(error) => {
                return self.fault(
                    Code::InlinePtx,
                    error.span(),
                    format_args!("cannot read this as PTX: {error}"),
                    "write `ptx!(\"neg.s32 {result}, {0};\", a => i32 { -a })`: text, operands, type of the result, and \
                     what the CPU runs, if it shall",
                );
            }
        };
        let Arguments {
            version,
            text,
            operands,
            result,
            host,
        } = arguments;
        let number = version.as_ref().map(|version| number(&version.value()));
        if let (Some(version), Some(None)) = (&version, number) {
            let last = PTX_VERSIONS.map(|(major, minor)| format!("{major}.0 to {major}.{minor}"));
            return self.fault(
                Code::InlinePtx,
                version.span(),
                format_args!("there is no PTX version `{}`", version.value()),
                format_args!("write the one that brought the instructions: {}", last.join(", ")),
            );
        }
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
            return self.fault(
                Code::InlinePtx,
                text.span(),
                "a placeholder in this PTX names no operand and no result",
                "`{0}` is the first operand, `{result}` the result, `{result.0}` the first of a tuple; braces of PTX \
                 are doubled, `{{` and `}}`",
            );
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
        let mut arguments: Vec<Expr> = operands.iter().map(|operand| self.expr(operand)).collect();
        let (result, result_span) = (self.ty(&result), result.span());
        let host = match &host {
            Some(host) => self.block(host),
            None => Message::plain(NO_HOST).panic(span).into_block(),
        };
        arguments.push(host.into_expr(span));
        let inline = Inline {
            text: value,
            version: number.flatten(),
            result,
            result_span,
        };
        Expr::call(Callable::Ptx(Box::new(inline)), arguments, span)
    }
}
