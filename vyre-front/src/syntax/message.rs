//! Messages: a format string of Rust with its values, of `println!`, assertions and panics.
//!
//! Widths and precisions that are values, `{:w$}` and `{:.*}`, become the numbers of these values.

use proc_macro2::Ident;
use quote::quote;
use syn::{Expr as Syntax, Lit, LitStr};
use vyre_abi::format::{Part, Spec, parts};

use super::Reader;
use super::tree::{Message, MessagePart};
use crate::errors::Code;

/// The arguments of a message.
struct Arguments<'s> {
    /// The position and name of each argument.
    given: Vec<(Option<String>, &'s Syntax)>,
    /// Those that are taken from the variables in sight.
    captured: Vec<(String, Syntax)>,
    /// True if a place takes it, for each that is given.
    is_used: Vec<bool>,
}

impl Reader<'_> {
    /// The message from these arguments of a macro; `None` if there are none, or if they are
    /// refused.
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
            return None;
        };
        let value = text.value();
        let Ok(parts) = parts(&value) else {
            let help = "write `{{` and `}}` for the braces themselves";
            return self.refuse_format(text, "a brace of this format string has no other one", help);
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
        let unused = arguments
            .given
            .iter()
            .zip(&arguments.is_used)
            .filter(|(_, is_used)| !**is_used);
        let unused: Vec<&Syntax> = unused.map(|((_, unused), _)| *unused).collect();
        if let [first, others @ ..] = &unused[..] {
            let fault = match others {
                [] => "the format string does not use this argument",
                _ => "the format string does not use these arguments",
            };
            let help = match is_of_c(&value) {
                true => "write `{}` where the value goes: Rust has no `%d`",
                false => "write `{}` where its value goes",
            };
            // rustc reports it too, but continues as if the message were valid.
            self.errors
                .refuse_all(Code::Message, &quote!(#first #(, #others)*), fault, help);
        }
        let Arguments { given, captured, .. } = arguments;
        let mut values = Vec::with_capacity(given.len() + captured.len());
        given.iter().for_each(|(_, value)| values.push(self.expr(value)));
        captured.iter().for_each(|(_, name)| values.push(self.expr(name)));
        Some(Message { parts: found, values })
    }

    /// A place for a value, as `0:>5`; `next` counts those that name none.
    fn place_of_value(
        &mut self,
        place: &str,
        text: &LitStr,
        next: &mut usize,
        arguments: &mut Arguments<'_>,
    ) -> Option<MessagePart> {
        let (name, format) = place.split_once(':').unwrap_or((place, ""));
        let (name, format) = (name.trim(), format.trim_end());
        if format.ends_with('p') {
            self.errors.refuse(
                Code::Message,
                text.span(),
                format_args!("a kernel does not write addresses, as by `{{{place}}}`"),
                "write the index instead",
            );
            return None;
        }
        let counted = self.counted(format, text, next, arguments)?;
        let Some(spec) = Spec::parse(&counted) else {
            let fault = format!("`{{:{format}}}` is no format of Rust's");
            let help = "write `{}`, `{:.6}` for digits behind the point, `{:8}` for a width, `{:x}`, `{:?}` or `{:e}`";
            return self.refuse_format(text, &fault, help);
        };
        let number = match name {
            "" => {
                *next += 1;
                *next - 1
            }
            name => self.named_value(name, text, arguments)?,
        };
        self.is_placed(number, text, arguments)?;
        Some(MessagePart::Value(number, spec))
    }

    /// A format with the names of values replaced by their indices: `>2$.0$` for `>w$.*`.
    fn counted(
        &mut self,
        format: &str,
        text: &LitStr,
        next: &mut usize,
        arguments: &mut Arguments<'_>,
    ) -> Option<String> {
        // The fill may be any character.
        let mut first = format.char_indices().skip(1);
        let start = match first.next() {
            Some((at, '<' | '^' | '>')) => at,
            _ => 0,
        };
        let (fill, mut rest) = format.split_at(start);
        let mut counted = fill.to_owned();
        while let Some(at) = rest.find(['$', '*']) {
            let (before, after) = rest.split_at(at);
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            let mut begin = before.rfind(|c| !is_name(c)).map_or(0, |last| last + 1);
            if before[begin..].starts_with('0') && before.len() > begin + 1 {
                // Not part of the name, but what zeros fill.
                begin += 1;
            }
            let number = match after.starts_with('*') {
                true => {
                    *next += 1;
                    *next - 1
                }
                false => self.named_value(&before[begin..], text, arguments)?,
            };
            self.is_placed(number, text, arguments)?;
            counted += &format!("{}{number}$", &before[..begin]);
            rest = &after[1..];
        }
        Some(counted + rest)
    }

    /// The number of the value that a place names, or a variable in sight.
    fn named_value(&mut self, name: &str, text: &LitStr, arguments: &mut Arguments<'_>) -> Option<usize> {
        if let Ok(number) = name.parse() {
            return Some(number);
        }
        let mut given = arguments.given.iter();
        match given.position(|(known, _)| known.as_deref() == Some(name)) {
            Some(number) => Some(number),
            None => self.captured(name, text, arguments),
        }
    }

    /// Notes that a value has a place.
    fn is_placed(&mut self, number: usize, text: &LitStr, arguments: &mut Arguments<'_>) -> Option<()> {
        match arguments.is_used.get_mut(number) {
            Some(is_used) => *is_used = true,
            None if number - arguments.given.len() < arguments.captured.len() => {}
            None => {
                let fault = "the format string has a place for more values than there are";
                return self.refuse_format(text, fault, "write a value behind the string for each `{}`");
            }
        }
        Some(())
    }

    /// Refuses a format string. rustc does so too, but goes on as if it were valid.
    fn refuse_format<T>(&mut self, text: &LitStr, fault: &str, help: &str) -> Option<T> {
        self.errors.refuse(Code::Message, text.span(), fault, help);
        None
    }

    /// The number of a variable that a place names.
    fn captured(&mut self, name: &str, text: &LitStr, arguments: &mut Arguments<'_>) -> Option<usize> {
        let first = arguments.given.len();
        if let Some(known) = arguments.captured.iter().position(|(known, _)| known == name) {
            return Some(first + known);
        }
        let Ok(mut ident) = syn::parse_str::<Ident>(name) else {
            self.errors.mismatch();
            return None;
        };
        ident.set_span(text.span());
        arguments
            .captured
            .push((name.to_owned(), super::res::value(ident.into())));
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

/// True of a format string of C, `"%d %5.2f"`.
fn is_of_c(text: &str) -> bool {
    text.split('%').skip(1).any(|rest| {
        let conversion = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "+-#.lhz".contains(c));
        conversion.starts_with(['c', 'd', 'e', 'f', 'g', 'i', 'p', 's', 'u', 'x', 'X'])
    })
}
