//! Diagnostics: `refused.txt` has one source after each `>` and its diagnostics.
//!
//! A line is the body of a kernel with the parameters `x: &[f32], y: &mut [f32], n: u32, c:
//! &[AtomicU32]`; after `!` it is the whole function, with the options before `§`, if any.
//! `VYRE_BLESS=1` rewrites the diagnostics.

use std::fmt::Write;

use crate::support::kernel_with;

const PATH: &str = "tests/front/refused.txt";

fn said(line: &str) -> String {
    let (options, source) = match line.strip_prefix('!') {
        Some(whole) => whole.split_once('§').unwrap_or(("", whole)),
        None => ("", line),
    };
    let inside = format!("fn k(x: &[f32], y: &mut [f32], n: u32, c: &[AtomicU32]) {{\n{source}\n}}");
    let source = if line.starts_with('!') { source } else { &inside };
    let mut said = String::new();
    match kernel_with(options, source) {
        Ok(_) => said.push_str("    accepted\n"),
        Err(rejected) if rejected.diagnostics().next().is_none() => said.push_str("    left to rustc\n"),
        Err(rejected) => {
            for error in rejected.diagnostics() {
                let (start, end) = (error.span().start(), error.span().end());
                let message = error.to_string().replace("\nhelp: ", "\n        help: ");
                writeln!(said, "    {}-{}: {message}", start.column + 1, end.column + 1).expect("writes to memory");
            }
            if !rejected.checked.is_empty() {
                said.push_str("    rustc checks it too\n");
            }
        }
    }
    said
}

#[test]
fn refused() {
    let text = std::fs::read_to_string(PATH)
        .expect("the table is there")
        .replace("\r\n", "\n");
    let mut now = String::new();
    for line in text.lines() {
        match line.strip_prefix("> ") {
            Some(source) => write!(now, "{line}\n{}", said(source)).expect("writes to memory"),
            None if line.starts_with('#') || line.is_empty() => writeln!(now, "{line}").expect("writes to memory"),
            None => {}
        }
    }
    if std::env::var_os("VYRE_BLESS").is_some() {
        std::fs::write(PATH, &now).expect("the table can be written");
    } else {
        let blocks = |text: &str| -> Vec<String> { text.split("> ").map(str::to_owned).collect() };
        for (expected, found) in blocks(&text).iter().zip(blocks(&now)) {
            assert!(
                *expected == found,
                "expected {expected}found {found}VYRE_BLESS=1 accepts the change"
            );
        }
        assert_eq!(text.len(), now.len(), "VYRE_BLESS=1 accepts the change");
    }
}

#[cfg(feature = "half")]
#[test]
fn methods_that_halves_lack() {
    for name in ["rem_euclid", "div_euclid"] {
        let said = said(&format!(
            "!fn k(x: &[bf16], y: &mut [bf16]) {{ y[0] = x[0].{name}(x[1]); }}"
        ));
        let fault = format!("V0706: in a kernel `bf16` has no method `{name}`");
        let help = format!("help: compute it in `f32`: `bf16::from_f32(x.to_f32().{name}(..))`");
        assert!(said.contains(&fault) && said.contains(&help), "{said}");
    }
}
