//! Storage of the locals of a body: in values, or in local memory.
//!
//! A local lives in memory if its address is taken, if an array in it is indexed by a value, or if
//! it is bulky; an unmodified parameter of a kernel then stays in parameter memory. Local memory is
//! slow, but most of these locals become values again once calls are inlined and loops unrolled
//! ([`opt::mem2reg`](crate::opt::mem2reg)).

use vyre_ir::ir::{Block, Body, Handle, Local, Mention, Types, Use, each_stmt};
use vyre_ir::validate::{AddressTaken, BodyInfo};

use super::shape::Shapes;

/// The storage of the locals of a body, the same for each of its inlined calls.
#[derive(Debug)]
pub(super) struct Homes {
    /// For each local, true if it lives in memory.
    pub(super) in_memory: Vec<bool>,
    /// For each local, true if some path reads it before it is written.
    pub(super) zeroed: Vec<bool>,
    /// For each parameter of a kernel, true if it is read from parameter memory.
    pub(super) in_place: Vec<bool>,
}

impl Homes {
    /// Decides the storage of the locals of a body.
    pub(super) fn of(body: &Body, info: &BodyInfo<'_>, shapes: &mut Shapes<'_>) -> Homes {
        let in_memory = body.locals.iter().zip(&info.locals).map(|((_, local), info)| {
            info.dynamic_index || info.address != AddressTaken::No || shapes.of(local.ty).bulky
        });
        Homes {
            in_memory: in_memory.collect(),
            zeroed: info.locals.iter().map(|info| info.read_unwritten).collect(),
            in_place: Vec::new(),
        }
    }

    /// Keeps unmodified parameters of a kernel that would live in local memory in parameter memory.
    pub(super) fn keep_parameters(&mut self, info: &BodyInfo<'_>, parameters: usize) {
        let homes = self.in_memory.iter().zip(&info.locals).take(parameters);
        let kept = homes.map(|(&in_memory, info)| {
            let changed = info.assignments + info.partial_assignments > 0 || info.address == AddressTaken::Mutable;
            in_memory && !changed
        });
        self.in_place = kept.collect();
    }
}

/// Collects the locals that the statements assign, in whole or part, possibly repeated.
pub(super) fn assigned(body: &Body, types: &Types, stmts: &Block, locals: &mut Vec<Handle<Local>>) {
    each_stmt(stmts, &mut |stmt| {
        stmt.kind.mentions(&mut |mention| {
            locals.extend(match mention {
                Mention::Place(place, Use::Store) => body.places[place].part_of(types, body),
                Mention::Result(local) => Some(local),
                Mention::Expr(_) | Mention::Place(..) => None,
            });
        });
    });
}
