//! What a kernel uses: the functions that it calls, its shared variables and tables.

use std::collections::HashMap;

use vyre_core::ir::{Body, ConstantTable, ExprKind, Function, Handle, PlaceBase, Program, SharedVariable, StmtKind};

use super::types;
use super::walk::{self, Mention};

/// What a body uses, and the functions that it calls use.
#[derive(Default)]
pub(super) struct Reached {
    /// Each after those that it calls.
    pub(super) functions: Vec<Handle<Function>>,
    pub(super) shared: Vec<Handle<SharedVariable>>,
    pub(super) tables: Vec<Handle<ConstantTable>>,
    pub(super) has_fma: bool,
}

/// What a body uses.
pub(super) fn reach(program: &Program, body: &Body) -> Reached {
    let (mut reached, mut known) = (Reached::default(), Vec::new());
    reached.body(program, body, &mut known);
    reached
}

impl Reached {
    fn body(&mut self, program: &Program, body: &Body, known: &mut Vec<Handle<Function>>) {
        walk::statements(&body.block, &mut |stmt| {
            if let StmtKind::Call { function, .. } = stmt.kind
                && !known.contains(&function)
            {
                known.push(function);
                self.body(program, &program.functions[function].body, known);
                self.functions.push(function);
            }
            walk::statement(body, stmt, &mut |mention| match mention {
                Mention::Place(place, _) => match body.places[place].base {
                    PlaceBase::Shared(shared) => insert(&mut self.shared, shared),
                    PlaceBase::Table(table) => insert(&mut self.tables, table),
                    PlaceBase::Local(_) => {}
                },
                Mention::Expr(expr) => self.has_fma |= matches!(body.exprs[expr].kind, ExprKind::MulAdd { .. }),
                Mention::Result(_) => {}
            });
        });
    }
}

/// Adds an element to a list, each of which it has once and in order.
fn insert<T: Ord>(list: &mut Vec<T>, element: T) {
    if let Err(at) = list.binary_search(&element) {
        list.insert(at, element);
    }
}

/// The shared memory of a block.
pub(super) struct Shared {
    pub(super) offsets: HashMap<Handle<SharedVariable>, u64>,
    pub(super) memory: SharedMemory,
}

/// What the shared variables of a kernel lie in.
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
    let mut offsets = HashMap::new();
    for &variable in variables {
        let ty = program.shared[variable].ty;
        let layout = program.types.layout(ty);
        let offset = memory.size.next_multiple_of(layout.align);
        offsets.insert(variable, offset);
        memory.size = offset + layout.size;
        memory.align = memory.align.max(layout.align);
        memory.has_bool |= types::has_bool(&program.types, ty);
    }
    Shared { offsets, memory }
}
