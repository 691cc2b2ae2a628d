//! Code generation: the Rust that replaces a kernel.
//!
//! For a kernel `saxpy` it consists of
//! - the constructor, a function `saxpy` with the kernel's docs, and the launcher struct `Saxpy`;
//! - in anonymous constants, so that nothing else becomes visible: the user's body, for rustc to
//!   check and never called; the launcher's methods and its `Kernel` implementation ([`launcher`]),
//!   with PTX, program and sites ([`info`]); and the CPU body ([`host`]).
//!
//! A refused kernel becomes its errors, and a stub with the same interface ([`stub()`]).

pub(crate) mod atomics;
mod bundle;
mod conditions;
mod decided;
pub(crate) mod definition;
pub(crate) mod device;
mod host;
pub(crate) mod host_constant;
mod info;
mod launcher;
mod names;

use std::path::PathBuf;

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use vyre_abi::target::Target;
#[cfg(feature = "files")]
use vyre_ir::ir::{Handle, Kernel};
use vyre_ir::module::{FaultSite, Module};
use vyre_ir::validate::{Validated, validate};

use crate::code::{self, code};
use crate::editor;
use crate::errors::{self, Code, Diagnostic, Note, Rejected};
use crate::rustc;
#[cfg(feature = "files")]
use crate::surface::Spans;
use crate::surface::{Lowered, Surface};

/// The form in which a launcher holds its PTX and machine code.
#[derive(Debug)]
pub enum Embedding {
    /// The PTX as a literal, and files of machine code by their full paths. A kernel with constants that rustc fills in is
    /// always so.
    Literal(Vec<(Target, PathBuf)>),
    /// Files, by their paths from that of the launcher.
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
pub fn embedding(lowered: &Lowered, valid: &Validated<'_>, module: &Module, embedding: &Embedding) -> TokenStream {
    let Lowered {
        surface,
        program,
        kernel,
        checked,
        externals,
        spans,
        collectives: _,
        denied: _,
    } = lowered;
    if editor::is_here() {
        return refused(surface, &[]).into();
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
    let host = cpu_code(source, sites, prints);
    let info = info::info(lowered, module, compiled, embedding);
    let statics = info::sites(program, &host.sites);
    let items = host.items;
    let implementation = launcher::Implementation {
        info: code!(span=> static __INFO: __v::KernelInfo = #info; &__INFO),
        entry: host::choice(source, &lowered.surface),
        conditions: compiled.and_then(|compiled| conditions::conditions(program, compiled)),
        items: code!(span=> #statics #items),
        is_file: matches!(embedding, Embedding::Files { .. }),
    };
    let launcher = launcher::launcher(surface, Ok(implementation));
    // A program that no function made has nothing to be held against.
    let checked = match externals.is_empty() || checked.is_empty() {
        true => self::checked(surface, checked),
        false => agreeing(lowered),
    };
    let mut tokens = TokenStream::from(checked);
    tokens.extend(TokenStream::from(launcher));
    tokens
}

/// The CPU body of a kernel only.
#[cfg(feature = "files")]
pub fn cpu_body(
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
    cpu_code(source, sites, prints).items.into()
}

/// The CPU body, of the program without the branches that are not taken.
fn cpu_code(source: host::Source<'_>, sites: &[FaultSite], prints: &[String]) -> host::Host {
    let decided = match cfg!(feature = "cpu") {
        true => decided::decided(source.valid, source.kernel),
        false => None,
    };
    match decided.as_ref().map(validate) {
        Some(Ok(valid)) => host::host(
            host::Source {
                valid: &valid,
                ..source
            },
            sites,
            prints,
        ),
        _ => host::host(source, sites, prints),
    }
}

/// The part of a kernel that does not depend on the chain of macros.
pub(crate) fn face(surface: &Surface) -> TokenStream {
    launcher::face(surface, false).into()
}

/// The errors of a kernel that was refused, and a stub with the same signature, so that callers get
/// no errors of their own.
pub fn stub(rejected: &Rejected) -> TokenStream {
    let mut tokens = code::Code::of_all(&rejected.errors);
    let is_left = rejected.errors.is_empty() && !rejected.elsewhere;
    let (mut late, mut notes) = (Vec::new(), Vec::new());
    for note in &rejected.notes {
        match note.late {
            _ if !is_left => {}
            true => late.push(note),
            false => notes.push(note),
        }
    }
    let checked = &rejected.checked;
    let is_guarded = is_left && (late.is_empty() || !notes.is_empty());
    match &rejected.surface {
        // It has the function already.
        _ if editor::is_here() || checked.is_empty() => {}
        Some(surface) if is_guarded => tokens.append(guarded(surface, checked, &notes)),
        _ => {
            let (span, unused, checked) = (Span::mixed_site(), rustc::unused(), checked.clone());
            tokens.append(code!(span=> const _: () = { #unused #checked };));
        }
    }
    match &rejected.surface {
        Some(surface) => tokens.append(refused(surface, &late)),
        None => {
            late.append(&mut notes);
            for note in late {
                tokens.append(late_guard(note));
            }
        }
    }
    tokens.into()
}

/// The launcher of a kernel that never runs, with notes for builds in which rustc finds no error.
fn refused(surface: &Surface, late: &[&Note]) -> code::Code {
    launcher::launcher(surface, Err(late))
}

/// The user's function, where rustc checks it.
fn checked(surface: &Surface, checked: &TokenStream) -> code::Code {
    if checked.is_empty() {
        return code::Code::default();
    }
    let (span, name, checked) = (Span::mixed_site(), &surface.name, checked.clone());
    let cfg = code::Code::of_all(&launcher::cfg(surface));
    code! {span=>
        #cfg
        const _: () = {
            #checked
            // Mentioned, so that it is not dead code.
            ::vyre::__private::used(&#name);
        };
    }
}

/// The user's function, and an assertion that the constants it mentions have the types that vyre
/// assumed. If rustc reports an error in the function, the assertion is silent, as in [`guarded`].
fn agreeing(lowered: &Lowered) -> code::Code {
    let (surface, span) = (&lowered.surface, Span::mixed_site());
    let (name, call) = (&surface.name, &call(&surface.name, surface.parameters.len()));
    let cfg = code::Code::of_all(&launcher::cfg(surface));
    let checked = with_opaque_result(&lowered.checked);
    let mut agree = code::Code::default();
    for ((_, external), path) in lowered.program.externals.iter().zip(&lowered.externals) {
        let first = path.clone().into_iter().next();
        let at = first
            .map_or_else(Span::call_site, |token| token.span())
            .resolved_at(span);
        let scalar = external.scalar.name();
        let message = format!(
            "{}: vyre took this constant for a `{scalar}`, which it is not\n\
             help: make it a `{scalar}`, or put `#[vyre::device]` on it, so that vyre sees what it is",
            Code::ConstantType
        );
        let (path, scalar, message) = (path.clone(), Literal::string(scalar), Literal::string(&message));
        agree.append(code!(at=> ::vyre::__private::agree(&#path, #scalar, #call, #message);));
    }
    code! {span=>
        #cfg
        const _: () = {
            #checked
            ::vyre::__private::used(&#name);
            #agree
        };
    }
}

/// A closure that calls a function of the user's, with so many parameters.
fn call(name: &Ident, parameters: usize) -> code::Code {
    let span = Span::call_site();
    let mut arguments = code::Code::default();
    for number in 0..parameters {
        if number > 0 {
            arguments.append(code!(span=> ,));
        }
        arguments.append(code!(span=> ::vyre::__private::any()));
    }
    code!(span=> || #name(#arguments))
}

/// The user's function, and an assertion that fails the build if rustc finds no error in it.
///
/// The front end leaves type mismatches to rustc. If it sees one that does not exist, the build
/// must not succeed with a stub; but if rustc has reported an error, vyre is silent. So the
/// function is made to return an opaque type, whose size is known only if the function type-checks,
/// and a constant needs that size before it panics.
fn guarded(surface: &Surface, checked: &TokenStream, notes: &[&Note]) -> code::Code {
    let (span, name) = (Span::mixed_site(), &surface.name);
    let cfg = code::Code::of_all(&launcher::cfg(surface));
    let checked = with_opaque_result(checked);
    let call = call(name, surface.parameters.len());
    let refusal = refusals(&call, notes, &mismatch("kernel", name));
    code! {span=>
        #cfg
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
fn refusals(call: &code::Code, notes: &[&Note], otherwise: &Diagnostic) -> code::Code {
    let mut refusals = code::Code::default();
    let mut refuse = |note: &Diagnostic| {
        let (at, message) = (start(note), Literal::string(&note.to_string()));
        refusals.append(code!(at=> const _: () = ::vyre::__private::refuse(#call, #message);));
    };
    for note in notes {
        refuse(&note.diagnostic);
    }
    if notes.is_empty() {
        refuse(otherwise);
    }
    refusals
}

/// The place of a diagnostic, for tokens of the macro.
fn start(diagnostic: &Diagnostic) -> Span {
    diagnostic.start().resolved_at(Span::mixed_site())
}

/// An item that fails the build with a note, unless rustc finds fault with an expression, which it then cannot
/// evaluate.
pub(crate) fn guard(note: &Note, unless: code::Code) -> code::Code {
    let (at, message) = (start(&note.diagnostic), Literal::string(&note.diagnostic.to_string()));
    code! {at=>
        const _: () = {
            let _ = #unless;
            ::core::panic!("{}", #message)
        };
    }
}

/// As `guard`, of what rustc finds in no expression: it evaluates the constant of a function with parameters where it makes
/// code of it, which it does where it has found no error in the crate.
pub(crate) fn late_guard(note: &Note) -> code::Code {
    let (at, message) = (start(&note.diagnostic), Literal::string(&note.diagnostic.to_string()));
    code! {at=>
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
    let is_where = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "where");
    let mut clause = tokens.split_off(tokens.iter().position(is_where).unwrap_or(tokens.len()));
    // A written result type is `()`.
    for at in 1..tokens.len() {
        if let [TokenTree::Punct(minus), TokenTree::Punct(greater)] = &tokens[at - 1..=at]
            && minus.as_char() == '-'
            && greater.as_char() == '>'
        {
            tokens.truncate(at - 1);
            break;
        }
    }
    let span = Span::mixed_site();
    tokens.extend(TokenStream::from(code!(span=> -> impl ::core::marker::Sized)));
    tokens.append(&mut clause);
    tokens.push(body);
    tokens.into_iter().collect()
}

#[cfg(test)]
mod tests;
