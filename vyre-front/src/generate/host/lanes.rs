//! Code for several threads at a time: the *lanes* of a chunk, consecutive threads along x.
//!
//! A thread that runs its whole loop before the next one strides through memory where neighbours access neighbouring
//! elements. Here the loop is outside and the lanes are inside, so that a load of all lanes is one of a vector. A body
//! without barriers has such a form as a whole, one that is cut at its barriers has it region by region. A value is
//! - *uniform*, the same in all lanes: a scalar;
//! - *linear*, that of the first lane plus the number of the lane, mod 2^n: the scalar of the first lane;
//! - *varying*: an array.
//!
//! Loops are uniform, and so are branches around loops and jumps. A comparison of a linear value with a uniform one is
//! compared at both ends, and so is its quotient; where the ends disagree, or where an index is out of bounds, the chunk
//! *gives up* and its threads run one after the other. A branch that varies runs lane by lane.
//!
//! Giving up is always possible, since it does no harm that a thread runs again from its start: the variables that it
//! keeps between regions are written at the end, and memory that is loaded too is stored to at the end. Faults are those
//! of the threads one after the other, which alone record them.
//!
//! Each thread keeps the order of its accesses. The order among the threads of a chunk shows where one loads what another
//! stores, between two barriers; such code has no lanes, unless each thread loads and stores elements of its own.
//!
//! Between two barriers of the block each warp runs by itself, so a chunk that is a warp goes through the regions that
//! exchanges of the warp separate, before the next one does: a *run* of regions.

mod again;
mod effects;
mod form;
mod own;
mod plan;
mod runs;
#[cfg(test)]
mod tests;

use vyre_ir::ir::{Body, ExprId, Handle, Kernel, Local, PlaceBase, PlaceId, Program, Stmt, Types};
use vyre_ir::validate::{BodyInfo, ProgramInfo};

use self::effects::EffectLoop;
pub(super) use self::own::{condition_of, own_of};
use self::plan::Finder;
pub(super) use self::runs::WarpRun;
use super::access::Accesses;
use super::indices::Indices;
use super::regions::{Piece, Region, Regions};
use super::table::Table;
use super::uniformity::Uniformity;

/// The most lanes of a chunk, and the fewest.
const MOST: u32 = 32;
const FEWEST: u32 = 8;

/// How a value differs among lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Uniform,
    Linear,
    Varying,
}

/// The forms of a body's locals, and what runs for several lanes.
#[derive(Debug)]
pub(super) struct Lanes {
    pub(super) count: u32,
    /// The lanes of a second attempt, where the first has given up.
    pub(super) fewer: u32,
    forms: Table<Local, Option<Form>>,
    pub(super) indices: Indices,
    whole_warps: bool,
    /// By function: true if what it computes may depend on the position of the thread.
    pub(super) asks: Vec<bool>,
    /// By region, in the order of the body; of a body without barriers the only one.
    pub(super) plans: Vec<Option<Plan>>,
    pub(super) runs: Vec<WarpRun>,
}

/// How lanes run some statements.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The stores to memory that take place at the end.
    pub(super) later: Vec<PlaceId>,
    /// True if threads that have run may run again: no memory that is stored to is loaded, and lanes that give up have stored
    /// nothing.
    pub(super) repeats: bool,
    /// The variables that the statements mention.
    pub(super) variables: Vec<Variable>,
    /// The memory that is loaded, and that which is stored to before the end.
    loaded: Vec<PlaceBase>,
    stored: Vec<PlaceBase>,
    has_atomics: bool,
    /// The loops with atomic operations, in which lanes do not give up.
    pub(super) effects: Vec<EffectLoop>,
}

/// A variable of a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) local: Handle<Local>,
    /// True if it may be read before it is assigned.
    pub(super) is_loaded: bool,
    pub(super) is_assigned: bool,
    /// How often it is mentioned.
    pub(super) mentions: usize,
}

impl Plan {
    /// The number of a store that takes place at the end.
    pub(super) fn later(&self, place: PlaceId) -> Option<usize> {
        self.later.iter().position(|&later| later == place)
    }
}

/// The lanes of a body; `None` if they are not possible, or if nothing is to gain.
pub(super) fn lanes(
    (program, facts): (&Program, &ProgramInfo<'_>),
    kernel: &Kernel,
    (body, info): (&Body, &BodyInfo<'_>),
    accesses: &Accesses,
    regions: Option<&Regions<'_>>,
) -> Option<Lanes> {
    let fits = |count: &u32| *count <= kernel.block[0];
    let count = [MOST, MOST / 2, FEWEST].into_iter().find(fits)?;
    // The blocks of a cluster see the memory of each other.
    let is_whole = regions.is_none();
    if is_whole && (info.effects.pauses() || info.effects.reads_others) || kernel.cluster.is_some() {
        return None;
    }
    let uniformity = Uniformity::of((program, facts), kernel, body, info);
    let mut asks = Vec::with_capacity(program.functions.len());
    for function in program.functions.handles() {
        asks.push(!uniformity.is_of_arguments(function));
    }
    let mut found = Lanes {
        count,
        fewer: FEWEST,
        forms: Table::new(),
        indices: Indices::of(body, info),
        whole_warps: kernel.block[0].is_multiple_of(MOST),
        asks,
        plans: Vec::new(),
        runs: Vec::new(),
    };
    let finder = Finder {
        program,
        types: &program.types,
        kernel,
        body,
        info,
        accesses,
        uniformity: &uniformity,
        regions,
    };
    while finder.walk(&mut found, &body.block, false) {}
    let mut plans = Vec::new();
    match regions {
        Some(regions) => {
            let is_of_block = |local| regions.is_of_block(local) && found.local(local) != Form::Uniform;
            if body.locals.handles().any(is_of_block) {
                return None;
            }
            finder.plans(&found, &regions.pieces, false, &mut plans);
            found.runs = finder.runs(&found, regions, &plans);
        }
        None => {
            let stmts: Vec<&Stmt> = body.block.iter().collect();
            let region = Region {
                stmts,
                ..Region::default()
            };
            plans.push(finder.plan(&found, &region, false));
        }
    }
    found.plans = plans;
    found.plans.iter().any(Option::is_some).then_some(found)
}

impl Finder<'_> {
    /// The plans of the regions of some pieces.
    fn plans(&self, found: &Lanes, pieces: &[Piece<'_>], in_loop: bool, plans: &mut Vec<Option<Plan>>) {
        for piece in pieces {
            match piece {
                Piece::Region(region) => plans.push(self.plan(found, region, in_loop)),
                Piece::If(_, parts) => parts.iter().for_each(|part| self.plans(found, part, in_loop, plans)),
                Piece::Loop(_, parts) => parts.iter().for_each(|part| self.plans(found, part, true, plans)),
                Piece::Store(_) | Piece::Wait(_) | Piece::Jump(_) => {}
            }
        }
    }
}

impl Lanes {
    /// The form of a local.
    pub(super) fn local(&self, local: Handle<Local>) -> Form {
        self.forms.get(local).unwrap_or(Form::Uniform)
    }

    /// The form of an expression.
    pub(super) fn form(&self, types: &Types, body: &Body, id: ExprId) -> Form {
        self.of(types, body, id).unwrap_or(Form::Uniform)
    }
}
