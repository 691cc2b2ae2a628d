//! The ways to hide a name.

use crate::vocabulary::{Kind, Name};

/// A way to hide a name.
#[derive(Default)]
pub(crate) struct Hidden {
    /// Items beside the function.
    pub(crate) items: String,
    /// The tokens before its body.
    pub(crate) inside: String,
    /// Another body.
    pub(crate) body: Option<String>,
    /// A generic parameter of this name.
    pub(crate) parameter: Option<String>,
    /// True if the program still means what it meant, and compiles.
    pub(crate) compiles: bool,
}

/// A way to hide the first part of a name; `None` where the name has no such part.
pub(crate) type Way = fn(&Name) -> Option<Hidden>;

/// All ways.
pub(crate) const WAYS: &[(&str, Way)] = &[
    ("nothing", |_| {
        Some(Hidden {
            compiles: true,
            ..Hidden::default()
        })
    }),
    ("a module or item", |name| items(name.item(name.first()))),
    ("a struct with items", |name| of_type(name, "struct #;")),
    ("an enum with items", |name| of_type(name, "enum # {}")),
    ("an alias", |name| of_type(name, "struct Other; type # = Other;")),
    ("a trait", |name| {
        let [first, last] = name.parts()[..] else { return None };
        match name.kind {
            Kind::Constant(ty, value) => items(format!("trait {first} {{ const {last}: {ty} = {value}; }}")),
            _ => items(format!("trait {first} {{ }}")),
        }
    }),
    ("an import", |name| {
        let (first, item) = (name.first(), name.item(name.first()));
        items(format!("mod decoy {{ {item} }} use decoy::{first};"))
    }),
    ("a renamed import", |name| {
        let (first, item) = (name.first(), name.item("other"));
        items(format!("mod decoy {{ {item} }} use decoy::other as {first};"))
    }),
    ("a glob import", |name| {
        items(format!("mod decoy {{ {} }} use decoy::*;", name.item(name.first())))
    }),
    ("glob imports in a row", |name| {
        let item = name.item(name.first());
        items(format!(
            "mod decoy {{ {item} }} mod again {{ pub use super::decoy::*; }} use again::*;"
        ))
    }),
    ("an import in the body", |name| {
        let (first, item) = (name.first(), name.item(name.first()));
        Some(Hidden {
            items: format!("mod decoy {{ {item} }}"),
            inside: format!("use self::decoy::{first};"),
            ..Hidden::default()
        })
    }),
    ("a renamed import in the body", |name| {
        let (first, item) = (name.first(), name.item("other"));
        Some(Hidden {
            items: format!("mod decoy {{ {item} }}"),
            inside: format!("use self::decoy::other as {first};"),
            ..Hidden::default()
        })
    }),
    ("the last part, imported in the body", |name| {
        let [_, .., last] = name.parts()[..] else { return None };
        Some(Hidden {
            items: name.item(name.first()),
            inside: format!("use {};", name.path),
            body: Some(name.body.replace(name.path, last)),
            ..Hidden::default()
        })
    }),
    ("a macro", |name| {
        let first = name.first();
        items(format!("macro_rules! {first} {{ ($($t:tt)*) => {{ 77 }} }}"))
    }),
    ("a macro of a module", |name| {
        let first = name.first();
        items(format!(
            "#[macro_use] mod decoy {{ macro_rules! {first} {{ ($($t:tt)*) => {{ 77 }} }} }}"
        ))
    }),
    ("a local", |name| {
        Some(Hidden {
            inside: format!("let {} = a;", name.first()),
            ..Hidden::default()
        })
    }),
    ("a local closure", |name| {
        Some(Hidden {
            inside: format!("let {} = |v: ::core::primitive::u64| 77;", name.first()),
            ..Hidden::default()
        })
    }),
    ("a generic parameter", |name| {
        Some(Hidden {
            parameter: Some(name.first().to_owned()),
            ..Hidden::default()
        })
    }),
    ("an import of what it is", |name| {
        let is_module = ["f32", "f64", "i32", "u8", "u32", "u64"].contains(&name.first());
        let item = format!("use std::{};", name.first());
        match is_module {
            true => Some(Hidden {
                items: item,
                compiles: true,
                ..Hidden::default()
            }),
            false => None,
        }
    }),
];

fn items(items: String) -> Option<Hidden> {
    Some(Hidden {
        items,
        ..Hidden::default()
    })
}

/// A type in place of the module, with the last part as an item of its own.
fn of_type(name: &Name, ty: &str) -> Option<Hidden> {
    let [first, last] = name.parts()[..] else { return None };
    let ty = ty.replace('#', first);
    items(format!("{ty} impl {first} {{ {} }}", name.member(last)?))
}
