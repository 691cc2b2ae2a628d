//! Names of instances: of their types and lengths, of the kernels and of the launchers.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::{Expr, ExprLit, Lit, UnOp};

use super::Kernel;
use crate::editor;
use crate::resolve::names::plain;
use crate::syntax::signature::camel_case;

/// A type or a length, with what names it.
#[derive(Clone)]
pub(super) struct Value {
    pub(super) tokens: TokenStream,
    /// Its name within the names of items.
    pub(super) name: String,
}

impl Value {
    /// As written, without the path before its name.
    pub(super) fn shown(&self) -> String {
        let text = self.tokens.to_string().replace(' ', "").replace(',', ", ");
        match text.split_once("::<") {
            Some((path, arguments)) => format!("{}<{arguments}", path.rsplit("::").next().unwrap_or(path)),
            None if text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => text,
            None => self.name.trim_start_matches('_').to_owned(),
        }
    }
}

pub(super) fn value(expr: &Expr, is_length: bool) -> Option<Value> {
    let name = match expr {
        Expr::Path(path) if !is_length => {
            let last = path.path.segments.last()?;
            let mut name = plain(&last.ident);
            words(last.arguments.to_token_stream(), &mut name);
            name
        }
        Expr::Lit(literal) if is_length => match &literal.lit {
            Lit::Int(number) => number.base10_digits().to_owned(),
            Lit::Bool(flag) => format!("_{}", flag.value),
            _ => return None,
        },
        Expr::Unary(negated) if is_length => match (&negated.op, &*negated.expr) {
            (
                UnOp::Neg(_),
                Expr::Lit(ExprLit {
                    lit: Lit::Int(number), ..
                }),
            ) => {
                format!("_minus_{}", number.base10_digits())
            }
            _ => return None,
        },
        _ => return None,
    };
    Some(Value {
        tokens: expr.to_token_stream(),
        name,
    })
}

/// Appends the names and numbers among the arguments of a type: `Pair::<f32>` is `Pair_f32`.
fn words(tokens: TokenStream, to: &mut String) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                to.push('_');
                to.push_str(&plain(&name));
            }
            // A string, which is no type, gets as far as this.
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                to.push('_');
                to.extend(text.chars().filter(|it| it.is_alphanumeric() || *it == '_'));
            }
            TokenTree::Group(group) => words(group.stream(), to),
            TokenTree::Punct(_) => {}
        }
    }
}

impl Kernel<'_> {
    /// `saxpy_f32_n16`.
    pub(super) fn instance_name(&self, choice: &[&Value]) -> Ident {
        let mut name = plain(&self.item.sig.ident);
        for ((parameter, is_length, _), value) in self.axes.iter().zip(choice) {
            let prefix = match is_length {
                true => plain(parameter).to_lowercase(),
                false => String::new(),
            };
            name += &format!("_{prefix}{}", value.name.to_lowercase());
        }
        Ident::new(&name, self.span())
    }

    pub(super) fn instance_launcher(&self, choice: &[&Value], launcher: &Ident) -> Ident {
        let name = self.instance_name(choice).to_string();
        let suffix = camel_case(&name[plain(&self.item.sig.ident).len()..]);
        format_ident!("{}{}", launcher, suffix, span = editor::added(launcher.span()))
    }

    /// `T = f32, N = 16`, in code quotes.
    pub(super) fn shown(&self, choice: &[&Value]) -> String {
        let pairs = self.axes.iter().zip(choice);
        let pairs: Vec<String> = pairs
            .map(|((name, ..), value)| format!("{name} = {}", value.shown()))
            .collect();
        format!("`{}`", pairs.join(", "))
    }
}
