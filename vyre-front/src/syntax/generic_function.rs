//! Generic device functions.
//!
//! A function is read once for each instance, with its parameters bound to the types and values of the
//! call, so that what comes after knows nothing of generics. A call binds them to variables, which
//! inference determines, a length like a type.

use proc_macro2::{Ident, Span};
use syn::punctuated::Punctuated;
use syn::{
    Expr as Syntax, GenericArgument, GenericParam, Generics, Item, ItemFn, Path, PathArguments, Token, Type,
    TypeParamBound, WherePredicate,
};

use super::closure::is_call;
use super::constant::decoded;
use super::evaluate::float;
use super::outer_item::Outside;
use super::tree::{Expr, Instance};
use super::{Binding, Reader};
use crate::errors::Code;
use crate::resolve::transport;
use crate::surface::Primitive;
use crate::types::{Kind, Ty, Types};

/// The traits whose methods mean in a kernel what they mean in Rust.
pub(crate) const TRAITS: [&str; 31] = words![
    Float Integer Number Copy Clone Default PartialEq PartialOrd Eq Ord Sized Send Sync Add Sub Mul Div Rem Neg Not
    BitAnd BitOr BitXor Shl Shr AddAssign SubAssign MulAssign DivAssign RemAssign Scalar
];

/// Traits of the standard library that mean nothing in a kernel.
pub(super) const OTHERS: [&str; 18] = words![
    AsMut AsRef Debug Deref Display Drop Error Fn FnMut FnOnce From Hash Into IntoIterator Iterator ToString TryFrom
    TryInto
];

/// The argument for a generic parameter.
#[derive(Clone, Copy)]
pub(crate) enum Generic {
    Type(Ty),
    /// The length of an array, or a variable for one.
    Length(u64),
}

/// The bounds of types, in their declarations and in the `where` clause; with the bounded type, if that is a path.
pub(crate) fn type_bounds(generics: &Generics) -> Vec<(Option<Path>, &Bounds)> {
    let mut all = Vec::new();
    for parameter in generics.type_params() {
        all.push((Some(parameter.ident.clone().into()), &parameter.bounds));
    }
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        if let WherePredicate::Type(predicate) = predicate {
            let bounded = match &predicate.bounded_ty {
                Type::Path(path) if path.qself.is_none() => Some(path.path.clone()),
                _ => None,
            };
            all.push((bounded, &predicate.bounds));
        }
    }
    all
}

/// The type of a constant parameter, if kernels have such constants.
pub(super) fn const_type(ty: &Type) -> Option<Primitive> {
    let Type::Path(path) = ty else { return None };
    let of = Primitive::from_name(&path.path.get_ident()?.to_string())?;
    (of == Primitive::Bool || of.scalar().is_integer() && !of.is_wide()).then_some(of)
}

pub(super) type Bounds = Punctuated<TypeParamBound, Token![+]>;

impl Reader<'_> {
    /// Refuses bounds by traits that vyre does not know: their methods might be others.
    pub(super) fn bounds(&mut self, item: &ItemFn) {
        for bound in type_bounds(&item.sig.generics)
            .into_iter()
            .flat_map(|(_, bounds)| bounds)
        {
            let known = match bound {
                TypeParamBound::Trait(bound) => {
                    bound.path.segments.last().is_some_and(is_call) || self.bound_by(&bound.path)
                }
                TypeParamBound::Lifetime(_) => true,
                _ => false,
            };
            if !known {
                let shown = match bound {
                    TypeParamBound::Trait(bound) => format!("the trait `{}`", transport::text(&bound.path)),
                    _ => "this bound".to_owned(),
                };
                self.errors.refuse_all(
                    Code::TraitBound,
                    bound,
                    format_args!("vyre does not know {shown}"),
                    "use `vyre::Float`, `vyre::Integer`, `vyre::Number`, operators of `core::ops`, `Fn(..) -> ..`, or a \
                     trait of your own in a `#[vyre::device] mod`",
                );
            }
        }
    }

    /// Binds the function's own generic parameters to those of an instance, or if there is none, to
    /// a type that unifies with everything.
    pub(super) fn own_generics(&mut self, item: &ItemFn, instance: Option<(&Instance, &Types)>) {
        let mut position = 0;
        for parameter in &item.sig.generics.params {
            let value = match instance {
                Some((instance, types)) => instance.arguments.get(position).map(|&ty| (ty, types)),
                None => None,
            };
            match parameter {
                GenericParam::Lifetime(_) => continue,
                GenericParam::Type(parameter) => {
                    let ty = match value {
                        Some((ty, types)) => self.import(types, ty),
                        // No annotation is refused for it, as those are that name what was.
                        None => self.tree.types.add(Kind::Refused),
                    };
                    self.generics.push((parameter.ident.clone(), Generic::Type(ty)));
                }
                GenericParam::Const(parameter) => {
                    let length = value.and_then(|(ty, types)| types.length_of(ty)).unwrap_or(1);
                    self.const_parameter(&parameter.ident, &parameter.ty, length);
                }
            }
            position += 1;
        }
    }

    /// Brings a constant parameter into scope, with these bits.
    pub(super) fn const_parameter(&mut self, name: &Ident, ty: &Type, bits: u64) {
        let of = const_type(ty).unwrap_or_else(|| {
            self.errors.refuse_all(
                Code::ConstParameter,
                ty,
                "a constant parameter of a device function is an integer of up to 64 bits or a `bool`",
                "pass the value as a parameter",
            );
            Primitive::Usize
        });
        let value = match of {
            // A placeholder stands for any value.
            Primitive::Bool => bits.min(1),
            _ => decoded(bits, of),
        };
        let constant = self.new_constant(name.to_string(), Ty::primitive(of), vec![value], name.span());
        self.bring(name, Binding::Constant(constant));
    }

    /// Variables for the generic parameters of a function or type that a path names, bound to the arguments
    /// in the path. `None` where these are too many.
    /// `skipped` is how many parameters it says nothing of.
    pub(super) fn instance(
        &mut self,
        parameters: &Generics,
        arguments: Option<&PathArguments>,
        skipped: usize,
    ) -> Option<(Instance, Vec<(Ident, Generic)>)> {
        let mut given = Vec::new();
        if let Some(PathArguments::AngleBracketed(arguments)) = arguments {
            let types = arguments.args.iter();
            given.extend(types.filter(|argument| !matches!(argument, GenericArgument::Lifetime(_))));
        }
        let mut skipped = skipped;
        let mut given = given.into_iter();
        let mut next = move |given: &mut std::vec::IntoIter<_>| match skipped {
            0 => given.next(),
            _ => {
                skipped -= 1;
                None
            }
        };
        let mut instance = Instance::default();
        let mut generics = Vec::new();
        for parameter in &parameters.params {
            let (name, generic) = match parameter {
                GenericParam::Lifetime(_) => continue,
                GenericParam::Type(parameter) => {
                    let ty = match next(&mut given) {
                        Some(GenericArgument::Type(ty)) => self.ty(ty),
                        Some(_) => return None,
                        None => self.tree.types.unknown(),
                    };
                    instance.arguments.push(ty);
                    (&parameter.ident, Generic::Type(ty))
                }
                GenericParam::Const(parameter) => {
                    let of = const_type(&parameter.ty).unwrap_or(Primitive::Usize);
                    let length = self.given_constant(next(&mut given), of)?;
                    let carrier = self.tree.types.add(Kind::Array(Ty::UNIT, length));
                    instance.arguments.push(carrier);
                    (&parameter.ident, Generic::Length(length))
                }
            };
            generics.push((name.clone(), generic));
        }
        given.next().is_none().then_some((instance, generics))
    }

    /// The bits of a constant argument of this type, or a variable for what inference finds.
    pub(super) fn given_constant(&mut self, given: Option<&GenericArgument>, of: Primitive) -> Option<u64> {
        match given {
            None | Some(GenericArgument::Type(Type::Infer(_))) => Some(self.tree.types.unknown_length()),
            Some(GenericArgument::Const(value)) => self.constant_bits(value, of),
            // A constant by its name looks like a type.
            Some(GenericArgument::Type(Type::Path(path))) => {
                self.constant_bits(&super::res::value(path.path.clone()), of)
            }
            Some(_) => None,
        }
    }

    /// The argument for a parameter of a method that is not known yet.
    pub(super) fn written(&mut self, argument: &GenericArgument) -> Ty {
        let is_length = match argument {
            GenericArgument::Const(_) => true,
            // A constant by its name looks like a type.
            GenericArgument::Type(Type::Path(path)) => {
                let name = path.path.get_ident();
                let own = name.and_then(|name| self.lookup(name));
                matches!(own, Some(Binding::Constant(_)))
                    || name.is_some() && matches!(self.generic(&path.path), Some(Generic::Length(_)))
                    || matches!(self.leads_to(&path.path), Outside::Found(item, ..) if matches!(*item, Item::Const(_)))
            }
            _ => false,
        };
        match argument {
            GenericArgument::Type(ty) if !is_length => self.ty(ty),
            GenericArgument::Const(Syntax::Lit(syn::ExprLit {
                lit: syn::Lit::Bool(value),
                ..
            })) => self.tree.types.add(Kind::Array(Ty::UNIT, u64::from(value.value))),
            _ => match self.given_constant(Some(argument), Primitive::Usize) {
                Some(length) => self.tree.types.add(Kind::Array(Ty::UNIT, length)),
                None => Ty::REFUSED,
            },
        }
    }

    /// The argument for a generic parameter in scope.
    pub(super) fn generic(&self, path: &Path) -> Option<Generic> {
        let first = &path.segments.first()?.ident;
        let mut known = self.generics.iter().rev();
        known.find(|(name, _)| name == first).map(|&(_, generic)| generic)
    }

    /// A length that is a generic parameter of a function that is called: nothing else in its
    /// signature depends on one.
    pub(super) fn generic_length(&self, length: &Syntax) -> Option<u64> {
        let length = match length {
            Syntax::Block(block) => match &block.block.stmts[..] {
                [syn::Stmt::Expr(inner, None)] => inner,
                _ => return None,
            },
            other => other,
        };
        match super::expr::unparenthesised(length) {
            Syntax::Path(path) if path.path.segments.len() == 1 => match self.generic(&path.path)? {
                Generic::Length(length) => Some(length),
                Generic::Type(_) => None,
            },
            _ => None,
        }
    }

    /// The branch that runs of an `if N == 0 { .. } else { .. }` in the library, where the other one has no type.
    pub(super) fn branch_of_length(&mut self, if_: &syn::ExprIf, span: Span) -> Option<Expr> {
        let (Syntax::Binary(condition), Some((_, otherwise))) = (&*if_.cond, &if_.else_branch) else {
            return None;
        };
        if !self.names.is_library() || !matches!(condition.op, syn::BinOp::Eq(_)) {
            return None;
        }
        let Syntax::Path(path) = &*condition.left else {
            return None;
        };
        let Some(Binding::Constant(length)) = self.lookup(path.path.get_ident()?) else {
            return None;
        };
        Some(match self.tree.constants[length].values.first()? {
            0 => self.block(&if_.then_branch).into_expr(span),
            _ => self.expr(otherwise),
        })
    }

    /// The primitive that a path begins with, where that is a generic parameter: `T::ZERO`.
    pub(super) fn generic_primitive(&self, path: &Path) -> Option<Result<Primitive, Ty>> {
        match (path.segments.len(), self.generic(path)?) {
            (2, Generic::Type(ty)) => Some(self.tree.types.as_primitive(ty).ok_or(ty)),
            _ => None,
        }
    }

    /// `T::ZERO`, `T::MAX`: the constants of a generic parameter's type.
    pub(super) fn generic_constant(&self, primitive: Primitive, name: &str) -> Option<(Primitive, u128)> {
        let scalar = primitive.scalar();
        let one = match scalar.is_float() {
            true => float(scalar, 1.0).bits.into(),
            false => 1,
        };
        match name {
            "ZERO" => Some((primitive, 0)),
            "ONE" => Some((primitive, one)),
            _ => super::known_constant::limit(primitive, name),
        }
    }

    /// A type of another tree.
    fn import(&mut self, from: &Types, ty: Ty) -> Ty {
        let kind = match from.kind(ty).clone() {
            Kind::Primitive(primitive) => return Ty::primitive(primitive),
            Kind::Index3 => return Ty::INDEX3,
            _ if from.find(ty) == Ty::UNIT => return Ty::UNIT,
            Kind::Array(element, length) => Kind::Array(self.import(from, element), length),
            Kind::Fragment(role, element, rows, columns) => Kind::Fragment(
                role,
                self.import(from, element),
                from.length(rows),
                from.length(columns),
            ),
            Kind::Tf32 => Kind::Tf32,
            Kind::Slice(element, any) => Kind::Slice(self.import(from, element), any),
            Kind::Reference(inner, mutable) => Kind::Reference(self.import(from, inner), mutable),
            Kind::Matrix(element, writes) => Kind::Matrix(self.import(from, element), writes),
            known @ (Kind::Atomic(_) | Kind::Barrier | Kind::Token) => known,
            Kind::Group(group, numbers) => {
                self.tree.has_groups = true;
                Kind::Group(group, numbers)
            }
            Kind::Adt(number) => {
                let of = &from.adts[number];
                let arguments = self.import_all(from, &of.arguments);
                if let Some(known) = self.known_instance(of.key, &arguments) {
                    return self.tree.types.add(Kind::Adt(known));
                }
                return self.known_or(of.key, &of.arguments, &mut |reader| {
                    let mut copy = of.clone();
                    (copy.arguments, copy.named_at) = (arguments.clone(), None);
                    for field in copy.variants.iter_mut().flat_map(|variant| &mut variant.fields) {
                        field.ty = reader.import(from, field.ty);
                    }
                    reader.tree.types.adts.push(copy);
                    Kind::Adt(reader.tree.types.adts.len() - 1)
                });
            }
            Kind::Closure(number) => {
                let of = &from.closures[number];
                return self.known_or(of.key, &[], &mut |reader| {
                    let mut copy = of.clone();
                    copy.parameters = reader.import_all(from, &copy.parameters);
                    copy.captures = reader.import_all(from, &copy.captures);
                    copy.result = reader.import(from, copy.result);
                    reader.tree.types.closures.push(copy);
                    Kind::Closure(reader.tree.types.closures.len() - 1)
                });
            }
            _ => return Ty::REFUSED,
        };
        self.tree.types.add(kind)
    }

    fn import_all(&mut self, from: &Types, types: &[Ty]) -> Vec<Ty> {
        types.iter().map(|&ty| self.import(from, ty)).collect()
    }

    /// The instance of a type with these arguments.
    fn known_instance(&self, key: u64, arguments: &[Ty]) -> Option<usize> {
        let types = &self.tree.types;
        let is_same = |known: &[Ty]| {
            let mut pairs = known.iter().zip(arguments);
            pairs.all(|(&known, &argument)| types.same(known, argument))
        };
        let mut known = types.adts.iter();
        known.position(|known| !arguments.is_empty() && known.key == key && is_same(&known.arguments))
    }

    fn known_or(&mut self, key: u64, arguments: &[Ty], copy: &mut dyn FnMut(&mut Self) -> Kind) -> Ty {
        if !arguments.is_empty() {
            let kind = copy(self);
            return self.tree.types.add(kind);
        }
        if let Some(&(_, known)) = self.tree.types.defined.iter().find(|(known, _)| *known == key) {
            return known;
        }
        let kind = copy(self);
        let ty = self.tree.types.add(kind);
        self.tree.types.defined.push((key, ty));
        ty
    }
}
