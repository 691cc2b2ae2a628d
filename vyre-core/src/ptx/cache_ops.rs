//! Cache operators and eviction priorities in the names of loads and stores.
//!
//! Only global memory is affected: local memory is private to a thread, constants do not change,
//! and shared memory is not cached. Elsewhere every access is plain, and a prefetch does nothing.

use vyre_ir::ir::Access;

use super::Needs;
use super::entry::Writer;
use super::text::{Class, Operand, Register};
use crate::ssa::{Space, Ty};

/// Modifiers in the instruction of an access.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    /// Before the state space.
    pub(super) before: &'static str,
    /// After the state space.
    pub(super) after: &'static str,
    /// After the `.nc` of the read-only cache.
    pub(super) hint: &'static str,
    /// The L2 eviction policy: an operand of its own.
    policy: &'static str,
    /// The cache level to prefetch into.
    pub(super) prefetch: &'static str,
}

impl Way {
    /// The modifiers of a load or store.
    pub(super) fn of(access: Access, is_store: bool, space: Space) -> Way {
        let mut way = Way::default();
        if access == Access::Volatile && matches!(space, Space::Shared | Space::Cluster) {
            way.before = ".volatile";
        }
        if !is_cached(space) {
            return way;
        }
        match access {
            Access::Volatile => way.before = ".volatile",
            Access::Streaming => way.after = ".cs",
            Access::L2 => way.after = ".cg",
            Access::WriteThrough if is_store => way.after = ".wt",
            Access::EvictFirst => way.hint = ".L1::evict_first",
            Access::EvictLast => way.hint = ".L1::evict_last",
            Access::NoAllocate => way.hint = ".L1::no_allocate",
            Access::L2EvictFirst | Access::L2EvictLast => {
                way.hint = ".L2::cache_hint";
                way.policy = match access {
                    Access::L2EvictFirst => ".L2::evict_first",
                    _ => ".L2::evict_last",
                };
            }
            Access::Ahead64 if !is_store => way.hint = ".L2::64B",
            Access::Ahead128 if !is_store => way.hint = ".L2::128B",
            Access::Ahead256 if !is_store => way.hint = ".L2::256B",
            Access::PrefetchL1 if !is_store => way.prefetch = ".L1",
            Access::PrefetchL2 if !is_store => way.prefetch = ".L2",
            _ => {}
        }
        way
    }
}

fn is_cached(space: Space) -> bool {
    matches!(space, Space::Global | Space::Generic)
}

/// Requirements of a load or store whose address has this type.
pub(super) fn needs(access: Access, is_store: bool, address: Ty) -> Needs {
    let is_cached = access != Access::Plain && matches!(address, Ty::Pointer(space) if is_cached(space));
    match is_cached {
        true => access.needs(is_store),
        false => Needs::ALWAYS,
    }
}

impl Writer<'_> {
    /// The register of the L2 eviction policy. ptxas turns it into an immediate.
    pub(super) fn policy(&mut self, way: &Way) -> Option<Register> {
        if way.policy.is_empty() {
            return None;
        }
        let register = self.text.register(Class::Double);
        let operands = [Operand::Register(register), Operand::Text("0f3F800000")];
        self.text
            .instruction(&["createpolicy.fractional", way.policy, ".b64"], &operands);
        Some(register)
    }
}
