//! The launcher of a kernel: constructor, struct, methods and `Kernel` implementation.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::ToTokens;
use syn::Attribute;

use super::bundle;
use super::names::{self, Names};
use crate::code::{Code, code};
use crate::editor;
use crate::errors::{Diagnostic, Note};
use crate::resolve::attributes;
use crate::surface::{Element, ParameterKind, Primitive, Surface, SurfaceParameter};

/// The implementation that makes a launcher of the kernel's face.
pub(super) struct Implementation {
    /// The body of `Kernel::info`.
    pub(super) info: Code,
    /// The method `Kernel::entry`, if there are several entries.
    pub(super) entry: Option<Code>,
    /// The method `Kernel::conditions`, if launches have to keep any.
    pub(super) conditions: Option<Code>,
    /// Items that the body of `info` mentions.
    pub(super) items: Code,
    /// True if it goes to a file, which rustc reads as rustdoc does.
    pub(super) is_file: bool,
}

/// The `cfg` attributes of a kernel, which go onto everything that is made of it.
pub(super) fn cfg(surface: &Surface) -> Vec<&Attribute> {
    attributes::cfg(&surface.attributes)
}

/// Constructor and struct, which depend only on the signature.
pub(super) fn face(surface: &Surface, is_file: bool) -> Code {
    let face = Face::of(surface);
    [face.constructor(is_file), face.definition()].into_iter().collect()
}

/// The remaining items of the launcher; without an implementation those of a kernel that was refused, perhaps with a
/// note, whose callers type-check whatever its parameters are.
pub(super) fn launcher(surface: &Surface, implementation: Result<Implementation, &[&Note]>) -> Code {
    let span = Span::mixed_site();
    let face = Face::of(surface);
    let outside = match surface.has_face {
        true => Code::default(),
        false => self::face(surface, implementation.as_ref().is_ok_and(|it| it.is_file)),
    };
    let is_refused = implementation.is_err();
    let (methods, dispatch) = (face.methods(is_refused), face.dispatch(is_refused));
    let (kernel, items) = match implementation {
        Ok(it) => (face.kernel(it.info, it.entry, it.conditions), it.items),
        Err(note) => (face.refused(note), Code::default()),
    };
    let Face {
        cfg,
        launcher,
        lifetime,
        ..
    } = &face;
    // In the CPU body `PI` is the digits of its value, and all ways of an `if` may have returned. The arguments are few
    // stores once they are inlined.
    code! {span=>
        #outside
        #cfg
        #[allow(warnings, clippy::approx_constant, clippy::inline_always, clippy::needless_question_mark)]
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
    cfg: Code,
    visibility: Code,
    launcher: Ident,
    /// `<'v>` where a parameter is a slice.
    lifetime: Code,
    fields: Vec<Ident>,
}

/// A user's token as one of the macro's, at the same place and with the same meaning.
fn ours(span: Span) -> Span {
    Span::call_site().located_at(span)
}

impl<'s> Face<'s> {
    fn of(surface: &'s Surface) -> Self {
        let is_view = |parameter: &SurfaceParameter| !matches!(parameter.kind, ParameterKind::Value(_));
        let mut visibility = Code::default();
        for mut token in surface.visibility.to_token_stream() {
            // A group is the `(crate)` of `pub(crate)`; its own span decides little.
            token.set_span(ours(token.span()));
            visibility.append(Code::tree(token));
        }
        let ident = |ident: &Ident, span: Span| {
            let mut ident = ident.clone();
            ident.set_span(ours(span));
            ident
        };
        let span = Span::call_site();
        Face {
            surface,
            cfg: Code::of_all(&cfg(surface)),
            visibility,
            launcher: ident(&surface.launcher, surface.launcher.span()),
            lifetime: match surface.parameters.iter().any(is_view) {
                true => code!(span=> <'v>),
                false => Code::default(),
            },
            fields: passed(surface)
                .map(|parameter| ident(&parameter.name, editor::added(parameter.name.span())))
                .collect(),
        }
    }

    fn parameters(&self) -> impl Iterator<Item = (&Ident, &'s SurfaceParameter)> {
        self.fields.iter().zip(passed(self.surface))
    }

    /// The constructor. Its arguments have traits with messages of their own, which readers of its documentation do not
    /// see.
    fn constructor(&self, is_file: bool) -> Code {
        let span = Span::call_site();
        let Face {
            surface,
            visibility,
            launcher,
            lifetime,
            ..
        } = self;
        let attributes = Code::of_all(&surface.attributes);
        let name = &surface.name;
        let is_read = editor::is_here() || editor::is_rustdoc();
        let parameters = self.parameters().map(|(name, parameter)| {
            let ty = match &parameter.option {
                Some(_) if parameter.may_lack() => optional_type(&parameter.kind),
                Some(value) => option(value),
                None => field_type(&parameter.kind),
            };
            if parameter.may_lack() {
                return code!(span=> #name: #ty);
            }
            if let ParameterKind::Bundle(of) = &parameter.kind {
                let of = bundle::of_launch(of);
                return code!(span=> #name: impl ::vyre::Views<'v, #of>);
            }
            match argument(&parameter.kind) {
                None => code!(span=> #name: #ty),
                Some(_) if is_read => code!(span=> #name: impl ::core::convert::Into<#ty>),
                Some((kind, of)) if is_file => code! {span=>
                    #[cfg(doc)] #name: impl ::core::convert::Into<#ty>,
                    #[cfg(not(doc))] #name: impl ::vyre::__private::#kind<'v, #of>
                },
                Some((kind, of)) => code!(span=> #name: impl ::vyre::__private::#kind<'v, #of>),
            }
        });
        let values = self.parameters().map(|(name, parameter)| match parameter.kind {
            ParameterKind::Value(_) if parameter.option.is_some() => code!(span=> #name: ::vyre::Maybe::new(#name)),
            ParameterKind::Value(_) => code!(span=> #name),
            ParameterKind::Bundle(_) => code!(span=> #name: ::vyre::Views::views(#name)),
            _ if parameter.may_lack() => code!(span=> #name: #name.map(::core::convert::Into::into)),
            _ => match argument(&parameter.kind).filter(|_| !is_read) {
                Some(_) => code!(span=> #name: #name.view()),
                None => code!(span=> #name: ::core::convert::Into::into(#name)),
            },
        });
        let many = names::many_arguments(self.fields.len());
        let (parameters, values): (Vec<_>, Vec<_>) = (parameters.collect(), values.collect());
        code! {span=>
            #attributes
            #many
            #[allow(clippy::impl_trait_in_params)]
            #visibility fn #name #lifetime (#parameters) -> #launcher #lifetime {
                #launcher { #values }
            }
        }
    }

    fn definition(&self) -> Code {
        let span = Span::call_site();
        let Face {
            surface,
            cfg,
            visibility,
            launcher,
            lifetime,
            ..
        } = self;
        let docs = Literal::string(&format!(
            " The kernel [`{0}`](fn@{0}) with its arguments, ready to be launched.",
            surface.name
        ));
        let fields = self.parameters().map(|(name, parameter)| {
            let docs = Literal::string(&format!(" The argument `{name}`."));
            let ty = match parameter.may_lack() {
                true => optional(field_type(&parameter.kind)),
                false => field_type(&parameter.kind),
            };
            code!(span=> #[doc = #docs] pub #name: #ty)
        });
        let fields: Vec<_> = fields.collect();
        code! {span=>
            #cfg
            #[doc = #docs]
            #[must_use = "a kernel runs when it is launched"]
            #[allow(clippy::exhaustive_structs)]
            #visibility struct #launcher #lifetime { #fields }
        }
    }

    /// The first parameter with an element for each thread.
    fn first_each(&self) -> Option<Ident> {
        let mut parameters = self.parameters();
        let first = parameters.find(|(_, parameter)| parameter.each);
        first.map(|(name, _)| name.clone())
    }

    /// The types of a domain and of a grid.
    fn extents(&self) -> (Code, Code) {
        let span = Span::call_site();
        let (domain, grid) = (imported(Primitive::Usize), imported(Primitive::U32));
        match self.surface.dimensions {
            2 => (code!(span=> [#domain; 2]), code!(span=> [#grid; 2])),
            3 => (code!(span=> [#domain; 3]), code!(span=> [#grid; 3])),
            _ => (domain, grid),
        }
    }

    fn methods(&self, is_refused: bool) -> Code {
        let span = Span::call_site();
        let (domain, grid) = self.extents();
        let launch = self.surface.has_domain().then(|| {
            let length = || match is_refused {
                true => code!(span=> __v::refused()),
                false => {
                    let first = self.first_each();
                    code!(span=> self.#first.len())
                }
            };
            let (elements, timed) = (length(), length());
            code! {span=>
                /// Launches the kernel with a thread for each element.
                ///
                /// # Errors
                /// Those of `Launch::launch`.
                pub fn launch(self, device: &__v::Device) -> __v::Result<()> {
                    let domain = #elements;
                    self.over(domain).launch(device)
                }

                /// Launches the kernel with a thread for each element, waits for it, and measures.
                ///
                /// # Errors
                /// Those of `Launch::launch_timed`.
                pub fn launch_timed(self, device: &__v::Device) -> __v::Result<__v::Timing> {
                    let domain = #timed;
                    self.over(domain).launch_timed(device)
                }
            }
        });
        code! {span=>
            /// A launch with at least one thread for each place of a domain, in whole blocks.
            pub fn over(self, domain: #domain) -> __v::Launch<Self> {
                __v::Launch::over(self, __v::Axes::axes(domain))
            }

            /// A launch of this number of blocks.
            pub fn grid(self, blocks: #grid) -> __v::Launch<Self> {
                __v::Launch::grid(self, __v::Axes::axes(blocks))
            }

            #launch
        }
    }

    fn dispatch(&self, is_refused: bool) -> Code {
        if !self.surface.dispatches {
            return Code::default();
        }
        let span = Span::call_site();
        let Face { launcher, .. } = self;
        let mut taken = Names::default();
        for field in &self.fields {
            taken.take(field.to_string());
        }
        let device = &Ident::new(&taken.fresh("device", 0), Span::mixed_site());
        let domain = &Ident::new(&taken.fresh("domain", 0), Span::mixed_site());
        let mut parameters = vec![code!(span=> #device: &__v::Device)];
        let over = if self.surface.has_domain() {
            let first = self.first_each();
            code!(span=> #first.len())
        } else {
            let (ty, _) = self.extents();
            parameters.push(code!(span=> #domain: #ty));
            code!(span=> #domain)
        };
        // rustc has the types of the user in the constructor, and would look them up again.
        let element = |of: &Element| match of {
            Element::Defined(_) if is_refused => code!(span=> impl ::core::marker::Sized),
            Element::Defined(tokens) => Code::of(tokens),
            Element::Primitive(of) => imported(*of),
        };
        let (mut uploads, mut fields, mut downloads) = (Code::default(), Vec::new(), Code::default());
        for (name, parameter) in self.parameters() {
            let buffer = &Ident::new(&taken.fresh(&format!("buffer_{name}"), 0), name.span());
            if parameter.may_lack() {
                let (of, writes) = match &parameter.kind {
                    ParameterKind::Slice(of) => (element(of), false),
                    ParameterKind::SliceMut(of) => (element(of), true),
                    other => (cell(other), true),
                };
                if writes {
                    parameters.push(code!(span=> #name: ::core::option::Option<&mut [#of]>));
                    uploads.append(code!(span=> let mut #buffer = __v::uploaded(#device, #name.as_deref())?;));
                    fields.push(code!(span=> #name: #buffer.as_mut().map(__view)));
                    downloads.append(code!(span=> __v::downloaded(#buffer, #name)?;));
                } else {
                    parameters.push(code!(span=> #name: ::core::option::Option<&[#of]>));
                    uploads.append(code!(span=> let #buffer = __v::uploaded(#device, #name)?;));
                    fields.push(code!(span=> #name: #buffer.as_ref().map(__view)));
                }
                continue;
            }
            match &parameter.kind {
                ParameterKind::Value(of) => {
                    let (of, value) = match &parameter.option {
                        Some(value) => (option(value), code!(span=> #name: ::vyre::Maybe::new(#name))),
                        None => (element(of), code!(span=> #name)),
                    };
                    parameters.push(code!(span=> #name: #of));
                    fields.push(value);
                }
                ParameterKind::Slice(of) => {
                    let of = element(of);
                    parameters.push(code!(span=> #name: &[#of]));
                    uploads.append(code!(span=> let #buffer = #device.upload(#name)?;));
                    fields.push(code!(span=> #name: __view(&#buffer)));
                }
                ParameterKind::Matrix(of) => {
                    let of = element(of);
                    parameters.push(code!(span=> #name: __v::Slice2<'_, #of>));
                    uploads.append(code!(span=> let #buffer = #device.upload(#name.elements())?;));
                    fields.push(code!(span=> #name: __v::View2::like(&#buffer, &#name)));
                }
                ParameterKind::MatrixMut(of) => {
                    let of = element(of);
                    parameters.push(code!(span=> mut #name: __v::SliceMut2<'_, #of>));
                    uploads.append(code!(span=> let mut #buffer = #device.upload(#name.elements())?;));
                    fields.push(code!(span=> #name: __v::ViewMut2::like(&mut #buffer, &#name)));
                    downloads.append(code!(span=> __download(&#buffer, #name.elements_mut())?;));
                }
                ParameterKind::Bundle(of) => {
                    let of = bundle::of_host(of);
                    parameters.push(code!(span=> #name: #of));
                    uploads.append(code!(span=> let mut #buffer = __v::Dispatched::upload(&#name, #device)?;));
                    fields.push(code!(span=> #name: __v::Dispatched::borrow(&#name, &mut #buffer)));
                    downloads.append(code!(span=> __v::Dispatched::download(#name, #buffer)?;));
                }
                ParameterKind::SliceMut(_) | ParameterKind::Atomics(_) | ParameterKind::AtomicElements(_) => {
                    let of = match &parameter.kind {
                        ParameterKind::SliceMut(of) => element(of),
                        other => cell(other),
                    };
                    parameters.push(code!(span=> #name: &mut [#of]));
                    uploads.append(code!(span=> let mut #buffer = #device.upload(#name)?;));
                    fields.push(code!(span=> #name: __view(&mut #buffer)));
                    downloads.append(code!(span=> __download(&#buffer, #name)?;));
                }
            }
        }
        let many = names::many_arguments(self.fields.len() + 2);
        let docs = Literal::string(
            " Uploads the arguments, runs the kernel, waits, and downloads what it may have written.\n\n # Errors\n \
             Those of the copies and the launch, and what the kernel reports. Faults of other launches are\n \
             left to those who wait for them.",
        );
        let body = match is_refused {
            true => code!(span=> __v::refused()),
            false => code! {span=>
                #uploads
                __v::run(#launcher { #fields }.over(#over), #device)?;
                #downloads
                __v::Result::Ok(())
            },
        };
        code! {span=>
            #[doc = #docs]
            #many
            pub fn dispatch(#parameters) -> __v::Result<()> { #body }
        }
    }

    /// The implementation for a launcher that never runs. rustc evaluates the constant of a function with parameters where it
    /// makes code of it, which it does where it has found no error: then it fails with the notes.
    fn refused(&self, notes: &[&Note]) -> Code {
        let span = Span::call_site();
        let Face { launcher, lifetime, .. } = self;
        let mut late = Code::default();
        for note in notes {
            late.append(late_call(&note.diagnostic));
        }
        code! {span=>
            ::vyre::__private::debug! { #launcher #lifetime }
            unsafe impl #lifetime __v::Kernel for #launcher #lifetime {
                fn info() -> &'static __v::KernelInfo { #late __v::refused() }
                fn arguments<'a>(&'a self, arguments: &mut __v::Arguments<'a>) { __v::refused() }
            }
        }
    }

    fn kernel(&self, info: Code, entry: Option<Code>, conditions: Option<Code>) -> Code {
        let span = Span::call_site();
        let Face { launcher, lifetime, .. } = self;
        let (mut pushes, mut each) = (Code::default(), Vec::new());
        for (name, parameter) in self.parameters() {
            if let ParameterKind::Bundle(of) = &parameter.kind {
                let of = bundle::of_launch(of);
                pushes.append(code!(span=> <#of as ::vyre::Bundle>::arguments(&self.#name, arguments);));
                continue;
            }
            let method = match parameter.kind {
                ParameterKind::Slice(_) if parameter.may_lack() => "optional_view",
                ParameterKind::SliceMut(_) if parameter.may_lack() => "optional_view_mut",
                ParameterKind::Atomics(_) | ParameterKind::AtomicElements(_) if parameter.may_lack() => {
                    "optional_atomics"
                }
                ParameterKind::Value(_) => "value",
                ParameterKind::Slice(_) => "view",
                ParameterKind::SliceMut(_) => "view_mut",
                ParameterKind::Matrix(_) => "view2",
                ParameterKind::MatrixMut(_) => "view2_mut",
                // Those of structs are pushed above.
                ParameterKind::Atomics(_) | ParameterKind::AtomicElements(_) | ParameterKind::Bundle(_) => "atomics",
            };
            let method = Ident::new(method, Span::mixed_site());
            pushes.append(code!(span=> arguments.#method(&self.#name);));
            if parameter.each {
                let text = Literal::string(&name.to_string());
                each.push(code!(span=> (#text, self.#name.len())));
            }
        }
        let check = (each.len() > 1).then(|| {
            code! {span=>
                fn check(&self) -> __v::Result<()> {
                    __v::equal_lengths(&[#each])
                }
            }
        });
        let elements = self
            .first_each()
            .filter(|_| entry.is_some() && self.surface.has_domain());
        let elements = elements.map(|first| {
            let usize = imported(Primitive::Usize);
            code! {span=>
                fn elements(&self) -> ::core::option::Option<#usize> { ::core::option::Option::Some(self.#first.len()) }
            }
        });
        let first = self.first_each().filter(|_| self.surface.has_domain());
        let recorded = first.map(|first| code!(span=> ::vyre::__private::recorded! { #launcher #first #lifetime }));
        code! {span=>
            ::vyre::__private::debug! { #launcher #lifetime }
            #recorded
            unsafe impl #lifetime __v::Kernel for #launcher #lifetime {
                fn info() -> &'static __v::KernelInfo { #info }
                #[inline(always)]
                fn arguments<'a>(&'a self, arguments: &mut __v::Arguments<'a>) { #pushes }
                #entry
                #elements
                #check
                #conditions
            }
        }
    }
}

/// A primitive type, by a path that nothing of the user shadows; in an editor by its name, which is shown.
fn primitive(primitive: Primitive) -> Code {
    let span = Span::call_site();
    let name = Ident::new(primitive.name(), Span::mixed_site());
    match primitive.scalar().is_half() {
        false if editor::is_here() => code!(span=> #name),
        true => code!(span=> ::vyre::#name),
        false => code!(span=> ::core::primitive::#name),
    }
}

/// A primitive type where `vyre::__private::body` is imported.
fn imported(primitive: Primitive) -> Code {
    let name = Ident::new(primitive.name(), Span::mixed_site());
    match primitive.scalar().is_half() {
        true => self::primitive(primitive),
        false => Code::tree(name.into()),
    }
}

/// The type of a value, or of the elements of a buffer.
pub(super) fn element(element: &Element) -> Code {
    match element {
        Element::Primitive(of) => primitive(*of),
        Element::Defined(tokens) => Code::of(tokens),
    }
}

/// The `Option` that a caller passes.
fn option(value: &TokenStream) -> Code {
    let (span, value) = (Span::call_site(), Code::of(value));
    code!(span=> ::core::option::Option<#value>)
}

/// The parameters that a caller passes: not the flags of slices.
fn passed(surface: &Surface) -> impl Iterator<Item = &SurfaceParameter> {
    surface.parameters.iter().filter(|parameter| parameter.tells.is_none())
}

fn optional(of: Code) -> Code {
    let span = Span::call_site();
    code!(span=> ::core::option::Option<#of>)
}

/// The type of the argument of a slice that may be left out. It is one type, so that rustc knows that of `None`.
fn optional_type(kind: &ParameterKind) -> Code {
    let span = Span::call_site();
    optional(match kind {
        ParameterKind::Slice(of) => {
            let of = element(of);
            code!(span=> &'v ::vyre::DeviceBuffer<#of>)
        }
        ParameterKind::SliceMut(of) => {
            let of = element(of);
            code!(span=> &'v mut ::vyre::DeviceBuffer<#of>)
        }
        other => {
            let of = cell_by(other, primitive);
            code!(span=> &'v mut ::vyre::DeviceBuffer<#of>)
        }
    })
}

/// The type that a buffer of atomics holds, where `vyre::__private::body` is imported.
fn cell(kind: &ParameterKind) -> Code {
    cell_by(kind, imported)
}

fn cell_by(kind: &ParameterKind, named: fn(Primitive) -> Code) -> Code {
    let span = Span::call_site();
    match kind {
        ParameterKind::Atomics(of) if of.scalar().is_half() => {
            let of = named(*of);
            code!(span=> [#of; 2])
        }
        ParameterKind::Atomics(of) => named(*of),
        ParameterKind::AtomicElements(of) => {
            let of = Code::of(of);
            code!(span=> <#of as ::vyre::AtomicElement>::Value)
        }
        _ => Code::default(),
    }
}

/// The type of a launcher's field.
pub(super) fn field_type(kind: &ParameterKind) -> Code {
    let span = Span::call_site();
    let view = |name: &str, of: &Element| {
        let (name, of) = (Ident::new(name, span), element(of));
        code!(span=> ::vyre::#name<'v, #of>)
    };
    match kind {
        ParameterKind::Value(of) => element(of),
        ParameterKind::Slice(of) => view("View", of),
        ParameterKind::SliceMut(of) => view("ViewMut", of),
        ParameterKind::Matrix(of) => view("View2", of),
        ParameterKind::MatrixMut(of) => view("ViewMut2", of),
        ParameterKind::Atomics(of) => {
            let name = Ident::new(atomic(*of), Span::mixed_site());
            code!(span=> ::vyre::AtomicView<'v, ::vyre::__private::#name>)
        }
        ParameterKind::AtomicElements(of) => {
            let of = Code::of(of);
            code!(span=> ::vyre::AtomicView<'v, #of>)
        }
        ParameterKind::Bundle(of) => {
            let of = bundle::of_launch(of);
            code!(span=> <#of as ::vyre::Bundle>::Views<'v>)
        }
    }
}

/// The trait of the arguments of a slice or matrix, and the type of its elements: its message says what fits.
pub(super) fn argument(kind: &ParameterKind) -> Option<(Ident, Code)> {
    let span = Span::mixed_site();
    let (name, of) = match kind {
        ParameterKind::Slice(of) => ("Reads", element(of)),
        ParameterKind::SliceMut(of) => ("Writes", element(of)),
        ParameterKind::Atomics(of) => {
            let name = Ident::new(atomic(*of), span);
            ("Updates", code!(span=> ::vyre::__private::#name))
        }
        ParameterKind::AtomicElements(of) => ("Updates", Code::of(of)),
        ParameterKind::Matrix(of) => ("ReadsMatrix", element(of)),
        ParameterKind::MatrixMut(of) => ("WritesMatrix", element(of)),
        ParameterKind::Value(_) | ParameterKind::Bundle(_) => return None,
    };
    Some((Ident::new(name, span), of))
}

/// The atomic type of a primitive.
fn atomic(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Bool => "AtomicBool",
        Primitive::I8 => "AtomicI8",
        Primitive::I16 => "AtomicI16",
        Primitive::U8 => "AtomicU8",
        Primitive::U16 => "AtomicU16",
        Primitive::I32 => "AtomicI32",
        Primitive::I64 => "AtomicI64",
        Primitive::Isize => "AtomicIsize",
        Primitive::U64 => "AtomicU64",
        Primitive::Usize => "AtomicUsize",
        Primitive::F32 => "AtomicF32",
        Primitive::F64 => "AtomicF64",
        Primitive::F16 => "AtomicF16x2",
        Primitive::BF16 => "AtomicBF16x2",
        // No atomic type has cells of 128 bits.
        Primitive::U32 | Primitive::U128 | Primitive::I128 => "AtomicU32",
    }
}

/// A statement that fails the build with a diagnostic once code is made of it.
fn late_call(diagnostic: &Diagnostic) -> Code {
    let (at, message) = (super::start(diagnostic), Literal::string(&diagnostic.to_string()));
    code! {at=>
        {
            fn late<T>() {
                const { ::core::panic!("{}", #message) }
            }
            late::<()>();
        }
    }
}
