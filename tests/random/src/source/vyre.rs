//! vyre's results for a program: lowered, and run by the interpreter and the PTX machine.

use std::str::FromStr;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Item;
use vyre_core::interp;
use vyre_core::ir::{Constant, Scalar};
use vyre_front::surface::Lowered;
use vyre_front::{Diagnostic, Names, driver};
use vyre_test_support::case::{Case, Outcome};
use vyre_test_support::random_program::Input;

use super::Source;
use super::kernels::{KernelSource, Shape};
use super::rustc::Found;

/// The kernel that calls the function.
const KERNEL: &str = "fn k(x: &[u64], y: &mut [u64]) { y[0] = f(x[0], x[1], x[2], x[3]); }";

/// Lowers a program.
///
/// # Errors
/// The diagnostics, if it is refused.
pub fn lower(source: &Source) -> Result<Lowered, String> {
    lower_last(&format!("{}{KERNEL}", source.text), 1)
}

/// Lowers the last function of a text, as a kernel with `block` threads per block.
fn lower_last(text: &str, block: u64) -> Result<Lowered, String> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let kernel = file.items.last().map(ToTokens::to_token_stream).unwrap_or_default();
    let options = TokenStream::from_str(&format!("block = {block}")).map_err(|error| error.to_string())?;
    let names = Names::of_file("source.rs", &file);
    driver::kernel(options, kernel, &names).map_err(|mut rejected| {
        // Errors of a function are reported at the function.
        for item in &file.items {
            if let Item::Fn(function) = item
                && let Err(inside) = driver::device(function.to_token_stream(), &names)
            {
                rejected.errors.extend(inside.errors);
            }
        }
        let said = |error: &Diagnostic| format!("{error}, `{}`", error.span().source_text().unwrap_or_default());
        let errors: Vec<String> = rejected.errors.iter().map(said).collect();
        match errors.is_empty() {
            true => "left to rustc".to_owned(),
            false => errors.join("; "),
        }
    })
}

/// The results of a program for inputs, in the interpreter and on the machine.
///
/// # Errors
/// If the result is undefined or the program does not end.
///
/// # Panics
/// If the front end generates an invalid program.
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

/// As [`run`], for a kernel of many threads, which may be refused.
///
/// # Errors
/// The diagnostics, or if the result is undefined.
///
/// # Panics
/// If the front end generates an invalid program.
pub fn run_kernel(of: &KernelSource) -> Result<[Vec<Found>; 2], String> {
    let lowered = lower_last(&of.source.text, of.block)?;
    let mut case = Case {
        program: lowered.program.clone(),
        kernel: lowered.kernel,
        grid: [of.grid as u32, 1, 1],
        inputs: Vec::new(),
    };
    let module = case.compile();
    let mut all = [Vec::new(), Vec::new()];
    for &input in &of.source.inputs {
        let shape = Shape::of(input);
        let slice = |number: usize| {
            let element = |index| bytes(of.elements[number], shape.element(number as u64, index));
            Input::Slice((0..shape.lengths[number] as u64).flat_map(element).collect())
        };
        let scalar = |value| Input::Scalar(Constant::new(Scalar::U64, value));
        case.inputs = vec![slice(0), slice(1), slice(2), scalar(shape.n), scalar(shape.q)];
        let entry = case.entry().map_err(|error| error.to_string())?;
        let digest = |outcome: Outcome| {
            let Input::Slice(y) = outcome.ok()?.swap_remove(2) else {
                return None;
            };
            let size = bytes(of.elements[2], 0).len();
            let word = |element: &[u8]| {
                element
                    .iter()
                    .rev()
                    .fold(0, |word, &byte| (word << 8) | u64::from(byte))
            };
            let seen = |element: &[u8]| match of.elements[2] {
                "i32" => word(element) as i32 as u64,
                "f32" if f32::from_bits(word(element) as u32).is_nan() => 7,
                _ => word(element),
            };
            let mixed = |h: u64, element| h.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seen(element);
            Some(y.chunks(size).fold(0, mixed))
        };
        all[0].push(digest(case.interpret(entry).map_err(|error| error.to_string())?));
        all[1].push(digest(case.on_machine(&module, entry)?));
    }
    Ok(all)
}

/// A number as an element of a type.
fn bytes(of: &str, value: u64) -> Vec<u8> {
    match of {
        "u8" => vec![value as u8],
        "u16" => (value as u16).to_le_bytes().to_vec(),
        "i32" | "u32" => (value as u32).to_le_bytes().to_vec(),
        "f32" => (value as f32).to_le_bytes().to_vec(),
        _ => value.to_le_bytes().to_vec(),
    }
}

fn result(outcome: Outcome) -> Found {
    match outcome.ok()?.pop()? {
        Input::Slice(bytes) => Some(u64::from_le_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}
