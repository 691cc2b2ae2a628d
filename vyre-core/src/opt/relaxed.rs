//! Makes plain accesses of relaxed ones, which differ in the analysis of races alone.

use vyre_ir::ir::Access;

use crate::ssa::Function;
use crate::ssa::op::Op;

/// Replaces the relaxed accesses.
pub(crate) fn run(function: &mut Function) {
    for value in function.values.handles() {
        if let Op::Load { access, .. } | Op::Store { access, .. } = &mut function.values[value].op
            && *access == Access::Relaxed
        {
            *access = Access::Plain;
        }
    }
}
