//! The front end: from the tokens of `#[vyre::kernel] fn ..` to a program.
//!
//! The steps, one folder each: the options ([`crate::options`]), the [`signature`], reading the body into
//! the kernel tree ([`syntax`]), type inference ([`infer`]), checks of all that the kernel reaches
//! ([`crate::check`]), lowering to a program ([`lower`]), and the assertions for rustc ([`crate::rustc`]).
//! Every step reports all the faults that it finds.

pub(crate) mod const_eval;
pub(crate) mod device;

use std::rc::Rc;

use proc_macro2::{Group, TokenStream};
use quote::ToTokens;
use syn::ItemFn;

pub use device::device;

use crate::check::{clusters, fetch_update, grid_sync, named_barriers, reach, whole_warps};
use crate::errors::{Code, Errors};
use crate::resolve::names::Names;
use crate::resolve::transport;
use crate::rustc::{name_probe, type_witness};
use crate::surface::{Lowered, Rejected};
use crate::syntax::passes::Passes;
use crate::syntax::{self, signature};
use crate::{infer, lower, options};

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
    let options = options::options(options, &mut errors);
    let body = type_witness::body_of(&item);
    let mut item: ItemFn = match syn::parse2(item.clone()) {
        Ok(item) => item,
        Err(error) => {
            if let Some(body) = body
                && let Some(rejected) = misspelt(item, body, &options, names)
            {
                return Err(rejected);
            }
            errors.refuse(
                Code::NotAFunction,
                error.span(),
                format_args!("cannot read this as a function: {error}"),
                "`#[vyre::kernel]` stands on a function with a body",
            );
            return Err(rejected(None, TokenStream::new(), errors));
        }
    };
    let Some(mut signature) = signature::read(&mut item, &options, names, &mut errors) else {
        return Err(rejected(None, TokenStream::new(), errors));
    };
    let mut tree = syntax::read(&PASSES, &item, &signature, names, &mut errors);
    if tree.wanted.is_empty() {
        infer::infer(&mut tree, &mut errors);
    }
    signature.surface.has_face = names.is_carried();
    if !tree.wanted.is_empty() && errors.is_empty() {
        let mut rejected = rejected(Some(signature.surface), TokenStream::new(), errors);
        rejected.wanted = transport::distinct(tree.wanted);
        return Err(rejected);
    }
    name_probe::explain(&tree, &mut errors);
    let tree = Rc::new(tree);
    let reached = reach::reach(&tree, &mut errors);
    let axes = reached.bodies.iter().fold(1, |most, body| most.max(body.tree.axes));
    let surface = &mut signature.surface;
    (surface.dimensions, surface.block) = signature::geometry(options.block.as_deref(), axes);
    surface.cluster = clusters::extents(options.cluster.as_ref());
    if !errors.is_left_to_rustc() {
        grid_sync::check(&tree, &mut errors);
        clusters::check(&tree, surface, options.cluster.as_ref(), &mut errors);
        let mut bodies = reached.bodies.iter().map(|body| &*body.tree);
        if bodies.any(whole_warps::multiplies) {
            whole_warps::check(&tree, surface, &mut errors);
        }
        named_barriers::check(&reached.bodies, surface.block, &mut errors);
        fetch_update::check(&reached, &mut errors);
    }
    if axes > surface.dimensions && errors.is_empty() {
        errors.refuse(
            Code::BlockAxes,
            signature::name_span(&item),
            format_args!("this kernel uses {axes} axes and its block has {}", surface.dimensions),
            "give `block` an extent for each axis: `block = [32, 8]`",
        );
    }
    if !errors.is_empty() {
        let checked = match errors.repeats() {
            true => TokenStream::new(),
            false => {
                let body = body.map_or_else(|| item.block.to_token_stream(), Group::into_token_stream);
                type_witness::verbatim(&item, body)
            }
        };
        // No stub could take what cannot be passed.
        let is_passable = tree.is_passable || errors.is_left_to_rustc() && errors.note().is_some();
        let surface = is_passable.then_some(signature.surface);
        return Err(rejected(surface, checked, errors));
    }
    let file = names.file.clone().unwrap_or_else(|| item.sig.ident.span().file());
    let lowered = lower::lower(&reached, &signature.surface, file);
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
    })
}

/// A kernel whose body syn cannot read: nor can rustc, which has said so already.
fn misspelt(item: TokenStream, body: Group, options: &options::Options, names: &Names) -> Option<Box<Rejected>> {
    let count = item.clone().into_iter().count();
    let mut tokens: TokenStream = item.into_iter().take(count - 1).collect();
    tokens.extend(Group::new(body.delimiter(), TokenStream::new()).into_token_stream());
    let mut item: ItemFn = syn::parse2(tokens).ok()?;
    let mut errors = Errors::default();
    let surface = signature::read(&mut item, options, names, &mut errors)?.surface;
    errors.is_empty().then(|| {
        let checked = type_witness::verbatim(&item, body.into_token_stream());
        rejected(Some(surface), checked, errors)
    })
}

fn rejected(surface: Option<crate::surface::Surface>, checked: TokenStream, errors: Errors) -> Box<Rejected> {
    Box::new(Rejected {
        surface,
        checked,
        elsewhere: errors.is_elsewhere(),
        wanted: Vec::new(),
        note: errors.note(),
        errors: errors.into_vec(),
    })
}
