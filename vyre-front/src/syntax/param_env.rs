//! Generic functions by themselves: see [`super::placeholder`].

use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    ExprCall, GenericArgument, GenericParam, Item, ItemFn, ItemTrait, Path, PathArguments, TraitItem, TypeParamBound,
    parse_quote,
};

use super::assoc_items::{self, Candidate, Trait};
use super::generic_function::{Bounds, Generic, TRAITS, type_bounds};
use super::outer_item::Outside;
use super::passes::Passes;
use super::tree::{Expr, ExprKind, MethodCall, Tree};
use super::{Reader, closure};
use crate::errors::{Code, Errors};
use crate::resolve::attributes::is_kernel_body;
use crate::resolve::names::{Names, hash};
use crate::resolve::trait_marker::marker_of;
use crate::syntax::placeholder::{Bound, LENGTH, ParamEnv, Placeholder};
use crate::types::{Kind, Signature, Ty};

/// Reads a generic function with a placeholder for each of its parameters.
pub(crate) fn polymorphic(passes: &'static Passes, item: &ItemFn, names: &Names, errors: &mut Errors) -> Tree {
    let mut reader = Reader::new(passes, item.sig.ident.to_string(), names, errors);
    reader.is_device = !is_kernel_body(&item.attrs);
    reader.tree.param_env = Some(Box::default());
    reader.placeholders(item);
    let apart = reader.own_signature(item);
    reader.tree.body = reader.block(&item.block);
    reader.tree.body.begin_with(apart);
    reader.tree
}

/// The result type of an operator on a placeholder.
pub(crate) fn output(tree: &mut Tree, errors: &mut Errors, of: Ty, by: Option<&str>) -> Option<Ty> {
    assoc_items::on(tree, errors, |reader| reader.projected(of, "Output", by))
}

impl Reader<'_> {
    fn placeholders(&mut self, item: &ItemFn) {
        let generics = &item.sig.generics;
        let function = item.sig.ident.to_string();
        let mut lengths = LENGTH..;
        for parameter in &generics.params {
            match parameter {
                GenericParam::Lifetime(_) => {}
                GenericParam::Type(it) => {
                    let ty = match closure::bound_by_call(generics, &it.ident) {
                        Some(_) => self.function_placeholder(&function, &it.ident),
                        None => self.placeholder(it.ident.to_token_stream(), &function),
                    };
                    self.generics.push((it.ident.clone(), Generic::Type(ty)));
                }
                GenericParam::Const(it) => {
                    let length = lengths.next().unwrap_or(LENGTH);
                    self.const_parameter(&it.ident, &it.ty, length);
                }
            }
        }
        for (bounded, bounds) in type_bounds(generics) {
            if let Some(path) = bounded {
                let of = self.ty(&parse_quote!(#path));
                self.bounded(of, bounds);
            }
        }
        for (input, takes) in item.sig.inputs.iter().zip(self.takes(item)) {
            let (syn::FnArg::Typed(typed), Some((parameters, result))) = (input, takes) else {
                continue;
            };
            let ty = self.ty(&typed.ty);
            if let Some(number) = self.tree.types.as_closure(ty) {
                let of = &mut self.tree.types.closures[number];
                (of.parameters, of.result) = (parameters, result);
            }
        }
    }

    fn placeholder(&mut self, path: TokenStream, of: &str) -> Ty {
        let new = Placeholder::new(&mut self.tree.types, path, of);
        let ty = new.ty;
        self.param_env().types.push(new);
        ty
    }

    /// The placeholder for a parameter that is called.
    fn function_placeholder(&mut self, function: &str, name: &Ident) -> Ty {
        let types = &mut self.tree.types;
        types.closures.push(Signature {
            key: hash(&["parameter", function, &name.to_string()]),
            parameters: Vec::new(),
            result: Ty::REFUSED,
            captures: Vec::new(),
        });
        let number = types.closures.len() - 1;
        types.add(Kind::Closure(number))
    }

    fn param_env(&mut self) -> &mut ParamEnv {
        self.tree.param_env.get_or_insert_default()
    }

    /// Records the bounds of a parameter's placeholder, with their implied bounds.
    fn bounded(&mut self, of: Ty, bounds: &Bounds) {
        if self.tree.placeholder(of).is_none() {
            return;
        }
        for bound in bounds {
            let TypeParamBound::Trait(bound) = bound else { continue };
            let path = &bound.path;
            let Some(last) = path.segments.last() else { continue };
            let (mut arguments, mut types) = (Vec::new(), Vec::new());
            if let PathArguments::AngleBracketed(given) = &last.arguments {
                for argument in &given.args {
                    match argument {
                        GenericArgument::Type(ty) => arguments.push(self.ty(ty)),
                        GenericArgument::AssocType(it) => types.push((it.ident.to_string(), self.ty(&it.ty))),
                        _ => {}
                    }
                }
            }
            let name = last.ident.to_string();
            // As for all bounds, a visible trait takes precedence.
            let (by, item) = match self.trait_at(path) {
                Some((item, names, key)) => (Trait::Own(key), Some((item, names))),
                None if TRAITS.contains(&name.as_str()) => (Trait::Other(name), None),
                None => continue,
            };
            let is_known = |it: &Placeholder| it.bounds.iter().any(|bound| bound.by == by);
            if item.is_some() && self.tree.placeholder(of).is_some_and(is_known) {
                continue;
            }
            let above = item.clone();
            let new = Bound {
                by,
                item,
                arguments,
                types,
            };
            self.bound_by(path);
            let types = &self.tree.types;
            let all = self.tree.param_env.iter_mut().flat_map(|env| &mut env.types);
            for it in all.filter(|it| types.kind(it.ty) == types.kind(of)) {
                it.bounds.push(new.clone());
            }
            if let Some((item, names)) = above {
                self.elsewhere(names, |reader| {
                    reader.generics = self_is(of);
                    reader.bounded(of, &item.supertraits);
                });
            }
        }
    }

    /// The trait of a path, with bodies for all its functions and values for all its constants, which are not looked at.
    fn trait_at(&self, path: &Path) -> Option<(Rc<ItemTrait>, Names, u64)> {
        let Outside::Found(item, names, key) = self.leads_to(path) else {
            return None;
        };
        let Item::Trait(mut item) = *item else { return None };
        for member in &mut item.items {
            match member {
                TraitItem::Fn(it) => {
                    it.default.get_or_insert_with(|| parse_quote!({ loop {} }));
                }
                TraitItem::Const(it) => {
                    it.default
                        .get_or_insert_with(|| (Default::default(), parse_quote!(loop {})));
                }
                _ => {}
            }
        }
        Some((Rc::new(item), names, key))
    }

    /// The candidates of a name among the bounds of a type.
    pub(super) fn of_bounds(&self, of: Ty, name: &str, found: &mut Vec<Candidate>) {
        let Some(it) = self.tree.placeholder(of) else { return };
        for bound in &it.bounds {
            if let (Trait::Own(key), Some((item, names))) = (&bound.by, &bound.item)
                && found.iter().all(|known| known.by.as_ref() != Some(&bound.by))
            {
                let marker = marker_of(&Item::Trait((**item).clone()));
                found.extend(Candidate::of_trait(item, names.clone(), *key, name, marker));
            }
        }
    }

    /// The type that is written `of::name`, or of an operator by its trait.
    pub(super) fn projected(&mut self, of: Ty, name: &str, by: Option<&str>) -> Option<Ty> {
        let it = self.tree.placeholder(of)?;
        let said = it.bounds.iter().flat_map(|bound| &bound.types);
        if let Some(&(_, ty)) = said.into_iter().find(|(known, _)| known == name) {
            return Some(ty);
        }
        let ident = Ident::new(name, Span::call_site());
        let own = &it.path;
        let mut path = quote!(#own::#ident);
        if let Some(known) = self.known_placeholder(&path) {
            return Some(known);
        }
        if let Some(by) = by {
            // Several operators of a type may have an `Output`.
            let by = Ident::new(by, Span::call_site());
            path = quote!(<#own as ::core::ops::#by>::#ident);
            if let Some(known) = self.known_placeholder(&path) {
                return Some(known);
            }
        }
        let declared = it.bounds.iter().find_map(|bound| {
            let (item, names) = bound.item.as_ref()?;
            item.items.iter().find_map(|member| match member {
                TraitItem::Type(it) if it.ident == *name => Some((it.bounds.clone(), names.clone())),
                _ => None,
            })
        });
        if declared.is_none() && name != "Output" {
            return None;
        }
        let function = self.function.clone();
        let ty = self.placeholder(path, &function);
        if let Some((bounds, names)) = declared {
            self.elsewhere(names, |reader| {
                reader.generics = self_is(of);
                reader.bounded(ty, &bounds);
            });
        }
        Some(ty)
    }

    fn known_placeholder(&self, path: &TokenStream) -> Option<Ty> {
        let (env, text) = (self.tree.param_env.as_ref()?, path.to_string());
        let known = env.types.iter().find(|known| known.path.to_string() == text);
        known.map(|known| known.ty)
    }

    /// `T::ZERO` of a generic parameter that is no number.
    pub(super) fn of_parameter(&mut self, ty: Ty, path: &Path, span: Span) -> Expr {
        let (Some(it), Some(last)) = (self.tree.placeholder(ty), path.segments.last()) else {
            return self.refused(span);
        };
        let name = last.ident.to_string();
        if it.kind(&name) != 0 || it.has_mathematics(&name) {
            return self.function_as_value(&path.to_token_stream().to_string().replace(' ', ""), span);
        }
        if !it.has_constant(&name) {
            self.tree.unseen(ty, &last.ident);
            return self.refused(span);
        }
        self.any_of(ty, span)
    }

    /// `T::from_f32(x)`, `T::max(x, y)`, `T::default()`, with a placeholder for `T`.
    pub(super) fn function_of_parameter(&mut self, ty: Ty, path: &Path, call: &ExprCall, span: Span) -> Expr {
        let Some(last) = path.segments.last() else {
            return self.refused(span);
        };
        let name = last.ident.to_string();
        let Some(it) = self.tree.placeholder(ty) else {
            return self.function_of_type(ty, &name, call, span);
        };
        let is_made = match name.as_str() {
            "from_f32" | "from_f64" => it.is("Float"),
            "default" => it.is("Default") || it.is_number(),
            _ => false,
        };
        if is_made || it.kind(&name) == 0 && !it.has_mathematics(&name) {
            self.exprs(&call.args);
            if is_made {
                return self.any_of(ty, span);
            }
            self.tree.unseen(ty, &last.ident);
            return self.refused(span);
        }
        let mut arguments = call.args.iter();
        let Some(receiver) = arguments.next() else {
            return self.left_to_rustc(span);
        };
        let receiver = self.expr(receiver);
        let arguments = arguments.map(|argument| self.argument(argument)).collect();
        MethodCall::new(receiver, last.ident.clone(), arguments).into_expr(span)
    }

    /// The same with a type that is no primitive for `T`.
    fn function_of_type(&mut self, ty: Ty, name: &str, call: &ExprCall, span: Span) -> Expr {
        self.exprs(&call.args);
        // An undetermined type is reported by rustc.
        if matches!(self.tree.types.kind(ty), Kind::Unknown { .. } | Kind::Refused) {
            return self.refused(span);
        }
        if let Some(value) = self
            .default_of(ty, span)
            .filter(|_| name == "default" && call.args.is_empty())
        {
            return value;
        }
        let fault = format!(
            "vyre does not see the function `{name}` of `{}`",
            self.tree.types.show(ty)
        );
        let help = "pass the value, or call this for other types";
        self.errors.refuse_all(Code::UnknownFunction, &call.func, fault, help);
        self.refused(span)
    }

    /// Any value of a type.
    fn any_of(&mut self, ty: Ty, span: Span) -> Expr {
        let number = self.new_constant(String::new(), ty, vec![0], span);
        Expr::new(ExprKind::Constant(number), span)
    }
}

/// Binds `Self` in a trait.
fn self_is(of: Ty) -> Vec<(Ident, Generic)> {
    vec![(Ident::new("Self", Span::call_site()), Generic::Type(of))]
}
