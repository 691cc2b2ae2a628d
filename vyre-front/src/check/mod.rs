//! Checks of a kernel with everything reachable from it, once all types are known: barrier
//! participation, thread counts, and the call graph.

pub(crate) mod clusters;
pub(crate) mod grid_sync;
pub(crate) mod lone_closures;
pub(crate) mod named_barriers;
pub(crate) mod reach;
pub(crate) mod recursion;
pub(crate) mod whole_blocks;
pub(crate) mod whole_warps;

use std::rc::Rc;

use proc_macro2::Span;

use crate::errors::{Code, Errors};
use crate::options::Options;
use crate::surface::Surface;
use crate::syntax::signature;
use crate::syntax::tree::Tree;
use reach::Reached;
use vyre_abi::list;

/// Finds and checks all that a kernel reaches, and completes its surface with the extents of its blocks.
pub(crate) fn kernel(tree: &Rc<Tree>, options: &Options, surface: &mut Surface, errors: &mut Errors) -> Reached {
    let reached = reach::reach(tree, errors);
    // Collectives number the threads of any block.
    let (mut named, mut axes) = (1, 1);
    for body in &reached.bodies {
        if !body.tree.traits.here.is_collectives() {
            named = named.max(body.tree.axes);
            axes = axes.max(body.tree.domain_axes);
        }
    }
    (surface.dimensions, surface.block) = signature::geometry(options.block.as_deref(), named.max(axes));
    surface.cluster = clusters::extents(options.cluster.as_ref());
    let threads = surface.block.iter().map(|&extent| u64::from(extent)).product();
    surface.min_blocks = options.resident(threads, errors);
    if !errors.is_left_to_rustc() {
        grid_sync::check(tree, errors);
        clusters::check(tree, surface, options.cluster.as_ref(), errors);
        if reached.bodies.iter().any(|body| whole_warps::multiplies(&body.tree)) {
            whole_warps::check(tree, surface, options.block_span, errors);
        }
        if reached.bodies.iter().any(|body| whole_blocks::collects(&body.tree)) {
            whole_blocks::check(tree, &reached.bodies, errors);
        }
        named_barriers::check(&reached.bodies, surface.block, errors);
        lone_closures::check(&reached, errors);
    }
    // In a function, an index that is 0 in this kernel differs in others.
    let of_grid = reached.bodies.first().map_or((1, None), |body| body.tree.grid_axes);
    if surface.has_domain() && surface.dimensions > 1 && errors.is_empty() {
        errors.refuse(
            Code::BlockAxes,
            options.axes.unwrap_or_else(|| of_axes(&reached, surface)),
            "a kernel whose slices are all `#[each]` has one axis, that of their elements",
            "give the block one extent and use `thread::index()`, or take a slice, `y: &mut [f32]`, in the place of one `#[each]`",
        );
    }
    let needed = axes.max(of_grid.0);
    if needed > surface.dimensions && errors.is_empty() {
        let extents = list::map(&surface.block[..needed as usize], u32::to_string);
        let row = format!(
            "`block = [{}]` for blocks of one {}",
            extents.join(", "),
            if surface.dimensions == 1 { "row" } else { "layer" }
        );
        let tile = tile(surface.block.iter().product(), needed);
        let help = match tile {
            // A block that only the grid has more axes of keeps its threads in a row.
            Some(tile) if axes > surface.dimensions => format!("`block = {tile}`, or {row}"),
            Some(tile) => format!("{row}, or `block = {tile}`"),
            None => row,
        };
        let of_block = of_grid.1.filter(|_| of_grid.0 > axes);
        errors.refuse(
            Code::BlockAxes,
            of_block.unwrap_or_else(|| of_axes(&reached, surface)),
            format_args!(
                "this kernel uses {needed} axes and its block has {}",
                surface.dimensions
            ),
            format_args!("give `block` an extent for each axis: {help}"),
        );
    }
    reached
}

/// A shape of so many axes for blocks of so many threads.
fn tile(threads: u32, axes: u32) -> Option<String> {
    match axes {
        2 => (threads > 32 && threads.is_multiple_of(32)).then(|| format!("[32, {}]", threads / 32)),
        _ => (threads > 64 && threads.is_multiple_of(64)).then(|| format!("[8, 8, {}]", threads / 64)),
    }
}

/// The call by which a kernel names more than one axis, or its name if the call is elsewhere.
fn of_axes(reached: &Reached, surface: &Surface) -> Span {
    if let Some(body) = reached.bodies.first() {
        for (path, function) in body.tree.intrinsics() {
            if function.ends_with("_2d") || function.ends_with("_3d") {
                let last = path.clone().into_iter().last();
                return last.map_or_else(|| surface.name.span(), |name| name.span());
            }
        }
    }
    surface.name.span()
}
