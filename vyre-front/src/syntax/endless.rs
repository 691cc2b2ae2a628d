//! Types that hold themselves. rustc would report one up to four times, and advise a `Box`, which a device has not.

use proc_macro2::Ident;
use syn::{Field, GenericArgument, Item, PathArguments, Type, parse_quote};

use crate::errors::{Code, Diagnostic, spanned};
use crate::resolve::items::named;

/// The error of a type that holds itself.
pub(crate) fn error(item: &Item) -> Option<Diagnostic> {
    let mut item = item.clone();
    held(&mut item).first().map(|field| of_field(&field.ty))
}

/// True if the error stands in the place of the field, so that what is done with that is no other. A generic type that derives
/// takes no macro there.
pub(crate) fn is_in_place(item: &Item) -> bool {
    match item {
        Item::Struct(item) => item.generics.params.is_empty(),
        Item::Enum(item) => item.generics.params.is_empty(),
        _ => false,
    }
}

/// Ends a type that holds itself.
pub(crate) fn ended(item: &mut Item) {
    let is_in_place = is_in_place(item);
    for field in held(item) {
        let (ty, error) = (&field.ty, of_field(&field.ty).to_compile_error());
        field.ty = match is_in_place {
            true => parse_quote!([(); #error]),
            false => parse_quote!(*const #ty),
        };
    }
}

/// True if a type holds one of these names.
pub(crate) fn holds(item: &Item, names: &[String]) -> bool {
    !fields_of(&mut item.clone(), &|name| names.iter().any(|other| name == other)).is_empty()
}

/// Ends a type that others of these names hold, which it holds itself, with an error there.
pub(crate) fn ended_by(item: &mut Item, names: &[String]) {
    for field in fields_of(item, &|name| names.iter().any(|other| name == other)) {
        let error = of_field(&field.ty).to_compile_error();
        field.ty = parse_quote!([(); #error]);
    }
}

/// The fields that hold the type that has them.
fn held(item: &mut Item) -> Vec<&mut Field> {
    match named(item).map(|(name, _)| name.clone()) {
        Some(name) => fields_of(item, &|known| *known == name || known == "Self"),
        None => Vec::new(),
    }
}

/// The fields that are of such a type, or arrays, options or tuples of one.
fn fields_of<'i>(item: &'i mut Item, is_one: &dyn Fn(&Ident) -> bool) -> Vec<&'i mut Field> {
    let fields: Vec<&mut Field> = match item {
        Item::Struct(item) => item.fields.iter_mut().collect(),
        Item::Enum(item) => item.variants.iter_mut().flat_map(|it| &mut it.fields).collect(),
        _ => Vec::new(),
    };
    fields.into_iter().filter(|field| is_of(&field.ty, is_one)).collect()
}

fn is_of(ty: &Type, is_one: &dyn Fn(&Ident) -> bool) -> bool {
    match ty {
        Type::Array(of) => is_of(&of.elem, is_one),
        Type::Tuple(of) => of.elems.iter().any(|part| is_of(part, is_one)),
        Type::Path(of) if of.qself.is_none() => match (of.path.get_ident(), of.path.segments.last()) {
            (Some(only), _) => is_one(only),
            (_, Some(last)) if last.ident == "Option" || last.ident == "Maybe" => match &last.arguments {
                PathArguments::AngleBracketed(of) => {
                    matches!(of.args.first(), Some(GenericArgument::Type(of)) if is_of(of, is_one))
                }
                _ => false,
            },
            (_, last) => of.path.segments.len() == 1 && last.is_some_and(|last| is_one(&last.ident)),
        },
        _ => false,
    }
}

fn of_field(ty: &Type) -> Diagnostic {
    spanned(
        Code::FieldType,
        ty,
        "a type does not hold itself: it would have no size",
        "keep the elements in one slice, and store the index of the next: `next: u32`",
    )
}
