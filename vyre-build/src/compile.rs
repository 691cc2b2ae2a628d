//! Kernels for build scripts: whole files, compiled ahead of the crate.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{File, Item, ItemFn, ItemStatic, parse_quote};

use crate::driver;
use crate::errors::{self, Code, diagnostic, internal};
use crate::expand::{self, device_module, generic_kernels};
use crate::generate::{self, Embedding, host_constant};
use crate::resolve::attributes::{self, is_device, is_kernel};
use crate::resolve::names::Names;
use crate::surface::Lowered;

/// A kernel of a file as a program.
pub struct Inspected {
    /// The modules around it and its name, joined by dots.
    pub name: String,
    /// The kernel.
    pub lowered: Lowered,
    /// Time spent in the front end.
    pub time: Duration,
}

/// Compiles the kernels of a file, given from the crate's folder.
///
/// Writes `OUT_DIR/kernels.rs`, for `src/kernels.rs`: the file with launchers in place of its
/// kernels, and `OUT_DIR/kernels/saxpy.ptx` for each kernel `saxpy`. The crate includes it by
/// ```ignore
/// mod kernels {
///     include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
/// }
/// ```
///
/// A kernel may use the constants of the file, its functions, structs and enums that are marked
/// `#[vyre::device]`, its type aliases, and the items of a `#[vyre::device] mod`; others are
/// refused, because rustc, which could resolve them, has not run yet. Inner attributes of the file
/// (`#![..]` and `//!`) are removed, because `include!` does not accept them. The generated module
/// has `unsafe` code.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), vyre_build::Error> {
///     vyre_build::compile("src/kernels.rs")
/// }
/// ```
///
/// # Errors
/// Errors in the kernels, or of reading and writing the files.
pub fn compile(path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    println!("cargo:rerun-if-changed={}", path.display());
    let [root, out] = ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(|name| match std::env::var_os(name) {
        Some(value) => Ok(PathBuf::from(value)),
        None => Err(Error::NotInBuildScript { variable: name }),
    });
    compile_in(&root?, path, &out?)
}

/// Why [`compile`](fn@compile) failed. Both `{}` and `{:?}` print what a user should read.
#[non_exhaustive]
pub enum Error {
    /// A variable that cargo sets for build scripts is not set.
    NotInBuildScript {
        /// The variable.
        variable: &'static str,
    },
    /// A file cannot be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Kernels are wrong.
    Kernels(Vec<Complaint>),
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotInBuildScript { variable } => {
                write!(
                    f,
                    "{variable} is not set: call `vyre_build::compile` from a build script, or set it"
                )
            }
            Error::File { path, error } => write!(f, "{}: {error}", path.display()),
            Error::Kernels(complaints) => {
                for (number, complaint) in complaints.iter().enumerate() {
                    write!(f, "{}{complaint}", if number == 0 { "" } else { "\n" })?;
                }
                Ok(())
            }
        }
    }
}

/// As `Display`: this is printed if `main` returns the error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Compiles `root/path` into `out`.
fn compile_in(root: &Path, path: &Path, out: &Path) -> Result<(), Error> {
    let source = root.join(path);
    let text = std::fs::read_to_string(&source).map_err(|error| Error::File {
        path: source.clone(),
        error,
    })?;
    let stem = path
        .file_stem()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    let mut compiler = Compiler::new(path, &stem);
    let file = compiler.file(&text);
    if !compiler.complaints.is_empty() {
        return Err(Error::Kernels(compiler.complaints));
    }
    for (name, ptx) in &compiler.modules {
        write(&out.join(&stem).join(name), ptx)?;
    }
    write(&out.join(format!("{stem}.rs")), &printed(file))
}

/// The text of a file. Items with syntax that the printer does not know stay as they are, unformatted: it panics.
pub(crate) fn printed(file: File) -> String {
    let mut text = String::new();
    for item in file.items {
        let one = File {
            shebang: None,
            frontmatter: None,
            attrs: Vec::new(),
            items: vec![item],
        };
        let formatted = catch_unwind(AssertUnwindSafe(|| prettyplease::unparse(&one)));
        text += &formatted.unwrap_or_else(|_| one.into_token_stream().to_string() + "\n");
    }
    text
}

/// Writes a file, unless it has this content: what depends on it is not built again.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    let error = |error| Error::File {
        path: path.to_owned(),
        error,
    };
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(error)?;
    }
    std::fs::write(path, text).map_err(error)
}

/// A file on its way.
pub(crate) struct Compiler<'a> {
    path: &'a Path,
    /// The folder of the PTX, from that of the generated module.
    folder: &'a str,
    pub(crate) complaints: Vec<Complaint>,
    /// The PTX of each kernel, by the name of its file.
    modules: Vec<(String, String)>,
    /// The kernels, where a tool looks at them: they are lowered and go no further.
    pub(crate) inspected: Option<Vec<Inspected>>,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(path: &'a Path, folder: &'a str) -> Self {
        Compiler {
            path,
            folder,
            complaints: Vec::new(),
            modules: Vec::new(),
            inspected: None,
        }
    }

    /// One that keeps the kernels in [`inspected`](Compiler::inspected).
    pub(crate) fn inspecting(path: &'a Path) -> Self {
        Compiler {
            inspected: Some(Vec::new()),
            ..Compiler::new(path, "")
        }
    }

    pub(crate) fn file(&mut self, text: &str) -> File {
        let empty = File {
            shebang: None,
            frontmatter: None,
            attrs: Vec::new(),
            items: Vec::new(),
        };
        if let Some(error) = text.parse().ok().and_then(|tokens| errors::too_deep(&tokens)) {
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
                    Ok(tokens) if fault.starts_with("unexpected end") => {
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
        let file = File {
            items: generic_kernels::instanced(file.items),
            ..file
        };
        let names = Names::of_file(&self.path.to_string_lossy(), &file);
        let items = self.items(file.items, &names, "");
        File { items, ..empty }
    }

    /// The items of a module, with launchers in the place of kernels. `names` are those that it
    /// sees, and `prefix` names the modules around it.
    fn items(&mut self, items: Vec<Item>, names: &Names, prefix: &str) -> Vec<Item> {
        let mut done = Vec::new();
        for item in items {
            match item {
                Item::Fn(mut function) => {
                    if let Some(at) = function.attrs.iter().position(is_kernel) {
                        done.extend(self.kernel(function, at, names, prefix));
                    } else if let Some(at) = function.attrs.iter().position(is_device) {
                        function.attrs.remove(at);
                        let name = function.sig.ident.span();
                        done.extend(self.device(Item::Fn(function), name, names));
                    } else {
                        done.push(Item::Fn(function));
                    }
                }
                Item::Struct(ref it) if it.attrs.iter().any(is_device) => done.extend(self.definition(item, names)),
                Item::Enum(ref it) if it.attrs.iter().any(is_device) => done.extend(self.definition(item, names)),
                Item::Type(ref it) if it.attrs.iter().any(is_device) => done.extend(self.definition(item, names)),
                Item::Static(ref it) if it.attrs.iter().any(attributes::is_constant) => {
                    done.extend(self.constant(it.clone(), names));
                }
                Item::Const(mut constant) => match constant.attrs.iter().position(is_device) {
                    Some(at) => {
                        constant.attrs.remove(at);
                        let name = constant.ident.span();
                        done.extend(self.device(Item::Const(constant), name, names));
                    }
                    None => done.push(Item::Const(constant)),
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
                    done.push(Item::Mod(inner));
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
                other => done.push(other),
            }
        }
        done
    }

    fn kernel(&mut self, mut function: ItemFn, attribute: usize, names: &Names, prefix: &str) -> Vec<Item> {
        let options = match function.attrs.remove(attribute).meta {
            syn::Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        if self.inspected.is_some() {
            self.inspect(options, function, names, prefix);
            return Vec::new();
        }
        let name = format!("{prefix}{}.ptx", function.sig.ident);
        let path = format!("{}/{name}", self.folder);
        let name_span = function.sig.ident.span();
        let embedding = Embedding::Expression(quote!(include_str!(#path)));
        let tokens = match expand::kernel::kernel(options, function.into_token_stream(), names, embedding) {
            Ok(kernel) => {
                self.modules.push((name, kernel.ptx));
                kernel.tokens
            }
            // Types that do not agree: rustc will say so when it compiles the crate.
            Err(rejected) if rejected.errors.is_empty() => generate::stub(&rejected),
            Err(rejected) => {
                rejected.errors.iter().flatten().for_each(|error| self.complain(&error));
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
            Ok(lowered) => self.inspected.get_or_insert_default().push(Inspected {
                name: format!("{prefix}{ident}"),
                lowered,
                time: started.elapsed(),
            }),
            Err(rejected) if rejected.errors.is_empty() => {
                let fault = format!("the types in `{ident}` do not agree");
                let error = syn::Error::new(ident.span(), format!("{fault}; `cargo check` says where"));
                self.complain(&error);
            }
            Err(rejected) => rejected.errors.iter().flatten().for_each(|error| self.complain(&error)),
        }
    }

    /// A device item, and what rustc checks of it.
    fn device(&mut self, item: Item, name: Span, names: &Names) -> Vec<Item> {
        let (checked, rejected) = expand::device_item::checked(&mut item.clone(), item.to_token_stream(), names);
        let errors = rejected.iter().flat_map(|rejected| &rejected.errors);
        errors.for_each(|error| self.complain(error));
        let mut tokens = generate::device::lints();
        tokens.extend([item.to_token_stream(), checked]);
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
        let errors = rejected.iter().flat_map(|rejected| &rejected.errors);
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
        checked.errors.iter().flatten().for_each(|error| self.complain(&error));
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
                rejected.errors.iter().flatten().for_each(|error| self.complain(&error));
                Vec::new()
            }
        }
    }

    fn parsed(&mut self, tokens: TokenStream, name_span: Span) -> Vec<Item> {
        match syn::parse2::<File>(tokens) {
            Ok(file) => file.items.into_iter().map(quiet).collect(),
            Err(error) => {
                self.complain(&internal(name_span, error));
                Vec::new()
            }
        }
    }

    fn complain(&mut self, error: &syn::Error) {
        let start = error.span().start();
        let complaint = Complaint {
            file: self.path.to_owned(),
            line: start.line,
            column: start.column + 1,
            message: error.to_string(),
        };
        // A faulty type is found in its definition and in each kernel that uses it.
        if !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }
}

/// Silences lints in an anonymous constant: as text, its code is the crate's own.
fn quiet(mut item: Item) -> Item {
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
    item
}

#[cfg(test)]
mod tests;
