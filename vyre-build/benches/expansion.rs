//! How long the expansion of `#[vyre::kernel]` takes, on the 50-line kernel of the `nbody` example.
//!
//! ```text
//! cargo bench --package vyre-build --profile dev --bench expansion
//! ```
//!
//! Macros are compiled without optimisation in a user's dev profile, so this is timed there. Ends with
//! an error where the fastest expansion of all takes longer than [`LIMIT`].

use std::time::{Duration, Instant};

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Expansions. The fastest is what remains on a machine that has nothing else to do.
const ROUNDS: usize = 201;

/// Time limit of an expansion in the dev profile.
const LIMIT: Duration = Duration::from_millis(5);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = include_str!("../../examples/nbody/kernels.rs");
    let file = syn::parse_file(source)?;
    let kernel = file
        .items
        .iter()
        .find_map(|item| match item {
            syn::Item::Fn(function) if function.sig.ident == "attract" => Some(function.clone()),
            _ => None,
        })
        .ok_or("the example has no kernel `attract`")?;
    let lines = source
        .split("pub fn attract")
        .nth(1)
        .and_then(|rest| rest.split("\n}\n").next())
        .map_or(0, |body| body.lines().count() + 1);

    // As rustc hands them over: the attribute's tokens, and the item without that attribute.
    let mut item = kernel;
    item.attrs.retain(|attribute| {
        !attribute
            .path()
            .segments
            .iter()
            .any(|segment| segment.ident == "kernel")
    });
    let options: TokenStream = "block = 256".parse()?;
    let item = item.into_token_stream();

    let mut times = Vec::new();
    let mut size = 0;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let expansion = vyre_build::expand(options.clone(), item.clone());
        times.push(started.elapsed());
        size = expansion.to_string().len();
    }
    let first = times[0];
    times.sort();
    let median = times[times.len() / 2];
    println!("expansion of a kernel of {lines} lines into {size} bytes{}", profile());
    println!("  first:   {}", milliseconds(first));
    println!("  median:  {}", milliseconds(median));
    println!("  fastest: {} of {}", milliseconds(times[0]), milliseconds(LIMIT));
    match times[0] > LIMIT {
        true => Err("the limit is exceeded".into()),
        false => Ok(()),
    }
}

fn profile() -> &'static str {
    if cfg!(debug_assertions) {
        ", dev profile"
    } else {
        ", optimised (use --profile dev)"
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}
