//! The front end: from the tokens of `#[vyre::kernel] fn ..` to a program.
//!
//! The steps, one folder each: the options ([`crate::options`]), the [`signature`], reading the body into
//! the kernel tree ([`syntax`]), type inference ([`infer`]), checks of all that the kernel reaches
//! ([`crate::check`]), lowering to a program ([`lower`]), and the assertions for rustc ([`crate::rustc`]).
//! Every step reports all the faults that it finds.

pub(crate) mod const_eval;
pub(crate) mod device;

use std::rc::Rc;

use proc_macro2::{Group, Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Block, Expr, Item, ItemFn, Path, Stmt, parse_quote};

pub use device::device;

use crate::errors::{self, Code, Errors, Note, Rejected};
use crate::options::{self, Options};
use crate::resolve::names::Names;
use crate::resolve::source_scan::Surroundings;
use crate::resolve::{declared, transport};
use crate::rustc::{mentions, name_probe, type_witness};
use crate::surface::{Denied, Lowered, Namespace, Surface};
use crate::syntax::passes::Passes;
use crate::syntax::tree::Tree;
use crate::syntax::{self, parameter, signature};
use crate::{check, infer, lower};

/// The passes by which reading computes constants.
const PASSES: Passes = Passes {
    infer: infer::constant,
    run: const_eval::values,
};

/// Reads and lowers the kernel `item` with the attribute's `options`.
///
/// Never panics. Where the tokens are no kernel, says why; where their types do not agree, leaves
/// it to rustc.
pub fn kernel(options: TokenStream, item: TokenStream, names: &Names) -> Result<Lowered, Box<Rejected>> {
    let mut errors = Errors::default();
    let mut options = options::options(options, &mut errors);
    let mut body = type_witness::body_of(&item);
    let mut item = parsed(item, body.as_ref(), &options, names, &mut errors)?;
    let is_instance = is_instance(&item);
    let signature = signature::read(&mut item, &options, names, &mut errors);
    if is_instance {
        // That of the generic body, which has none if rustc finds fault with it.
        item.sig.output = parse_quote!(-> impl ::core::marker::Sized);
    }
    let Some(mut signature) = signature else {
        // With its body, in which rustc may find more, and which uses what is imported.
        let checked = shown(&item, body, &errors);
        return Err(rejected(None, checked, errors));
    };
    let as_options = parameter::as_options(&signature.surface.parameters, &signature.mutable, is_instance);
    if !as_options.is_empty() {
        prepend(as_options, &mut item, &mut body);
    }
    let mut tree = syntax::read(&PASSES, &item, &signature, &options.constants, names, &mut errors);
    let constants = std::mem::take(&mut options.constants);
    for ((axis, at), value) in constants.iter().zip(&tree.extents) {
        if let Some(value) = *value {
            options.set_extent(*axis, value, at, &mut errors);
        }
    }
    if tree.wanted.is_empty() {
        infer::infer(&mut tree, &mut errors);
    }
    signature.surface.dispatches = !tree.has_bundled_atomics();
    signature.surface.has_face = names.is_carried();
    if !tree.wanted.is_empty() && errors.is_empty() {
        let launcher = signature.surface.launcher.clone();
        let mut rejected = rejected(Some(signature.surface), TokenStream::new(), errors);
        rejected.wanted = transport::distinct(std::mem::take(&mut tree.wanted));
        rejected.unused = unused(&tree, &rejected.wanted);
        // A constant may have the name of the launcher, which is a type.
        rejected
            .unused
            .retain(|(name, namespace)| *namespace == Namespace::Value || *name != launcher);
        return Err(rejected);
    }
    name_probe::explain(&tree, &mut errors);
    name_probe::refuse_hidden(&tree, &item.sig.ident, &mut errors);
    let tree = Rc::new(tree);
    // Inference has typed the call of a generic body: its instance is the kernel from here on.
    let body_tree = check::reach::generic_body(&tree, &mut errors).map(Rc::new);
    let reached = check::kernel(
        body_tree.as_ref().unwrap_or(&tree),
        &options,
        &mut signature.surface,
        &mut errors,
    );
    if !errors.is_empty() {
        let mut rejected = refused(&tree, &item, signature.surface, body, errors);
        if !signature.refused.is_empty() {
            rejected.surface = None;
        }
        return Err(rejected);
    }
    let file = names.file.clone().unwrap_or_else(|| item.sig.ident.span().file());
    let lowered = lower::lower(&reached, &options, &signature.surface, file);
    for place in &lowered.refused {
        errors.refuse(
            Code::Reference,
            lowered.spans.get(*place),
            "a mutable reference to this field of a variant is used at once, not kept: other variants have parts of other types in its place",
            "write through the name that the pattern gives it, or copy the field and assign the whole variant",
        );
    }
    if !errors.is_empty() {
        return Err(refused(&tree, &item, signature.surface, body, errors));
    }
    let checked = match body {
        Some(body) => type_witness::witnessed(&tree, &item, body, TokenStream::new()),
        None => item.block.to_token_stream(),
    };
    Ok(Lowered {
        checked: type_witness::verbatim(&item, checked),
        externals: lowered.externals,
        surface: signature.surface,
        program: lowered.program,
        kernel: lowered.kernel,
        spans: lowered.spans,
        collectives: lowered.collectives,
        denied: Denied {
            bounds_checks: options.denies_bounds_checks,
            races: !options.allows_races,
            launches: options.denies_races,
        },
    })
}

/// Puts statements before those of a body.
fn prepend(statements: TokenStream, item: &mut ItemFn, body: &mut Option<Group>) {
    let statements: Block = parse_quote!({ #statements });
    item.block.stmts.splice(0..0, statements.stmts.clone());
    *body = body.take().map(|body| {
        let (first, rest) = (&statements.stmts, body.stream());
        let mut longer = Group::new(body.delimiter(), quote!(#(#first)* #rest));
        longer.set_span(body.span());
        longer
    });
}

/// The item as syn reads it.
fn parsed(
    item: TokenStream,
    body: Option<&Group>,
    options: &Options,
    names: &Names,
    errors: &mut Errors,
) -> Result<ItemFn, Box<Rejected>> {
    syn::parse2(item.clone()).map_err(|error| {
        // rustc has parsed the item before, and has refused tokens that are no item.
        let is_refused = syn::parse2::<Item>(item.clone()).is_err();
        let misspelt = body.and_then(|body| misspelt(item, body.clone(), &error, options, names));
        misspelt.unwrap_or_else(|| {
            if is_refused {
                let mut errors = Errors::default();
                errors.mismatch();
                let mut rejected = rejected(None, TokenStream::new(), errors);
                rejected.notes.push(unread(&error));
                return rejected;
            }
            errors.refuse(
                Code::NotAFunction,
                error.span(),
                format_args!("cannot read this as a function: {error}"),
                "`#[vyre::kernel]` goes on a function with a body",
            );
            rejected(None, TokenStream::new(), std::mem::take(errors))
        })
    })
}

/// A kernel whose body syn cannot read: nor can rustc, which has said so already, and has perhaps gone on.
fn misspelt(
    item: TokenStream,
    body: Group,
    error: &syn::Error,
    options: &Options,
    names: &Names,
) -> Option<Box<Rejected>> {
    let mut tokens: Vec<_> = item.into_iter().collect();
    tokens.pop();
    tokens.push(Group::new(body.delimiter(), TokenStream::new()).into());
    let mut item: ItemFn = syn::parse2(tokens.into_iter().collect()).ok()?;
    let mut errors = Errors::default();
    let surface = signature::read(&mut item, options, names, &mut errors)?.surface;
    errors.is_empty().then(|| {
        // In what rustc has made of it there may be more that it would not like, and nothing that the user wrote.
        let mut rejected = rejected(Some(surface), TokenStream::new(), errors);
        rejected.notes.push(unread(error));
        rejected
    })
}

/// The note for code that syn cannot read, if rustc reports nothing.
fn unread(error: &syn::Error) -> Note {
    let fault = format!("vyre cannot read this: {error}");
    let help = "correct what rustc reports here; if it reports nothing, write it in other words";
    Note::late(errors::diagnostic(Code::NotAFunction, error.span(), fault, help))
}

/// A kernel with errors, and its body for rustc to find more in.
fn refused(tree: &Tree, item: &ItemFn, surface: Surface, body: Option<Group>, errors: Errors) -> Box<Rejected> {
    // The function comes last: a guard gives it another result.
    let mut checked = elements(&tree.unmarked, item);
    checked.extend(shown(item, body, &errors));
    // No stub could take what cannot be passed, unless its interface stands before the chain that found that out.
    let is_passable = tree.is_passable || surface.has_face;
    rejected(is_passable.then_some(surface), checked, errors)
}

/// The function for rustc to find more in; or imports, so that what only the function uses is not called unused.
fn shown(item: &ItemFn, body: Option<Group>, errors: &Errors) -> TokenStream {
    if errors.hides() {
        return mentions::imports(item.to_token_stream());
    }
    let body = body.map_or_else(|| item.block.to_token_stream(), Group::into_token_stream);
    type_witness::verbatim(item, body)
}

/// Makes elements of the types beside a kernel that lack nothing but the attribute, so that the host's use of them is not
/// another fault. The build has failed, so nothing relies on this.
fn elements(unmarked: &[Ident], item: &ItemFn) -> TokenStream {
    let mut tokens = TokenStream::new();
    if let (false, Some(around)) = (unmarked.is_empty(), Surroundings::of_instance(&item.sig.ident)) {
        for name in unmarked {
            if around.is_copy(&name.to_string()) && declared::is_first_stub(name) {
                tokens.extend(quote!(#[allow(non_local_definitions)] unsafe impl ::vyre::Element for #name {}));
            }
        }
    }
    tokens
}

/// The wanted names that the kernel mentions in one namespace only, each with the other one.
fn unused(tree: &Tree, wanted: &[Path]) -> Vec<(Ident, Namespace)> {
    let mut unused = Vec::new();
    for path in wanted {
        let Some(name) = path.get_ident() else { continue };
        let is_in = |namespace| tree.mentions.contains(&(name.to_string(), namespace));
        match (is_in(Namespace::Type), is_in(Namespace::Value)) {
            (false, true) => unused.push((name.clone(), Namespace::Type)),
            (true, false) => unused.push((name.clone(), Namespace::Value)),
            _ => {}
        }
    }
    unused
}

fn rejected(surface: Option<Surface>, checked: TokenStream, errors: Errors) -> Box<Rejected> {
    let (elsewhere, hides) = (errors.is_elsewhere(), errors.hides());
    let (errors, notes) = errors.into_parts();
    Box::new(Rejected {
        surface,
        checked,
        elsewhere,
        hides,
        wanted: Vec::new(),
        unused: Vec::new(),
        errors,
        notes,
    })
}

/// True of an instance, which calls a generic body and does nothing else.
fn is_instance(item: &ItemFn) -> bool {
    let [Stmt::Expr(Expr::Call(call), None)] = &item.block.stmts[..] else {
        return false;
    };
    let Expr::Path(called) = &*call.func else { return false };
    let last = called.path.segments.last();
    last.is_some_and(|last| !last.arguments.is_none() && last.ident.to_string().starts_with("__"))
}
