//! Scans the text before an attribute to determine if it is in an `impl` or a `trait`.
//!
//! The launcher of a kernel is a struct, which an `impl` or `trait` cannot contain: rustc would
//! report a struct that the user has not written. The tokens do not show the context, so an
//! indented attribute reads its file.

use proc_macro2::Span;

/// The text of the file in which a span lies, if it can be read.
fn source(span: Span) -> Option<String> {
    std::fs::read_to_string(span.local_file()?).ok()
}

/// True if the attribute at `span` is directly in an `impl` or a `trait`. `false` if the source
/// cannot be read.
pub(crate) fn in_impl(span: Span) -> bool {
    let start = span.start();
    // Items at the top level of a file are not indented.
    if start.column == 0 {
        return false;
    }
    let Some(source) = source(span) else {
        return false;
    };
    let lines: usize = source
        .split_inclusive('\n')
        .take(start.line.saturating_sub(1))
        .map(str::len)
        .sum();
    let line: usize = source[lines..].chars().take(start.column).map(char::len_utf8).sum();
    innermost_is_impl(&source[..lines + line])
}

/// True if the innermost brace that is open at the end of `source` is that of an `impl` or a `trait`.
pub(crate) fn innermost_is_impl(source: &str) -> bool {
    let mut braces = Vec::new();
    let mut rest = source;
    // True if an item may begin here; true if the next brace is that of an `impl`.
    let (mut item, mut header) = (true, false);
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let length = token(rest);
        match &rest[..length] {
            comment if comment.starts_with("//") || comment.starts_with("/*") => {}
            "{" => {
                braces.push(std::mem::take(&mut header));
                item = true;
            }
            "}" => {
                braces.pop();
                item = true;
            }
            ";" => (item, header) = (true, false),
            "]" => item = true,
            "impl" if item => (item, header) = (false, true),
            "trait" => (item, header) = (false, true),
            "pub" | "unsafe" | "default" => {}
            _ => item = false,
        }
        rest = &rest[length..];
    }
    braces.last().copied().unwrap_or(false)
}

/// The length of the token or comment at the start of `rest`, in bytes. Punctuation comes one
/// character at a time.
fn token(rest: &str) -> usize {
    let after = |skip: usize, end: &str| rest[skip..].find(end).map_or(rest.len(), |at| skip + at + end.len());
    if rest.starts_with("//") {
        return after(2, "\n");
    }
    if rest.starts_with("/*") {
        return block_comment(rest);
    }
    let word: usize = rest
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .map(char::len_utf8)
        .sum();
    let (prefix, literal) = rest.split_at(word);
    match (prefix, literal.chars().next()) {
        ("" | "b" | "c", Some('"')) => word + quoted(literal, '"'),
        ("r" | "br" | "cr", Some('"' | '#')) => {
            let hashes = literal.len() - literal.trim_start_matches('#').len();
            match literal[hashes..].starts_with('"') {
                true => after(word + hashes + 1, &format!("\"{}", "#".repeat(hashes))),
                // `r#name`.
                false => word + hashes,
            }
        }
        ("" | "b", Some('\'')) => word + character(literal),
        ("", Some(other)) => other.len_utf8(),
        _ => word,
    }
}

/// The length of a literal between quotes.
fn quoted(literal: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in literal.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote {
            return at + quote.len_utf8();
        }
    }
    literal.len()
}

/// The length of a character, or of the quote of a lifetime.
fn character(literal: &str) -> usize {
    let mut letters = literal.chars().skip(1);
    match (letters.next(), letters.next()) {
        (Some('\\'), _) | (Some(_), Some('\'')) => quoted(literal, '\''),
        _ => 1,
    }
}

/// The length of a comment with those inside it.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests;
