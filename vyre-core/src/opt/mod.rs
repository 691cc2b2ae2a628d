//! The optimiser: passes over the graph, in the order in which [`optimise`] calls them.
//!
//! A pass is a function in a file of its own, which begins with what it does. No pass changes a
//! result, of a float no more than of an integer.

mod blocks;
mod bounds;
mod dead;
mod demote;
mod facts;
mod gather;
mod hoist;
mod induction;
mod linear;
mod matrices;
mod numbering;
pub(crate) mod polls;
mod promote;
mod provenance;
mod rotate;
mod rules;
pub(crate) mod sites;
mod spaces;
mod split;
mod unroll;
pub(crate) mod whole;

use crate::compile::CompileOptions;
use crate::ssa::{Function, print, verify};

/// Optimises one entry.
pub(crate) fn optimise(function: &mut Function, options: &CompileOptions) {
    done(function, "build", options);
    blocks::run(function);
    done(function, "blocks", options);
    find_memories(function, options);
    simplify(function, options);
    hoist::run(function);
    done(function, "hoist", options);
    if rotate::run(function) {
        rebuild(function, "rotate", options);
    }
    // Each generation may make the loops around it small enough for the next.
    for _ in 0..MAX_NEST {
        if !unroll::run(function) {
            break;
        }
        rebuild(function, "unroll", options);
        hoist::run(function);
        done(function, "hoist", options);
    }
    induction::run(function);
    done(function, "induction", options);
    simplify(function, options);
    if split::run(function) {
        rebuild(function, "split", options);
        hoist::run(function);
        done(function, "hoist", options);
        simplify(function, options);
    }
    matrices::run(function);
    done(function, "matrices", options);
    gather::run(function);
    done(function, "gather", options);
}

/// Loops inside each other that are written out, at most.
const MAX_NEST: usize = 4;

/// The passes for which each other pass leaves work.
fn simplify(function: &mut Function, options: &CompileOptions) {
    tidy(function, options);
    // Constant addresses turn objects into values, and pointers may come out of memory then.
    if promote::run(function) {
        blocks::run(function);
        done(function, "promote", options);
        find_memories(function, options);
        tidy(function, options);
    }
}

fn tidy(function: &mut Function, options: &CompileOptions) {
    numbering::run(function);
    done(function, "numbering", options);
    dead::run(function);
    done(function, "dead", options);
    blocks::run(function);
    done(function, "blocks", options);
}

/// Finds out where pointers point.
fn find_memories(function: &mut Function, options: &CompileOptions) {
    if spaces::run(function) {
        done(function, "spaces", options);
    }
    provenance::mark_constant_loads(function);
    done(function, "constant loads", options);
}

/// Makes values again of what a pass that copies blocks has demoted.
fn rebuild(function: &mut Function, phase: &str, options: &CompileOptions) {
    promote::run(function);
    blocks::run(function);
    done(function, phase, options);
    simplify(function, options);
}

/// What happens between passes.
fn done(function: &Function, phase: &str, options: &CompileOptions) {
    if options.verify {
        verify::check(function, phase);
    }
    if let Some(dump) = options.dump {
        dump(phase, &print::print(function));
    }
}
