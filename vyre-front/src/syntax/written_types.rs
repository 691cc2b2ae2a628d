//! Types written in a body.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{FnArg, Signature, Type, TypeParamBound};

use super::Reader;
use super::any_slice::{any_slice, only_type, refuse_any_slice};
use super::closure::is_call;
use super::expr::DEEPEST;
use super::generic_function::Generic;
use super::obligations::{Arguments, Claim};
use super::outer_item::Outside;
use super::parameter::{UNMARKED, matrix};
use super::types_of_std;
use super::unsupported::type_refusal;
use crate::errors::{Code, meant};
use crate::modules;
use crate::resolve::declared;
use crate::surface::Primitive;
use crate::types::adt::{OPTION, PHANTOM, RESULT};
use crate::types::group::Group;
use crate::types::{Kind, Ty, atomic_cell};

const NO_TYPE: &str = "this type is not supported in a kernel";
const NO_TYPE_HELP: &str = "use scalars, tuples and arrays";

/// The levels of expressions that a type counts as: with those of the definitions that it leads to, types can be nested
/// 125 deep.
const LEVELS: usize = 4;

impl Reader<'_> {
    /// The type that `ty` names.
    pub(super) fn ty(&mut self, ty: &Type) -> Ty {
        if self.depth + LEVELS > DEEPEST {
            return self.refuse_type(
                Code::TooDeep,
                ty,
                "this type is nested too deeply, in itself or in the definitions that use it",
                "use fewer types and constants in one another",
            );
        }
        self.depth += LEVELS;
        let read = self.as_type(|reader| reader.written_type(ty));
        self.depth -= LEVELS;
        read
    }

    /// Reads what names types.
    pub(super) fn as_type<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.in_type, true);
        let result = read(self);
        self.in_type = outer;
        result
    }

    fn written_type(&mut self, ty: &Type) -> Ty {
        match ty {
            Type::Paren(inner) => self.ty(&inner.elem),
            Type::Group(inner) => self.ty(&inner.elem),
            Type::Infer(_) => self.tree.types.unknown(),
            Type::Tuple(tuple) => {
                let fields = tuple.elems.iter().map(|field| self.ty(field)).collect();
                self.tree.types.tuple(fields)
            }
            Type::Array(array) => {
                let element = self.ty(&array.elem);
                match self.length(&array.len) {
                    Some(length) => self.tree.types.add(Kind::Array(element, length)),
                    None => Ty::REFUSED,
                }
            }
            Type::Slice(slice) => {
                let element = self.ty(&slice.elem);
                self.tree.types.add(Kind::Slice(element, false))
            }
            Type::Reference(reference) => {
                let outer = std::mem::replace(&mut self.behind_reference, true);
                let inner = self.ty(&reference.elem);
                self.behind_reference = outer;
                self.tree
                    .types
                    .add(Kind::Reference(inner, reference.mutability.is_some()))
            }
            Type::Path(path) if path.qself.is_none() => {
                if let (Some(_), Some(Generic::Type(ty))) = (path.path.get_ident(), self.generic(&path.path)) {
                    return ty;
                }
                if let Some((element, writes)) = matrix(ty) {
                    let element = self.ty(element);
                    return self.tree.types.add(Kind::Matrix(element, writes));
                }
                if let Some(element) = any_slice(ty)
                    && !matches!(self.leads_to(&path.path), Outside::Found(..))
                {
                    self.claim_any_slice(&path.path);
                    if !self.behind_reference {
                        refuse_any_slice(ty, self.errors);
                        return Ty::REFUSED;
                    }
                    let element = self.ty(element);
                    return self.tree.types.add(Kind::Slice(element, true));
                }
                if let (2, Some(Generic::Type(of))) = (path.path.segments.len(), self.generic(&path.path)) {
                    // A function that is not an instance is not typed.
                    if *self.tree.types.kind(of) == Kind::Refused {
                        return of;
                    }
                    if let Some(ty) = self.associated_type(of, &path.path.segments[1].ident) {
                        return ty;
                    }
                }
                let name = path
                    .path
                    .segments
                    .last()
                    .map(|s| s.ident.to_string())
                    .unwrap_or_default();
                self.named(ty, &path.path, &name)
            }
            Type::Ptr(_) => self.refuse_type(
                Code::Pointer,
                ty,
                "there are no pointers in a kernel",
                "index a slice, `x[i]`, or refer to an element, `&mut y[i]`",
            ),
            // It is unstable where no function returns it.
            Type::Never(_) => {
                self.errors
                    .conditional(Code::UnsupportedType, ty.span(), NO_TYPE, NO_TYPE_HELP);
                Ty::REFUSED
            }
            Type::TraitObject(object) if !object.bounds.iter().any(is_call_bound) => self.refuse_type(
                Code::UnsupportedType,
                ty,
                "a kernel knows the types of all its values",
                "write a generic parameter: `fn total<T: Shape>(shape: &T)`",
            ),
            Type::ImplTrait(_) | Type::TraitObject(_) | Type::FnPtr(_) => self.refuse_type(
                Code::Closure,
                ty,
                "a kernel knows which function it calls: there are no pointers to functions",
                "let a device function take `impl Fn(f32) -> f32`; it is compiled for each closure",
            ),
            _ => self.refuse_type(Code::UnsupportedType, ty, NO_TYPE, NO_TYPE_HELP),
        }
    }

    fn named(&mut self, ty: &Type, path: &syn::Path, name: &str) -> Ty {
        if let Some(fragment) = self.fragment_type(path) {
            return fragment;
        }
        if let Some(ty) = self.spelled(name) {
            self.claim(path, Claim::Type(ty, Arguments::None));
            return ty;
        }
        let module = path.segments.iter().rev().nth(1);
        match name {
            "Barrier" if module.is_some_and(|module| module.ident == "shared") => {
                if self.behind_reference {
                    return self.tree.types.add(Kind::Barrier);
                }
                return self.refuse_type(
                    Code::SharedType,
                    ty,
                    "barriers are made in shared memory by `shared::barriers`",
                    "write `let full = shared::barriers::<2, 64>();`; device functions take `full: &shared::Barrier`",
                );
            }
            "Token" if module.is_some_and(|module| module.ident == "shared") => {
                return self.tree.types.add(Kind::Token);
            }
            _ => {}
        }
        // Without its numbers it is a type of the user.
        if let Some(group) = Group::of_type(name)
            && path.segments.last().is_some_and(|last| !last.arguments.is_none())
        {
            let ty = self.tree.types.add(Kind::Group(group, [2; 2]));
            self.claim(path, Claim::Type(ty, Arguments::Numbers(group.numbers())));
            return self.group_type(group, path);
        }
        if let Some(group) = Group::of_type(name)
            && let Some((module, _)) = group.function().split_once("::")
            && path.segments.len() == 2
            && path.segments[0].ident == module
            && !matches!(self.leads_to(path), Outside::Found(..))
        {
            // It says how many there are.
            self.errors.mismatch();
            return Ty::REFUSED;
        }
        if let Some((code, fault, help)) = type_refusal(name) {
            return self.refuse_type(code, ty, fault, help);
        }
        match name {
            "Index3" => Ty::INDEX3,
            "Option" => self.core_type(OPTION, path),
            "Result" => self.core_type(RESULT, path),
            "PhantomData" if !matches!(self.leads_to(path), Outside::Found(..)) => self.core_type(PHANTOM, path),
            "Atomic" if !matches!(self.leads_to(path), Outside::Found(..)) => self.atomic_type(path),
            "Ordering" if !matches!(self.leads_to(path), Outside::Found(..)) => {
                let ty = self.tree.types.ordering();
                self.claim(path, Claim::Type(ty, Arguments::None));
                ty
            }
            // No macro brings it.
            _ if path.segments.len() > 1 && self.advice_of_std(path).is_some() => {
                self.unknown_type(path);
                Ty::REFUSED
            }
            _ => match self.defined_type(path) {
                Some(defined) => {
                    let kind = self.tree.types.kind(defined);
                    let mut arguments = self.tree.types.arguments(kind).iter();
                    let is_bare = path.segments.last().is_some_and(|last| last.arguments.is_none());
                    if is_bare && arguments.any(|&argument| self.tree.types.is_open(argument)) {
                        // Only values are named without arguments.
                        self.errors.mismatch();
                    }
                    defined
                }
                None => {
                    self.unknown_type(path);
                    Ty::REFUSED
                }
            },
        }
    }

    /// `Option<T>`, `Result<T, E>`, `PhantomData<T>`.
    fn core_type(&mut self, key: u64, path: &syn::Path) -> Ty {
        let (count, ty) = match key {
            OPTION => (1, self.tree.types.option(Ty::U32)),
            PHANTOM => (1, self.tree.types.phantom(Ty::U32)),
            _ => (2, self.tree.types.result(Ty::U32, Ty::U32)),
        };
        self.claim(path, Claim::Type(ty, Arguments::Types(count)));
        let mut arguments = Vec::new();
        if let Some(syn::PathArguments::AngleBracketed(given)) = path.segments.last().map(|last| &last.arguments) {
            for argument in &given.args {
                if let syn::GenericArgument::Type(ty) = argument {
                    arguments.push(self.ty(ty));
                }
            }
        }
        if arguments.len() != count {
            // An alias of the user, or a mistake.
            self.unknown_type(path);
            return Ty::REFUSED;
        }
        if key == PHANTOM {
            return self.tree.types.phantom(arguments[0]);
        }
        let is_held = |ty| self.tree.types.has_slot(ty) || self.names.is_library();
        if let Some(&argument) = arguments.iter().find(|&&argument| !is_held(argument)) {
            self.errors.refuse_all(
                Code::FieldType,
                path,
                format_args!("a field of a variant cannot be `{}`", self.tree.types.show(argument)),
                "use the element, or an index",
            );
            return Ty::REFUSED;
        }
        match arguments[..] {
            [value, error] => self.tree.types.result(value, error),
            _ => self.tree.types.option(arguments[0]),
        }
    }

    /// `Atomic<T>`.
    fn atomic_type(&mut self, path: &syn::Path) -> Ty {
        let Some(of) = path.segments.last().and_then(only_type) else {
            self.unknown_type(path);
            return Ty::REFUSED;
        };
        let claimed = self.tree.types.add(Kind::Atomic(Primitive::U32));
        self.claim(path, Claim::Type(claimed, Arguments::Types(1)));
        let ty = self.ty(of);
        let types = &mut self.tree.types;
        let (fault, help) = match types.atomic(ty) {
            Some(atomic) if types.adt(atomic).is_some() || atomic == Ty::REFUSED => {
                // The arguments too: a type of the user's own may have the same name.
                self.claim(path, Claim::Type(atomic, Arguments::None));
                return atomic;
            }
            Some(atomic) => {
                let fault = format!("`Atomic<{}>` is a type of its own", types.show(ty));
                let help = match types.kind(ty) {
                    Kind::Array(..) => "write an array of atomics".to_owned(),
                    _ => format!("write `{}`", types.show(atomic)),
                };
                (fault, help)
            }
            None => {
                let help = match types.as_struct(ty) {
                    Some(of) if !of.atomics => {
                        "write `#[derive(vyre::Atomics)]` above the struct, below `#[vyre::device]`"
                    }
                    _ => {
                        "structs of integers of 8 to 64 bits, `bool`, `f32`, `f64`, and of arrays and structs of these have one"
                    }
                };
                let fault = format!("`{}` has no counterpart of atomics", types.show(ty));
                (fault, help.to_owned())
            }
        };
        self.errors.refuse_all(Code::AtomicParameter, of, fault, help);
        Ty::REFUSED
    }

    /// Refuses a type that vyre does not see.
    pub(super) fn unknown_type(&mut self, path: &syn::Path) {
        let name = path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        if let Some(advice) = self.advice_of_std(path) {
            let fault = format!("kernels do not have the type `{name}` of the standard library");
            return self.errors.refuse_all(Code::UnknownType, path, fault, advice);
        }
        let nearest = || path.get_ident().and_then(|_| declared::nearest(&name));
        let launcher = self.launcher.clone().filter(|_| !self.is_elsewhere);
        let own = || modules::path_of(&name).filter(|_| path.get_ident().is_some());
        let help = match (meant(&name).map(str::to_owned).or_else(nearest), own()) {
            (_, Some(own)) => format!("import it: `use {own};`"),
            (Some(meant), None) => format!("did you mean `{meant}`?"),
            (None, None) if launcher.is_some() => UNMARKED.to_owned(),
            (None, None) => {
                "use scalars, tuples and arrays, or put `#[vyre::device]` on the struct, enum or alias".to_owned()
            }
        };
        let span = syn::spanned::Spanned::span(path);
        let fault = format!("vyre does not know the type `{name}`");
        if launcher.is_some() {
            self.tree.unmarked.extend(path.get_ident().cloned());
        }
        self.refuse_item(path, (Code::UnknownType, span), &fault, &help);
    }

    /// The advice for a type of the standard library that kernels do not have.
    fn advice_of_std(&self, path: &syn::Path) -> Option<&'static str> {
        types_of_std::advice(path, || self.file().filter(|_| !self.is_elsewhere))
    }

    /// The type that a name without arguments is, wherever it stands.
    fn spelled(&mut self, name: &str) -> Option<Ty> {
        match (Primitive::from_name(name), atomic_cell(name)) {
            (Some(primitive), _) => Some(Ty::primitive(primitive)),
            (None, Some(cell)) => Some(self.tree.types.add(Kind::Atomic(cell))),
            (None, None) => None,
        }
    }

    /// Claims the names in the signature of a kernel, whose types have been read without the body.
    pub(super) fn claim_signature(&mut self, signature: &Signature) {
        for input in &signature.inputs {
            let FnArg::Typed(input) = input else { continue };
            let mut ty = &*input.ty;
            loop {
                ty = match ty {
                    Type::Reference(outer) => &outer.elem,
                    Type::Slice(outer) => &outer.elem,
                    Type::Paren(outer) => &outer.elem,
                    Type::Group(outer) => &outer.elem,
                    Type::Path(path)
                        if any_slice(ty).is_some() && !matches!(self.leads_to(&path.path), Outside::Found(..)) =>
                    {
                        self.claim_any_slice(&path.path);
                        match any_slice(ty) {
                            Some(element) => element,
                            None => break,
                        }
                    }
                    _ => match matrix(ty) {
                        Some((element, _)) => element,
                        None => break,
                    },
                };
            }
            if let Type::Path(it) = ty
                && let Some(last) = it.path.segments.last()
                && let Some(ty) = self.spelled(&last.ident.to_string())
            {
                self.claim(&it.path, Claim::Type(ty, Arguments::None));
            }
        }
    }

    /// Claims that a path is that of vyre's `Slice`.
    pub(super) fn claim_any_slice(&mut self, path: &syn::Path) {
        self.claim(path, Claim::Type(Ty::ANY_SLICE, Arguments::Types(1)));
    }

    fn refuse_type(&mut self, code: Code, ty: &Type, fault: &str, help: &str) -> Ty {
        match code {
            // Rust has such a type that is not stable.
            Code::WideNumber => self.errors.refuse_all(code, ty, fault, help),
            _ => self.errors.refuse_all(code, ty, fault, help),
        }
        Ty::REFUSED
    }
}

/// The advice for a buffer of another library.
pub(super) fn of_others(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let is_known = ["Array", "Tensor", "GpuBuffer", "GpuSlice", "CudaSlice", "CudaBuffer"]
        .iter()
        .any(|known| last.ident == known);
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let element = arguments.args.first().filter(|_| is_known)?.to_token_stream();
    Some(format!(
        "in a kernel a buffer is a slice: `&[{element}]` or `&mut [{element}]`"
    ))
}

/// True if a bound is a `Fn` trait.
fn is_call_bound(bound: &TypeParamBound) -> bool {
    match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().is_some_and(is_call),
        _ => false,
    }
}
