//! Confirms that rustc resolves methods and operators as vyre does.
//!
//! For `x.area()` rustc tries the autoref and autoderef steps of `x` in order: `T`, `&T`, `&mut T`,
//! what `T` derefs to, and so on. At each step an inherent method takes precedence over one of a
//! trait in scope. vyre knows the methods of visible modules, but not the traits in scope. So it
//! generates *probes* beside the function, calls that are never executed:
//!
//! - At the last step before that of the method, a generated trait has a method of the same name.
//!   If rustc selects it, there is no other one at that step or before.
//! - For a trait method, the same at its own step, in a module without traits in scope: there is no
//!   inherent method.
//! - A hidden method of the trait, [`trait_marker`](crate::resolve::trait_marker), is called: so
//!   the trait is in scope, and a second one would make the call ambiguous.
//!
//! An untyped literal operand has the type of the operator's `impl`, if there is only one.

use proc_macro2::{Ident, Literal, Span};
use quote::format_ident;
use vyre_abi::list;

use super::generic_probe;
use super::type_tokens::{DOOR, References, around, example, peeled, tag};
use crate::code::{Code, code};
use crate::resolve::impls::moved;
use crate::syntax::Receiver;
use crate::syntax::obligations::{Method, OpenLiteral, TraitFunction};
use crate::syntax::operator::Operator;
use crate::syntax::tree::Tree;
use crate::types::{Kind, Ty, Types};

/// The references around the type that has the method, where it is found at that type itself.
fn own_step(takes: Receiver) -> &'static [bool] {
    match takes {
        Receiver::Value => &[],
        Receiver::Shared => &[false],
        Receiver::Mutable => &[true],
    }
}

/// The last step at which rustc looks for a method before that of the method itself, if any.
fn before(on: &[bool], takes: Receiver) -> Option<References> {
    let wanted = own_step(takes);
    let (mut last, mut seen) = (None, Vec::new());
    for start in 0..=on.len() {
        let value = &on[start..];
        for around in [None, Some(false), Some(true)] {
            let mut step = References::new();
            step.extend(around);
            step.extend_from_slice(value);
            if step == wanted {
                return last;
            }
            // A value behind a shared reference is not borrowed mutably, which rustc reports. A
            // type that occurs twice is found at its first occurrence.
            let is_new = !seen.contains(&step);
            if is_new && (around != Some(true) || !on[..start].contains(&false)) {
                last = Some(step.clone());
            }
            seen.push(step);
        }
    }
    None
}

/// A call that must lead to the method of a trait made here, at a type.
fn probe(types: &Types, method: &Method, at: &[bool]) -> Option<Code> {
    let (_, base) = peeled(types, method.on);
    let (tag, name) = (tag(types, base)?, &method.name);
    let (user, span) = (Span::call_site(), Span::call_site().located_at(name.span()));
    let receiver = moved(example(types, method.on)?.into(), name.span());
    let is_slice = matches!(types.kind(base), Kind::Slice(..));
    let unsized_too = is_slice.then(|| code!(user=> + ?::core::marker::Sized));
    let at = around(at, code!(user=> T));
    let door = &Ident::new(DOOR, span);
    let of = &format_ident!("V0721_vyre_knows_no_other_method_{}", name, span = span);
    Some(code! {span=>
        trait #of {
            fn #name(self) -> #door::example::Alone;
        }
        impl<T: #door::Ty<Tag = #tag> #unsized_too> #of for #at {
            fn #name(self) -> #door::example::Alone {
                #door::example::Alone
            }
        }
        let _ = || {
            #door::example::alone((#receiver).#name());
        };
    })
}

/// True of the methods with `&self` that an array has itself.
fn is_of_arrays(name: &Ident) -> bool {
    name == "cmp" || name == "partial_cmp"
}

/// Confirms that rustc selects the method too. The number distinguishes it from other obligations
/// of the body.
pub(super) fn method(tree: &Tree, method: &Method, number: usize) -> Code {
    let (types, span) = (&tree.types, Span::call_site());
    let door = &Ident::new(DOOR, span);
    let mut all = Code::default();
    let (references, base) = peeled(types, method.on);
    let at = match types.kind(base) {
        // It is a method of the slice that the array becomes in the end, or that a `Slice` dereferences to.
        Kind::Array(..) | Kind::Slice(_, true) if method.takes != Receiver::Value && !is_of_arrays(&method.name) => {
            Some(vec![!references.contains(&false)])
        }
        _ => before(&references, method.takes),
    };
    let at = match (types.kind(base), at.as_deref(), references.last()) {
        // No value is a slice.
        (Kind::Slice(..), Some([]), Some(&mutable)) => {
            let around = &references[..references.len() - 1];
            Some(vec![!around.contains(&false), mutable])
        }
        _ => at,
    };
    if let Some(at) = at
        && let Some(probe) = probe(types, method, &at)
    {
        all.append(code!(span=> #[allow(warnings)] { #probe }));
    }
    let Some((marker, arguments)) = &method.of_trait else {
        return all;
    };
    // Parameters are unknown there; for their `impl`s this is checked at the `impl`s.
    if !generic_probe::mentions(tree, base)
        && let Some(probe) = probe(types, method, own_step(method.takes))
    {
        let name = format_ident!("__vyre_{number}");
        all.append(code! {span=>
            #[allow(warnings)]
            mod #name {
                use ::vyre::__private as #door;
                fn probe() { #probe }
            }
        });
    }
    if let (Some(marker), Some(arguments), Some(receiver)) = (marker, examples(types, arguments), example(types, base))
    {
        let (name, whole) = (&method.name, around(&references, receiver.clone()));
        all.append(in_scope(receiver, code!(span=> (#whole).#name), arguments, marker));
    }
    all
}

/// Confirms that the trait of a function is in scope.
pub(super) fn trait_function(types: &Types, it: &TraitFunction) -> Option<Code> {
    let (arguments, of) = (examples(types, &it.takes)?, example(types, it.of)?);
    Some(in_scope(of, Code::of(&it.path), arguments, &it.marker))
}

fn examples(types: &Types, list: &[Ty]) -> Option<Vec<Code>> {
    list::try_map(list, |&ty| example(types, ty))
}

/// A call of a trait's hidden method next to that of another one.
fn in_scope(of: Code, called: Code, arguments: Vec<Code>, marker: &Ident) -> Code {
    let user = Span::call_site();
    let span = called.last().map_or(user, |last| user.located_at(last.span()));
    let (door, marker) = (Ident::new(DOOR, span), Ident::new(&marker.to_string(), span));
    // If rustc finds nothing of this name, which it reports for the call, the second line has no
    // type.
    code! {span=>
        #[allow(warnings)]
        let _ = || {
            let result = #called(#arguments);
            #door::example::both(#of, result).#marker();
        };
    }
}

/// Confirms the type of a literal operand.
pub(super) fn literal(types: &Types, number: &OpenLiteral) -> Option<Code> {
    let span = Span::call_site().located_at(number.span);
    let (door, one) = (&Ident::new(DOOR, span), &Ident::new("number", span));
    let of = if number.is_left { number.left } else { number.right };
    let tag = tag(types, of)?;
    let literal = match number.is_float {
        true => Literal::f64_unsuffixed(1.0),
        false => Literal::u64_unsuffixed(1),
    };
    let other = example(types, if number.is_left { number.right } else { number.left })?;
    let sign = sign(number.operator, number.assigns);
    let operation = match (number.is_left, number.assigns) {
        (true, true) => return None,
        (true, false) => code!(span=> let _ = #one #sign #other;),
        (false, false) => code!(span=> let _ = #other #sign #one;),
        (false, true) => code!(span=> let mut value = #other; value #sign #one;),
    };
    Some(code! {span=>
        #[allow(warnings)]
        let _ = || {
            let #one = #literal;
            #operation
            #door::is::<#tag, _>(&#one);
        };
    })
}

fn sign(operator: Operator, assigns: bool) -> Code {
    let mut code = Code::default();
    let symbol = operator.symbol();
    match assigns {
        true => code.token(&format!("{symbol}="), Span::call_site()),
        false => code.token(symbol, Span::call_site()),
    }
    code
}

#[cfg(test)]
mod tests;
