//! The program of a kernel.

use std::str::FromStr;

use proc_macro2::TokenStream;
use quote::ToTokens;
use vyre_core::ir::Program;
use vyre_front::{Names, driver};

use super::{FUTURES, Form};

/// Lowers a kernel, whose threads are made futures if that is asked for.
///
/// # Panics
/// If it is refused.
pub fn program(form: &Form, futures: bool) -> Program {
    let text = match futures {
        true => form.text.replace("//futures", FUTURES),
        false => form.text.clone(),
    };
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let kernel = file.items.last().map(ToTokens::to_token_stream).unwrap_or_default();
    let options = TokenStream::from_str(&form.options).unwrap_or_else(|error| panic!("{error}"));
    let names = Names::of_file("form.rs", &file);
    let lowered = driver::kernel(options, kernel, &names).unwrap_or_else(|rejected| {
        let said =
            |error: &vyre_front::Diagnostic| format!("{error}, `{}`", error.span().source_text().unwrap_or_default());
        let errors: Vec<String> = rejected.errors.iter().map(said).collect();
        panic!("{errors:#?}\n{text}")
    });
    lowered.program
}
