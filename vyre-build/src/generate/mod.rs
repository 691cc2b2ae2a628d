//! Code generation: the Rust that replaces a kernel.
//!
//! For a kernel `saxpy` it consists of
//! - the constructor, a function `saxpy` with the kernel's docs, and the launcher struct `Saxpy`;
//! - in anonymous constants, so that nothing else becomes visible: the user's body, for rustc to
//!   check and never called; the launcher's methods and its `Kernel` implementation ([`launcher`]),
//!   with PTX, program and sites ([`info`]); and the CPU body ([`host`]).
//!
//! A refused kernel becomes its errors, and a stub with the same interface ([`stub()`]).

mod code;
pub(crate) mod definition;
pub(crate) mod device;
mod host;
pub(crate) mod host_constant;
mod info;
mod launcher;
mod names;

use std::path::PathBuf;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::Attribute;
use vyre_abi::target::Target;
#[cfg(feature = "compile")]
use vyre_ir::ir::{Handle, Kernel};
use vyre_ir::module::Module;
use vyre_ir::validate::Validated;

use self::code::code;
use crate::editor;
use crate::errors::{self, Code, Diagnostic, Note, Rejected};
use crate::resolve::attributes;
use crate::rustc;
#[cfg(feature = "compile")]
use crate::surface::Spans;
use crate::surface::{Lowered, Surface};

/// The form in which a launcher holds its PTX and machine code.
pub(crate) enum Embedding {
    /// The PTX as a literal, and files of machine code by their full paths. A kernel with constants that rustc fills in is
    /// always so.
    Literal(Vec<(Target, PathBuf)>),
    /// Files, by their paths from that of the launcher.
    #[cfg_attr(not(feature = "compile"), allow(dead_code, reason = "build scripts write files"))]
    Files {
        /// The text.
        ptx: String,
        /// The text for newer devices.
        newer: Option<String>,
        /// An expression: a list of `Cubin`s.
        cubins: Option<String>,
    },
}

/// The Rust that replaces a kernel: its validated program, and its compiled module.
pub fn kernel(lowered: &Lowered, valid: &Validated<'_>, module: &Module) -> TokenStream {
    embedding(lowered, valid, module, &Embedding::Literal(Vec::new()))
}

/// [`kernel`], with PTX and machine code held so.
pub(crate) fn embedding(
    lowered: &Lowered,
    valid: &Validated<'_>,
    module: &Module,
    embedding: &Embedding,
) -> TokenStream {
    let Lowered {
        surface,
        program,
        kernel,
        checked,
        externals,
        spans,
    } = lowered;
    if editor::is_here() {
        return shell(surface);
    }
    let span = Span::mixed_site();
    let compiled = module.kernels.iter().find(|compiled| compiled.kernel == *kernel);
    let source = host::Source {
        valid,
        kernel: *kernel,
        externals,
        spans,
    };
    let sites = compiled.map_or(&[][..], |compiled| &compiled.sites);
    let prints = compiled.map_or(&[][..], |compiled| &compiled.prints);
    let host = host::host(source, sites, prints);
    let info = info::info(lowered, module, compiled, embedding);
    let statics = info::sites(program, &host.sites);
    let items = host.items;
    let implementation = launcher::Implementation {
        info: code!(span=> static __INFO: __v::KernelInfo = #info; &__INFO),
        entry: host::choice(source),
        items: code!(span=> #statics #items),
        is_file: matches!(embedding, Embedding::Files { .. }),
    };
    let launcher = launcher::launcher(surface, Ok(implementation));
    // A program that no function made has nothing to be held against.
    let checked = match externals.is_empty() || checked.is_empty() {
        true => self::checked(surface, checked),
        false => agreeing(lowered),
    };
    let mut tokens = checked;
    tokens.extend(TokenStream::from(launcher));
    tokens
}

/// The CPU body of a kernel only.
#[cfg(feature = "compile")]
pub(crate) fn cpu_body(
    valid: &Validated<'_>,
    kernel: Handle<Kernel>,
    externals: &[TokenStream],
    module: &Module,
) -> TokenStream {
    let compiled = module.kernels.iter().find(|compiled| compiled.kernel == kernel);
    let (sites, prints) = compiled.map_or((&[][..], &[][..]), |compiled| (&compiled.sites, &compiled.prints));
    let source = host::Source {
        valid,
        kernel,
        externals,
        spans: &Spans::default(),
    };
    host::host(source, sites, prints).items.into()
}

/// The part of a kernel that does not depend on the chain of macros.
pub(crate) fn face(surface: &Surface) -> TokenStream {
    launcher::face(surface, false).into()
}

/// The errors of a kernel that was refused, and a stub with the same signature, so that callers get
/// no errors of their own.
pub fn stub(rejected: &Rejected) -> TokenStream {
    let errors = &rejected.errors;
    let mut tokens = quote!(#(#errors)*);
    let is_left = rejected.errors.is_empty() && !rejected.elsewhere;
    let (late, notes): (Vec<&Note>, Vec<&Note>) = match is_left {
        true => rejected.notes.iter().partition(|note| note.late),
        false => Default::default(),
    };
    let checked = &rejected.checked;
    let is_guarded = is_left && (late.is_empty() || !notes.is_empty());
    match &rejected.surface {
        // It has the function already.
        _ if editor::is_here() || checked.is_empty() => {}
        Some(surface) if is_guarded => tokens.extend(guarded(surface, checked, &notes)),
        _ => {
            let unused = rustc::unused();
            tokens.extend(quote_spanned!(Span::mixed_site()=> const _: () = { #unused #checked };));
        }
    }
    match &rejected.surface {
        Some(surface) => tokens.extend(refused(surface, &late)),
        None => tokens.extend(late.into_iter().chain(notes).map(late_guard)),
    }
    tokens
}

/// The launcher of a kernel that never runs.
fn shell(surface: &Surface) -> TokenStream {
    refused(surface, &[])
}

/// The same, with notes for builds in which rustc finds no error.
fn refused(surface: &Surface, late: &[&Note]) -> TokenStream {
    launcher::launcher(surface, Err(late)).into()
}

/// The user's function, where rustc checks it.
fn checked(surface: &Surface, checked: &TokenStream) -> TokenStream {
    checked_function(&surface.name, &surface.attributes, checked)
}

/// A function that rustc checks, of a name and attributes.
fn checked_function(name: &Ident, attributes: &[Attribute], checked: &TokenStream) -> TokenStream {
    if checked.is_empty() {
        return TokenStream::new();
    }
    let cfg = attributes::cfg(attributes);
    quote_spanned! {Span::mixed_site()=>
        #(#cfg)*
        const _: () = {
            #checked
            // Mentioned, so that it is not dead code.
            ::vyre::__private::used(&#name);
        };
    }
}

/// The user's function, and an assertion that the constants it mentions have the types that vyre
/// assumed. If rustc reports an error in the function, the assertion is silent, as in [`guarded`].
fn agreeing(lowered: &Lowered) -> TokenStream {
    let surface = &lowered.surface;
    let (cfg, call, name) = (launcher::cfg(surface), call(surface), &surface.name);
    let checked = with_opaque_result(&lowered.checked);
    let externals = lowered.program.externals.iter().zip(&lowered.externals);
    let agree = externals.map(|((_, external), path)| {
        let span = path
            .clone()
            .into_iter()
            .next()
            .map_or_else(Span::call_site, |token| token.span());
        let scalar = external.scalar.name();
        let message = format!(
            "{}: vyre took this constant for a `{scalar}`, which it is not\n\
             help: make it a `{scalar}`, or put `#[vyre::device]` on it, so that vyre sees what it is",
            Code::ConstantType
        );
        quote_spanned!(span.resolved_at(Span::mixed_site())=> ::vyre::__private::agree(&#path, #scalar, #call, #message);)
    });
    quote_spanned! {Span::mixed_site()=>
        #(#cfg)*
        const _: () = {
            #checked
            ::vyre::__private::used(&#name);
            #(#agree)*
        };
    }
}

/// A closure that calls the user's function.
fn call(surface: &Surface) -> TokenStream {
    let name = &surface.name;
    let arguments = surface.parameters.iter().map(|_| quote!(::vyre::__private::any()));
    quote!(|| #name(#(#arguments),*))
}

/// The user's function, and an assertion that fails the build if rustc finds no error in it.
///
/// The front end leaves type mismatches to rustc. If it sees one that does not exist, the build
/// must not succeed with a stub; but if rustc has reported an error, vyre is silent. So the
/// function is made to return an opaque type, whose size is known only if the function type-checks,
/// and a constant needs that size before it panics.
fn guarded(surface: &Surface, checked: &TokenStream, notes: &[&Note]) -> TokenStream {
    let (cfg, call, name) = (launcher::cfg(surface), call(surface), &surface.name);
    let checked = with_opaque_result(checked);
    let refusal = refusals(&call, notes, &mismatch("kernel", name));
    quote_spanned! {Span::mixed_site()=>
        #(#cfg)*
        const _: () = {
            #checked
            #refusal
        };
    }
}

/// The diagnostic of a type mismatch that rustc does not see.
pub(crate) fn mismatch(what: &str, name: &Ident) -> Diagnostic {
    errors::disagreement(Span::mixed_site(), &format!("the {what} `{name}`"), what)
}

/// Items that fail the build if `call` compiles: with each of the notes, or else with `otherwise`.
fn refusals(call: &TokenStream, notes: &[&Note], otherwise: &Diagnostic) -> TokenStream {
    let notes: Vec<&Diagnostic> = match notes {
        [] => vec![otherwise],
        notes => notes.iter().map(|note| &note.diagnostic).collect(),
    };
    let refusals = notes.into_iter().map(|note| {
        let message = note.to_string();
        quote_spanned!(note.start().resolved_at(Span::mixed_site())=>
            const _: () = ::vyre::__private::refuse(#call, #message);)
    });
    refusals.collect()
}

/// An item that fails the build with a note, unless rustc finds fault with an expression, which it then cannot
/// evaluate.
pub(crate) fn guard(note: &Note, unless: &TokenStream) -> TokenStream {
    let message = note.diagnostic.to_string();
    quote_spanned! {note.diagnostic.start().resolved_at(Span::mixed_site())=>
        const _: () = {
            let _ = #unless;
            ::core::panic!("{}", #message)
        };
    }
}

/// As `guard`, of what rustc finds in no expression: it evaluates the constant of a function with parameters where it makes
/// code of it, which it does where it has found no error in the crate.
pub(crate) fn late_guard(note: &Note) -> TokenStream {
    let message = note.diagnostic.to_string();
    quote_spanned! {note.diagnostic.start().resolved_at(Span::mixed_site())=>
        const _: () = {
            fn late<T>() {
                const { ::core::panic!("{}", #message) }
            }
            #[used]
            static LATE: fn() = late::<()>;
        };
    }
}

/// Gives a function without a result an opaque one, `-> impl Sized`, whose size rustc knows only if it finds no error in the
/// body.
pub(crate) fn with_opaque_result(function: &TokenStream) -> TokenStream {
    let mut tokens: Vec<_> = function.clone().into_iter().collect();
    // Where rustc is not shown the function, there is none.
    let Some(body) = tokens.pop() else {
        return TokenStream::new();
    };
    let clause = tokens
        .iter()
        .position(|token| matches!(token, TokenTree::Ident(word) if word == "where"));
    let clause = tokens.split_off(clause.unwrap_or(tokens.len()));
    // A written result type is `()`.
    let arrow = tokens.windows(2).position(|pair| {
        matches!(pair, [TokenTree::Punct(minus), TokenTree::Punct(greater)]
        if minus.as_char() == '-' && greater.as_char() == '>')
    });
    tokens.truncate(arrow.unwrap_or(tokens.len()));
    let result = quote_spanned!(Span::mixed_site()=> -> impl ::core::marker::Sized);
    quote!(#(#tokens)* #result #(#clause)* #body)
}

#[cfg(test)]
mod tests;
