//! Types that hold themselves. rustc would report one up to four times, and advise a `Box`, which a device has not.

use proc_macro2::Ident;
use syn::{Field, Item, Type, parse_quote};

use crate::errors::{Code, Errors};
use crate::resolve::items::named;

/// The error of a type that holds itself.
pub(crate) fn error(item: &Item) -> Option<syn::Error> {
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

/// The fields that are, or are arrays of, the type that has them.
fn held(item: &mut Item) -> Vec<&mut Field> {
    let Some(name) = named(item).map(|(name, _)| name.clone()) else {
        return Vec::new();
    };
    let fields: Vec<&mut Field> = match item {
        Item::Struct(item) => item.fields.iter_mut().collect(),
        Item::Enum(item) => item.variants.iter_mut().flat_map(|it| &mut it.fields).collect(),
        _ => Vec::new(),
    };
    fields.into_iter().filter(|field| is_of(&field.ty, &name)).collect()
}

fn is_of(ty: &Type, name: &Ident) -> bool {
    match ty {
        Type::Array(of) => is_of(&of.elem, name),
        Type::Path(of) if of.qself.is_none() && of.path.segments.len() == 1 => {
            let only = &of.path.segments[0].ident;
            only == name || only == "Self"
        }
        _ => false,
    }
}

fn of_field(ty: &Type) -> syn::Error {
    let mut errors = Errors::default();
    errors.refuse_all(
        Code::FieldType,
        ty,
        "a type does not hold itself: it would have no size",
        "keep the elements in one slice, and store the index of the next: `next: u32`",
    );
    errors.into_vec().remove(0)
}
