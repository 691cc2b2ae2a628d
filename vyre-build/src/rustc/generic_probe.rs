//! Generic functions by themselves: what rustc checks of their bodies, whatever their parameters stand for.
//!
//! rustc chooses a method where the body stands, once for all instances, and vyre in each instance, where it knows
//! the types. So a generic function is typed by itself, too: of a type parameter nothing is known but its bounds, and
//! what *stands in* for it is a struct without fields whose functions are those of the traits in these bounds. A
//! length is one that nobody writes. All else is as in any other body, with the same probes. They stand in a function
//! with the same parameters.
//!
//! A method that a parameter has by none of its bounds is one of a trait that vyre does not see.

use std::rc::Rc;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Generics, ItemTrait};

use super::method_probe;
use super::type_witness::DOOR;
use crate::errors::{Code, Errors};
use crate::library::methods::on;
use crate::resolve::names::{Names, hash};
use crate::syntax::Trait;
use crate::syntax::tree::Tree;
use crate::types::{Kind, Ty, Types};

/// The length that stands in for a parameter, and one more for each that follows.
pub(crate) const LENGTH: u64 = 40_009;

/// What the parameters of a function stand for that is read by itself.
#[derive(Default)]
pub(crate) struct General {
    pub(crate) types: Vec<StandIn>,
    /// A method or constant that no bound of a type has, and the type.
    unseen: Option<(Ident, String)>,
}

/// What stands in for a type of which only bounds are known.
pub(crate) struct StandIn {
    pub(crate) ty: Ty,
    /// The key of the struct that it is.
    key: u64,
    /// The type as the function writes it: `T`, `T::Point`.
    pub(crate) path: TokenStream,
    pub(crate) bounds: Vec<Bound>,
}

/// A trait that binds a type.
#[derive(Clone)]
pub(crate) struct Bound {
    pub(crate) by: Trait,
    /// A trait of the user's, with a body for each function, and the names in sight where it stands.
    pub(crate) item: Option<(Rc<ItemTrait>, Names)>,
    pub(crate) arguments: Vec<Ty>,
    /// The associated types that the bound says.
    pub(crate) types: Vec<(String, Ty)>,
}

/// The methods of `vyre::Float` and `vyre::Integer`, by value all of them.
const OF_FLOATS: [&str; 16] = [
    "min",
    "max",
    "clamp",
    "abs",
    "copysign",
    "sqrt",
    "mul_add",
    "recip",
    "floor",
    "ceil",
    "trunc",
    "round",
    "round_ties_even",
    "fract",
    "is_nan",
    "is_finite",
];
const OF_INTEGERS: [&str; 8] = [
    "count_ones",
    "leading_zeros",
    "trailing_zeros",
    "rotate_left",
    "rotate_right",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
];

impl StandIn {
    /// Something new that is called `path`.
    pub(crate) fn new(types: &mut Types, path: TokenStream, of: &str) -> Self {
        let name = path.to_string().replace(' ', "");
        let key = hash(&["parameter", of, &name]);
        // Of `<T as Add>::Output` messages say `T::Output`.
        let shown = match (
            name.strip_prefix('<'),
            name.split_once("as::core::ops::"),
            name.rsplit_once("::"),
        ) {
            (Some(_), Some((of, _)), Some((_, last))) => format!("{}::{last}", of.trim_start_matches('<')),
            _ => name,
        };
        let ty = types.stand_in(shown, key, path.clone());
        StandIn {
            ty,
            key,
            path,
            bounds: Vec::new(),
        }
    }

    /// Whether a trait of this name that is none of the user's binds it.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.bounds
            .iter()
            .any(|bound| matches!(&bound.by, Trait::Other(other) if other == name))
    }

    /// Whether it has what numbers have.
    pub(crate) fn is_number(&self) -> bool {
        ["Number", "Integer", "Float"].iter().any(|name| self.is(name))
    }

    /// Which receivers have the method, where it is of a trait of vyre's or Rust's: an [`on`] bit, or 0.
    pub(crate) fn kind(&self, method: &str) -> u16 {
        let of_order = ["min", "max", "clamp"].contains(&method);
        if self.is("Float") && OF_FLOATS.contains(&method) {
            on::FLOAT
        } else if self.is("Integer") && OF_INTEGERS.contains(&method)
            || of_order && (self.is("Integer") || self.is("Ord"))
        {
            on::UNSIGNED
        } else {
            0
        }
    }

    /// Whether `T::NAME` is a constant of numbers.
    pub(crate) fn has_constant(&self, name: &str) -> bool {
        match name {
            "ZERO" | "ONE" | "MIN" | "MAX" => self.is_number(),
            "INFINITY" | "EPSILON" => self.is("Float"),
            _ => false,
        }
    }
}

impl Tree {
    /// What stands in for a parameter, if `ty` does.
    pub(crate) fn stand_in(&self, ty: Ty) -> Option<&StandIn> {
        let known = self.general.as_deref()?;
        let of = self.types.kind(ty);
        let is_it = |it: &&StandIn| matches!(of, Kind::Struct(_)) && self.types.kind(it.ty) == of;
        known.types.iter().find(is_it)
    }

    /// Notes what a type has by none of its bounds.
    pub(crate) fn unseen(&mut self, ty: Ty, name: &Ident) {
        let shown = self.types.show(ty).to_string();
        if let Some(general) = &mut self.general {
            general.unseen.get_or_insert((name.clone(), shown));
        }
    }
}

/// What rustc checks of the methods and operators in a generic function, which `tree` is by itself.
pub(crate) fn probes(tree: &Tree, generics: &Generics, errors: &mut Errors) -> TokenStream {
    let Some(general) = &tree.general else {
        return TokenStream::new();
    };
    if let Some((name, shown)) = &general.unseen {
        errors.refuse(
            Code::AmbiguousMethod,
            name.span(),
            format_args!("no bound of `{shown}` has `{name}`, and in a generic function vyre sees nothing else of it"),
            format_args!("put a trait that has it among the bounds of `{shown}`"),
        );
    }
    let (probes, numbers) = (method_probe::probes(tree), method_probe::numbers(tree));
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

/// The parameters with bounds by which what stands in for them is known.
fn bounded(general: &General, generics: &Generics, probes: &TokenStream) -> Generics {
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

/// Whether a type is made of what stands in for others.
pub(crate) fn mentions(tree: &Tree, ty: Ty) -> bool {
    let Some(general) = &tree.general else { return false };
    let tag = super::type_witness::tag(&tree.types, ty).map(|tag| tag.to_token_stream().to_string());
    tag.is_some_and(|tag| general.types.iter().any(|it| tag.contains(&it.key.to_string())))
}
