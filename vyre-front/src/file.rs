//! A file of kernels: its items, with launchers in the place of kernels.

mod configured;
mod origin;
mod predicate;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{File, Item, ItemFn, ItemStatic, parse_quote};
use vyre_ir::ir::{Handle, Program, SharedVariable};
use vyre_ir::module::CompileError;
use vyre_ir::validate::Validated;

use self::predicate::Environment;
use crate::driver;
use crate::errors::{self, Code, Diagnostic, diagnostic, internal};
use crate::expand::{self, device_module, generic_kernels};
use crate::generate::{self, host_constant};
use crate::resolve::attributes::{self, is_device, is_kernel, is_kernel_body};
use crate::resolve::items::named;
use crate::resolve::names::{Names, plain};
use crate::surface::Lowered;

/// A kernel of a file as a program.
pub struct Inspected {
    /// The modules around it and its name, joined by dots.
    pub name: String,
    /// The kernel.
    pub program: Program,
    /// The shared variables of block collectives, whose accesses vyre knows to be apart.
    pub collectives: Vec<Handle<SharedVariable>>,
    /// Time spent in the front end.
    pub time: Duration,
}

impl fmt::Debug for Inspected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Inspected");
        shown
            .field("name", &self.name)
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

/// Something wrong with a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The file, as it was given.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// The fault, and in its last line the help.
    pub message: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Complaint {
            file,
            line,
            column,
            message,
        } = self;
        write!(f, "{}:{line}:{column}: {message}", file.display())
    }
}

/// The text of a file. Items stay as they are, unformatted, if the printer panics or prints what cannot be read, as it
/// does on `let value = if a { b }.c() else { return };`.
pub fn printed(items: Vec<Item>) -> String {
    let mut text = String::new();
    for mut item in items {
        if let Some(place) = origin::marked(&item) {
            text += &format!("// {place}\n");
            continue;
        }
        if let Item::Mod(module) = &mut item
            && let Some((before, after)) = origin::around(module)
            && let Some((_, items)) = &mut module.content
        {
            text += &before;
            text += &printed(std::mem::take(items));
            text += after;
            continue;
        }
        let one = File {
            shebang: None,
            frontmatter: None,
            attrs: Vec::new(),
            items: vec![item],
        };
        let formatted = catch_unwind(AssertUnwindSafe(|| prettyplease::unparse(&one)));
        let formatted = formatted.ok().filter(|text| syn::parse_file(text).is_ok());
        text += &formatted.unwrap_or_else(|| one.into_token_stream().to_string() + "\n");
    }
    text
}

/// Compiles a kernel as [`Compile`](expand::Compile) does. The name is that of the kernel, with the modules around it.
pub type CompileNamed<'a> = dyn FnMut(&str, &Lowered, &Validated<'_>) -> Result<TokenStream, CompileError> + 'a;

/// A file on its way.
pub struct FileReader<'a> {
    path: &'a Path,
    /// The faults found so far.
    pub complaints: Vec<Complaint>,
    /// The name of the item at hand, the place of what has none.
    item: Span,
    /// `None` where a tool looks at the kernels: they are lowered and go no further.
    compile: Option<&'a mut CompileNamed<'a>>,
    /// The kernels that a tool looks at.
    pub inspected: Vec<Inspected>,
}

impl fmt::Debug for FileReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileReader")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl<'a> FileReader<'a> {
    /// A reader of the file of this path, whose kernels are compiled so, or else kept in [`inspected`](Self::inspected).
    pub fn new(path: &'a Path, compile: Option<&'a mut CompileNamed<'a>>) -> Self {
        FileReader {
            path,
            complaints: Vec::new(),
            item: Span::call_site(),
            compile,
            inspected: Vec::new(),
        }
    }

    /// Reads a text. Returns its items, with launchers in the place of kernels.
    pub fn file(&mut self, text: &str) -> File {
        let empty = File {
            shebang: None,
            frontmatter: None,
            attrs: Vec::new(),
            items: Vec::new(),
        };
        if let Some(error) = text.parse().ok().and_then(|tokens| errors::look(&tokens).too_deep) {
            self.complain(&error);
            return empty;
        }
        let file = match syn::parse_file(text) {
            Ok(file) => file,
            Err(error) => {
                // If the text cannot be tokenized, only the location is known.
                let fault = match error.to_string() {
                    text if text.contains("token stream") => {
                        "a bracket is not closed here, or this is not Rust".to_owned()
                    }
                    text => text,
                };
                // An error at the end of the file is located there.
                let span = match text.parse::<TokenStream>() {
                    Ok(tokens) if fault.starts_with("unexpected end") || error.span().byte_range().is_empty() => {
                        tokens.into_iter().last().map(|last| last.span())
                    }
                    _ => None,
                };
                let help = "the code before it is incomplete, or not Rust";
                self.complain(&diagnostic(
                    Code::UnreadableFile,
                    span.unwrap_or(error.span()),
                    fault,
                    help,
                ));
                return empty;
            }
        };
        let decided = configured::decided(file.to_token_stream(), &Environment::of_process());
        let (file, decisions) = match decided {
            None => (file, Vec::new()),
            Some((tokens, decisions)) => match syn::parse2(tokens) {
                Ok(file) => (file, decisions),
                // rustc says that there is no such place for an attribute.
                Err(error) => {
                    let fault = format!("{error}, where `#[cfg]` leaves something out");
                    let help = "put the attribute on the whole item, statement or element of a list";
                    self.complain(&diagnostic(Code::UnreadableFile, error.span(), fault, help));
                    return empty;
                }
            },
        };
        let mut errors = Vec::new();
        let file = File {
            items: generic_kernels::instanced(file.items, &mut errors),
            ..file
        };
        errors.iter().for_each(|error| self.complain(error));
        let names = Names::of_file(&self.path.to_string_lossy(), &file);
        let mut items = self.items(file.items, &names, "");
        items.extend(configured::checks(decisions));
        File { items, ..empty }
    }

    /// The items of a module, with launchers in the place of kernels. `names` are those that it
    /// sees, and `prefix` names the modules around it.
    fn items(&mut self, items: Vec<Item>, names: &Names, prefix: &str) -> Vec<Item> {
        let mut done = Vec::new();
        for item in items {
            let place = format!("{}:{}", self.path.display(), item.span().start().line);
            self.item = named(&item).map_or_else(|| item.span(), |(name, _)| name.span());
            let mut made = Vec::new();
            match item {
                Item::Fn(mut function) => {
                    if let Some(at) = function.attrs.iter().position(is_kernel) {
                        made.extend(self.kernel(function, at, names, prefix));
                    } else if let Some(at) = function.attrs.iter().position(is_device) {
                        let (marked, is_body) = (function.to_token_stream(), is_kernel_body(&function.attrs));
                        function.attrs.remove(at);
                        let (name, shown) = (function.sig.ident.span(), function.to_token_stream());
                        let shown = match is_body {
                            true => generate::with_opaque_result(&shown),
                            false => shown,
                        };
                        made.extend(self.device(Item::Fn(function), shown, marked, name, names));
                    } else {
                        made.push(Item::Fn(function));
                    }
                }
                Item::Struct(ref it) if it.attrs.iter().any(is_device) => made.extend(self.definition(item, names)),
                Item::Enum(ref it) if it.attrs.iter().any(is_device) => made.extend(self.definition(item, names)),
                Item::Type(ref it) if it.attrs.iter().any(is_device) => made.extend(self.definition(item, names)),
                Item::Static(ref it) if it.attrs.iter().any(attributes::is_constant) => {
                    made.extend(self.constant(it.clone(), names));
                }
                Item::Const(mut constant) => match constant.attrs.iter().position(is_device) {
                    Some(at) => {
                        constant.attrs.remove(at);
                        let name = constant.ident.span();
                        let tokens = constant.to_token_stream();
                        made.extend(self.device(Item::Const(constant), tokens.clone(), tokens, name, names));
                    }
                    None => made.push(Item::Const(constant)),
                },
                Item::Mod(mut inner) => {
                    if let Some((_, items)) = &mut inner.content {
                        let (names, prefix) = (
                            names.inside(&inner.ident.to_string()),
                            format!("{prefix}{}.", inner.ident),
                        );
                        let checks = match inner.attrs.iter().any(is_device) {
                            true => self.module(items, &names, inner.ident.span()),
                            false => Vec::new(),
                        };
                        *items = self.items(std::mem::take(items), &names, &prefix);
                        items.extend(checks);
                    }
                    if inner.attrs.iter().any(is_device) {
                        inner.attrs.retain(|attribute| !is_device(attribute));
                        inner = device_module::with(inner, TokenStream::new());
                    }
                    made.push(Item::Mod(inner));
                }
                Item::Verbatim(tokens) => {
                    let fault = "this item is incomplete, or not of stable Rust";
                    let span = tokens
                        .into_iter()
                        .next()
                        .map_or_else(Span::call_site, |first| first.span());
                    let help = "complete it: a function has a body, a constant a type and a value";
                    self.complain(&diagnostic(Code::UnreadableFile, span, fault, help));
                }
                other => made.push(other),
            }
            done.extend(origin::marks(&place, made));
        }
        done
    }

    fn kernel(&mut self, mut function: ItemFn, attribute: usize, names: &Names, prefix: &str) -> Vec<Item> {
        let options = match function.attrs.remove(attribute).meta {
            syn::Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        let Some(compile) = &mut self.compile else {
            self.inspect(options, function, names, prefix);
            return Vec::new();
        };
        let name = format!("{prefix}{}", plain(&function.sig.ident));
        let name_span = function.sig.ident.span();
        let mut compile = |lowered: &Lowered, valid: &Validated<'_>| compile(&name, lowered, valid);
        let tokens = match expand::kernel::kernel(options, function.into_token_stream(), names, &mut compile) {
            Ok(tokens) => tokens,
            // Types that do not agree: rustc will say so when it compiles the crate.
            Err(rejected) if rejected.diagnostics().next().is_none() => generate::stub(&rejected),
            Err(rejected) => {
                rejected.diagnostics().for_each(|error| self.complain(error));
                return Vec::new();
            }
        };
        self.parsed(tokens, name_span)
    }

    /// Lowers a kernel and keeps it.
    fn inspect(&mut self, options: TokenStream, function: ItemFn, names: &Names, prefix: &str) {
        let ident = function.sig.ident.clone();
        let started = Instant::now();
        match driver::kernel(options, function.into_token_stream(), names) {
            Ok(lowered) => self.inspected.push(Inspected {
                name: format!("{prefix}{ident}"),
                program: lowered.program,
                collectives: lowered.collectives,
                time: started.elapsed(),
            }),
            Err(rejected) if rejected.diagnostics().next().is_none() => {
                let fault = format!("the types in `{ident}` do not agree");
                self.complain_at(ident.span(), format!("{fault}; `cargo check` says where"));
            }
            Err(rejected) => rejected.diagnostics().for_each(|error| self.complain(error)),
        }
    }

    /// A device item as it is `shown` to rustc, and what rustc checks of it; `tokens` are the item with its marks.
    fn device(
        &mut self,
        mut item: Item,
        shown: TokenStream,
        tokens: TokenStream,
        name: Span,
        names: &Names,
    ) -> Vec<Item> {
        let (checked, rejected) = expand::device_item::checked(&mut item, tokens, names);
        let errors = rejected.iter().flat_map(|rejected| rejected.diagnostics());
        errors.for_each(|error| self.complain(error));
        let mut tokens = generate::device::lints();
        tokens.extend([shown, checked]);
        self.parsed(tokens, name)
    }

    /// A constant that the host sets, and what sets it.
    fn constant(&mut self, mut item: ItemStatic, names: &Names) -> Vec<Item> {
        item.attrs.retain(|attribute| !attributes::is_constant(attribute));
        if let Some(error) = host_constant::refused(&Item::Static(item.clone())) {
            self.complain(&error);
            return Vec::new();
        }
        let (marked, name) = (attributes::host_constant(&item), item.ident.span());
        let (checked, rejected) =
            expand::device_item::checked(&mut Item::Const(marked.clone()), TokenStream::new(), names);
        let errors = rejected.iter().flat_map(|rejected| rejected.diagnostics());
        errors.for_each(|error| self.complain(error));
        let mut tokens = item.to_token_stream();
        tokens.extend([
            checked,
            host_constant::setter(&marked, names.key(&marked.ident.to_string())),
        ]);
        self.parsed(tokens, name)
    }

    /// The assertions for rustc about the items of a device module.
    fn module(&mut self, items: &mut [Item], names: &Names, name: Span) -> Vec<Item> {
        let checked = device_module::check(items, names);
        items.iter_mut().for_each(device_module::unmark);
        checked.errors.iter().for_each(|error| self.complain(error));
        self.parsed(checked.tokens, name)
    }

    /// A struct, enum or alias of the device, and what rustc checks of it.
    fn definition(&mut self, mut item: Item, names: &Names) -> Vec<Item> {
        let outcome = driver::device::definition(&item, names);
        let (name, attributes) = match &mut item {
            Item::Struct(item) => (item.ident.clone(), &mut item.attrs),
            Item::Enum(item) => (item.ident.clone(), &mut item.attrs),
            Item::Type(item) => (item.ident.clone(), &mut item.attrs),
            _ => return vec![item],
        };
        attributes.retain(|attribute| !is_device(attribute));
        match outcome {
            Ok(definition) => {
                let checks = generate::definition::checks(&item, &definition, names.key(&name.to_string()));
                let mut tokens = generate::definition::marked(item).into_token_stream();
                tokens.extend(checks);
                self.parsed(tokens, name.span())
            }
            Err(rejected) => {
                rejected.diagnostics().for_each(|error| self.complain(error));
                Vec::new()
            }
        }
    }

    /// Generated items. After an error nothing is written, and it may be the cause of others.
    fn parsed(&mut self, tokens: TokenStream, name_span: Span) -> Vec<Item> {
        match syn::parse2::<File>(tokens) {
            Ok(file) => file.items.into_iter().map(quiet).collect(),
            Err(_) if !self.complaints.is_empty() => Vec::new(),
            Err(error) => {
                self.complain(&internal(name_span, error));
                Vec::new()
            }
        }
    }

    fn complain(&mut self, error: &Diagnostic) {
        self.complain_at(error.span(), error.to_string());
    }

    fn complain_at(&mut self, span: Span, message: String) {
        let is_nowhere =
            |span: Span| span.byte_range().is_empty() && (span.start().line, span.start().column) == (1, 0);
        let start = match span {
            span if is_nowhere(span) => self.item.start(),
            span => span.start(),
        };
        let complaint = Complaint {
            file: self.path.to_owned(),
            line: start.line,
            column: start.column + 1,
            message,
        };
        // A faulty type is found in its definition and in each kernel that uses it, and a generic kernel is read with and
        // without types: the first of one place counts.
        let is_of_place = |it: &Complaint| (it.line, it.column) == (complaint.line, complaint.column);
        if !self.complaints.iter().any(is_of_place) {
            self.complaints.push(complaint);
        }
    }
}

/// Silences lints in an anonymous constant: as text, its code is the crate's own.
pub fn quiet(mut item: Item) -> Item {
    if let Item::Const(constant) = &mut item
        && constant.ident == "_"
    {
        constant.attrs.push(parse_quote! {
            #[allow(
                unused,
                nonstandard_style,
                unsafe_code,
                clippy::all,
                clippy::pedantic,
                clippy::nursery,
                clippy::undocumented_unsafe_blocks
            )]
        });
    }
    // The type of a constant that the host sets has the constant's name.
    if let Item::Enum(of_constant) = &mut item
        && of_constant.variants.is_empty()
    {
        of_constant
            .attrs
            .push(parse_quote!(#[allow(non_camel_case_types, dead_code, unreachable_pub)]));
    }
    item
}
