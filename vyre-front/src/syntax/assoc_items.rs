//! Functions and constants of types: where they are found.
//!
//! The items in the `impl`s of a type are found in the module where the type is defined, in that of the
//! function that is read, and in those of the traits that bind its parameters.

use std::rc::Rc;

use proc_macro2::{Ident, Span};
use syn::{Generics, Item, ItemConst, ItemFn, ItemImpl, ItemTrait, Path, Type};

use super::device_function::Called;
use super::generic_function::{Generic, OTHERS, TRAITS};
use super::outer_item::Outside;
use super::tree::{Callee, Tree};
use super::{Reader, closure};
use crate::errors::{Code, Errors};
use crate::resolve::impls::{Behaviour, key_in_impl, key_in_trait, owner};
use crate::resolve::names::{Found, Names, plain};
use crate::resolve::trait_marker::marker_of;
use crate::types::Ty;

/// A trait: by its key, or by its name where it is none of the user's device.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trait {
    Own(u64),
    Other(String),
}

impl Trait {
    /// The trait of a path, and of what that leads to.
    fn of(path: &Path, found: Option<&Found<'_>>) -> Self {
        match found {
            Some(found) => Trait::Own(found.key),
            None => Trait::Other(path.segments.last().map(|it| it.ident.to_string()).unwrap_or_default()),
        }
    }
}

/// The traits in sight of a function.
#[derive(Default)]
pub(crate) struct Traits {
    /// The names in sight of the function.
    pub(crate) here: Names,
    /// The modules that may hold `impl`s, besides those of the types.
    pub(crate) modules: Vec<Names>,
    /// The traits that bind the function's parameters, with those that these bring along.
    pub(crate) bounds: Vec<Trait>,
}

/// A function or constant of a type.
pub(crate) struct Candidate {
    /// The function beside the type.
    pub(super) item: Rc<ItemFn>,
    /// The constant that it was.
    pub(super) constant: Option<ItemConst>,
    pub(super) names: Names,
    key: u64,
    owner: String,
    /// The name of the trait, or of the type where it is of none.
    by_name: String,
    /// The type of `Self` at its definition.
    pub(super) of: Type,
    /// Number of generic parameters of the `impl`.
    pub(super) parameters: usize,
    /// The trait that it belongs to.
    pub(crate) by: Option<Trait>,
    /// The hidden method of that trait.
    pub(crate) marker: Option<Ident>,
}

/// The receiver of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receiver {
    Value,
    Shared,
    Mutable,
}

impl Reader<'_> {
    /// Notes a trait that binds a parameter; false where it is one that vyre does not know.
    pub(super) fn bound_by(&mut self, path: &Path) -> bool {
        let Some(last) = path.segments.last().map(|last| last.ident.to_string()) else {
            return false;
        };
        let led = self.leads_to(path);
        // A trait in sight is the one meant, even where it has the name of one that vyre knows.
        if !matches!(&led, Outside::Found(..)) {
            if TRAITS.contains(&last.as_str()) {
                self.tree.traits.bounds.push(Trait::Other(last));
                return true;
            }
            if OTHERS.contains(&last.as_str()) {
                return false;
            }
        }
        match led {
            Outside::Found(item, names, key) => match *item {
                // A trait that is said to need itself, which rustc refuses, would have no end.
                Item::Trait(_) if self.tree.traits.bounds.contains(&Trait::Own(key)) => true,
                Item::Trait(item) => {
                    self.tree.traits.bounds.push(Trait::Own(key));
                    self.tree.traits.modules.push(names.clone());
                    self.elsewhere(names, |reader| {
                        for bound in &item.supertraits {
                            if let syn::TypeParamBound::Trait(bound) = bound {
                                reader.bound_by(&bound.path);
                            }
                        }
                    });
                    true
                }
                _ => false,
            },
            Outside::Refused => {
                self.errors.elsewhere();
                true
            }
            Outside::Elsewhere => {
                self.want(path);
                true
            }
            Outside::Missing | Outside::Unmarked => false,
        }
    }

    /// The functions and constants of a name that the first of some types has, wherever one of them is
    /// defined, or in an `extra` module.
    pub(super) fn candidates(&mut self, of: &[Ty], extra: Option<&Names>, name: &str) -> Vec<Candidate> {
        let mut homes: Vec<Names> = of.iter().filter_map(|&ty| self.tree.types.home(ty).cloned()).collect();
        homes.extend(extra.cloned());
        homes.extend(self.tree.traits.modules.iter().cloned());
        self.candidates_in(homes, of[0], name)
    }

    fn candidates_in(&mut self, homes: Vec<Names>, of: Ty, name: &str) -> Vec<Candidate> {
        let mut seen = Vec::new();
        let mut found = Vec::new();
        self.of_bounds(of, name, &mut found);
        for names in homes {
            // The key of no item, so that of the module.
            let module = names.key("");
            if seen.contains(&module) {
                continue;
            }
            seen.push(module);
            for (number, item) in names.impls().iter().enumerate() {
                let Some(candidate) = self.candidate(item, &names, number, name) else {
                    continue;
                };
                if self.is_of(item, &names, of) {
                    found.push(candidate);
                }
            }
        }
        found
    }

    /// The item of a name in an `impl`, or in the trait that it implements.
    fn candidate(&mut self, item: &ItemImpl, names: &Names, number: usize, name: &str) -> Option<Candidate> {
        let behaviour = Behaviour::of_impl(item);
        let of_trait = item.trait_.as_ref().map(|(path, _)| path);
        let known = of_trait.and_then(|path| names.find_path(path));
        let by = of_trait.map(|path| Trait::of(path, known.as_ref()));
        let marker = known.as_ref().and_then(|found| marker_of(found.item));
        let shown = owner(behaviour.of());
        let last = of_trait.and_then(|path| path.segments.last());
        let by_name = last.map_or_else(|| shown.clone(), |last| last.ident.to_string());
        if behaviour.names().iter().any(|known| plain(known) == name) {
            return Some(Candidate {
                item: Rc::new(closure::named(&behaviour.function(name)?).into_owned()),
                constant: behaviour.constant(name),
                key: key_in_impl(names, number, name),
                names: names.clone(),
                owner: shown,
                by_name,
                of: behaviour.of().clone(),
                parameters: behaviour.parameters(),
                by,
                marker,
            });
        }
        let Found { item, names, key } = known?;
        let Item::Trait(item) = item else { return None };
        Candidate::of_trait(item, names, key, name, marker)
    }

    /// True if an `impl` may be of a type.
    fn is_of(&mut self, item: &ItemImpl, names: &Names, of: Ty) -> bool {
        let outer = std::mem::take(self.errors);
        let ty = self.elsewhere(names.clone(), |reader| {
            reader.generics = reader.fresh(&item.generics);
            reader.ty(&item.self_ty)
        });
        *self.errors = outer;
        self.tree.types.may_be(ty, of)
    }

    /// True if a parameter of a candidate may be of a type.
    fn accepts(&mut self, it: &Candidate, number: usize, of: Ty) -> bool {
        let Some(syn::FnArg::Typed(parameter)) = it.item.sig.inputs.iter().nth(number) else {
            return true;
        };
        let outer = std::mem::take(self.errors);
        let ty = self.elsewhere(it.names.clone(), |reader| {
            reader.generics = reader.fresh(&it.item.sig.generics);
            reader.ty(&parameter.ty)
        });
        *self.errors = outer;
        let types = &self.tree.types;
        types.may_be(types.referent(ty), types.referent(of))
    }

    /// Variables for the generic parameters of an `impl`.
    pub(super) fn fresh(&mut self, generics: &Generics) -> Vec<(Ident, Generic)> {
        let types = &mut self.tree.types;
        let of = |parameter: &syn::GenericParam| match parameter {
            syn::GenericParam::Lifetime(_) => None,
            syn::GenericParam::Type(it) => Some((it.ident.clone(), Generic::Type(types.unknown()))),
            syn::GenericParam::Const(it) => Some((it.ident.clone(), Generic::Length(types.unknown_length()))),
        };
        generics.params.iter().filter_map(of).collect()
    }

    /// The call of a candidate on a type; `None` where that has been said to be wrong.
    pub(super) fn call_of(
        &mut self,
        it: &Candidate,
        of: Ty,
        path: Option<&Path>,
        types: &[Ty],
        span: Span,
    ) -> Option<Callee> {
        let called = Called {
            item: Rc::clone(&it.item),
            names: it.names.clone(),
            key: it.key,
            owner: Some(it.owner.clone()),
            of: Some((&it.of, of)),
            skipped: it.parameters,
            types,
        };
        self.callee(called, path, span)
    }

    /// The type that an `impl` of a trait for a type names: `T::Point`.
    pub(super) fn associated_type(&mut self, of: Ty, name: &Ident) -> Option<Ty> {
        if let Some(projected) = self.projected(of, &name.to_string(), None) {
            return Some(projected);
        }
        let bounds = self.tree.traits.bounds.clone();
        let mut homes: Vec<Names> = self.tree.types.home(of).cloned().into_iter().collect();
        homes.extend(self.tree.traits.modules.iter().cloned());
        for names in homes {
            for item in names.impls().iter() {
                let types = item.items.iter().find_map(|member| match member {
                    syn::ImplItem::Type(it) if it.ident == *name => Some(&it.ty),
                    _ => None,
                });
                let (Some(ty), Some((path, _))) = (types, &item.trait_) else {
                    continue;
                };
                let by = Trait::of(path, names.find_path(path).as_ref());
                if bounds.contains(&by) && self.is_of(item, &names, of) {
                    let (ty, own, generics) = (ty.clone(), (*item.self_ty).clone(), item.generics.clone());
                    return Some(self.elsewhere(names, |reader| {
                        reader.generics = reader.fresh(&generics);
                        let own = reader.ty(&own);
                        if !reader.tree.types.unify(own, of) {
                            reader.errors.mismatch();
                        }
                        reader.ty(&ty)
                    }));
                }
            }
        }
        None
    }
}

/// A reader of what inference finds out, with the tree of the function.
pub(super) fn on<R>(tree: &mut Tree, errors: &mut Errors, read: impl FnOnce(&mut Reader<'_>) -> R) -> R {
    let mut reader = Reader::new(tree.passes, String::new(), &Names::default(), errors);
    std::mem::swap(&mut reader.tree, tree);
    reader.is_device = true;
    let result = read(&mut reader);
    std::mem::swap(&mut reader.tree, tree);
    result
}

/// The functions of a name that a type has, or one of two types.
pub(crate) fn candidates(
    tree: &mut Tree,
    errors: &mut Errors,
    of: &[Ty],
    extra: Option<&Names>,
    name: &str,
) -> Vec<Candidate> {
    on(tree, errors, |reader| {
        let mut found = reader.candidates(of, extra, name);
        found.retain(|it| it.constant.is_none());
        found
    })
}

/// True if the second parameter of a candidate may be of a type.
pub(crate) fn takes_second(tree: &mut Tree, errors: &mut Errors, candidate: &Candidate, of: Ty) -> bool {
    on(tree, errors, |reader| reader.accepts(candidate, 1, of))
}

/// Leaves of the methods of traits those that rustc may mean. Where it is not seen which traits are in scope,
/// these are also those of modules that are in sight for other reasons.
pub(crate) fn in_scope(tree: &mut Tree, errors: &mut Errors, of: Ty, name: &str, found: &mut Vec<Candidate>) {
    let here = tree.traits.here.clone();
    let mut all = on(tree, errors, |reader| {
        reader.candidates_in(here.device_mods(), of, name)
    });
    all.retain(|it| it.takes_self() && found.iter().all(|known| known.key != it.key));
    let imports = |it: &Candidate| match &it.by {
        Some(Trait::Own(key)) => here.imports(*key, &it.by_name),
        _ => None,
    };
    all.retain(|it| imports(it).unwrap_or(true));
    if !all.is_empty() || found.len() > 1 {
        // A trait that is not imported at all is reported by rustc.
        let is_any = found.iter().chain(&all).any(|it| imports(it).unwrap_or(true));
        found.retain(|it| !is_any || imports(it).unwrap_or(true));
    }
    found.append(&mut all);
}

/// The call of one of them on a type.
pub(crate) fn callee(
    tree: &mut Tree,
    errors: &mut Errors,
    candidate: &Candidate,
    of: Ty,
    types: &[Ty],
    span: Span,
) -> Option<Callee> {
    on(tree, errors, |reader| reader.call_of(candidate, of, None, types, span))
}

impl Candidate {
    /// The item of a name that a trait of this key provides.
    pub(super) fn of_trait(
        item: &ItemTrait,
        names: Names,
        key: u64,
        name: &str,
        marker: Option<Ident>,
    ) -> Option<Self> {
        let behaviour = Behaviour::of_trait(item);
        Some(Candidate {
            item: Rc::new(closure::named(&behaviour.function(name)?).into_owned()),
            constant: behaviour.constant(name),
            key: key_in_trait(key, name),
            owner: item.ident.to_string(),
            by_name: item.ident.to_string(),
            of: behaviour.of().clone(),
            parameters: behaviour.parameters(),
            names,
            by: Some(Trait::Own(key)),
            marker,
        })
    }

    /// True if it is called on a value.
    pub(crate) fn takes_self(&self) -> bool {
        self.receiver().is_some()
    }

    /// The form of its receiver: by value, or by which reference.
    pub(crate) fn receiver(&self) -> Option<Receiver> {
        let syn::FnArg::Typed(first) = self.item.sig.inputs.first()? else {
            return None;
        };
        let is_self = matches!(&*first.pat, syn::Pat::Ident(name) if name.ident == crate::resolve::impls::SELF);
        is_self.then(|| match &*first.ty {
            Type::Reference(reference) if reference.mutability.is_some() => Receiver::Mutable,
            Type::Reference(_) => Receiver::Shared,
            _ => Receiver::Value,
        })
    }

    /// True if it is a function of the `impl` of a trait that is called so: `Add`, `Mul`.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        matches!(&self.by, Some(Trait::Other(other)) if other == name)
    }

    /// The name of the trait that it is of.
    pub(crate) fn trait_name(&self) -> &str {
        &self.by_name
    }

    /// Its name for messages.
    pub(crate) fn shown(&self) -> String {
        crate::resolve::impls::shown(Some(&self.by_name), &self.item)
    }
}

/// Refuses what vyre does not see and rustc may find.
pub(crate) fn missing(what: &str, span: Span, errors: &mut Errors) {
    let fault = format!("{what} stands outside of the module where the type is defined, and vyre does not see it");
    let help = "put it into that `#[vyre::device] mod`";
    errors.conditional(Code::UnknownMethod, span, fault, help);
}
