//! The items generated beside a struct of slices: the struct that the host fills with buffers and views, and the
//! implementations by which launchers pass it on.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use syn::spanned::Spanned;
use syn::{ItemStruct, Type};

use super::launcher::{argument, element, field_type};
use crate::code::{Code, code};
use crate::resolve::attributes;
use crate::resolve::names::plain;
use crate::surface::{ParameterKind, SurfaceParameter};
use crate::syntax::bundle::with_lifetime;
use crate::syntax::signature::camel_case;

/// The type of a parameter with the lifetime of a launch.
pub(super) fn of_launch(written: &TokenStream) -> Code {
    of(written, "'v")
}

/// The same with that of slices of the host.
pub(super) fn of_host(written: &TokenStream) -> Code {
    of(written, "'_")
}

fn of(written: &TokenStream, lifetime: &str) -> Code {
    match syn::parse2::<Type>(written.clone()) {
        Ok(ty) => Code::of(&with_lifetime(&ty, lifetime)),
        Err(_) => Code::of(written),
    }
}

/// The struct of a host, and the type parameters of the fields that are no values.
struct Host<'i> {
    item: &'i ItemStruct,
    /// `MeshViews`.
    name: Ident,
    /// For each field, the type parameter that stands for what is passed.
    parameters: Vec<Option<Ident>>,
}

impl<'i> Host<'i> {
    fn of(item: &'i ItemStruct, is_value: &dyn Fn(usize) -> bool) -> Self {
        let views = format!("{}Views", plain(&item.ident));
        // A parameter does not hide a type.
        let mut taken = vec![item.ident.to_string(), views.clone()];
        for field in &item.fields {
            words(Code::of(&field.ty).into(), &mut taken);
        }
        let mut parameters = Vec::new();
        for (number, field) in item.fields.iter().enumerate() {
            if is_value(number) {
                parameters.push(None);
                continue;
            }
            let name = field.ident.as_ref().map(plain).unwrap_or_default();
            let mut name = camel_case(&name);
            if !name.starts_with(char::is_alphabetic) {
                name.insert(0, 'T');
            }
            while taken.contains(&name) {
                name.push('_');
            }
            parameters.push(Some(Ident::new(&name, Span::call_site())));
            taken.push(name);
        }
        Host {
            item,
            name: Ident::new(&views, Span::call_site().located_at(item.ident.span())),
            parameters,
        }
    }

    /// The type parameters with commas.
    fn parameters(&self) -> Vec<&Ident> {
        self.parameters.iter().flatten().collect()
    }

    /// The struct.
    fn definition(&self, docs_of_slice: &str) -> Code {
        let span = Span::call_site();
        let Host { item, name, .. } = self;
        let mut fields = Vec::new();
        for (field, parameter) in item.fields.iter().zip(&self.parameters) {
            let (visibility, field_name) = (Code::of(&field.vis), &field.ident);
            let docs = Code::of_all(&documentation(&field.attrs));
            let (docs, ty) = match parameter {
                Some(parameter) if docs.is_empty() => {
                    let docs = Literal::string(docs_of_slice);
                    (code!(span=> #[doc = #docs]), Code::tree(parameter.clone().into()))
                }
                Some(parameter) => (docs, Code::tree(parameter.clone().into())),
                None if docs.is_empty() => (code!(span=> #[doc = " The value."]), Code::of(&field.ty)),
                None => (docs, Code::of(&field.ty)),
            };
            let field_name = Code::of(field_name);
            fields.push(code!(span=> #docs #visibility #field_name: #ty));
        }
        let docs = Literal::string(&format!(
            " The argument of a launch for a [`{0}`]: for each slice a buffer, `&x` or `&mut x`, or a view of a part of one, \
             and the values.",
            plain(&item.ident)
        ));
        let cfg = Code::of_all(&attributes::cfg(&item.attrs));
        let (visibility, parameters) = (Code::of(&item.vis), self.parameters());
        code! {span=>
            #cfg
            #[doc = #docs]
            #[allow(
                dead_code,
                missing_debug_implementations,
                non_camel_case_types,
                clippy::exhaustive_structs,
                clippy::partial_pub_fields
            )]
            #visibility struct #name<#parameters> { #fields }
        }
    }
}

/// The comments above a field.
fn documentation(attributes: &[syn::Attribute]) -> Vec<&syn::Attribute> {
    attributes.iter().filter(|it| it.path().is_ident("doc")).collect()
}

fn words(tokens: TokenStream, to: &mut Vec<String>) {
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Ident(word) => to.push(word.to_string()),
            proc_macro2::TokenTree::Group(group) => words(group.stream(), to),
            _ => {}
        }
    }
}

/// A struct with one lifetime in the place of all that it has.
fn applied(item: &ItemStruct, lifetime: &str) -> Code {
    let (span, name) = (Span::call_site(), &item.ident);
    let lifetime = syn::Lifetime::new(lifetime, span);
    let lifetimes: Vec<Code> = item.generics.lifetimes().map(|_| Code::of(&lifetime)).collect();
    code!(span=> #name<#lifetimes>)
}

/// The items beside a struct with these fields, whose types have these tags.
pub(super) fn items(item: &ItemStruct, fields: &[SurfaceParameter], tags: &[Code], key: &Literal) -> TokenStream {
    let span = Span::mixed_site();
    let host = Host::of(item, &|number| {
        fields
            .get(number)
            .is_none_or(|it| matches!(it.kind, ParameterKind::Value(_)))
    });
    let definition = host.definition(" The buffer or view of the slice.");
    let (mut views, mut bounds, mut converted) = (Vec::new(), Vec::new(), Vec::new());
    let mut pushes = Code::default();
    for (field, parameter) in fields.iter().zip(&host.parameters) {
        let name = &field.name;
        let method = match &field.kind {
            ParameterKind::Value(_) => "value",
            ParameterKind::Slice(_) => "view",
            ParameterKind::SliceMut(_) => "view_mut",
            ParameterKind::Matrix(_) => "view2",
            ParameterKind::MatrixMut(_) => "view2_mut",
            ParameterKind::Atomics(_) | ParameterKind::AtomicElements(_) | ParameterKind::Bundle(_) => "atomics",
        };
        let method = Ident::new(method, span);
        pushes.append(code!(span=> arguments.#method(&views.#name);));
        match (parameter, argument(&field.kind)) {
            (Some(parameter), Some((kind, of))) => {
                let kind = &kind;
                views.push(field_type(&field.kind));
                bounds.push(code!(span=> #parameter: __vyre::#kind<'v, #of>));
                converted.push(code!(span=> #name: __vyre::#kind::view(self.#name)));
            }
            _ => converted.push(code!(span=> #name: self.#name)),
        }
    }
    let checks = checks(item, fields, tags);
    let dispatched = dispatched(item, &host, fields);
    let cfg = Code::of_all(&attributes::cfg(&item.attrs));
    let (of_launch, name, parameters) = (&applied(item, "'v"), &host.name, host.parameters());
    let (of_any, host_name, key) = (&applied(item, "'_"), name, key.clone());
    code! {span=>
        #definition
        #cfg
        #[allow(warnings, clippy::all, clippy::pedantic)]
        const _: () = {
            use ::vyre::__private as __vyre;
            // SAFETY: the arguments are those of the fields, in order, of which the compiler makes parameters.
            #[doc(hidden)]
            unsafe impl ::vyre::Bundle for #of_any {
                type Views<'v> = #name<#views>;
                #[inline(always)]
                fn arguments<'a>(views: &'a Self::Views<'_>, arguments: &mut __vyre::Arguments<'a>) { #pushes }
            }
            #[doc(hidden)]
            impl<'v, #bounds> ::vyre::Views<'v, #of_launch> for #host_name<#parameters> {
                fn views(self) -> <#of_launch as ::vyre::Bundle>::Views<'v> {
                    #name { #converted }
                }
            }
            #[doc(hidden)]
            impl __vyre::Ty for #of_any {
                type Tag = __vyre::tag::Own<#key>;
            }
            #dispatched
            #checks
        };
    }
    .into()
}

/// A function that compiles if rustc finds the types of the fields that vyre does.
fn checks(item: &ItemStruct, fields: &[SurfaceParameter], tags: &[Code]) -> Code {
    let span = Span::mixed_site();
    let mut checks = Code::default();
    for ((field, parameter), tag) in item.fields.iter().zip(fields).zip(tags) {
        let at = field.ty.span().resolved_at(Span::mixed_site());
        let (ty, name) = (Code::of(&field.ty), &parameter.name);
        checks.append(match &parameter.kind {
            _ if tag.is_empty() => continue,
            ParameterKind::Value(_) => code!(at=> __vyre::field::<#tag, #ty>()),
            ParameterKind::Matrix(of) | ParameterKind::MatrixMut(of) => {
                let matrix = match parameter.kind {
                    ParameterKind::Matrix(_) => "matrix",
                    _ => "matrix_mut",
                };
                // A primitive type is confirmed as the user writes it, at the matrix.
                let (matrix, of) = (Ident::new(matrix, span), &element(of));
                code!(at=> __vyre::#matrix::<#of>(&it.#name); __vyre::alias::<#tag, #of>())
            }
            _ => code!(at=> __vyre::alias::<#tag, #ty>()),
        });
        checks.append(code!(span=> ;));
    }
    let generics = Code::of(&item.generics);
    let name = &item.ident;
    let lifetimes: Vec<Code> = item.generics.lifetimes().map(|it| Code::of(&it.lifetime)).collect();
    let clause = Code::of(&item.generics.where_clause);
    code!(span=> fn checks #generics (it: &#name<#lifetimes>) #clause { #checks })
}

/// The implementation by which the slices of the host are uploaded and downloaded, unless there are atomics among them: those
/// of the host may change while they are copied.
fn dispatched(item: &ItemStruct, host: &Host<'_>, fields: &[SurfaceParameter]) -> Code {
    let span = Span::mixed_site();
    let (mut types, mut uploads) = (Code::default(), Code::default());
    let (mut borrows, mut downloads) = (Vec::new(), Code::default());
    let mut number = 0;
    for field in fields {
        let (name, at) = (&field.name, Literal::usize_unsuffixed(number));
        let (of, writes) = match &field.kind {
            ParameterKind::Value(_) => {
                borrows.push(code!(span=> #name: self.#name));
                continue;
            }
            ParameterKind::Slice(of) | ParameterKind::Matrix(of) => (element(of), false),
            ParameterKind::SliceMut(of) | ParameterKind::MatrixMut(of) => (element(of), true),
            ParameterKind::Atomics(_) | ParameterKind::AtomicElements(_) | ParameterKind::Bundle(_) => {
                return Code::default();
            }
        };
        types.append(code!(span=> ::vyre::DeviceBuffer<#of>,));
        let buffer = match writes {
            true => code!(span=> &mut buffers.#at),
            false => code!(span=> &buffers.#at),
        };
        let (read, written) = match &field.kind {
            ParameterKind::Matrix(_) | ParameterKind::MatrixMut(_) => {
                let view = Ident::new(if writes { "ViewMut2" } else { "View2" }, span);
                borrows.push(code!(span=> #name: __vyre::#view::like(#buffer, &self.#name)));
                (
                    code!(span=> self.#name.elements()),
                    code!(span=> self.#name.elements_mut()),
                )
            }
            _ => {
                borrows.push(code!(span=> #name: __vyre::body::__view(#buffer)));
                (code!(span=> &self.#name[..]), code!(span=> &mut self.#name[..]))
            }
        };
        uploads.append(code!(span=> device.upload(#read)?,));
        if writes {
            let at = Literal::usize_unsuffixed(number);
            downloads.append(code!(span=> __vyre::body::__download(&buffers.#at, #written)?;));
        }
        number += 1;
    }
    let (of_any, name) = (applied(item, "'_"), &host.name);
    code! {span=>
        #[doc(hidden)]
        impl __vyre::Dispatched for #of_any {
            type Buffers = (#types);
            fn upload(&self, device: &__vyre::Device) -> __vyre::Result<Self::Buffers> {
                __vyre::Result::Ok((#uploads))
            }
            fn borrow<'b>(&self, buffers: &'b mut Self::Buffers) -> <Self as ::vyre::Bundle>::Views<'b> {
                #name { #borrows }
            }
            fn download(mut self, buffers: Self::Buffers) -> __vyre::Result<()> {
                #downloads
                __vyre::Result::Ok(())
            }
        }
    }
}

/// The items for a struct that was refused, so that its uses are not faults too.
pub(super) fn stub(item: &ItemStruct) -> TokenStream {
    let is_lifetime = |it: &syn::GenericParam| matches!(it, syn::GenericParam::Lifetime(_));
    if !matches!(item.fields, syn::Fields::Named(_)) || !item.generics.params.iter().all(is_lifetime) {
        return TokenStream::new();
    }
    let span = Span::mixed_site();
    let host = Host::of(item, &|_| false);
    let definition = host.definition(" The argument.");
    let (of_launch, of_any) = (applied(item, "'v"), applied(item, "'_"));
    let (name, parameters, arguments) = (&host.name, host.parameters(), host.parameters());
    let cfg = Code::of_all(&attributes::cfg(&item.attrs));
    // The build has failed, so nothing relies on this.
    code! {span=>
        #definition
        #cfg
        #[allow(warnings)]
        const _: () = {
            unsafe impl ::vyre::Bundle for #of_any {
                type Views<'v> = ();
                fn arguments<'a>(_: &'a (), _: &mut ::vyre::__private::Arguments<'a>) {}
            }
            impl<'v, #parameters> ::vyre::Views<'v, #of_launch> for #name<#arguments> {
                fn views(self) {}
            }
        };
    }
    .into()
}
