//! The options of `#[vyre::kernel(..)]`.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, MacroDelimiter, MetaList, Token};
use vyre_abi::list;

use vyre_ir::ir::{Kernel, MAX_CLUSTER_BLOCKS, MAX_RESIDENT_BLOCKS, MAX_RESIDENT_THREADS};

use crate::errors::Note;
use crate::errors::{Code, Errors, diagnostic, nearest};

/// The names of all options, with how they are written.
const KNOWN: [(&str, &str); 8] = [
    ("block", "block = 256` or `block = [32, 8]"),
    ("cluster", "cluster = 2` or `cluster = [2, 2]"),
    ("min_blocks", "min_blocks = 2"),
    ("launcher", "launcher = Name"),
    ("contract", "contract"),
    ("fast_math", "fast_math"),
    ("deny", "deny(races, bounds_checks)"),
    ("allow", "allow(races)"),
];

/// The options of a kernel's attribute.
#[derive(Default)]
pub(crate) struct Options {
    /// `block = ..`: one extent for each axis.
    pub(crate) block: Option<Vec<u32>>,
    /// The span of its value.
    pub(crate) block_span: Option<Span>,
    /// Where its extents are written, if there are several.
    pub(crate) axes: Option<Span>,
    /// Its extents that are constants, by axis; they are 1 until reading knows their values.
    pub(crate) constants: Vec<(usize, Expr)>,
    /// `cluster = ..`: one extent per axis, and its span.
    pub(crate) cluster: Option<(Vec<u32>, Span)>,
    /// `min_blocks = 2`, and its span.
    pub(crate) min_blocks: Option<(u32, Span)>,
    /// `launcher = Name`.
    pub(crate) launcher: Option<Ident>,
    /// `contract`: products fuse with sums.
    pub(crate) contract: bool,
    /// `fast_math`: the same, and approximations in place of accurate operations and functions.
    pub(crate) fast_math: bool,
    /// `deny(bounds_checks)`.
    pub(crate) denies_bounds_checks: bool,
    /// `deny(races)`.
    pub(crate) denies_races: bool,
    /// `allow(races)`.
    pub(crate) allows_races: bool,
    /// Options that are none of these, which may be meant for generic parameters.
    pub(crate) unknown: Vec<(Ident, Option<Expr>)>,
}

/// An option as it is written.
pub(crate) struct Setting {
    pub(crate) name: Ident,
    /// `None` where something else than `= value` follows the name.
    pub(crate) value: Option<Expr>,
    /// What else follows it.
    pub(crate) rest: TokenStream,
}

impl syn::parse::Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.call(Ident::parse_any)?;
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            let value = Some(input.parse()?);
            let rest = TokenStream::new();
            return Ok(Setting { name, value, rest });
        }
        let mut rest = Vec::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            rest.push(input.parse::<proc_macro2::TokenTree>()?);
        }
        Ok(Setting {
            name,
            value: None,
            rest: rest.into_iter().collect(),
        })
    }
}

const NAMELESS: &str = "an option begins with its name";

/// Reads the options; what is wrong with them goes to `errors`.
pub(crate) fn options(tokens: TokenStream, errors: &mut Errors) -> Options {
    let mut options = Options::default();
    let Some(last) = tokens.clone().into_iter().last() else {
        return options;
    };
    // A missing token at the end is reported after the last token.
    let list = MetaList {
        path: Ident::new("kernel", last.span()).into(),
        delimiter: MacroDelimiter::Paren(syn::token::Paren(last.span())),
        tokens,
    };
    let settings = match list.parse_args_with(Punctuated::<Setting, Token![,]>::parse_terminated) {
        Ok(settings) => settings,
        Err(error) => {
            let (fault, help) = match list.tokens.clone().into_iter().next() {
                // `kernel(256)`, `kernel([32, 8])`
                Some(first @ (TokenTree::Literal(_) | TokenTree::Group(_))) => {
                    // Outside of rustc tokens are printed with a space before a comma.
                    let help = format!("write `block = {first}`").replace(" ,", ",");
                    options.block = syn::parse2(first.into()).ok().and_then(|value| instead(&value));
                    (NAMELESS.to_owned(), help)
                }
                _ => (format!("cannot read these options: {error}"), known()),
            };
            errors.refuse(Code::UnreadableOptions, error.span(), fault, help);
            return options;
        }
    };
    let mut seen: Vec<String> = Vec::new();
    for Setting { name, value, rest } in settings {
        let text = name.to_string();
        if seen.contains(&text) {
            errors.refuse(
                Code::RepeatedOption,
                name.span(),
                format_args!("`{text}` is given twice"),
                "leave one of them out",
            );
            continue;
        }
        match (text.as_str(), &value) {
            ("block", Some(value)) => {
                if let Expr::Array(array) = plain(value)
                    && array.elems.len() > 1
                {
                    options.axes = Some(array.bracket_token.span.join());
                }
                options.block = block(value, &mut options.constants, errors);
                options.block_span = Some(span_of(value));
            }
            ("cluster", Some(value)) => options.cluster = Some(cluster(value, errors)),
            ("min_blocks", Some(value)) => options.min_blocks = min_blocks(value, errors),
            ("launcher", Some(value)) => options.launcher = launcher(value, errors),
            ("contract", _) => options.contract = is_set(&name, value.as_ref(), &rest, errors),
            ("fast_math", _) => options.fast_math = is_set(&name, value.as_ref(), &rest, errors),
            ("deny", None) if !rest.is_empty() => {
                let listed = listed(&text, &["races", "bounds_checks"], rest, errors);
                [options.denies_races, options.denies_bounds_checks] = [listed[0], listed[1]];
            }
            ("allow", None) if !rest.is_empty() => options.allows_races = listed(&text, &["races"], rest, errors)[0],
            ("block" | "cluster" | "min_blocks" | "launcher", None) | ("deny" | "allow", _) => {
                let known = KNOWN.iter().find(|(name, _)| *name == text);
                let form = known.map_or("", |(_, form)| form);
                errors.refuse(
                    Code::OptionWithoutValue,
                    name.span(),
                    format_args!(
                        "the option `{text}` takes a {}",
                        if matches!(&*text, "deny" | "allow") {
                            "list"
                        } else {
                            "value"
                        }
                    ),
                    format_args!("write `{form}`"),
                );
            }
            _ => options.unknown.push((name, value)),
        }
        seen.push(text);
    }
    options
}

/// Options of other libraries, and what takes their place.
const OF_OTHERS: [(&[&str], &str); 5] = [
    (
        &["grid", "blocks", "grid_size", "grid_dim"],
        "the launch says it: `.grid(64)`, or `.over(n)` for at least so many threads",
    ),
    (
        &["block_size", "block_dim", "threads", "num_threads"],
        "write `block = 256`",
    ),
    (
        &["workgroup_size", "local_size", "reqd_work_group_size"],
        "write `block = 64`, or `block = [8, 8]`",
    ),
    (
        &["launch", "launch_unchecked"],
        "leave it out: the function prepares a launch, `scale(2.0, &mut y).over(n).launch(&device)`",
    ),
    (
        &["shared", "shared_mem", "shared_memory"],
        "leave it out: `let tile = shared::<[f32; 256]>();` in the body says it",
    ),
];

/// Refuses an option that neither the attribute nor the kernel knows.
pub(crate) fn refuse_unknown(name: &Ident, errors: &mut Errors) {
    let text = name.to_string();
    let other = OF_OTHERS.iter().find(|(names, _)| names.contains(&&*text));
    let help = match (other, nearest(&text, &KNOWN.map(|(name, _)| name))) {
        (Some((_, help)), _) => (*help).to_owned(),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => known(),
    };
    let fault = format!("unknown option `{name}`");
    errors.refuse(Code::UnknownOption, name.span(), fault, help);
}

fn known() -> String {
    let known: Vec<_> = list::map(&KNOWN, |(_, form)| format!("`{form}`"));
    format!(
        "the options are {}, and of a generic kernel its parameters, `T = [f32, f64]`",
        known.join(", ")
    )
}

fn launcher(value: &Expr, errors: &mut Errors) -> Option<Ident> {
    if let Expr::Path(path) = value
        && let Some(name) = path.path.get_ident()
        // `Self` and `super` are paths, and no names.
        && syn::parse2::<Ident>(name.to_token_stream()).is_ok()
    {
        return Some(name.clone());
    }
    errors.refuse_all(
        Code::LauncherName,
        value,
        "the launcher's name is one identifier",
        "write `launcher = Name`",
    );
    None
}

/// An option that is written alone, or with a `bool`, for which a generic kernel has a parameter.
fn is_set(name: &Ident, value: Option<&Expr>, rest: &TokenStream, errors: &mut Errors) -> bool {
    match value.map(plain) {
        None if rest.is_empty() => return true,
        Some(Expr::Lit(ExprLit {
            lit: Lit::Bool(set), ..
        })) => return set.value,
        _ => errors.refuse(
            Code::OptionWithValue,
            name.span(),
            format_args!("the option `{name}` is set by its name, by `true`, or by a parameter"),
            format_args!(
                "write `{name}` alone; to have both, write `FUSE = [false, true], {name} = FUSE` and the parameter \
                 `const FUSE: bool`"
            ),
        ),
    }
    false
}

/// For each name that `deny(..)` or `allow(..)` takes, true if its parentheses hold it.
fn listed(option: &str, names: &[&str], list: TokenStream, errors: &mut Errors) -> Vec<bool> {
    let mut listed = vec![false; names.len()];
    let at = list.clone();
    let written = match &list.into_iter().collect::<Vec<_>>()[..] {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => {
            Punctuated::<Ident, Token![,]>::parse_terminated
                .parse2(group.stream())
                .ok()
        }
        _ => None,
    };
    let Some(written) = written.filter(|written| !written.is_empty()) else {
        errors.refuse_all(
            Code::UnreadableOptions,
            &at,
            format_args!("`{option}` takes names in parentheses"),
            format_args!("write `{option}({})`", names.join(", ")),
        );
        return listed;
    };
    for name in written {
        let text = name.to_string();
        if let Some(number) = names.iter().position(|known| *known == text) {
            listed[number] = true;
            continue;
        }
        // `rac`, as it is typed
        let begins = |known: &&str| text.len() > 1 && known.starts_with(&text);
        let near = nearest(&text, names).or_else(|| names.iter().copied().find(begins));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "`{option}` takes {}",
                list::map(names, |name| format!("`{name}`")).join(", ")
            ),
        };
        errors.refuse(
            Code::UnknownOption,
            name.span(),
            format_args!("vyre cannot {option} `{text}`"),
            help,
        );
    }
    listed
}

fn block(value: &Expr, constants: &mut Vec<(usize, Expr)>, errors: &mut Errors) -> Option<Vec<u32>> {
    let Some((read, extents)) = BLOCK.extents(value, constants, errors) else {
        return instead(value);
    };
    let along_z = extents.get(2).map_or_else(|| span_of(value), |z| span_of(z));
    match fits(&read, value, along_z, errors) {
        true => Some(read),
        false => instead(value),
    }
}

/// The error of options that are a value, `#[vyre::kernel = 256]`, for builds in which rustc finds none. It refuses the form.
pub(crate) fn value(options: &TokenStream) -> Option<Note> {
    let Some(TokenTree::Literal(value)) = options.clone().into_iter().next() else {
        return None;
    };
    let attribute = Span::call_site().source_text()?;
    let end = attribute.find(|c: char| !c.is_alphanumeric() && !"#[_: ".contains(c))?;
    let help = format!("write `(block = {value})`");
    let note = || Note::late(diagnostic(Code::UnreadableOptions, value.span(), NAMELESS, help));
    attribute[end..].starts_with('=').then(note)
}

/// The extents that stand for refused ones: one warp of as many axes as are written, by which launches are not blamed for
/// theirs. A number says nothing of the axes.
fn instead(value: &Expr) -> Option<Vec<u32>> {
    let written = match plain(value) {
        Expr::Array(array) => array.elems.len(),
        Expr::Tuple(tuple) => tuple.elems.len(),
        _ => return None,
    };
    let warp = [32, 1, 1].get(..written)?;
    (!warp.is_empty()).then(|| warp.to_vec())
}

/// Refuses blocks that no GPU runs.
fn fits(extents: &[u32], at: &Expr, along_z: Span, errors: &mut Errors) -> bool {
    let total = extents
        .iter()
        .map(|&extent| u64::from(extent))
        .fold(1, u64::saturating_mul);
    if total > 1024 {
        errors.refuse_all(
            Code::BlockSize,
            at,
            format_args!("a block of {total} threads: a GPU runs at most 1024"),
            "make the block smaller and launch more of them",
        );
        return false;
    }
    if let [_, _, z] = extents[..]
        && z > 64
    {
        errors.refuse(
            Code::BlockSize,
            along_z,
            format_args!("a block of {z} threads along z: a GPU runs at most 64"),
            "use the x or y axis for the long extent",
        );
        return false;
    }
    true
}

impl Options {
    /// Puts the value of a constant in its place among the extents of the block.
    pub(crate) fn set_extent(&mut self, axis: usize, value: u64, at: &Expr, errors: &mut Errors) {
        if value == 0 {
            errors.refuse_all(
                Code::BlockSize,
                at,
                "a block has at least one thread along each axis",
                "take a constant of 1 or more",
            );
            return;
        }
        if let Some(block) = &mut self.block {
            block[axis] = u32::try_from(value).unwrap_or(u32::MAX);
            if !fits(block, at, span_of(at), errors) {
                block[axis] = 1;
            }
        }
    }
}

/// The extents of a cluster. Those that cannot be are 1, so that the body is not blamed for having none.
fn cluster(value: &Expr, errors: &mut Errors) -> (Vec<u32>, Span) {
    let span = span_of(value);
    let Some((read, _)) = CLUSTER.extents(value, &mut Vec::new(), errors) else {
        return (vec![1], span);
    };
    let total: u64 = read.iter().map(|&extent| u64::from(extent)).product();
    if total > MAX_CLUSTER_BLOCKS.into() {
        errors.refuse_all(
            Code::ClusterSize,
            value,
            format_args!("a cluster of {total} blocks: GPUs run at most {MAX_CLUSTER_BLOCKS} together"),
            "make the cluster smaller, and split its work among several",
        );
        return (vec![1], span);
    }
    (read, span)
}

/// The blocks that shall be resident at once.
fn min_blocks(value: &Expr, errors: &mut Errors) -> Option<(u32, Span)> {
    let Expr::Lit(ExprLit {
        lit: Lit::Int(literal), ..
    }) = plain(value)
    else {
        errors.refuse_all(
            Code::BlockExtents,
            value,
            "`min_blocks` is an integer literal",
            "write `min_blocks = 2`",
        );
        return None;
    };
    let blocks = literal.base10_parse().unwrap_or(u32::MAX);
    if (1..=MAX_RESIDENT_BLOCKS).contains(&blocks) {
        return Some((blocks, literal.span()));
    }
    errors.refuse(
        Code::BlockSize,
        literal.span(),
        format_args!("a multiprocessor runs 1 to {MAX_RESIDENT_BLOCKS} blocks at once"),
        format_args!("write a number from 1 to {MAX_RESIDENT_BLOCKS}, or leave `min_blocks` out"),
    );
    None
}

impl Options {
    /// The blocks of this many threads that shall be resident at once.
    pub(crate) fn resident(&self, threads: u64, errors: &mut Errors) -> Option<u32> {
        let (blocks, span) = self.min_blocks?;
        if Kernel::can_be_resident(blocks, threads) {
            return Some(blocks);
        }
        errors.refuse(
            Code::BlockSize,
            span,
            format_args!("{blocks} blocks of {threads} threads: a multiprocessor runs at most {MAX_RESIDENT_THREADS} threads at once"),
            "lower `min_blocks`, or make the block smaller",
        );
        None
    }
}

/// An option with extents.
struct Shape {
    name: &'static str,
    /// The unit of its extents.
    part: &'static str,
    /// The code of extents that it cannot have.
    size: Code,
    /// The syntax of its extents.
    help: &'static str,
    most: &'static str,
    /// True if they may be constants.
    of_constants: bool,
}

const BLOCK: Shape = Shape {
    name: "block",
    part: "thread",
    size: Code::BlockSize,
    help: "write `block = 256`, `block = [32, 8]` or `block = [8, 8, 4]`",
    most: "a block has at most 1024 threads",
    of_constants: true,
};

const CLUSTER: Shape = Shape {
    name: "cluster",
    part: "block",
    size: Code::ClusterSize,
    help: "write `cluster = 2`, `cluster = [2, 2]` or `cluster = [2, 2, 2]`",
    most: "a cluster has at most 8 blocks",
    of_constants: false,
};

impl Shape {
    /// One to three extents, and their spans.
    fn extents<'v>(
        &self,
        value: &'v Expr,
        constants: &mut Vec<(usize, Expr)>,
        errors: &mut Errors,
    ) -> Option<(Vec<u32>, Vec<&'v Expr>)> {
        let extents: Vec<&Expr> = match plain(value) {
            Expr::Array(array) => array.elems.iter().collect(),
            other => vec![other],
        };
        if !(1..=3).contains(&extents.len()) {
            errors.refuse_all(
                Code::BlockExtents,
                value,
                format_args!("a {} has 1 to 3 extents, not {}", self.name, extents.len()),
                self.help,
            );
            return None;
        }
        let mut read = Vec::with_capacity(extents.len());
        for (axis, extent) in extents.iter().enumerate() {
            match plain(extent) {
                path @ Expr::Path(_) if self.of_constants => {
                    constants.push((axis, path.clone()));
                    read.push(1);
                }
                extent => match self.extent(extent, errors) {
                    Some(extent) => read.push(extent),
                    None => break,
                },
            }
        }
        (read.len() == extents.len()).then_some((read, extents))
    }

    fn extent(&self, value: &Expr, errors: &mut Errors) -> Option<u32> {
        let Expr::Lit(ExprLit {
            lit: Lit::Int(literal), ..
        }) = value
        else {
            errors.refuse_all(
                Code::BlockExtents,
                value,
                match self.of_constants {
                    true => "the extents of a block are integer literals and constants".to_owned(),
                    false => format!("the extents of a {} are integer literals", self.name),
                },
                match value {
                    Expr::Tuple(_) => self.help,
                    _ if self.of_constants => "write a literal, or the path of a `#[vyre::device] const`",
                    _ => "write a literal: an attribute sees no constants",
                },
            );
            return None;
        };
        match literal.base10_parse::<u64>() {
            Ok(0) => {
                errors.refuse(
                    self.size,
                    literal.span(),
                    format_args!("a {} has at least one {} along each axis", self.name, self.part),
                    "write 1 or more",
                );
                None
            }
            Ok(extent) => Some(u32::try_from(extent).unwrap_or(u32::MAX)),
            Err(_) => {
                errors.refuse(self.size, literal.span(), "this extent is too large", self.most);
                None
            }
        }
    }
}

/// Without parentheses and the groups that macros put around a fragment.
fn plain(value: &Expr) -> &Expr {
    match value {
        Expr::Group(inner) => plain(&inner.expr),
        Expr::Paren(inner) => plain(&inner.expr),
        value => value,
    }
}

fn span_of(value: &Expr) -> Span {
    value.span()
}
