//! Layout of a kernel's shared variables in the memory of a block.

use vyre_ir::ir::{Handle, Program, SharedVariable};

use super::table::Table;
use super::types;

/// The shared memory of a block.
pub(super) struct Shared {
    pub(super) offsets: Table<SharedVariable, u64>,
    pub(super) memory: SharedMemory,
}

/// The layout of the shared variables of a kernel.
pub(super) struct SharedMemory {
    pub(super) size: u64,
    pub(super) align: u64,
    pub(super) has_bool: bool,
}

/// Puts each variable at the next multiple of its alignment.
pub(super) fn place_shared(program: &Program, variables: &[Handle<SharedVariable>]) -> Shared {
    let mut memory = SharedMemory {
        size: 0,
        align: 1,
        has_bool: false,
    };
    let mut offsets = Table::new();
    for &variable in variables {
        let ty = program.shared[variable].ty;
        let layout = program.types.layout(ty);
        let offset = memory.size.next_multiple_of(layout.align);
        *offsets.at(variable) = offset;
        memory.size = offset + layout.size;
        memory.align = memory.align.max(layout.align);
        memory.has_bool |= types::has_bool(&program.types, ty);
    }
    Shared { offsets, memory }
}
