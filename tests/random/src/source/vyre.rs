//! What vyre makes of a program: lowered, and run by the interpreter and on the machine that runs PTX.

use std::str::FromStr;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Item;
use vyre_build::front::{self, Names};
use vyre_build::surface::Lowered;
use vyre_core::interp;
use vyre_test_support::case::{Case, Outcome};
use vyre_test_support::random_program::Input;

use super::Source;
use super::rustc::Found;

/// The kernel that calls the function.
const KERNEL: &str = "fn k(x: &[u64], y: &mut [u64]) { y[0] = f(x[0], x[1], x[2], x[3]); }";

/// Lowers a program.
///
/// # Errors
/// Why it is refused.
pub fn lower(source: &Source) -> Result<Lowered, String> {
    let text = format!("{}{KERNEL}", source.text);
    let file = syn::parse_file(&text).map_err(|error| error.to_string())?;
    let kernel = file.items.last().map(ToTokens::to_token_stream).unwrap_or_default();
    let options = TokenStream::from_str("block = 1").map_err(|error| error.to_string())?;
    let names = Names::of_file("source.rs", &file);
    front::kernel(options, kernel, &names).map_err(|mut rejected| {
        // What is wrong with a function is said where it stands.
        for item in &file.items {
            if let Item::Fn(function) = item
                && let Err(inside) = front::device(function.to_token_stream(), &names)
            {
                rejected.errors.extend(inside.errors);
            }
        }
        let said = |error: &syn::Error| format!("{error}, `{}`", error.span().source_text().unwrap_or_default());
        let errors: Vec<String> = rejected.errors.iter().map(said).collect();
        match errors.is_empty() {
            true => "left to rustc".to_owned(),
            false => errors.join("; "),
        }
    })
}

/// What a program gives for inputs, in the interpreter and on the machine.
///
/// # Errors
/// What is not defined, or does not end.
///
/// # Panics
/// If the front end makes a program that is not valid.
pub fn run(lowered: &Lowered, inputs: &[[u64; 4]]) -> Result<[Vec<Found>; 2], String> {
    let mut case = Case {
        program: lowered.program.clone(),
        kernel: lowered.kernel,
        grid: [1; 3],
        inputs: Vec::new(),
    };
    let module = case.compile();
    let mut all = [Vec::new(), Vec::new()];
    for input in inputs {
        let bytes = input.iter().flat_map(|word| word.to_le_bytes()).collect();
        case.inputs = vec![Input::Slice(bytes), Input::Slice(vec![0; 8])];
        let expected = case.interpret(0).map_err(|error| match error {
            interp::Error::StepLimit => "it does not end".to_owned(),
            other => other.to_string(),
        })?;
        all[0].push(result(expected));
        all[1].push(result(case.on_machine(&module, 0)?));
    }
    Ok(all)
}

fn result(outcome: Outcome) -> Found {
    match outcome.ok()?.pop()? {
        Input::Slice(bytes) => Some(u64::from_le_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}
