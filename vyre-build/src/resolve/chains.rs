//! Chains of macros, and the macros that carry device items: see [`transport`](super::transport).

use super::names::{Names, plain};
use super::source_scan::Surroundings;
use super::transport::Carried;
use super::{attributes, declared};
use crate::editor;
use crate::surface::Namespace;
use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::quote;
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::OnceLock;
use syn::{Attribute, Path, Visibility};

/// Macros of the standard library that are in scope everywhere: the carrier macro of a function
/// with such a name forwards other uses.
pub(crate) const COMMON: [&str; 37] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "is_x86_feature_detected",
    "line",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Attributes that rustc knows by names that functions may well have: where such a name is imported, rustc will not
/// choose between the two.
const ATTRIBUTES: [&str; 21] = [
    "allow",
    "bench",
    "cold",
    "coverage",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "expect",
    "feature",
    "forbid",
    "ignore",
    "inline",
    "link",
    "naked",
    "optimize",
    "path",
    "repr",
    "test",
    "used",
    "warn",
];

/// Types of vyre's prelude that kernels do not mention by these names alone: `Slice2` has arguments there. Where a device
/// type is called so, rustc will not choose between it and the one of the glob import.
const PRELUDE: [&str; 12] = [
    "AtomicView",
    "Device",
    "DeviceBuffer",
    "Scoped",
    "Slice",
    "Slice2",
    "SliceMut2",
    "Stream",
    "View",
    "View2",
    "ViewMut",
    "ViewMut2",
];

/// The purpose of a chain: the item to expand at its end.
pub(crate) struct Errand {
    /// `kernel` or `device`.
    pub(crate) kind: &'static str,
    pub(crate) options: TokenStream,
    pub(crate) item: TokenStream,
    /// The paths of the items in `gathered`, in order.
    pub(crate) paths: Vec<String>,
    pub(crate) gathered: Group,
}

impl Errand {
    /// An errand that nothing has been gathered for.
    pub(crate) fn new(kind: &'static str, options: TokenStream, item: TokenStream) -> Self {
        Errand {
            kind,
            options,
            item,
            paths: Vec::new(),
            gathered: Group::new(Delimiter::Brace, TokenStream::new()),
        }
    }
}

/// The errand of a chain, and the names that it has brought, from the tokens of its end:
/// `@vyre [] {gathered} { kind {options} {item} [paths] }`.
pub(crate) fn arrived(tokens: TokenStream) -> Option<(Errand, Names)> {
    let mut groups = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    let (_, gathered, errand) = (groups.next()?, groups.next()?, groups.next()?);
    let mut parts = errand.stream().into_iter();
    let kind = match parts.next()?.to_string().as_str() {
        "kernel" => "kernel",
        "constant" => "constant",
        _ => "device",
    };
    let mut groups = parts.filter_map(|token| match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    });
    let (options, item) = (groups.next()?, groups.next()?);
    let paths = groups.next()?.into_iter();
    let paths = paths
        .map(|path| path.to_string().trim_matches('"').to_owned())
        .collect();
    let (carried, heads) = Carried::gather(gathered.clone())?;
    let errand = Errand {
        kind,
        options,
        item,
        paths,
        gathered,
    };
    let paths = errand.paths.iter().cloned().zip(heads).collect();
    Some((errand, Names::carried(Rc::new(carried), paths)))
}

/// The first macro of a chain that brings the items of `wanted`, called; for the device item of a name, if it is
/// for one. A kernel does not mention the `unused` names in these namespaces.
pub(crate) fn chain(
    errand: Errand,
    wanted: &[Path],
    unused: &[(Ident, Namespace)],
    attributes: &[Attribute],
    item_name: Option<&Ident>,
) -> TokenStream {
    let Errand {
        kind,
        options,
        item,
        paths,
        gathered,
    } = errand;
    // Rules of this name before the kernel would be found in the place of the item's macro.
    let surroundings = OnceCell::new();
    let is_hidden = |name: &Ident| {
        let around = surroundings.get_or_init(|| function_of(&item).and_then(|name| Surroundings::of(&name)));
        around.as_ref().is_some_and(|around| around.hides(&plain(name)))
    };
    // rustc shows an import that fails where the user wrote the path.
    let place = |path: &Path| {
        let last = path.segments.last();
        last.map_or_else(Span::call_site, |last| editor::added(last.ident.span()))
    };
    let is_elsewhere = |name: &str| COMMON.contains(&name) || ATTRIBUTES.contains(&name) || PRELUDE.contains(&name);
    let (mut aliases, mut imported) = (Vec::with_capacity(wanted.len()), Vec::with_capacity(wanted.len()));
    for path in wanted {
        let name = match item_name {
            None => alias(path),
            Some(item) => telling(path, item),
        };
        aliases.push(Ident::new(&name, Span::call_site().located_at(place(path))));
        let mut path = path.clone();
        for segment in &mut path.segments {
            segment.ident = editor::added_name(&segment.ident);
        }
        of_this_edition(&mut path);
        // Other items of these names are in sight too, and rustc will not choose.
        imported.push(match path.get_ident() {
            Some(name) if is_elsewhere(&name.to_string()) || is_hidden(name) => quote!(self::#path),
            _ => quote!(#path),
        });
    }
    // An alias of a device item would stand among the names that an editor offers.
    let called: Vec<_> = match kind != "kernel" && editor::is_here() {
        true => imported.clone(),
        false => aliases.iter().map(|alias| quote!(#alias)).collect(),
    };
    let Some((first, others)) = called.split_first() else {
        return TokenStream::new();
    };
    let last = quote!([::vyre::__private::carried => []]);
    let rest = others.iter().rev().fold(last, |rest, path| quote!([#path => #rest]));
    let paths = paths.into_iter().chain(wanted.iter().map(super::transport::text));
    let word = Ident::new(kind, Span::call_site());
    let call = quote!(#first! { @vyre #rest #gathered { #word {#options} {#item} [#(#paths)*] } });
    let cfg = attributes::cfg(attributes);
    match kind {
        // Each block is one more: rustc looks no further than the innermost one that still has macros
        // to expand.
        "kernel" => {
            // The import of a name that does not exist finds a placeholder in the other namespace, so that rustc reports
            // the name where it is mentioned, and not the import too.
            let placeholders = unused.iter().map(|(name, namespace)| {
                let name = editor::added_name(name);
                match namespace {
                    Namespace::Type => quote!(use ::vyre::__private::example as #name;),
                    Namespace::Value => quote!(use ::vyre::__private::any as #name;),
                }
            });
            // An import of what is deprecated is one more use of it.
            let allowed = attributes.iter().filter(|it| it.path().is_ident("allow"));
            quote! {
                #(#cfg)*
                #(#allowed)*
                #[allow(non_local_definitions)]
                const _: () = {
                    #(#placeholders)*
                    #(use ::vyre::__private::missing as #aliases;)*
                    const _: () = {
                        // An item without a mark has no macro, for which its import is not used. `allow(unused_imports)`
                        // would be an error where a crate forbids that lint.
                        #(#[allow(warnings)] use #imported as #aliases;)*
                        const _: () = { #call };
                    };
                };
            }
        }
        // A device item's macro must be generated beside it, so its chain is not in a block.
        _ if editor::is_here() => quote!(#(#cfg)* #call),
        _ => {
            let cfg = quote!(#(#cfg)*);
            quote! {
                #(
                    #cfg
                    #[doc(hidden)]
                    #[allow(warnings, clippy::redundant_pub_crate)]
                    use #imported as #aliases;
                )*
                #cfg
                #call
            }
        }
    }
}

/// Makes the path of an import one of this crate's edition, not of edition 2015, in which it would begin at the root. In other
/// editions rustc underlines the name alone that is not there.
fn of_this_edition(path: &mut Path) {
    const KEYWORDS: [&str; 4] = ["crate", "self", "super", "$crate"];
    if let Some(first) = path.segments.first_mut()
        && !editor::is_here()
        && !KEYWORDS.contains(&&*first.ident.to_string())
        && is_2015()
    {
        let span = Span::call_site().located_at(first.ident.span());
        first.ident.set_span(span);
    }
}

/// True if rustc, in which a macro runs, was not told of another edition than its first.
fn is_2015() -> bool {
    static IS_2015: OnceLock<bool> = OnceLock::new();
    *IS_2015.get_or_init(|| {
        let arguments: Vec<String> = std::env::args().collect();
        let of_next = arguments
            .windows(2)
            .filter(|pair| pair[0] == "--edition")
            .map(|pair| &*pair[1]);
        let mut editions = arguments
            .iter()
            .filter_map(|it| it.strip_prefix("--edition="))
            .chain(of_next);
        editions.all(|edition| edition == "2015")
    })
}

/// The name of a function, where its file can be read.
pub(crate) fn function_of(item: &TokenStream) -> Option<Ident> {
    let mut tokens = item.clone().into_iter().skip_while(|token| !is_fn(token));
    match tokens.nth(1)? {
        TokenTree::Ident(name) if !editor::is_here() => Some(name),
        _ => None,
    }
}

/// True of the keyword, without a look at the text of groups before it.
pub(crate) fn is_fn(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(word) if word == "fn")
}

/// The name by which a kernel calls the macro of a path, which is also that of the item itself.
pub(crate) fn alias(path: &Path) -> String {
    let names: Vec<String> = path.segments.iter().map(|segment| plain(&segment.ident)).collect();
    format!("__vyre_{}", names.join("__"))
}

/// The name by which a device item calls the macro of an item that it mentions. If there is no such
/// macro, rustc's error shows this name.
fn telling(path: &Path, item: &Ident) -> String {
    // The whole path: several may end alike.
    let names: Vec<String> = path.segments.iter().map(|segment| plain(&segment.ident)).collect();
    // The body of a generic kernel has the kernel's name after underscores.
    let item = plain(item).trim_start_matches('_').to_owned();
    let is_upper = |last: &String| last.starts_with(char::is_uppercase);
    let path = names.join("_");
    match names.last().is_some_and(is_upper) {
        true => format!("V0713_{path}_lacks_vyre_device_in_{item}"),
        false => format!("V0713_{path}_lacks_vyre_device_or_calls_{item}_back"),
    }
}

/// The macro that carries `bundle` under the name of the item, and its import.
pub(crate) fn carrier(
    name: &Ident,
    key: u64,
    visibility: &Visibility,
    attributes: &[Attribute],
    bundle: &TokenStream,
) -> TokenStream {
    declared::complete(name);
    let plain = name.to_string();
    let plain = plain.trim_start_matches("r#");
    let name = editor::added_name(name);
    let cfg: Vec<_> = attributes::cfg(attributes).collect();
    if editor::is_here() {
        return editor::carrier(&name, &cfg, visibility, bundle);
    }
    let hidden = Ident::new(&format!("__vyre_{plain}_{key:016x}"), Span::call_site());
    let export = matches!(visibility, Visibility::Public(_)).then(|| quote!(#[macro_export]));
    let dollar = TokenTree::Punct(Punct::new('$', Spacing::Alone));
    let forward = COMMON
        .contains(&plain)
        .then(|| quote!((#dollar(#dollar other:tt)*) => { ::std::#name! { #dollar(#dollar other)* } };));
    quote! {
        #(#cfg)*
        #[doc(hidden)]
        #[allow(warnings, clippy::crate_in_macro_def)]
        #export
        macro_rules! #hidden {
            (@vyre [#dollar next:path => #dollar rest:tt] #dollar gathered:tt #dollar errand:tt) => {
                #dollar next! { @vyre #dollar rest { #dollar gathered #bundle } #dollar errand }
            };
            #forward
        }
        #(#cfg)*
        #[doc(hidden)]
        #[allow(clippy::redundant_pub_crate, clippy::pub_use)]
        #visibility use #hidden as #name;
    }
}
