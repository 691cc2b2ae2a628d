//! Removes unused fault sites and renumbers the others.

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
