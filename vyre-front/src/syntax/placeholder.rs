//! Generic functions typed with placeholders for their parameters.
//!
//! rustc resolves a method in the generic body, once for all instances, and vyre in each instance,
//! where it knows the types. So a generic function is also typed by itself: only the bounds of a
//! type parameter are known, and its placeholder is a struct without fields whose functions are
//! those of the traits in these bounds. The placeholder of a length is an unlikely number.
//! `rustc::generic_probe` has the decisions confirmed that were made in this way.

use std::rc::Rc;

use proc_macro2::{Ident, TokenStream};
use syn::ItemTrait;

use super::Trait;
use super::tree::Tree;
use crate::library::{self, methods::on};
use crate::resolve::names::{Names, hash};
use crate::types::{Kind, Ty, Types};

/// The placeholder of the first length parameter; each later one is one more.
pub(crate) const LENGTH: u64 = 40_009;

/// The placeholders for the parameters of a generic function.
#[derive(Default)]
pub(crate) struct ParamEnv {
    pub(crate) types: Vec<Placeholder>,
    /// A method or constant that no bound of a type has, and the type.
    pub(crate) unseen: Option<(Ident, String)>,
}

/// A placeholder: a type of which only bounds are known.
pub(crate) struct Placeholder {
    pub(crate) ty: Ty,
    /// The key of the struct that it is.
    pub(crate) key: u64,
    /// The type as the function writes it: `T`, `T::Point`.
    pub(crate) path: TokenStream,
    pub(crate) bounds: Vec<Bound>,
}

/// A trait that binds a type.
#[derive(Clone)]
pub(crate) struct Bound {
    pub(crate) by: Trait,
    /// A user's trait, with a body for each function, and the names in scope at its definition.
    pub(crate) item: Option<(Rc<ItemTrait>, Names)>,
    pub(crate) arguments: Vec<Ty>,
    /// The associated types that the bound says.
    pub(crate) types: Vec<(String, Ty)>,
}

/// The methods of `vyre::Float` and `vyre::Integer`, by value all of them.
const OF_FLOATS: [&str; 16] = words![
    min max clamp abs copysign sqrt mul_add recip floor ceil trunc round round_ties_even fract is_nan is_finite
];
const OF_INTEGERS: [&str; 12] = words![
    count_ones leading_zeros trailing_zeros rotate_left rotate_right wrapping_add wrapping_sub wrapping_mul
    saturating_add saturating_sub saturating_mul saturating_pow
];

impl Placeholder {
    /// Something new that is called `path`.
    pub(crate) fn new(types: &mut Types, path: TokenStream, of: &str) -> Self {
        let name = path.to_string().replace(' ', "");
        let key = hash(&["parameter", of, &name]);
        // Messages show `<T as Add>::Output` as `T::Output`.
        let shown = match (
            name.strip_prefix('<'),
            name.split_once("as::core::ops::"),
            name.rsplit_once("::"),
        ) {
            (Some(_), Some((of, _)), Some((_, last))) => format!("{}::{last}", of.trim_start_matches('<')),
            _ => name,
        };
        let ty = types.placeholder(shown, key, path.clone());
        Placeholder {
            ty,
            key,
            path,
            bounds: Vec::new(),
        }
    }

    /// True if a trait of this name that is none of the user's binds it.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.bounds
            .iter()
            .any(|bound| matches!(&bound.by, Trait::Other(other) if other == name))
    }

    /// True if it has what numbers have.
    pub(crate) fn is_number(&self) -> bool {
        ["Number", "Integer", "Float"].iter().any(|name| self.is(name))
    }

    /// The receivers that have the method, if it is of a trait of vyre or Rust: an [`on`] bit, or
    /// 0.
    pub(crate) fn kind(&self, method: &str) -> u16 {
        if self.is_number() && ["cast", "to_f32", "to_f64"].contains(&method) {
            return on::FLOAT;
        }
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

    /// True if it is a float, and the method is one of mathematics.
    pub(crate) fn has_mathematics(&self, method: &str) -> bool {
        self.is("Float") && library::mathematical_method(method).is_some()
    }

    /// True if `T::NAME` is a constant of numbers.
    pub(crate) fn has_constant(&self, name: &str) -> bool {
        match name {
            "ZERO" | "ONE" | "MIN" | "MAX" => self.is_number(),
            "INFINITY" | "EPSILON" => self.is("Float"),
            _ => false,
        }
    }
}

impl Tree {
    /// The placeholder that `ty` is.
    pub(crate) fn placeholder(&self, ty: Ty) -> Option<&Placeholder> {
        let known = self.param_env.as_deref()?;
        let of = self.types.kind(ty);
        let is_it = |it: &&Placeholder| matches!(of, Kind::Adt(_)) && self.types.kind(it.ty) == of;
        known.types.iter().find(is_it)
    }

    /// Notes what a type has by none of its bounds.
    pub(crate) fn unseen(&mut self, ty: Ty, name: &Ident) {
        let shown = self.types.show(ty).to_string();
        if let Some(env) = &mut self.param_env {
            env.unseen.get_or_insert((name.clone(), shown));
        }
    }
}
