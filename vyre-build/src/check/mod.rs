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

/// Finds and checks all that a kernel reaches, and completes its surface with the extents of its blocks.
pub(crate) fn kernel(tree: &Rc<Tree>, options: &Options, surface: &mut Surface, errors: &mut Errors) -> Reached {
    let reached = reach::reach(tree, errors);
    // Collectives number the threads of any block.
    let own = reached
        .bodies
        .iter()
        .filter(|body| !body.tree.traits.here.is_collectives());
    let (named, axes) = own.fold((1, 1), |(named, axes), body| {
        (named.max(body.tree.axes), axes.max(body.tree.domain_axes))
    });
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
    let axes = reached
        .bodies
        .first()
        .map_or(axes, |body| axes.max(body.tree.grid_axes));
    if surface.has_domain() && surface.dimensions > 1 && errors.is_empty() {
        errors.refuse(
            Code::BlockAxes,
            options.axes.unwrap_or_else(|| of_axes(&reached, surface)),
            "a kernel whose slices are all `#[each]` has one axis, that of their elements",
            "give the block one extent and use `thread::index()`, or take a slice, `y: &mut [f32]`, in the place of one `#[each]`",
        );
    }
    if axes > surface.dimensions && errors.is_empty() {
        let (usual, ones) = match axes {
            2 => ("[32, 8]", ", 1"),
            _ => ("[8, 8, 4]", ", 1, 1"),
        };
        errors.refuse(
            Code::BlockAxes,
            of_axes(&reached, surface),
            format_args!("this kernel uses {axes} axes and its block has {}", surface.dimensions),
            format_args!(
                "give `block` an extent for each axis: `block = {usual}`, or `block = [{}{ones}]` for blocks of one row",
                surface.block[0]
            ),
        );
    }
    reached
}

/// The call by which a kernel names more than one axis, or its name if the call is elsewhere.
fn of_axes(reached: &Reached, surface: &Surface) -> Span {
    let mut intrinsics = reached
        .bodies
        .first()
        .into_iter()
        .flat_map(|body| body.tree.intrinsics());
    let call = intrinsics.find(|(_, function)| function.ends_with("_2d") || function.ends_with("_3d"));
    let last = call.and_then(|(path, _)| path.clone().into_iter().last());
    last.map_or_else(|| surface.name.span(), |name| name.span())
}
