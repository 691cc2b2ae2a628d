//! Assertions for rustc to check.
//!
//! vyre resolves names, types and methods itself, and rustc confirms each decision: [`confirm`]
//! turns the obligations of a body into code that compiles only if rustc agrees.

pub(crate) mod constant_value;
pub(crate) mod function_marks;
pub(crate) mod generic_probe;
mod macro_probe;
pub(crate) mod mentions;
mod method_probe;
pub(crate) mod name_probe;
pub(crate) mod type_tokens;
pub(crate) mod type_witness;

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::quote;

use crate::syntax::obligations::{Claim, Obligation};
use crate::syntax::tree::Tree;

/// Allows what is unused in code that was refused, also where a crate forbids the group of these lints.
pub(crate) fn unused() -> TokenStream {
    quote!(#[allow(forbidden_lint_groups, unused)])
}

/// The assertions for those obligations of a body that are `wanted`.
fn confirm(tree: &Tree, wanted: impl Fn(&Obligation) -> bool) -> TokenStream {
    let types = &tree.types;
    let mut tokens = TokenStream::new();
    let (mut methods, mut macros) = (HashSet::new(), Vec::new());
    for (number, obligation) in tree.obligations.iter().enumerate().filter(|(_, it)| wanted(it)) {
        match obligation {
            Obligation::Intrinsic(path, function) => tokens.extend(name_probe::intrinsic(path, function)),
            Obligation::Claim(path, _, Claim::Macro) => macros.push(path),
            Obligation::Claim(path, _, claim) => tokens.extend(name_probe::claim(types, path, *claim)),
            Obligation::Constant(path, constant) => tokens.extend(name_probe::constant(tree, path, *constant)),
            Obligation::Variable(name) => tokens.extend(name_probe::variable(name)),
            // An argument at each place that names it does that.
            Obligation::Function(_) => {}
            Obligation::Method(method) => {
                let is_new = methods.insert(format!("{} {} {:?}", method.name, types.show(method.on), method.takes));
                if is_new {
                    tokens.extend(method_probe::method(tree, method, number));
                }
            }
            Obligation::TraitFunction(function) => tokens.extend(method_probe::trait_function(types, function)),
            Obligation::Literal(literal) => tokens.extend(method_probe::literal(types, literal)),
        }
    }
    tokens.extend(macro_probe::macros(&macros));
    tokens
}
