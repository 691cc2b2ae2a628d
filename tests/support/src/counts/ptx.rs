//! Counts of PTX text.

use std::collections::BTreeMap;

/// Counts of one entry.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) instructions: u64,
    pub(super) cold: u64,
    pub(super) checks: u64,
    pub(super) sites: u64,
    /// The number of accesses of each kind, by name and bits: `ld.global.nc`, 32.
    pub(super) accesses: BTreeMap<(String, u32), u64>,
}

/// The entries of a module, by name.
pub(super) fn count(ptx: &str) -> Vec<(&str, Counts)> {
    let mut entries: Vec<(&str, Counts)> = Vec::new();
    let (mut in_body, mut is_cold) = (false, false);
    for line in ptx.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if let Some((_, rest)) = line.split_once(".entry ") {
            let name = rest.split('(').next().unwrap_or_default().trim();
            entries.push((name, Counts::default()));
            (in_body, is_cold) = (false, false);
        } else if line == "{" && !entries.is_empty() {
            in_body = true;
        } else if in_body && let Some((_, counts)) = entries.last_mut() {
            if let Some(label) = line.strip_suffix(':') {
                is_cold |= counts.label(label);
            } else {
                for statement in line.split_inclusive(';').filter(|part| part.ends_with(';')) {
                    counts.statement(statement.trim_start_matches(['{', '}', ' ']), is_cold);
                }
            }
        }
    }
    entries
}

impl Counts {
    /// Counts a label; true if the cold path begins there.
    fn label(&mut self, label: &str) -> bool {
        let Some(number) = label.strip_prefix("CHECK") else {
            return false;
        };
        self.sites += 1;
        // Further guards of a check have a suffix of `_` and a number.
        self.checks += u64::from(!number.contains('_'));
        true
    }

    fn statement(&mut self, statement: &str, is_cold: bool) {
        if statement.starts_with('.') {
            return;
        }
        if is_cold {
            self.cold += 1;
            return;
        }
        self.instructions += 1;
        let mut words = statement.trim_end_matches(';').split_whitespace();
        let first = words.next().unwrap_or_default();
        let mnemonic = if first.starts_with('@') {
            words.next()
        } else {
            Some(first)
        };
        if let Some(access) = access(mnemonic.unwrap_or_default(), statement) {
            *self.accesses.entry(access).or_default() += 1;
        }
    }
}

/// The kind of an access and its width in bits. Copies whose length is in a register have width 0.
fn access(mnemonic: &str, statement: &str) -> Option<(String, u32)> {
    let parts: Vec<&str> = mnemonic.split('.').collect();
    let has = |part: &str| parts.contains(&part);
    let operation = *parts.first()?;
    match operation {
        "cp" if has("bulk") && !has("commit_group") && !has("wait_group") => return Some(("cp.async.bulk".into(), 0)),
        "cp" if has("shared") || has("shared::cta") => {
            let bytes = statement.split(',').nth(2)?.trim_end_matches(';').trim();
            return Some(("cp.async".into(), 8 * bytes.parse::<u32>().unwrap_or(0)));
        }
        "ldmatrix" | "stmatrix" => {
            let matrices = ["x1", "x2", "x4"].iter().position(|count| has(count))?;
            return Some((operation.into(), 32 << matrices));
        }
        "ld" | "st" | "atom" | "red" if !has("param") => {}
        _ => return None,
    }
    let space = ["global", "shared", "shared::cta", "shared::cluster", "local", "const"]
        .into_iter()
        .find(|space| has(space));
    let cached = if has("nc") { ".nc" } else { "" };
    let name = format!("{operation}.{}{cached}", space.unwrap_or("generic"));
    let scalar: u32 = parts
        .last()?
        .trim_start_matches(|letter: char| !letter.is_ascii_digit())
        .split('x')
        .next()?
        .parse()
        .ok()?;
    let lanes = if has("v4") {
        4
    } else if has("v2") {
        2
    } else {
        1
    };
    Some((name, scalar * lanes))
}
