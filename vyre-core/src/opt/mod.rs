//! The optimiser: passes over the graph, in the order in which [`optimise`] calls them.
//!
//! A pass is a function in a file of its own, which begins with what it does. No pass changes a
//! result, of a float no more than of an integer.

pub(crate) mod polls;
pub(crate) mod sites;

use crate::compile::CompileOptions;
use crate::ssa::{Function, print, verify};

/// Optimises one entry.
pub(crate) fn optimise(function: &mut Function, options: &CompileOptions) {
    done(function, "build", options);
}

/// What happens between passes.
fn done(function: &Function, phase: &str, options: &CompileOptions) {
    verify::check(function, phase);
    if let Some(dump) = options.dump {
        dump(phase, &print::print(function));
    }
}
