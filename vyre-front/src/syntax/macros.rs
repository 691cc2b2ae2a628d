//! The macros that kernels know: assertions, panics, printing and `matches!`.

use proc_macro2::TokenTree;
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Expr as Syntax, ExprMatch, Macro, Token};

use super::tree::{Block, Callable, Expr, Message, MessagePart, Operator};
use super::{Reader, source_text};
use crate::errors::Code;
use crate::types::Ty;

impl Reader<'_> {
    pub(super) fn macro_call(&mut self, macro_: &Macro) -> Expr {
        self.delimiters += 1;
        let read = self.read_macro(macro_);
        self.delimiters -= 1;
        read.unwrap_or_else(|| self.refused(macro_.bang_token.span))
    }

    /// `None` where it was refused.
    fn read_macro(&mut self, macro_: &Macro) -> Option<Expr> {
        let last = macro_.path.segments.last()?;
        let name = last.ident.to_string();
        let span = last.ident.span();
        let is_known = self.claim_macro(&macro_.path);
        let is_asm = matches!(name.as_str(), "asm" | "global_asm");
        Some(match name.as_str() {
            _ if !is_known && !is_asm => {
                self.errors.refuse(
                    Code::UnknownMacro,
                    span,
                    format_args!("vyre does not see what the macro `{name}!` of this path is"),
                    format_args!("write `{name}!`, `core::{name}!` or `std::{name}!` for Rust's own; others are not expanded in a kernel"),
                );
                return None;
            }
            "assert" | "debug_assert" => {
                let arguments = self.arguments(macro_)?;
                let Some(condition) = arguments.first() else {
                    return Some(self.left_to_rustc(span));
                };
                if let Syntax::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(_), ..
                }) = condition
                {
                    return Some(self.refuse(
                        Code::Message,
                        condition,
                        "the condition comes before the message",
                        &format!("write `{name}!(condition, \"message\")`"),
                    ));
                }
                let source = || source_text::arguments(&macro_.tokens).swap_remove(0);
                let message = self.message_or(&arguments[1..], source)?;
                let assert = message.assert(self.expr(condition), false, span);
                self.only_if_debug(assert, name.starts_with("debug_"))
            }
            "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => {
                let arguments = self.arguments(macro_)?;
                let [left, right, message @ ..] = &arguments[..] else {
                    return Some(self.left_to_rustc(span));
                };
                let (operator, sign) = match name.ends_with("eq") {
                    true => (Operator::Eq, " == "),
                    false => (Operator::Ne, " != "),
                };
                let source = || {
                    let sides = source_text::arguments(&macro_.tokens);
                    sides.get(..2).unwrap_or_default().join(sign)
                };
                let message = self.message_or(message, source)?;
                let (left, right) = (self.expr(left), self.expr(right));
                let assert = message.assert(Expr::binary(operator, left, right, span), true, span);
                self.only_if_debug(assert, name.starts_with("debug_"))
            }
            "panic" | "unreachable" | "todo" | "unimplemented" => {
                let arguments = self.arguments(macro_)?;
                let (alone, before) = match name.as_str() {
                    "panic" => ("explicit panic", ""),
                    "unreachable" => (
                        "internal error: entered unreachable code",
                        "internal error: entered unreachable code: ",
                    ),
                    "todo" => ("not yet implemented", "not yet implemented: "),
                    _ => ("not implemented", "not implemented: "),
                };
                let message = match &arguments[..] {
                    [] => Message::plain(alone),
                    arguments => {
                        let mut message = self.message(arguments)?;
                        message.parts.insert(0, MessagePart::Text(before.to_owned()));
                        message
                    }
                };
                message.panic(span)
            }
            "print" | "println" => {
                let arguments = self.arguments(macro_)?;
                let mut message = match &arguments[..] {
                    [] => Message::default(),
                    arguments => self.message(arguments)?,
                };
                if name == "println" {
                    message.parts.push(MessagePart::Text("\n".to_owned()));
                }
                Expr::call(Callable::Print(message.parts), message.values, span)
            }
            "ptx" => self.inline(macro_),
            // rustc decides it, like any constant from elsewhere.
            "cfg" => self.configured(macro_.to_token_stream(), macro_.bang_token.span),
            "eprint" | "eprintln" | "dbg" => self.refuse_macro(
                Code::UnsupportedMacro,
                macro_,
                "a kernel has no standard error",
                "use `println!`",
            ),
            "format" | "write" | "writeln" | "concat" | "stringify" => self.refuse_macro(
                Code::Text,
                macro_,
                "there are no strings in a kernel",
                "format on the host",
            ),
            "vec" => self.refuse_macro(
                Code::Allocation,
                macro_,
                "nothing allocates in a kernel",
                "use a local array, `[0.0f32; 16]`, or `shared::<T>()`",
            ),
            "matches" => match as_match(macro_) {
                Some(match_) => self.match_(&match_, span),
                // rustc says why.
                None => self.left_to_rustc(span),
            },
            "asm" | "global_asm" => self.refuse_macro(
                Code::UnsupportedMacro,
                macro_,
                "inline assembly is not supported in a kernel",
                "write PTX: `unsafe { ptx!(..) }`",
            ),
            "include" | "include_str" | "include_bytes" | "env" | "option_env" => self.refuse_macro(
                Code::UnsupportedMacro,
                macro_,
                "files and the environment are not read in a kernel",
                "pass the data as a parameter",
            ),
            _ if self.macros.contains(&name) => return None,
            _ => {
                let help = match &*name {
                    "shared" | "shared_array" | "shared_memory" | "SharedArray" => {
                        "write `let tile = shared::<[f32; 256]>();`"
                    }
                    "printf" => "write `println!(\"{}\", x)`",
                    _ => {
                        "vyre sees tokens before macros expand: write the code out, or make a macro that writes the whole kernel"
                    }
                };
                self.errors.refuse(
                    Code::UnknownMacro,
                    span,
                    format_args!("the macro `{name}!` is not supported in a kernel"),
                    help,
                );
                return None;
            }
        })
    }

    fn refuse_macro(&mut self, code: Code, macro_: &Macro, fault: &str, help: &str) -> Expr {
        self.errors.refuse_all(code, &macro_.path, fault, help);
        self.refused(macro_.bang_token.span)
    }

    fn arguments(&mut self, macro_: &Macro) -> Option<Vec<Syntax>> {
        let parse = |input: ParseStream<'_>| Punctuated::<Syntax, Token![,]>::parse_terminated(input);
        match macro_.parse_body_with(parse) {
            Ok(arguments) => Some(arguments.into_iter().collect()),
            Err(error) => {
                self.errors.refuse(
                    Code::MacroSyntax,
                    error.span(),
                    &error,
                    "separate the arguments by commas, each a whole expression",
                );
                None
            }
        }
    }

    /// The message of an assertion: its own, or the source text. `None` if it is refused.
    fn message_or(&mut self, arguments: &[Syntax], source: impl FnOnce() -> String) -> Option<Message> {
        match arguments {
            [] => Some(Message::plain(&source())),
            arguments => self.message(arguments),
        }
    }

    /// The assertion of `debug_assert!`: `if cfg!(debug_assertions) { .. }`.
    fn only_if_debug(&mut self, assert: Expr, debug: bool) -> Expr {
        if !debug {
            return assert;
        }
        let span = assert.span;
        let condition = self.configured(quote::quote!(::core::cfg!(debug_assertions)), span);
        let then = Block::dropping(assert);
        Expr::if_(condition, then, None, span)
    }

    fn configured(&mut self, path: proc_macro2::TokenStream, span: proc_macro2::Span) -> Expr {
        let name = path.to_string();
        self.supplied(path, name, Some(Ty::BOOL), true, span)
    }
}

/// `matches!(value, pattern)` as the equivalent `match`.
fn as_match(macro_: &Macro) -> Option<ExprMatch> {
    let tokens: Vec<TokenTree> = macro_.tokens.clone().into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
    let (value, pattern) = tokens.split_at(tokens.iter().position(is_comma)?);
    let pattern = match &pattern[1..] {
        [pattern @ .., last] if is_comma(last) => pattern,
        pattern => pattern,
    };
    syn::parse2(quote!(match (#(#value)*) { #(#pattern)* => true, _ => false })).ok()
}
