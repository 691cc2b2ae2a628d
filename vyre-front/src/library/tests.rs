//! Every function of numbers is Rust, and a kernel can call it on each type that has it.

use quote::{format_ident, quote};
use syn::{FnArg, ItemFn};

use super::methods::{of_width, on, receiver};
use super::{Form, Row, math, numbers};
use crate::driver;
use crate::resolve::names::Names;
use crate::surface::Primitive;

/// The errors of a kernel that calls a function on a number of this type, by its path below `of`.
fn errors(row: &Row, primitive: Primitive, of: &str) -> Vec<String> {
    let source = match row.form {
        Form::Module(_) => format!("{} {{}}", row.source),
        _ => row.source.to_owned(),
    };
    let item: ItemFn = syn::parse_str(&source).expect(&source);
    let (ty, name) = (format_ident!("{}", of), &item.sig.ident);
    let (mut parameters, mut values) = (Vec::new(), Vec::new());
    for (number, input) in item.sig.inputs.iter().enumerate() {
        let FnArg::Typed(typed) = input else { continue };
        let written = &typed.ty;
        let of = match quote!(#written).to_string().as_str() {
            "Self" => primitive,
            "Unsigned" => of_width(primitive, false),
            "Signed" => of_width(primitive, true),
            other => Primitive::from_name(other).expect("a type"),
        };
        let (value, of) = (format_ident!("value{number}"), format_ident!("{}", of.name()));
        parameters.push(quote!(#value: #of));
        // Rust's take references.
        values.push(match row.name() {
            "cmp" | "partial_cmp" | "total_cmp" => quote!(&#value),
            _ => quote!(#value),
        });
    }
    let kernel = quote!(fn kernel(#(#parameters),*) { let _found = #ty::#name(#(#values),*); });
    match driver::kernel(quote!(), kernel, &Names::default()) {
        Ok(_) => Vec::new(),
        Err(rejected) if rejected.diagnostics().next().is_none() => vec!["left to rustc".to_owned()],
        Err(rejected) => rejected.diagnostics().map(|error| error.to_string()).collect(),
    }
}

#[test]
fn numbers_have_every_method() {
    let mut found = Vec::new();
    for row in numbers::ROWS {
        for primitive in Primitive::ALL {
            let is_known = Primitive::from_name(primitive.name()).is_some();
            if !is_known || row.on & receiver(primitive) & !on::BOOL == 0 {
                continue;
            }
            for error in errors(row, primitive, primitive.name()) {
                found.push(format!("{}::{}: {error}", primitive.name(), row.name()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn floats_have_every_function_of_mathematics() {
    let mut found = Vec::new();
    for row in math::all() {
        for primitive in Primitive::ALL {
            if Primitive::from_name(primitive.name()).is_some() && row.on & receiver(primitive) != 0 {
                for error in errors(row, primitive, "math") {
                    found.push(format!("math::{} of {}: {error}", row.name(), primitive.name()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn functions_of_mathematics_are_of_a_module_once() {
    for row in math::all() {
        assert_eq!(row.path, format!("math::{}", row.name()));
        let same = math::all().filter(|other| other.on == row.on && other.name() == row.name());
        assert_eq!(same.count(), 1, "{}", row.path);
    }
}
