//! The fault sites that entries use: removes the others and renumbers, and finds the bounds checks among them.

use vyre_abi::fault::FaultKind;
use vyre_abi::order::sort_by_key;
use vyre_ir::module::FaultSite;

use crate::ssa::Function;
use crate::ssa::graph::Flow;
use crate::ssa::op::Op;

/// The fault sites that a kernel's entries still use; their uses are renumbered.
pub(crate) fn keep_used<'f>(
    sites: Vec<FaultSite>,
    functions: impl Iterator<Item = (&'f mut Function, &'f Flow)>,
) -> Vec<FaultSite> {
    if sites.is_empty() {
        return sites;
    }
    let mut numbers: Vec<Option<u32>> = vec![None; sites.len()];
    let mut used = 0;
    for (function, flow) in functions {
        for &block in &flow.order {
            for position in 0..function.blocks[block].body.len() {
                let value = function.blocks[block].body[position];
                if let Op::Guard { site, .. } | Op::Claim { site } = &mut function.values[value].op {
                    *site = *numbers[*site as usize].get_or_insert_with(|| {
                        used += 1;
                        used - 1
                    });
                }
            }
        }
    }
    let mut kept: Vec<Option<FaultSite>> = vec![None; used as usize];
    for (site, number) in sites.into_iter().zip(numbers) {
        if let Some(number) = number {
            kept[number as usize] = Some(site);
        }
    }
    kept.into_iter().flatten().collect()
}

/// The bounds checks of entries, each once, in the order of the source.
pub(crate) fn bounds_checks<'f>(
    sites: &[FaultSite],
    functions: impl Iterator<Item = (&'f Function, &'f Flow)>,
) -> Vec<FaultSite> {
    let mut is_used = vec![false; sites.len()];
    for (function, flow) in functions {
        for &value in flow.order.iter().flat_map(|&block| &function.blocks[block].body) {
            if let Op::Guard { site, .. } = function.op(value) {
                is_used[site as usize] = true;
            }
        }
    }
    let used = sites.iter().zip(is_used).filter(|(site, is_used)| {
        let of_bounds = matches!(
            site.kind,
            FaultKind::IndexOutOfBounds
                | FaultKind::RangeOutOfBounds
                | FaultKind::RowOutOfBounds
                | FaultKind::ColumnOutOfBounds
        );
        *is_used && of_bounds
    });
    let mut left: Vec<FaultSite> = Vec::new();
    for (site, _) in used {
        if !left.contains(site) {
            left.push(site.clone());
        }
    }
    sort_by_key(&mut left, |site| {
        [site.span.file, site.span.line, site.span.column]
            .into_iter()
            .fold(0, |key, part| key << 32 | u128::from(part))
    });
    left
}
