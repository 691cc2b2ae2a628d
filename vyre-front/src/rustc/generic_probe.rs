//! Obligations of a generic body that was typed with placeholders, in a function with the same parameters.
//!
//! A method that a parameter has by none of its bounds is one of a trait that vyre does not see.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use syn::Generics;

use super::confirm;
use super::type_tokens::{DOOR, tag};
use crate::errors::{Code, Errors};
use crate::library::methods::{self, on};
use crate::syntax::obligations::Obligation;
use crate::syntax::placeholder::{ParamEnv, Placeholder};
use crate::syntax::tree::Tree;
use crate::types::Ty;

/// Functions by which other libraries make a number of a generic type.
const OF_OTHERS: [&str; 3] = ["new", "cast_from", "from_int"];

/// The assertions for the methods and operators of a generic function, whose `tree` has placeholders.
pub(crate) fn probes(tree: &Tree, generics: &Generics, errors: &mut Errors) -> TokenStream {
    let Some(general) = &tree.param_env else {
        return TokenStream::new();
    };
    if let Some((name, shown)) = &general.unseen {
        let is_float = |it: &Placeholder| it.is("Float") && it.path.to_string() == *shown;
        let is_number = |it: &Placeholder| it.is("Number") && it.path.to_string() == *shown;
        let owners = methods::on_which(&name.to_string());
        errors.refuse(
            Code::AmbiguousMethod,
            name.span(),
            format_args!("no bound of `{shown}` has `{name}`, and in a generic function vyre sees nothing else of it"),
            match OF_OTHERS.iter().any(|known| name == known) && general.types.iter().any(is_float) {
                true => format!("write `{shown}::from_f32(2.0)`, or of another number `x.cast::<{shown}>()`"),
                false if ["cast", "to_f32", "to_f64"].iter().any(|known| name == known) => {
                    format!("bind it by the trait that has it: `{shown}: Number`")
                }
                false
                    if owners & on::FLOAT != 0
                        && owners & (on::UNSIGNED | on::SIGNED) == 0
                        && general.types.iter().any(is_number) =>
                {
                    format!("bind it by the trait that has it: `{shown}: Float`")
                }
                false => format!("put a trait that has it among the bounds of `{shown}`"),
            },
        );
    }
    let probes = confirm(tree, |it| {
        matches!(it, Obligation::Method(_) | Obligation::TraitFunction(_))
    });
    let numbers = confirm(tree, |it| matches!(it, Obligation::Literal(_)));
    let (bounded, door) = (bounded(general, generics, &probes), Ident::new(DOOR, Span::call_site()));
    let mut all = TokenStream::new();
    // With such bounds rustc would take a number for the type that has them.
    for (probes, generics) in [(probes, &bounded), (numbers, generics)] {
        if !probes.is_empty() {
            let (parameters, _, clause) = generics.split_for_impl();
            all.extend(quote! {
                #[allow(warnings)]
                const _: () = {
                    use ::vyre::__private as #door;
                    fn probes #parameters () #clause { #probes }
                };
            });
        }
    }
    all
}

/// The parameters with bounds by which their placeholders are known.
fn bounded(general: &ParamEnv, generics: &Generics, probes: &TokenStream) -> Generics {
    let door = Ident::new(DOOR, Span::call_site());
    let text = probes.to_string();
    let mut generics = generics.clone();
    for it in &general.types {
        if text.contains(&it.key.to_string()) {
            let (path, key) = (&it.path, Literal::u64_unsuffixed(it.key));
            let clauses = &mut generics.make_where_clause().predicates;
            clauses.push(syn::parse_quote!(#path: #door::Ty<Tag = #door::tag::Own<#key>>));
        }
    }
    generics
}

/// True if a type is made of placeholders.
pub(crate) fn mentions(tree: &Tree, ty: Ty) -> bool {
    let Some(general) = &tree.param_env else { return false };
    let tag = tag(&tree.types, ty).map(|tag| TokenStream::from(tag).to_string());
    tag.is_some_and(|tag| general.types.iter().any(|it| tag.contains(&it.key.to_string())))
}
