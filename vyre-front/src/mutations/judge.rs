//! The checks of a mutation.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use proc_macro2::{LineColumn, TokenStream};
use quote::ToTokens;
use syn::{File, Item};
use vyre_core::{text, validate};

use super::corpus::Unit;
use crate::driver;
use crate::errors::{Code, Diagnostic, Rejected, look};
use crate::file::{FileReader, printed};
use crate::generate::{self, Embedding};
use crate::resolve::names::Names;
use crate::surface::Lowered;
use crate::tests::compiled;

pub(super) const ACCEPTED: &str = "accepted";
pub(super) const REFUSED: &str = "refused";
pub(super) const LEFT: &str = "left to rustc";
const WAITING: &str = "waiting for items";
const UNREAD: &str = "no tokens";

/// Time limit of one kernel: of the processor's time where that is known, so that a busy machine does not matter.
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 2 });

/// Minimal number of tokens per error: more errors are not helpful.
const TOKENS_PER_ERROR: usize = 3;

/// The outcome of a kernel.
pub(super) struct Judged {
    pub(super) outcome: &'static str,
    pub(super) took: Duration,
    /// The findings: kind, and source with details.
    pub(super) findings: Vec<(String, String)>,
}

/// The time that this thread has run, by Linux, or else the time that has passed.
struct Clock {
    passed: Instant,
    run: Option<Duration>,
}

impl Clock {
    fn now() -> Self {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
        Clock {
            passed: Instant::now(),
            run: nanoseconds.map(Duration::from_nanos),
        }
    }

    fn elapsed(&self) -> Duration {
        match (self.run, Clock::now().run) {
            (Some(before), Some(after)) => after - before,
            _ => self.passed.elapsed(),
        }
    }
}

/// Checks a kernel: alone, as the attribute sees it, and in a file, as a build script does.
pub(super) fn judge(unit: &Unit, round: u64) -> Judged {
    // The first line is empty, so that what is said of no token is seen.
    let kernel = format!("\n{}", unit.kernel);
    let options = format!("\n{}", unit.options);
    let mut file = String::from("\n");
    for item in &unit.items {
        file += &format!("{item}\n");
    }
    file += &format!("#[vyre::kernel({options})]\n{}\n", unit.kernel);
    keep(&file, "last");
    let began = Clock::now();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut findings = Vec::new();
        let outcome = alone(&options, &kernel, &mut findings);
        let in_file = whole(&file, &mut findings);
        let (is_alone, name) = (outcome == ACCEPTED, format!("m{round}"));
        match (is_alone, in_file) {
            (true, _) => keep(&format!("#[vyre::kernel({options})]{kernel}"), &name),
            (false, ACCEPTED) => keep(&file, &name),
            (false, LEFT) => keep(&file, &format!("l{round}")),
            _ => {}
        }
        (if is_alone { outcome } else { in_file }, findings)
    }));
    let took = began.elapsed();
    let (outcome, mut findings) = result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or_default();
        ("panicked", vec![(format!("panic: {text}"), String::new())])
    });
    if took > LIMIT {
        findings.push(("slow".to_owned(), format!("{took:?}")));
    }
    let findings = findings
        .into_iter()
        .map(|(kind, text)| (kind, format!("{text}\n{file}")));
    Judged {
        outcome,
        took,
        findings: findings.collect(),
    }
}

/// Keeps a source if a folder was given.
fn keep(source: &str, name: &str) {
    if let Some(folder) = std::env::var_os("VYRE_MUTANTS") {
        let path = std::path::Path::new(&folder).join(format!("{name}.rs"));
        std::fs::write(path, source).expect("the folder for mutants can be written");
    }
}

/// The kernel alone, without its surrounding items.
fn alone(written: &str, kernel: &str, findings: &mut Vec<(String, String)>) -> &'static str {
    let (Ok(options), Ok(tokens)) = (written.parse::<TokenStream>(), kernel.parse::<TokenStream>()) else {
        return UNREAD;
    };
    // Code that rustc cannot parse does not reach an attribute; its location may be unknown.
    // Code that is nested too deeply is not parsed here either: the attribute refuses it before syn reads it.
    let is_read = look(&tokens).too_deep.is_none() && syn::parse2::<syn::ItemFn>(tokens.clone()).is_ok();
    // An error is at a token of either.
    let longest = [kernel, written]
        .into_iter()
        .max_by_key(|source| source.lines().count());
    judge_kernel(
        options,
        tokens,
        &Names::default(),
        longest.filter(|_| is_read),
        findings,
    )
}

/// The kernel among the items of its file.
fn whole(text: &str, findings: &mut Vec<(String, String)>) -> &'static str {
    let path = std::path::Path::new("mutant.rs");
    let mut compile = |_: &str, lowered: &Lowered, valid: &validate::Validated<'_>| compiled(lowered, valid);
    let mut reader = FileReader::new(path, Some(&mut compile));
    let file = reader.file(text);
    if reader.complaints.is_empty() {
        judge_print(file, findings);
    }
    let lines: Vec<&str> = text.lines().collect();
    for complaint in &reader.complaints {
        let inside = lines.get(complaint.line.wrapping_sub(1)).is_some_and(|line| {
            complaint.line > 1 && complaint.column >= 1 && complaint.column <= line.chars().count() + 1
        });
        judge_message(&complaint.message, inside, findings);
    }
    if !reader.complaints.is_empty() {
        return REFUSED;
    }
    let Ok(file) = syn::parse_file(text) else {
        return UNREAD;
    };
    let names = Names::of_file("mutant.rs", &file);
    match file.items.into_iter().next_back() {
        Some(Item::Fn(mut function)) if function.attrs.iter().any(crate::resolve::attributes::is_kernel) => {
            let at = function
                .attrs
                .iter()
                .position(crate::resolve::attributes::is_kernel)
                .unwrap_or(0);
            let options = match function.attrs.remove(at).meta {
                syn::Meta::List(list) => list.tokens,
                _ => TokenStream::new(),
            };
            // Its instances have been compiled.
            if function
                .sig
                .generics
                .params
                .iter()
                .any(|it| !matches!(it, syn::GenericParam::Lifetime(_)))
            {
                return ACCEPTED;
            }
            judge_kernel(options, function.to_token_stream(), &names, None, findings)
        }
        _ => UNREAD,
    }
}

/// The kernel with `names` in scope. `source` is its source text, if locations in it are known.
fn judge_kernel(
    options: TokenStream,
    tokens: TokenStream,
    names: &Names,
    source: Option<&str>,
    findings: &mut Vec<(String, String)>,
) -> &'static str {
    let size = tokens.to_string().split(' ').count();
    let is_rust = syn::parse2::<syn::ItemFn>(tokens.clone()).is_ok();
    match driver::kernel(options, tokens, names) {
        Ok(lowered) => judge_lowered(&lowered, source, findings),
        Err(rejected) => judge_rejected(&rejected, is_rust, size, source, findings),
    }
}

fn judge_lowered(lowered: &Lowered, source: Option<&str>, findings: &mut Vec<(String, String)>) -> &'static str {
    let program = match validate::validate(&lowered.program) {
        Ok(program) => program,
        Err(faults) => {
            if faults.iter().all(crate::errors::is_left_to_rustc) {
                return LEFT;
            }
            for fault in faults.iter().filter(|fault| !crate::errors::is_left_to_rustc(fault)) {
                let error = crate::errors::invalid(
                    fault,
                    &lowered.program,
                    crate::expand::kernel::place(lowered, fault.span),
                );
                judge_error(&error, source, findings);
            }
            return REFUSED;
        }
    };
    let printed = text::print(&lowered.program);
    match text::parse(&printed) {
        Ok(again) if text::print(&again) != printed => findings.push(("text differs".to_owned(), printed)),
        Ok(again) if validate::validate(&again).is_err() => findings.push(("text is invalid".to_owned(), printed)),
        Ok(_) => {}
        Err(error) => findings.push((format!("text is not read: {error}"), printed)),
    }
    match vyre_core::compile_for_all(&program, &Default::default()) {
        Ok(module) => {
            if !module.ptx.contains(".entry") {
                findings.push(("no PTX".to_owned(), module.ptx.clone()));
            }
            let files = Embedding::Files {
                ptx: String::new(),
                newer: None,
                cubins: None,
            };
            let tokens = generate::embedding(lowered, &program, &module, &files);
            judge_tokens(tokens, findings);
            ACCEPTED
        }
        Err(error) => {
            judge_error(
                &crate::errors::too_large(&error, lowered.surface.name.span()),
                source,
                findings,
            );
            REFUSED
        }
    }
}

/// `size` is the number of tokens, and `is_rust` is true if rustc can parse the function: otherwise
/// rustc has reported it, and no attribute was expanded.
fn judge_rejected(
    rejected: &Rejected,
    is_rust: bool,
    size: usize,
    source: Option<&str>,
    findings: &mut Vec<(String, String)>,
) -> &'static str {
    if rejected.is_waiting() {
        return WAITING;
    }
    let mut known = Vec::new();
    for error in rejected.diagnostics() {
        judge_error(error, source, findings);
        let (start, text) = (error.span().start(), error.to_string());
        let said = (start.line, start.column, text);
        if known.contains(&said) && source.is_some() {
            findings.push((format!("said twice: {}", shape(&said.2)), String::new()));
        }
        known.push(said);
    }
    if rejected.errors.len() > 10 + size / TOKENS_PER_ERROR {
        findings.push(("many errors".to_owned(), format!("{} errors", rejected.errors.len())));
    }
    if is_rust {
        judge_tokens(generate::stub(rejected), findings);
    }
    if rejected.errors.is_empty() { LEFT } else { REFUSED }
}

/// The tokens that replace a kernel are items, unless the user's own are not.
fn judge_tokens(tokens: TokenStream, findings: &mut Vec<(String, String)>) {
    match syn::parse2::<File>(tokens.clone()) {
        Ok(file) => judge_print(file, findings),
        Err(error) => findings.push((format!("no items: {error}"), tokens.to_string())),
    }
}

/// Items are printed, with a format or without, as text that is read as items, which are not more: marks are comments.
fn judge_print(file: File, findings: &mut Vec<(String, String)>) {
    let count = file.items.len();
    match catch_unwind(AssertUnwindSafe(|| printed(file.items))) {
        Ok(text) => match syn::parse_file(&text) {
            Ok(again) if again.items.len() <= count => {}
            Ok(again) => findings.push((format!("{count} items are printed as {}", again.items.len()), text)),
            Err(error) => findings.push((format!("printed and not read: {error}"), text)),
        },
        Err(_) => findings.push(("printing panics".to_owned(), String::new())),
    }
}

fn judge_error(error: &Diagnostic, source: Option<&str>, findings: &mut Vec<(String, String)>) {
    let inside = source.is_none_or(|source| {
        let (start, end) = (error.span().start(), error.span().end());
        let before = |a: LineColumn, b: LineColumn| (a.line, a.column) <= (b.line, b.column);
        let last = source.lines().count();
        start.line > 1 && before(start, end) && end.line <= last.max(2)
    });
    judge_message(&error.to_string(), inside, findings);
}

fn judge_message(message: &str, inside: bool, findings: &mut Vec<(String, String)>) {
    let bugs = [Code::Internal, Code::Disagreement].map(|code| code.to_string());
    let is_formed = message.split_once(": ").is_some_and(|(code, rest)| {
        Code::ALL.iter().any(|known| known.to_string() == code)
            && rest
                .split_once("\nhelp: ")
                .is_some_and(|(fault, help)| !fault.is_empty() && !help.trim().is_empty())
    });
    if !is_formed {
        findings.push((format!("not formed: {}", shape(message)), message.to_owned()));
    }
    if bugs.iter().any(|code| message.starts_with(code.as_str())) {
        findings.push((format!("a bug: {}", shape(message)), message.to_owned()));
    }
    if !inside {
        findings.push((format!("no place: {}", shape(message)), message.to_owned()));
    }
}

/// A message without the names in it: one kind of finding.
fn shape(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    first.split('`').step_by(2).collect::<Vec<_>>().join("`_`")
}
