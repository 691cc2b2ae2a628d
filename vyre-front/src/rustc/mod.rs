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

use proc_macro2::{Span, TokenStream};

use crate::by_name::ByName;
use crate::code::{Code, code};
use crate::syntax::obligations::{Claim, Obligation};
use crate::syntax::tree::Tree;

/// Allows what is unused in code that was refused, also where a crate forbids the group of these lints.
pub(crate) fn unused() -> TokenStream {
    let span = Span::call_site();
    code!(span=> #[allow(forbidden_lint_groups, unused)]).into()
}

/// The assertions for those obligations of a body that are `wanted`.
fn confirm(tree: &Tree, wanted: fn(&Obligation) -> bool) -> TokenStream {
    let types = &tree.types;
    let mut tokens = Code::default();
    let (mut methods, mut macros) = (ByName::new(), Vec::new());
    for (number, obligation) in tree.obligations.iter().enumerate() {
        match obligation {
            _ if !wanted(obligation) => {}
            Obligation::Intrinsic(path, function) => tokens.append(name_probe::intrinsic(path, function)),
            Obligation::Claim(path, _, Claim::Macro) => macros.push(path),
            Obligation::Claim(path, _, claim) => {
                tokens.append(name_probe::claim(types, path, *claim).unwrap_or_default())
            }
            Obligation::Constant(path, constant) => {
                tokens.append(Code::of(&name_probe::constant(tree, path, *constant)))
            }
            Obligation::Variable(name) => tokens.append(name_probe::variable(name)),
            // An argument at each place that names it does that.
            Obligation::Function(_) => {}
            Obligation::Method(method) => {
                let text = format!("{} {} {:?}", method.name, types.show(method.on), method.takes);
                let is_new = methods.insert(text, ());
                if is_new {
                    tokens.append(method_probe::method(tree, method, number));
                }
            }
            Obligation::TraitFunction(function) => {
                tokens.append(method_probe::trait_function(types, function).unwrap_or_default())
            }
            Obligation::Literal(literal) => tokens.append(method_probe::literal(types, literal).unwrap_or_default()),
        }
    }
    tokens.append(Code::of(&macro_probe::macros(&macros)));
    tokens.into()
}
