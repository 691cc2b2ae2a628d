//! Chains of macros, and the macros that carry device items: see [`transport`](super::transport).

use super::names::{Names, plain};
use super::source_scan::Surroundings;
use super::transport::{Carried, Paths, joined, text};
use super::{attributes, declared};
use crate::code::{Code, code};
use crate::editor;
use crate::resolve::spelling::is_capitalized;
use crate::surface::Namespace;
use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::OnceLock;
use syn::{Attribute, Path, Visibility};

/// Macros of the standard library that are in scope everywhere: the carrier macro of a function
/// with such a name forwards other uses.
pub(crate) const COMMON: [&str; 37] = words![
    assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne env
    eprint eprintln file format format_args include include_bytes include_str is_x86_feature_detected line matches
    module_path option_env panic print println stringify thread_local todo try unimplemented unreachable vec write
    writeln
];

/// Attributes that rustc knows by names that functions may well have: where such a name is imported, rustc will not
/// choose between the two.
const ATTRIBUTES: [&str; 21] = words![
    allow bench cold coverage deny deprecated derive doc expect feature forbid ignore inline link naked optimize path
    repr test used warn
];

/// Types of vyre's prelude that kernels do not mention by these names alone: `Slice2` has arguments there. Where a device
/// type is called so, rustc will not choose between it and the one of the glob import.
const PRELUDE: [&str; 12] = words![
    AtomicView Device DeviceBuffer Scoped Slice Slice2 SliceMut2 Stream View View2 ViewMut ViewMut2
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
    let mut tokens = tokens.into_iter();
    let (_, gathered, errand) = (group(&mut tokens)?, group(&mut tokens)?, group(&mut tokens)?);
    let mut parts = errand.stream().into_iter();
    let kind = match parts.next()?.to_string().as_str() {
        "kernel" => "kernel",
        "constant" => "constant",
        _ => "device",
    };
    let (options, item) = (group(&mut parts)?.stream(), group(&mut parts)?.stream());
    let written = group(&mut parts)?.stream();
    let (carried, heads) = Carried::gather(gathered.clone())?;
    let (mut paths, mut keys, mut heads) = (Vec::new(), Paths::new(), heads.into_iter());
    for path in written {
        let path = path.to_string().trim_matches('"').to_owned();
        if let Some(key) = heads.next() {
            keys.insert(path.clone(), key);
        }
        paths.push(path);
    }
    let errand = Errand {
        kind,
        options,
        item,
        paths,
        gathered,
    };
    Some((errand, Names::carried(Rc::new(carried), keys)))
}

/// The next group among tokens.
fn group(tokens: &mut IntoIter) -> Option<Group> {
    loop {
        if let TokenTree::Group(group) = tokens.next()? {
            return Some(group);
        }
    }
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
    let span = Span::call_site();
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
            Some(name) if is_elsewhere(&name.to_string()) || is_hidden(name) => code!(span=> self::#name),
            _ => Code::of(&path),
        });
    }
    // An alias of a device item would stand among the names that an editor offers.
    let mut called = Vec::with_capacity(wanted.len());
    match kind != "kernel" && editor::is_here() {
        true => called.clone_from(&imported),
        false => aliases.iter().for_each(|alias| called.push(Code::of(alias))),
    }
    let mut rest = code!(span=> [::vyre::__private::carried => []]);
    while called.len() > 1
        && let Some(path) = called.pop()
    {
        rest = code!(span=> [#path => #rest]);
    }
    let Some(first) = called.pop() else {
        return TokenStream::new();
    };
    let mut names = Code::default();
    for path in paths {
        names.append(Code::tree(Literal::string(&path).into()));
    }
    for path in wanted {
        names.append(Code::tree(Literal::string(&text(path)).into()));
    }
    let (word, gathered) = (Ident::new(kind, span), Code::tree(gathered.into()));
    let call = code!(span=> #first! { @vyre #rest #gathered { #word {#options} {#item} [#names] } });
    let cfg = &Code::of_all(&attributes::cfg(attributes));
    let mut imports = Code::default();
    match kind {
        // Each block is one more: rustc looks no further than the innermost one that still has macros
        // to expand.
        "kernel" => {
            let mut placeholders = Code::default();
            for (name, namespace) in unused {
                // The import of a name that does not exist finds a placeholder in the other namespace, so that rustc
                // reports the name where it is mentioned, and not the import too.
                let name = editor::added_name(name);
                placeholders.append(match namespace {
                    Namespace::Type => code!(span=> use ::vyre::__private::example as #name;),
                    Namespace::Value => code!(span=> use ::vyre::__private::any as #name;),
                });
            }
            for (imported, alias) in imported.into_iter().zip(&aliases) {
                placeholders.append(code!(span=> use ::vyre::__private::missing as #alias;));
                imports.append(code!(span=> #[allow(warnings)] use #imported as #alias;));
            }
            let mut allowed = Code::default();
            for attribute in attributes {
                // An import of what is deprecated is one more use of it.
                if attribute.path().is_ident("allow") {
                    allowed.append(Code::of(attribute));
                }
            }
            code! {span=>
                #cfg
                #allowed
                #[allow(non_local_definitions)]
                const _: () = {
                    #placeholders
                    const _: () = {
                        // An item without a mark has no macro, for which its import is not used. `allow(unused_imports)`
                        // would be an error where a crate forbids that lint.
                        #imports
                        const _: () = { #call };
                    };
                };
            }
        }
        // A device item's macro must be generated beside it, so its chain is not in a block.
        _ if editor::is_here() => code!(span=> #cfg #call),
        _ => {
            for (imported, alias) in imported.into_iter().zip(&aliases) {
                imports.append(code! {span=>
                    #cfg
                    #[doc(hidden)]
                    #[allow(warnings, clippy::redundant_pub_crate)]
                    use #imported as #alias;
                });
            }
            code!(span=> #imports #cfg #call)
        }
    }
    .into()
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
        let mut before = String::new();
        for argument in std::env::args() {
            let edition = match before == "--edition" {
                true => Some(&*argument),
                false => argument.strip_prefix("--edition="),
            };
            if edition.is_some_and(|edition| edition != "2015") {
                return false;
            }
            before = argument;
        }
        true
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
    format!("__vyre_{}", joined(path, "__", plain))
}

/// The name by which a device item calls the macro of an item that it mentions. If there is no such
/// macro, rustc's error shows this name.
fn telling(path: &Path, item: &Ident) -> String {
    // The whole path: several may end alike.
    // The body of a generic kernel has the kernel's name after underscores.
    let item = plain(item).trim_start_matches('_').to_owned();
    let last = path.segments.last().map(|last| plain(&last.ident));
    let path = joined(path, "_", plain);
    match last.is_some_and(|last| is_capitalized(&last)) {
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
    let is_public = matches!(visibility, Visibility::Public(_));
    let plain = name.to_string();
    let plain = plain.trim_start_matches("r#");
    let name = editor::added_name(name);
    let cfg = attributes::cfg(attributes);
    if editor::is_here() {
        return editor::carrier(&name, &cfg, visibility, bundle);
    }
    let span = Span::call_site();
    let hidden = &Ident::new(&format!("__vyre_{plain}_{key:016x}"), span);
    let (name, cfg, visibility) = (&name, &Code::of_all(&cfg), &Code::of(visibility));
    let (export, bundle) = (is_public.then(|| code!(span=> #[macro_export])), bundle.clone());
    let dollar = &Code::tree(Punct::new('$', Spacing::Alone).into());
    let forward = COMMON
        .contains(&plain)
        .then(|| code!(span=> (#dollar(#dollar other:tt)*) => { ::std::#name! { #dollar(#dollar other)* } };));
    code! {span=>
        #cfg
        #[doc(hidden)]
        #[allow(warnings, clippy::crate_in_macro_def)]
        #export
        macro_rules! #hidden {
            (@vyre [#dollar next:path => #dollar rest:tt] #dollar gathered:tt #dollar errand:tt) => {
                #dollar next! { @vyre #dollar rest { #dollar gathered #bundle } #dollar errand }
            };
            #forward
        }
        #cfg
        #[doc(hidden)]
        #[allow(clippy::redundant_pub_crate, clippy::pub_use)]
        #visibility use #hidden as #name;
    }
    .into()
}
