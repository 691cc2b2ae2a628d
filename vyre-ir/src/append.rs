//! Appending to strings. Macros run unoptimised, where `push_str` takes as long as six single
//! characters, and `write!` much longer.

/// Appends a text.
pub fn push(out: &mut String, text: &str) {
    match *text.as_bytes() {
        [] => {}
        [a @ ..=127] => out.push(char::from(a)),
        [a @ ..=127, b @ ..=127] => {
            out.push(char::from(a));
            out.push(char::from(b));
        }
        [a @ ..=127, b @ ..=127, c @ ..=127] => {
            out.push(char::from(a));
            out.push(char::from(b));
            out.push(char::from(c));
        }
        _ => out.push_str(text),
    }
}

/// Appends a number in decimal.
pub fn decimal(out: &mut String, number: u64) {
    if number >= 10 {
        decimal(out, number / 10);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

#[cfg(test)]
mod tests;
