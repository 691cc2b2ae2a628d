//! Structs of slices, which a kernel takes as one argument: `mesh: Mesh<'_>`.
//!
//! No value of such a struct exists in a program: each of its fields is a parameter of its own, which `mesh.x` names. A
//! device function that takes the struct takes all fields.

use proc_macro2::{Ident, Span, TokenStream};
use syn::spanned::Spanned;
use syn::{
    ExprField, FnArg, GenericArgument, Item, ItemStruct, Lifetime, Member, Pat, Path, PathArguments, Type, parse_quote,
};

use super::expr::unparenthesised;
use super::generic_type::Given;
use super::obligations::{Arguments, Claim};
use super::outer_item::Outside;
use super::parameter;
use super::passes::Passes;
use super::tree::{Bundle, BundleField, Expr, ExprKind, Local, Origin, Tree};
use super::{Binding, Reader, Syntax};
use crate::errors::{Code, Errors};
use crate::resolve::names::{Names, plain};
use crate::surface::{ParameterKind, SurfaceParameter};
use crate::types::adt::Form;
use crate::types::{Kind, Ty};

/// The fault of a struct of slices without the attribute, after its name.
pub(super) const UNMARKED_BUNDLE: &str = "holds a reference, which leads to memory of the host";
/// The help for it.
pub(super) const MARK_BUNDLE: &str = "put `#[vyre::device]` on it: a kernel takes a struct of slices as one argument";

/// The fields of a struct of slices, each as a parameter of a kernel, with its type.
pub(crate) type Fields = Vec<(SurfaceParameter, Ty)>;

/// True of a struct of slices: it has a lifetime.
pub(crate) fn is_bundle(item: &Item) -> bool {
    matches!(item, Item::Struct(item) if item.generics.lifetimes().next().is_some())
}

/// The path of a type that is written as a struct of slices is: with lifetimes and no other arguments.
pub(crate) fn written(ty: &Type) -> Option<&Path> {
    let path = match ty {
        Type::Path(path) if path.qself.is_none() => &path.path,
        Type::Paren(inner) => return written(&inner.elem),
        Type::Group(inner) => return written(&inner.elem),
        _ => return None,
    };
    let PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else {
        return None;
    };
    let is_lifetime = |it: &GenericArgument| matches!(it, GenericArgument::Lifetime(_));
    (!arguments.args.is_empty() && arguments.args.iter().all(is_lifetime)).then_some(path)
}

/// The type with one lifetime in the place of all that it has.
pub(crate) fn with_lifetime(ty: &Type, lifetime: &str) -> Type {
    let Some(path) = written(ty) else { return ty.clone() };
    let mut path = path.clone();
    if let Some(last) = path.segments.last_mut()
        && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
    {
        for argument in &mut arguments.args {
            *argument = GenericArgument::Lifetime(Lifetime::new(lifetime, Span::call_site()));
        }
    }
    parse_quote!(#path)
}

/// Reads the definition of a struct of slices, with `names` in scope.
pub(crate) fn definition(
    passes: &'static Passes,
    item: &ItemStruct,
    names: &Names,
    errors: &mut Errors,
) -> (Tree, Fields) {
    let mut reader = Reader::new(passes, String::new(), names, errors);
    reader.is_device = true;
    reader.item = Some(item.ident.clone());
    let before = reader.errors.count();
    reader.bundle_generics(item);
    for field in &item.fields {
        reader.no_cfg(&field.attrs);
    }
    let fields = match item.fields {
        syn::Fields::Named(_) => reader.elsewhere(names.clone(), |reader| reader.fields_of_bundle(item)),
        _ => {
            reader.errors.refuse_all(
                Code::TypeParts,
                &item.fields,
                "the fields of a struct of slices have names",
                "write `{ x: &'a [f32], n: u32 }`",
            );
            Vec::new()
        }
    };
    if reader.errors.count() == before && fields.iter().all(|(field, _)| is_value(field)) {
        for lifetime in item.generics.lifetimes() {
            reader.errors.refuse_all(
                Code::GenericType,
                lifetime,
                "a device type has no lifetimes: it holds no references",
                "use an index into a slice, or let a field be a slice: `x: &'a [f32]`",
            );
        }
    }
    (reader.tree, fields)
}

/// True of a field that is no slice or matrix.
fn is_value(field: &SurfaceParameter) -> bool {
    matches!(field.kind, ParameterKind::Value(_))
}

impl Reader<'_> {
    /// Refuses parameters of a struct of slices but lifetimes.
    fn bundle_generics(&mut self, item: &ItemStruct) {
        let generics = &item.generics;
        for parameter in &generics.params {
            if !matches!(parameter, syn::GenericParam::Lifetime(_)) {
                self.errors.refuse_all(
                    Code::GenericType,
                    parameter,
                    "a struct of slices has no parameters but lifetimes",
                    "write one struct for each type of elements, with the type written out",
                );
            }
        }
    }

    /// The fields of a struct whose names are in sight.
    fn fields_of_bundle(&mut self, item: &ItemStruct) -> Fields {
        let names = self.names.clone();
        let mut fields = Fields::new();
        for field in &item.fields {
            if let Some(parameter) = parameter::field(field, &names, self.errors) {
                let ty = self.type_of_parameter(&parameter);
                fields.push((parameter, ty));
            }
        }
        fields
    }

    /// The fields of a struct from elsewhere, for which rustc is to confirm its path. `None` where they have been refused.
    fn bundle(&mut self, item: &ItemStruct, names: Names, key: u64, path: &Path) -> Option<Fields> {
        if !self.elsewhere(names.clone(), |reader| reader.is_marked(&item.ident, &item.attrs)) {
            return None;
        }
        // Errors are reported at the definition.
        let outer = std::mem::take(self.errors);
        let fields = self.elsewhere(names.clone(), |reader| {
            reader.bundle_generics(item);
            reader.fields_of_bundle(item)
        });
        let found = std::mem::replace(self.errors, outer);
        if !found.is_empty() || fields.len() < item.fields.len() {
            self.errors.elsewhere();
            return None;
        }
        let known = self.tree.types.defined.iter().find(|(known, _)| *known == key);
        let ty = match known {
            Some(&(_, ty)) => ty,
            None => {
                // It has no values, but a tag.
                let of = (Form::Struct, None);
                let ty = self.elsewhere(names, |reader| {
                    reader.defined_as(&item.ident, &item.attrs, key, Given::default(), of, Vec::new())
                });
                self.tree.types.defined.push((key, ty));
                ty
            }
        };
        self.claim(path, Claim::Type(ty, Arguments::None));
        Some(fields)
    }

    /// Reads a parameter of a kernel that is a struct of slices.
    pub(super) fn bundle_parameter(&mut self, name: &Ident, written: &TokenStream, mutable: bool) {
        let ty = syn::parse2::<Type>(written.clone()).ok();
        let Some(path) = ty.as_ref().and_then(self::written) else {
            return self.bring(name, Binding::Refused);
        };
        // Noted as a mention of the type.
        self.as_type(|reader| reader.imported(path));
        let fields = match self.leads_to(path) {
            Outside::Found(item, names, key) => match *item {
                Item::Struct(item) if item.generics.lifetimes().next().is_some() => {
                    self.bundle(&item, names, key, path)
                }
                // rustc says that it takes no lifetime.
                _ => {
                    self.errors.mismatch();
                    None
                }
            },
            Outside::Refused => {
                self.errors.elsewhere();
                None
            }
            Outside::Elsewhere => {
                self.want(path);
                None
            }
            Outside::Missing | Outside::Unmarked => {
                let shown = path.segments.last().map(|last| plain(&last.ident)).unwrap_or_default();
                let fault = format!("`{shown}` {UNMARKED_BUNDLE}");
                self.refuse_item(path, (Code::ParameterType, path.span()), &fault, MARK_BUNDLE);
                None
            }
        };
        match fields {
            Some(fields) => self.bring_bundle(name, fields, mutable),
            None => self.bring(name, Binding::Refused),
        }
    }

    /// The parameters of a device function for a struct of slices, which it takes by value or by reference. `None` if the
    /// type is another one, and no fields where they have been refused.
    pub(super) fn bundle_input(&mut self, ty: &Type) -> Option<Option<Fields>> {
        let (of, is_mutable) = match ty {
            Type::Reference(reference) => (&*reference.elem, reference.mutability.is_some()),
            ty => (ty, false),
        };
        let Type::Path(of) = of else { return None };
        let Outside::Found(item, names, key) = self.leads_to(&of.path) else {
            return None;
        };
        let Item::Struct(item) = *item else { return None };
        item.generics.lifetimes().next()?;
        let fields = self.bundle(&item, names, key, &of.path);
        Some(fields.map(|mut fields| {
            for (field, ty) in &mut fields {
                if is_mutable && is_value(field) {
                    *ty = self.tree.types.add(Kind::Reference(*ty, true));
                }
            }
            fields
        }))
    }

    /// Brings a parameter of a device function into scope that is a struct of slices.
    pub(super) fn bundle_of_function(&mut self, pattern: &Pat, fields: Option<Fields>) {
        match (pattern, fields) {
            (Pat::Ident(name), Some(fields)) if name.by_ref.is_none() && name.subpat.is_none() => {
                self.bring_bundle(&name.ident, fields, name.mutability.is_some());
            }
            (Pat::Ident(name), _) => self.bring(&name.ident, Binding::Refused),
            (pattern, _) => self.errors.refuse_all(
                Code::ParameterPattern,
                pattern,
                "a parameter that is a struct of slices has one name",
                "name it, `mesh: &Mesh<'_>`, and its fields where they are used, `mesh.x`",
            ),
        }
    }

    /// Makes a parameter of each field, and brings the whole into scope.
    fn bring_bundle(&mut self, name: &Ident, fields: Fields, mutable: bool) {
        let mut found = Vec::with_capacity(fields.len());
        for (field, ty) in fields {
            // A slice that is assigned to would be a variable, of which less is known.
            let is_behind = is_value(&field) && matches!(self.tree.types.kind(ty), Kind::Reference(..));
            let is_assigned = is_value(&field) || matches!(field.kind, ParameterKind::MatrixMut(_));
            let mutable = mutable && is_assigned && !is_behind;
            found.push(BundleField {
                name: plain(&field.name),
                local: self.tree.locals.len(),
                is_behind,
            });
            let mut local = field.name;
            local.set_span(name.span());
            self.tree.locals.push(Local {
                name: local,
                ty,
                mutable,
                read: false,
                origin: Origin::Parameter,
            });
        }
        self.tree.bundles.push(Bundle {
            name: plain(name),
            fields: found,
        });
        self.bring(name, Binding::Bundle(self.tree.bundles.len() - 1));
    }

    /// The number of the struct of slices that an expression names, perhaps by a reference.
    pub(super) fn bundle_named(&mut self, expr: &Syntax) -> Option<usize> {
        match unparenthesised(expr) {
            Syntax::Reference(reference) => self.bundle_named(&reference.expr),
            Syntax::Path(path) if path.qself.is_none() => match self.lookup(path.path.get_ident()?)? {
                Binding::Bundle(number) => Some(number),
                _ => None,
            },
            _ => None,
        }
    }

    /// `mesh.x`, if that is a field of a struct of slices.
    pub(super) fn bundle_field(&mut self, field: &ExprField, span: Span) -> Option<Expr> {
        let number = self.bundle_named(&field.base)?;
        if self.within_constant {
            // rustc looks no further.
            self.errors.elsewhere();
            return Some(self.refused(span));
        }
        let known = match &field.member {
            Member::Named(name) => {
                let (name, fields) = (plain(name), &self.tree.bundles[number].fields);
                fields.iter().find(|known| known.name == name)
            }
            Member::Unnamed(_) => None,
        };
        Some(match known {
            Some(&BundleField { local, is_behind, .. }) => {
                self.tree.locals[local].read = true;
                let parameter = Expr::local(local, span);
                match is_behind {
                    true => Expr::new(ExprKind::Deref(Box::new(parameter)), span),
                    false => parameter,
                }
            }
            None => self.left_to_rustc(span),
        })
    }

    /// The fields that are passed where an argument is a struct of slices, for a parameter of the function that is called.
    pub(super) fn bundle_argument(&mut self, argument: &Syntax, input: Option<&FnArg>) -> Option<Vec<Expr>> {
        let number = self.bundle_named(argument)?;
        let takes_mutable = matches!(input, Some(FnArg::Typed(typed))
            if matches!(&*typed.ty, Type::Reference(reference) if reference.mutability.is_some()));
        let span = super::start(argument);
        let mut passed = Vec::new();
        for field in &self.tree.bundles[number].fields {
            let local = &mut self.tree.locals[field.local];
            local.read = true;
            let parameter = Expr::local(field.local, span);
            let is_value = field.is_behind || self.tree.types.is_plain(local.ty);
            passed.push(match takes_mutable {
                _ if !is_value || takes_mutable == field.is_behind => parameter,
                true => Expr::new(ExprKind::Borrow(Box::new(parameter), true), span),
                false => Expr::new(ExprKind::Deref(Box::new(parameter)), span),
            });
        }
        Some(passed)
    }

    /// Refuses the name of a struct of slices where a value belongs.
    pub(super) fn refuse_whole_bundle(&mut self, number: usize, span: Span) -> Expr {
        let bundle = &self.tree.bundles[number];
        let name = &bundle.name;
        let field = bundle.fields.first().map_or("x", |field| &field.name);
        let fault = format!("`{name}` is a struct of slices, which is no value in a kernel");
        let help = format!("name a field, `{name}.{field}`, or pass `&{name}` to a device function");
        self.fault(Code::ParameterType, span, fault, help)
    }

    /// Refuses the type of a struct of slices where no parameter is.
    pub(super) fn refuse_bundle_type(&mut self, path: &Path) -> Ty {
        let shown = path.segments.last().map(|last| plain(&last.ident)).unwrap_or_default();
        self.errors.refuse_all(
            Code::ParameterType,
            path,
            format_args!("`{shown}` is a struct of slices: only parameters are of this type"),
            format_args!("take it as a parameter, `mesh: {shown}<'_>`, and name its fields, `mesh.x`"),
        );
        Ty::REFUSED
    }

    /// The field of such a struct that is assigned to: a value, and no slice.
    pub(super) fn assigned_field(&mut self, target: &Syntax) -> Option<Expr> {
        let Syntax::Field(field) = unparenthesised(target) else {
            return None;
        };
        let number = self.bundle_named(&field.base)?;
        let span = super::start(target);
        let expr = self.bundle_field(field, span)?;
        let ExprKind::Local(local) = expr.kind else {
            return Some(expr);
        };
        let ty = self.tree.locals[local].ty;
        if !self.tree.types.is_reference(ty) && !matches!(self.tree.types.kind(ty), Kind::Matrix(..)) {
            return Some(Expr::local(local, span));
        }
        let (name, field) = (&self.tree.bundles[number].name, plain(&self.tree.locals[local].name));
        let fault = format!("`{name}.{field}` is that of the launch: no other slice takes its place");
        let help = format!("refer to several slices by a variable: `let mut {field} = {name}.{field};`");
        Some(self.fault(Code::Reference, span, fault, help))
    }
}
