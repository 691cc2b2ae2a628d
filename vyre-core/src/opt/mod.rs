//! The optimiser: passes over the graph, in the order in which [`optimise`] calls them.
//!
//! A pass is a function in a file of its own, which begins with what it does. No pass changes a
//! result, of a float no more than of an integer.

mod blocks;
mod bounds;
mod dead;
mod numbering;
pub(crate) mod polls;
mod provenance;
mod rules;
pub(crate) mod sites;

use crate::compile::CompileOptions;
use crate::ssa::{Function, print, verify};

/// Optimises one entry.
pub(crate) fn optimise(function: &mut Function, options: &CompileOptions) {
    done(function, "build", options);
    blocks::run(function);
    done(function, "blocks", options);
    provenance::mark_constant_loads(function);
    done(function, "constant loads", options);
    numbering::run(function);
    done(function, "numbering", options);
    dead::run(function);
    done(function, "dead", options);
    blocks::run(function);
    done(function, "blocks", options);
}

/// What happens between passes.
fn done(function: &Function, phase: &str, options: &CompileOptions) {
    verify::check(function, phase);
    if let Some(dump) = options.dump {
        dump(phase, &print::print(function));
    }
}
