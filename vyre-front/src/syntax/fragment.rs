//! Fragments of matrices: their types, and the functions that make them.

use proc_macro2::Span;
use quote::quote;
use syn::{ExprCall, GenericArgument, Path, PathArguments, PathSegment, Type};
use vyre_ir::ir::Role;

use super::Reader;
use super::res::value;
use super::tree::{Callable, Expr, OfFragment};
use crate::errors::{Code, nearest};
use crate::library::intrinsics::{MULTIPLY_ADD, OF_MATRICES};
use crate::types::{Kind, Ty, fragment};

impl Reader<'_> {
    /// A fragment type such as `mma::A<T, M, K>`, or `None` if the path is another one.
    pub(super) fn fragment_type(&mut self, path: &Path) -> Option<Ty> {
        let resolved = self.imported(path);
        let path = resolved.as_ref().unwrap_or(path);
        let mut segments = path.segments.iter().rev();
        let (last, module) = (segments.next()?, segments.next()?);
        if module.ident != "mma" {
            return None;
        }
        if last.ident == "Tf32" {
            return Some(self.tree.types.add(Kind::Tf32));
        }
        let role = fragment::role(&last.ident.to_string())?;
        Some(self.fragment(role, last).unwrap_or(Ty::REFUSED))
    }

    /// A type of fragments with what its name is followed by; `None` where that is left to rustc.
    fn fragment(&mut self, role: Role, segment: &PathSegment) -> Option<Ty> {
        let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
            self.errors.refuse(
                Code::FragmentType,
                segment.ident.span(),
                format_args!(
                    "vyre does not find out the type and the sizes of a fragment `{}`",
                    segment.ident
                ),
                format_args!(
                    "write them in the call: `mma::{}`",
                    match role {
                        Role::A => "A::<f64, 8, 4>",
                        Role::B => "B::<f64, 4, 8>",
                        Role::C => "C::<f64, 8, 8>",
                    }
                ),
            );
            return None;
        };
        let mut arguments = arguments.args.iter();
        let element = match arguments.next() {
            Some(GenericArgument::Type(ty)) => self.ty(ty),
            _ => {
                self.errors.mismatch();
                return None;
            }
        };
        let (rows, columns) = (self.extent(arguments.next())?, self.extent(arguments.next())?);
        Some(self.tree.types.add(Kind::Fragment(role, element, rows, columns)))
    }

    fn extent(&mut self, argument: Option<&GenericArgument>) -> Option<u64> {
        match argument {
            Some(GenericArgument::Const(length)) => self.length(length),
            // A name may be that of a constant.
            Some(GenericArgument::Type(Type::Path(path))) => self.length(&value(path.path.clone())),
            _ => {
                self.errors.mismatch();
                None
            }
        }
    }

    /// `mma::A::<T, M, K>::load(..)` and the other functions of fragments.
    pub(super) fn fragment_call(&mut self, role: Role, path: &Path, call: &ExprCall, span: Span) -> Expr {
        let mut segments = path.segments.iter().rev();
        let (Some(function), Some(ty)) = (segments.next(), segments.next()) else {
            return self.left_to_rustc(span);
        };
        let name = function.ident.to_string();
        let (op, arguments) = match name.as_str() {
            "load" => (OfFragment::Load(false), 3),
            "load_transposed" => (OfFragment::Load(true), 3),
            "load_tile" if role != Role::C => (OfFragment::LoadTile(false), 3),
            "load_tile_transposed" if role != Role::C => (OfFragment::LoadTile(true), 3),
            "zero" if role == Role::C => (OfFragment::Zero, 0),
            "fill" if role == Role::C => (OfFragment::Fill, 1),
            _ => {
                let mut known = words![load load_transposed load_tile load_tile_transposed zero fill].to_vec();
                known.retain(|known| *known != name);
                return self.fault(
                    Code::UnknownIntrinsic,
                    function.ident.span(),
                    format_args!("`mma::{}` has no function `{name}`", ty.ident),
                    match nearest(&name, &known) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "there are `load`, `load_tile` and their transposed forms, and of `mma::C` `load`, \
                                 `load_transposed`, `zero` and `fill`"
                            .to_owned(),
                    },
                );
            }
        };
        if call.args.len() != arguments || self.within_constant {
            return self.left_to_rustc(span);
        }
        // The function that rustc compares is in the same module.
        let module = path.segments.iter().take(path.segments.len() - 2);
        let function = match op {
            OfFragment::LoadTile(_) => MULTIPLY_ADD,
            _ => OF_MATRICES,
        };
        self.note(quote!(#(#module::)* multiply_add), function);
        let fragment = self.fragment(role, ty).unwrap_or(Ty::REFUSED);
        Expr::call(Callable::Fragment(op, fragment), self.exprs(&call.args), span)
    }
}
