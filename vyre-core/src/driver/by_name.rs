//! Runs passes by their names on the text of a graph, for tests of single passes.

use vyre_ir::ir::Span;
use vyre_ir::module::FaultSite;

use crate::analysis::assume;
use crate::analysis::loop_forest::LoopForest;
use crate::opt::{
    address_spaces, ballots, block_barriers, constant_loads, dce, fault_polls, fault_sites, full_warp, guard_sinking,
    gvn, if_conversion, ldmatrix, licm, loop_rotate, loop_versioning, mem2reg, product_halves, relaxed, simplify_cfg,
    strength_reduction, tiles, unroll, wide_indices,
};
use crate::ptx;
use crate::ssa::graph::{Flow, Graph};
use crate::ssa::op::Op;
use crate::ssa::{Function, parse, print, verify};
use vyre_abi::fault::FaultKind;

/// The names of the passes, in the order of their first runs.
pub const PASSES: [&str; 25] = [
    "simplify_cfg",
    "address_spaces",
    "constant_loads",
    "gvn",
    "dce",
    "mem2reg",
    "ballots",
    "relaxed",
    "licm",
    "loop_rotate",
    "unroll",
    "tiles",
    "strength_reduction",
    "loop_versioning",
    "if_conversion",
    "block_barriers",
    "ldmatrix",
    "product_halves",
    "guard_sinking",
    "legalize",
    "fault_polls",
    "full_warp",
    "part_ends",
    "fault_sites",
    "wide_indices",
];

/// Parses a graph, runs passes on it, and prints it. The graph is verified before the first pass
/// and after each.
///
/// # Errors
/// The line that cannot be parsed, the rule that a graph violates, or the names of the passes if
/// one is unknown.
pub fn run_passes(text: &str, passes: &[&str]) -> Result<String, String> {
    let mut function = parse::parse(text)?;
    verify::verify(&function).map_err(|rule| format!("before the passes: {rule}"))?;
    for pass in passes {
        run(&mut function, pass)?;
        let text = || print::print(&function);
        verify::verify(&function).map_err(|rule| format!("after {pass}: {rule}\n{}", text()))?;
    }
    Ok(print::print(&function))
}

fn run(function: &mut Function, pass: &str) -> Result<(), String> {
    match pass {
        "simplify_cfg" => {
            simplify_cfg::run(function, Flow::of(function));
        }
        "address_spaces" => {
            address_spaces::run(function);
        }
        "constant_loads" => constant_loads::run(function),
        "gvn" => {
            gvn::run(function, &Graph::of(function));
        }
        "dce" => dce::run(function, &Flow::of(function)),
        "mem2reg" => {
            mem2reg::run(function);
        }
        "ballots" => {
            ballots::run(function);
        }
        // Only where the assumption holds, which the driver makes a condition of the entry.
        "wide_indices" => {
            let loops = LoopForest::as_is(function);
            if let Some(assumption) = assume::find(function, &loops) {
                wide_indices::run(function, &loops.graph, &assumption.wide);
            }
        }
        "relaxed" => relaxed::run(function),
        "if_conversion" => {
            if_conversion::run(function);
        }
        "block_barriers" => block_barriers::run(function, &Flow::of(function)),
        "licm" => {
            let loops = LoopForest::of(function);
            licm::run(function, &loops);
        }
        "loop_rotate" => {
            let loops = LoopForest::of(function);
            loop_rotate::run(function, &loops);
        }
        "unroll" => {
            let loops = LoopForest::of(function);
            unroll::run(function, &loops);
        }
        "tiles" => {
            tiles::run(function, &LoopForest::as_is(function));
        }
        "strength_reduction" => {
            let loops = LoopForest::of(function);
            strength_reduction::run(function, &loops);
        }
        "loop_versioning" => {
            let loops = LoopForest::of(function);
            loop_versioning::run(function, &loops);
        }
        "ldmatrix" => ldmatrix::run(function, &Flow::of(function)),
        "product_halves" => {
            let order = Flow::of(function).order;
            product_halves::run(function, &order);
        }
        "legalize" => ptx::legalize(function),
        "guard_sinking" => guard_sinking::run(function, &Flow::of(function)),
        "fault_sites" => keep_used_sites(function),
        "fault_polls" => drop(fault_polls::run(function, &LoopForest::as_is(function))),
        "full_warp" => full_warp::run(function, &Flow::of(function)),
        "part_ends" => ptx::part_ends(function),
        _ => return Err(format!("no pass `{pass}`; there are {}", PASSES.join(", "))),
    }
    Ok(())
}

/// Renumbers the sites of a function whose kernel has as many as it names.
fn keep_used_sites(function: &mut Function) {
    let sites = function.values.iter().filter_map(|(_, data)| match data.op {
        Op::Guard { site, .. } | Op::Claim { site } => Some(site as usize + 1),
        _ => None,
    });
    let site = FaultSite {
        kind: FaultKind::Panic,
        span: Span::NONE,
        message: String::new(),
    };
    let sites = vec![site; sites.max().unwrap_or(0)];
    let flow = Flow::of(function);
    fault_sites::keep_used(sites, std::iter::once((function, &flow)));
}
