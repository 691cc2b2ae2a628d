//! Obligations: decisions that rustc must confirm.
//!
//! Reading and inference resolve names, paths, method calls and literals without seeing everything
//! that rustc sees. Each such decision is recorded in one list, which `rustc::confirm` turns into
//! code that compiles only if rustc agrees.

use proc_macro2::{Ident, Span, TokenStream};
use syn::Path;
use vyre_ir::ir::MemoryOrder;

use super::Receiver;
use super::operator::Operator;
use super::tree::Tree;
use crate::surface::Primitive;
use crate::types::Ty;

/// One decision.
pub(crate) enum Obligation {
    /// A path leads to this intrinsic, or to a variant of core's `Option` or `Result`.
    Intrinsic(TokenStream, &'static str),
    /// A name of Rust's or vyre's, by its path.
    Claim(Path, String, Claim),
    /// A path leads to the constant of this number in the tree.
    Constant(TokenStream, usize),
    /// A name in a pattern is a new variable, and no constant.
    Variable(Ident),
    /// A name that is called or passed is that of a device function.
    Function(String),
    Method(Method),
    TraitFunction(TraitFunction),
    Literal(OpenLiteral),
}

/// The meaning that a path is taken to have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// This type; of one with parameters, that with these arguments.
    Type(Ty, Arguments),
    /// The constant of a primitive type that has these bits.
    Known(Primitive, u128),
    /// The function of this type that has the last name of the path.
    Function(Primitive),
    /// This variant of `Ordering`.
    Order(MemoryOrder),
    /// The macro of Rust's or vyre's that has the last name of the path.
    Macro,
}

/// The arguments of a type that is confirmed: it stands for all others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arguments {
    None,
    /// So many times `u32`.
    Types(usize),
    /// So many times 2.
    Numbers(usize),
}

/// A method that is called.
pub(crate) struct Method {
    pub(crate) name: Ident,
    /// The type of the receiver.
    pub(crate) on: Ty,
    pub(crate) takes: Receiver,
    /// For a method of a trait, the trait's marker, and the types of the arguments after the receiver.
    pub(crate) of_trait: Option<(Option<Ident>, Vec<Ty>)>,
}

/// A function of a trait that is called by the path of a type.
pub(crate) struct TraitFunction {
    pub(crate) path: TokenStream,
    pub(crate) marker: Ident,
    pub(crate) of: Ty,
    pub(crate) takes: Vec<Ty>,
}

/// An operator with a literal operand of undetermined type: the type is that of the only `impl`.
pub(crate) struct OpenLiteral {
    pub(crate) operator: Operator,
    pub(crate) assigns: bool,
    pub(crate) left: Ty,
    pub(crate) right: Ty,
    /// True if the literal is the left operand.
    pub(crate) is_left: bool,
    pub(crate) is_float: bool,
    pub(crate) span: Span,
}

impl Obligation {
    /// True if confirming the other one confirms this one too.
    fn is_covered_by(&self, other: &Obligation) -> bool {
        match (self, other) {
            (Obligation::Intrinsic(path, function), Obligation::Intrinsic(known, other)) => {
                function == other && path.to_string() == known.to_string()
            }
            (Obligation::Constant(path, _), Obligation::Constant(known, _)) => path.to_string() == known.to_string(),
            (Obligation::Claim(_, path, claim), Obligation::Claim(_, known, other)) => claim == other && path == known,
            (Obligation::Variable(name), Obligation::Variable(known)) => name == known,
            (Obligation::Function(name), Obligation::Function(known)) => name == known,
            (Obligation::Method(method), Obligation::Method(known)) => {
                method.on == known.on && method.name == known.name
            }
            _ => false,
        }
    }
}

impl Tree {
    /// Notes a decision, once. Where vyre sees all imports it finds the methods that rustc finds.
    pub(crate) fn oblige(&mut self, new: Obligation) {
        let is_seen = matches!(new, Obligation::Method(_) | Obligation::TraitFunction(_)) && self.traits.here.complete;
        if !is_seen && !self.obligations.iter().any(|known| new.is_covered_by(known)) {
            self.obligations.push(new);
        }
    }

    /// The intrinsics that the body names, with their paths as they are written.
    pub(crate) fn intrinsics(&self) -> impl Iterator<Item = (&TokenStream, &'static str)> {
        self.obligations.iter().filter_map(|obligation| match obligation {
            Obligation::Intrinsic(path, function) => Some((path, *function)),
            _ => None,
        })
    }
}
