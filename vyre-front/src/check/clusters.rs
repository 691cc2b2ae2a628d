//! Clusters: the options of a kernel and its body agree.

use proc_macro2::Span;

use crate::errors::{Code, Errors};
use crate::surface::Surface;
use crate::syntax::tree::Tree;

/// The blocks of a cluster along all axes.
pub(crate) fn extents(given: Option<&(Vec<u32>, Span)>) -> Option<[u32; 3]> {
    let (given, _) = given?;
    let mut extents = [1; 3];
    for (extent, &given) in extents.iter_mut().zip(given) {
        *extent = given;
    }
    Some(extents)
}

/// Refuses clusters that are missing, of too many axes, or in the way of other things.
pub(crate) fn check(tree: &Tree, surface: &Surface, given: Option<&(Vec<u32>, Span)>, errors: &mut Errors) {
    let calls = |name: &str| tree.intrinsics().any(|(_, function)| function.starts_with(name));
    let Some(&(ref extents, span)) = given else {
        let used = tree
            .intrinsics()
            .find(|(_, function)| function.starts_with("cluster::"));
        if let Some((path, function)) = used {
            errors.refuse(
                Code::Clusters,
                path.clone()
                    .into_iter()
                    .last()
                    .map_or_else(Span::call_site, |name| name.span()),
                format_args!("`{function}` in a kernel that does not say how many blocks a cluster has"),
                "write `#[vyre::kernel(cluster = 2)]`",
            );
        }
        return;
    };
    if extents
        .iter()
        .skip(surface.dimensions as usize)
        .any(|&extent| extent != 1)
    {
        errors.refuse(
            Code::BlockAxes,
            span,
            format_args!(
                "a cluster of {} axes, in a kernel that uses {}",
                extents.len(),
                surface.dimensions
            ),
            "give `block` as many extents: `block = [32, 8]`",
        );
    }
    if calls("grid::sync") {
        errors.refuse(
            Code::Clusters,
            span,
            "a kernel with clusters does not wait for the whole grid",
            "leave `cluster` out, or launch one kernel for the code before the `grid::sync()` and one for the rest",
        );
    }
}
