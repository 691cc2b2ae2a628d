//! Generic types: structs, enums with fields, and aliases.
//!
//! A definition is checked once, with variables in place of its parameters. Then it is read at each
//! use of the type, with its parameters bound to the arguments there, or to inference variables, so
//! that later phases see no parameters.

use proc_macro2::{Ident, Span};
use syn::{GenericParam, Generics, Item, Path};

use super::Reader;
use super::bundle::is_bundle;
use super::generic_function::Generic;
use super::tree::Tree;
use crate::errors::{Code, Errors};
use crate::resolve::names::Names;
use crate::types::{Kind, Ty};

/// An instance of a type under construction: the bindings of its parameters.
#[derive(Default)]
pub(super) struct Given {
    pub(super) arguments: Vec<Ty>,
    /// The span where the function itself names it, or calls what does.
    pub(super) named_at: Option<Span>,
}

/// The parameters of a type, if it has some.
pub(super) fn parameters(item: &Item) -> Option<&Generics> {
    let generics = match item {
        Item::Struct(item) => &item.generics,
        Item::Enum(item) => &item.generics,
        Item::Type(item) => &item.generics,
        _ => return None,
    };
    (!generics.params.is_empty()).then_some(generics)
}

impl Reader<'_> {
    /// Checks the definition of a type with parameters, once; what these are bound to, and the type.
    pub(super) fn template(
        &mut self,
        item: &Item,
        generics: &Generics,
        names: &Names,
        key: u64,
    ) -> (Vec<(Ident, Generic)>, Ty) {
        if let Some(&(_, known)) = self.tree.types.defined.iter().find(|(known, _)| *known == key) {
            if known == Ty::REFUSED {
                // It was refused, or holds itself, which rustc refuses.
                self.errors.mismatch();
            }
            return (Vec::new(), known);
        }
        let number = self.tree.types.defined.len();
        self.tree.types.defined.push((key, Ty::REFUSED));
        let before = self.errors.count();
        let bound = self.fresh(generics);
        let ty = self.elsewhere(names.clone(), |reader| {
            reader.kinds(generics);
            reader.generics.clone_from(&bound);
            let of_kinds = reader.errors.count();
            let ty = reader.body_of(item, key, Given::default());
            // A field that is a reference was refused for itself.
            if reader.errors.count() == of_kinds {
                reader.lifetimes(generics);
            }
            ty
        });
        if self.errors.count() == before {
            self.tree.types.defined[number].1 = ty;
            return (bound, ty);
        }
        (bound, Ty::REFUSED)
    }

    /// Refuses parameters that a type of the device does not have.
    fn kinds(&mut self, generics: &Generics) {
        for parameter in &generics.params {
            match parameter {
                GenericParam::Type(parameter) => {
                    if let Some((_, default)) = &parameter.default {
                        self.no_default(default);
                    }
                }
                GenericParam::Const(parameter) if parameter.default.is_some() => {
                    self.no_default(&parameter.default.as_ref().map(|(_, default)| default));
                }
                GenericParam::Const(parameter) if self.ty(&parameter.ty) != Ty::USIZE => self.errors.refuse_all(
                    Code::ConstParameter,
                    &parameter.ty,
                    "a constant parameter of a device type is a `usize`",
                    "make the value a field",
                ),
                _ => {}
            }
        }
    }

    fn lifetimes(&mut self, generics: &Generics) {
        for lifetime in generics.lifetimes() {
            self.errors.refuse_all(
                Code::GenericType,
                lifetime,
                "a device type has no lifetimes: it holds no references",
                "use an index into a slice",
            );
        }
    }

    fn no_default(&mut self, default: &impl quote::ToTokens) {
        self.errors.refuse_all(
            Code::GenericType,
            default,
            "parameters of a device type have no defaults",
            "write the argument where the type is named, or give that an alias: `type Short = Long<f32>;`",
        );
    }

    /// The instance of a type with parameters that a path names.
    pub(super) fn instance_of(&mut self, item: &Item, generics: &Generics, names: Names, key: u64, path: &Path) -> Ty {
        if is_bundle(item) {
            return self.refuse_bundle_type(path);
        }
        if self.template(item, generics, &names, key).1 == Ty::REFUSED {
            return Ty::REFUSED;
        }
        let last = path.segments.last();
        let Some((instance, bound)) = self.instance(generics, last.map(|last| &last.arguments), 0) else {
            self.errors.mismatch();
            return Ty::REFUSED;
        };
        let given = Given {
            arguments: instance.arguments,
            named_at: match self.is_elsewhere {
                true => self.called_at,
                false => last.map(|last| last.ident.span()),
            },
        };
        // Errors of the definition have been reported.
        let outer = std::mem::take(self.errors);
        let ty = self.elsewhere(names, |reader| {
            reader.generics = bound;
            reader.body_of(item, key, given)
        });
        *self.errors = outer;
        ty
    }

    fn body_of(&mut self, item: &Item, key: u64, given: Given) -> Ty {
        match item {
            Item::Struct(item) => self.define_struct(item, key, given),
            Item::Enum(item) => self.define_enum(item, key, given),
            Item::Type(item) => self.ty(&item.ty),
            _ => Ty::REFUSED,
        }
    }
}

/// Refuses the instances that a function names and that are no data, each once. What other functions name is
/// said there.
pub(crate) fn unfit(tree: &mut Tree, errors: &mut Errors) {
    let mut said = Vec::new();
    for number in 0..tree.types.adts.len() {
        let Some(span) = tree.types.adts[number].named_at else {
            continue;
        };
        let ty = tree.types.add(Kind::Adt(number));
        if let Some((code, fault, help)) = tree.types.unfit(ty)
            && !said.contains(&fault)
        {
            errors.refuse(code, span, &fault, help);
            said.push(fault);
        }
    }
}
