//! The launcher of a kernel: constructor, struct, methods and `Kernel` implementation.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Attribute;

use super::names::{self, Names};
use crate::surface::{ParameterKind, Primitive, Surface, SurfaceParameter};

/// What makes a launcher of the kernel's face.
#[derive(Default)]
pub(super) struct Implementation {
    /// The body of `Kernel::info`.
    pub(super) info: TokenStream,
    /// The method `Kernel::entry`, if there is a choice.
    pub(super) entry: Option<TokenStream>,
    /// Items that the body of `info` mentions.
    pub(super) items: TokenStream,
}

/// The `cfg` attributes of a kernel, which go onto everything that is made of it.
pub(super) fn cfg(surface: &Surface) -> impl Iterator<Item = &Attribute> {
    surface
        .attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
}

/// Everything about the launcher.
pub(super) fn launcher(surface: &Surface, implementation: &Implementation) -> TokenStream {
    let face = Face::of(surface);
    let (constructor, definition) = (face.constructor(), face.definition());
    let (methods, dispatch, kernel) = (face.methods(), face.dispatch(), face.kernel(implementation));
    let Face {
        cfg,
        launcher,
        lifetime,
        ..
    } = &face;
    let items = &implementation.items;
    quote_spanned! {Span::mixed_site()=>
        #constructor
        #definition
        #(#cfg)*
        // In the CPU body `PI` is the digits of its value.
        #[allow(clippy::approx_constant)]
        const _: () = {
            use ::vyre::__private::{self as __v, body::*};
            #items
            impl #lifetime #launcher #lifetime { #methods #dispatch }
            #kernel
        };
    }
}

/// A kernel as its callers see it, in tokens that are the macro's.
struct Face<'s> {
    surface: &'s Surface,
    cfg: Vec<&'s Attribute>,
    visibility: TokenStream,
    launcher: Ident,
    /// `<'v>` where a parameter is a slice.
    lifetime: Option<TokenStream>,
    fields: Vec<Ident>,
}

/// A user's token as one of the macro's, at the same place and with the same meaning.
fn ours(span: Span) -> Span {
    Span::call_site().located_at(span)
}

impl<'s> Face<'s> {
    fn of(surface: &'s Surface) -> Self {
        let is_view = |parameter: &SurfaceParameter| !matches!(parameter.kind, ParameterKind::Scalar(_));
        let relocated = |mut token: TokenTree| {
            // A group is the `(crate)` of `pub(crate)`; its own span decides little.
            token.set_span(ours(token.span()));
            token
        };
        let ident = |ident: &Ident| {
            let mut ident = ident.clone();
            ident.set_span(ours(ident.span()));
            ident
        };
        Face {
            surface,
            cfg: cfg(surface).collect(),
            visibility: surface
                .visibility
                .to_token_stream()
                .into_iter()
                .map(relocated)
                .collect(),
            launcher: ident(&surface.launcher),
            lifetime: surface.parameters.iter().any(is_view).then(|| quote!(<'v>)),
            fields: surface
                .parameters
                .iter()
                .map(|parameter| ident(&parameter.name))
                .collect(),
        }
    }

    fn parameters(&self) -> impl Iterator<Item = (&Ident, &'s SurfaceParameter)> {
        self.fields.iter().zip(&self.surface.parameters)
    }

    fn constructor(&self) -> TokenStream {
        let Face {
            surface,
            visibility,
            launcher,
            lifetime,
            ..
        } = self;
        let (attributes, name) = (&surface.attributes, &surface.name);
        let parameters = self.parameters().map(|(name, parameter)| {
            let ty = field_type(parameter.kind);
            match parameter.kind {
                ParameterKind::Scalar(_) => quote!(#name: #ty),
                _ => quote!(#name: impl ::vyre::__private::Into<#ty>),
            }
        });
        let values = self.parameters().map(|(name, parameter)| match parameter.kind {
            ParameterKind::Scalar(_) => quote!(#name),
            _ => quote!(#name: ::vyre::__private::Into::into(#name)),
        });
        let many = names::many_arguments(self.fields.len());
        quote! {
            #(#attributes)*
            #many
            #visibility fn #name #lifetime (#(#parameters),*) -> #launcher #lifetime {
                #launcher { #(#values),* }
            }
        }
    }

    fn definition(&self) -> TokenStream {
        let Face {
            surface,
            cfg,
            visibility,
            launcher,
            lifetime,
            fields,
        } = self;
        let types = surface.parameters.iter().map(|parameter| field_type(parameter.kind));
        let docs = format!(
            " The kernel [`{0}`](fn@{0}) with its arguments, ready to be launched.",
            surface.name
        );
        let field_docs = fields.iter().map(|field| format!(" The argument `{field}`."));
        quote! {
            #(#cfg)*
            #[doc = #docs]
            #[must_use = "a kernel runs when it is launched"]
            #visibility struct #launcher #lifetime {
                #(#[doc = #field_docs] pub #fields: #types,)*
            }
        }
    }

    /// Whether the slices alone say how many threads there are.
    fn has_domain(&self) -> bool {
        let mut slices = self
            .surface
            .parameters
            .iter()
            .filter(|it| !matches!(it.kind, ParameterKind::Scalar(_)));
        self.surface.parameters.iter().any(|parameter| parameter.each) && slices.all(|parameter| parameter.each)
    }

    /// The types of a domain and of a grid.
    fn extents(&self) -> (TokenStream, TokenStream) {
        let [domain, grid] = [Primitive::Usize, Primitive::U32].map(primitive);
        match self.surface.dimensions {
            2 => (quote!([#domain; 2]), quote!([#grid; 2])),
            3 => (quote!([#domain; 3]), quote!([#grid; 3])),
            _ => (domain, grid),
        }
    }

    fn methods(&self) -> TokenStream {
        let (domain, grid) = self.extents();
        let launch = self.has_domain().then(|| {
            let first = self
                .parameters()
                .find(|(_, parameter)| parameter.each)
                .map(|(name, _)| name);
            quote! {
                /// Launches the kernel with a thread for each element.
                ///
                /// # Errors
                /// Those of `Launch::launch`.
                pub fn launch(self, device: &__v::Device) -> __v::Result<()> {
                    let domain = self.#first.len();
                    self.over(domain).launch(device)
                }
            }
        });
        quote! {
            /// A launch with at least one thread for each place of a domain, in whole blocks.
            pub fn over(self, domain: #domain) -> __v::Launch<Self> {
                __v::Launch::over(self, __v::Axes::axes(domain))
            }

            /// A launch of so many blocks.
            pub fn grid(self, blocks: #grid) -> __v::Launch<Self> {
                __v::Launch::grid(self, __v::Axes::axes(blocks))
            }

            #launch
        }
    }

    fn dispatch(&self) -> TokenStream {
        let Face { launcher, .. } = self;
        let mut taken = Names::default();
        for field in &self.fields {
            taken.fresh(&field.to_string(), 0);
        }
        let device = Ident::new(&taken.fresh("device", 0), Span::mixed_site());
        let (domain_type, _) = self.extents();
        let domain = Ident::new(&taken.fresh("domain", 0), Span::mixed_site());
        let (parameter, argument) = match self.has_domain() {
            true => (None, None),
            false => (Some(quote!(#domain: #domain_type,)), Some(quote!(.over(#domain)))),
        };
        let parameters = self.parameters().map(|(name, parameter)| {
            let ty = match parameter.kind {
                ParameterKind::Scalar(of) => primitive(of),
                ParameterKind::Slice(of) => {
                    let of = primitive(of);
                    quote!(&[#of])
                }
                ParameterKind::SliceMut(of) | ParameterKind::Atomics(of) => {
                    let of = primitive(of);
                    quote!(&mut [#of])
                }
            };
            quote!(#name: #ty)
        });
        let buffer = |name: &Ident| Ident::new(&format!("__{}", names::identifier(&name.to_string())), name.span());
        let uploads = self.parameters().filter_map(|(name, parameter)| {
            let buffer = buffer(name);
            match parameter.kind {
                ParameterKind::Scalar(_) => None,
                ParameterKind::Slice(_) => Some(quote!(let #buffer = #device.upload(#name)?;)),
                _ => Some(quote!(let mut #buffer = #device.upload(#name)?;)),
            }
        });
        let fields = self.parameters().map(|(name, parameter)| {
            let buffer = buffer(name);
            match parameter.kind {
                ParameterKind::Scalar(_) => quote!(#name),
                ParameterKind::Slice(_) => quote!(#name: __v::Into::into(&#buffer)),
                _ => quote!(#name: __v::Into::into(&mut #buffer)),
            }
        });
        let downloads = self.parameters().filter_map(|(name, parameter)| {
            let buffer = buffer(name);
            match parameter.kind {
                ParameterKind::Scalar(_) | ParameterKind::Slice(_) => None,
                _ => Some(quote!(#buffer.download_into(#name)?;)),
            }
        });
        let many = names::many_arguments(self.fields.len() + 2);
        quote! {
            /// Uploads the arguments, runs the kernel, waits, and downloads what it may have written.
            ///
            /// # Errors
            /// Those of the copies and the launch, and what the kernel reports.
            #many
            pub fn dispatch(#device: &__v::Device, #parameter #(#parameters),*) -> __v::Result<()> {
                #(#uploads)*
                #launcher { #(#fields),* } #argument .launch(#device)?;
                #(#downloads)*
                #device.synchronize()
            }
        }
    }

    fn kernel(&self, implementation: &Implementation) -> TokenStream {
        let Face { launcher, lifetime, .. } = self;
        let Implementation { info, entry, .. } = implementation;
        let pushes = self.parameters().map(|(name, parameter)| {
            let method = match parameter.kind {
                ParameterKind::Scalar(_) => "value",
                ParameterKind::Slice(_) => "view",
                ParameterKind::SliceMut(_) => "view_mut",
                ParameterKind::Atomics(_) => "atomics",
            };
            let method = Ident::new(method, Span::mixed_site());
            quote!(arguments.#method(&self.#name);)
        });
        let each: Vec<_> = self
            .parameters()
            .filter(|(_, parameter)| parameter.each)
            .map(|(name, _)| name)
            .collect();
        let check = (each.len() > 1).then(|| {
            let names = each.iter().map(|name| name.to_string());
            quote! {
                fn check(&self) -> __v::Result<()> {
                    __v::equal_lengths(&[#((#names, self.#each.len())),*])
                }
            }
        });
        quote! {
            unsafe impl #lifetime __v::Kernel for #launcher #lifetime {
                fn info() -> &'static __v::KernelInfo { #info }
                fn arguments<'a>(&'a self, arguments: &mut __v::Arguments<'a>) { #(#pushes)* }
                #entry
                #check
            }
        }
    }
}

/// A primitive type, by a path that nothing of the user shadows.
fn primitive(primitive: Primitive) -> TokenStream {
    let name = Ident::new(primitive.name(), Span::mixed_site());
    quote!(::core::primitive::#name)
}

/// The type of a launcher's field.
fn field_type(kind: ParameterKind) -> TokenStream {
    match kind {
        ParameterKind::Scalar(of) => primitive(of),
        ParameterKind::Slice(of) => {
            let of = primitive(of);
            quote!(::vyre::View<'v, #of>)
        }
        ParameterKind::SliceMut(of) => {
            let of = primitive(of);
            quote!(::vyre::ViewMut<'v, #of>)
        }
        ParameterKind::Atomics(of) => {
            let name = Ident::new(atomic(of), Span::mixed_site());
            quote!(::vyre::AtomicView<'v, ::vyre::__private::#name>)
        }
    }
}

/// The atomic type of a primitive.
fn atomic(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::I32 => "AtomicI32",
        Primitive::I64 => "AtomicI64",
        Primitive::Isize => "AtomicIsize",
        Primitive::U64 => "AtomicU64",
        Primitive::Usize => "AtomicUsize",
        Primitive::F32 => "AtomicF32",
        Primitive::F64 => "AtomicF64",
        // The others have no atomic type, and the front end refuses them.
        _ => "AtomicU32",
    }
}
