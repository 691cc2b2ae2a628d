//! The tokens and comments of a text, which may be no Rust.

/// The length of the token or comment at the start of `rest`, in bytes. Punctuation comes one
/// character at a time.
pub(super) fn token(rest: &str) -> usize {
    let after = |skip: usize, end: &str| rest[skip..].find(end).map_or(rest.len(), |at| skip + at + end.len());
    if rest.starts_with("//") {
        return after(2, "\n");
    }
    if rest.starts_with("/*") {
        return block_comment(rest);
    }
    let word = rest.find(is_no_part).unwrap_or(rest.len());
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

/// True of the characters of words.
pub(super) fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// True of the characters between words.
pub(super) fn is_no_part(c: char) -> bool {
    !is_part(c)
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
