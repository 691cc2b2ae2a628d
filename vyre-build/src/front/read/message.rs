//! Messages: a format string of Rust with its values, of `println!`, assertions and panics.

use proc_macro2::Ident;
use syn::{Expr as Syntax, Lit, LitStr};
use vyre_core::format::{Part, Spec, parts};

use super::super::tree::{Message, MessagePart};
use super::Reader;
use crate::errors::Code;

/// What the values of a message are made from.
struct Arguments<'s> {
    /// Where each stands that is written as an argument, and its name if it has one.
    given: Vec<(Option<String>, &'s Syntax)>,
    /// Those that are taken from the variables in sight.
    captured: Vec<(String, Syntax)>,
    /// Whether a place takes it, for each that is given.
    is_used: Vec<bool>,
}

impl Reader<'_> {
    /// The message that these arguments of a macro make; `None` where there are none, or where they
    /// are refused.
    pub(super) fn message(&mut self, arguments: &[Syntax]) -> Option<Message> {
        let (first, rest) = arguments.split_first()?;
        let Syntax::Lit(syn::ExprLit {
            lit: Lit::Str(text), ..
        }) = first
        else {
            self.errors.refuse_all(
                Code::Message,
                first,
                "the message of a kernel is a string literal",
                "write the text itself: `\"{}\", value`",
            );
            if !matches!(first, Syntax::Macro(_)) {
                self.errors.repeat();
            }
            return None;
        };
        let value = text.value();
        let Ok(parts) = parts(&value) else {
            self.errors.leave_to_rustc();
            return None;
        };
        let mut arguments = Arguments {
            given: rest.iter().map(named).collect(),
            captured: Vec::new(),
            is_used: vec![false; rest.len()],
        };
        let mut next = 0;
        let mut found = Vec::with_capacity(parts.len());
        for part in parts {
            found.push(match part {
                Part::Text(text) => MessagePart::Text(text.to_owned()),
                Part::Place(place) => self.place_of_value(place, text, &mut next, &mut arguments)?,
            });
        }
        for ((_, unused), _) in arguments
            .given
            .iter()
            .zip(&arguments.is_used)
            .filter(|(_, used)| !**used)
        {
            // rustc says so too, but goes on as if all were well.
            self.errors.refuse_all(
                Code::Message,
                *unused,
                "the message has no place for this value",
                "write `{}` where it is to stand",
            );
            self.errors.repeat();
        }
        let Arguments { given, captured, .. } = arguments;
        let captured: Vec<Syntax> = captured.into_iter().map(|(_, name)| name).collect();
        let values = given.iter().map(|(_, value)| *value).chain(&captured);
        Some(Message {
            parts: found,
            values: values.map(|value| self.expr(value)).collect(),
        })
    }

    /// A place for a value, as `0:>5`; `next` counts those that name none.
    fn place_of_value(
        &mut self,
        place: &str,
        text: &LitStr,
        next: &mut usize,
        arguments: &mut Arguments<'_>,
    ) -> Option<MessagePart> {
        let (name, spec) = place.split_once(':').unwrap_or((place, ""));
        let (name, spec) = (name.trim(), spec.trim_end());
        let Some(spec) = Spec::parse(spec) else {
            self.errors.refuse_unknown(
                Code::Message,
                text.span(),
                format_args!("a kernel does not write values as `{{{place}}}`"),
                "write the width and the precision as numbers, and `x`, `X`, `o`, `b`, `e`, `E` or `?` last",
            );
            return None;
        };
        let number = if name.is_empty() {
            *next += 1;
            *next - 1
        } else if let Ok(number) = name.parse() {
            number
        } else if let Some(number) = arguments
            .given
            .iter()
            .position(|(known, _)| known.as_deref() == Some(name))
        {
            number
        } else {
            return self
                .captured(name, text, arguments)
                .map(|number| MessagePart::Value(number, spec));
        };
        let Some(is_used) = arguments.is_used.get_mut(number) else {
            self.errors.leave_to_rustc();
            return None;
        };
        *is_used = true;
        Some(MessagePart::Value(number, spec))
    }

    /// The number of a variable that a place names.
    fn captured(&mut self, name: &str, text: &LitStr, arguments: &mut Arguments<'_>) -> Option<usize> {
        let first = arguments.given.len();
        if let Some(known) = arguments.captured.iter().position(|(known, _)| known == name) {
            return Some(first + known);
        }
        let Ok(mut ident) = syn::parse_str::<Ident>(name) else {
            self.errors.leave_to_rustc();
            return None;
        };
        ident.set_span(text.span());
        let path = syn::ExprPath {
            attrs: Vec::new(),
            qself: None,
            path: ident.into(),
        };
        arguments.captured.push((name.to_owned(), Syntax::Path(path)));
        Some(first + arguments.captured.len() - 1)
    }
}

/// An argument of a macro and its name, `name = value`.
fn named(argument: &Syntax) -> (Option<String>, &Syntax) {
    if let Syntax::Assign(assign) = argument
        && let Syntax::Path(path) = &*assign.left
        && let Some(name) = path.path.get_ident()
    {
        return (Some(name.to_string()), &assign.right);
    }
    (None, argument)
}
