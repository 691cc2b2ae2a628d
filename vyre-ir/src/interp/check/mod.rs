//! Checking mode: a recorder of memory accesses and synchronisation, which reports data races, reads of memory that
//! nothing has written, barriers that not all threads reach, and deadlocks.
//!
//! It follows *happens-before* by vector clocks and epochs, as FastTrack does (Flanagan and Freund, "FastTrack: efficient
//! and precise dynamic race detection", PLDI 2009). Each thread has a clock (`clock.rs`); each part of memory has, in
//! shadow memory (`shadow.rs`), the epochs of its latest accesses. Two accesses to a part race if one of them writes, not both
//! are atomic, and neither happens before the other. So a race is found in any order of the threads in which both
//! accesses occur; no warp runs in lockstep.
//!
//! `events.rs` has what orders threads, on the state in `sync.rs`, each as exactly as the operation promises: barriers of
//! blocks, clusters, grids and tiles of a warp among the threads that wait there; named and asynchronous barriers from those
//! that arrive to those that wait; an atomic read that acquires, or a relaxed one before a fence, behind the release that it
//! has read from, where the scopes include both threads. Warp shuffles and votes order nothing, nor does the end of a thread.
//!
//! Asynchronous copies belong to a slot of their own, which their thread learns of by its wait, and others by an
//! asynchronous barrier that holds for them.
//!
//! A warp operation or a barrier that threads miss on their way to the end of the kernel is reported, although the language
//! lets it go on without them: the kernel has to say `return` where it means that.
//!
//! **Limits.** Inline PTX is not seen. A value in memory that the host has passed counts as written, unless
//! [`Check::unwritten`] lists it. Locals hold zeros by definition, so only arrays are followed, at their indices.

mod clock;
mod events;
mod names;
mod order;
mod report;
mod shadow;
mod sync;
mod twice;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

pub use super::record::{Action, Does, Kind};
pub use report::{Party, Report};
pub use twice::launch_twice;

use super::code::Code;
use super::memory::{Pointer, SHARED};
use super::record::{Atomic, Record};
use super::{Error, Undefined};
use crate::ir::{
    AtomicOp, ExprKind, Kernel, MemoryScope, Scalar, Span, StmtKind, Type, TypeId, Types, WARP_SIZE, each_stmt,
};
use clock::{Clock, Who};
use names::Names;
use shadow::{Access, Observer, Region};

/// Options of a checked launch.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// The order in which threads take turns, and blocks run where none waits for another; 0 is that of
    /// [unchecked launches](super).
    pub seed: u64,
    /// True for the reverse of that order.
    pub reversed: bool,
    /// The slices that have no values, or not all of them.
    pub unwritten: Vec<Unwritten>,
}

/// A slice without values: a parameter, by its index, and its bytes that have been written, before the launch and then
/// by it. Those past the end have not.
#[derive(Clone, Debug, Default)]
pub struct Unwritten {
    /// The index of the parameter.
    pub parameter: usize,
    /// True for each byte that has been written. Parameters of the same memory share it.
    pub written: Rc<RefCell<Vec<bool>>>,
    /// The place of the slice in it.
    pub start: u64,
}

impl Unwritten {
    /// A parameter that has no values at all.
    pub fn new(parameter: usize) -> Unwritten {
        Unwritten {
            parameter,
            ..Unwritten::default()
        }
    }

    /// Marks bytes as written.
    fn mark(&self, offset: u64, size: u64) {
        let (start, end) = ((self.start + offset) as usize, (self.start + offset + size) as usize);
        let mut written = self.written.borrow_mut();
        if written.len() < end {
            written.resize(end, false);
        }
        written[start..end].fill(true);
    }

    /// The first byte of a range that has not been written.
    fn first(&self, offset: u64, size: u64) -> Option<u64> {
        let written = self.written.borrow();
        let is_written = |at: u64| written.get((self.start + at) as usize).copied().unwrap_or(false);
        (offset..offset + size).find(|&at| !is_written(at))
    }
}

/// The result of a checked launch.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The result of the launch.
    pub outcome: Result<(), Error>,
    /// The faults that were found, each pair of places in the source once. The launch goes on after a race.
    pub reports: Vec<Report>,
}

/// The key by which equal reports are told once: a kind, the places with what is done there, and the region of memory.
type Key = (Kind, [(Span, Action); 2], u32);

/// The ranges of bytes that the scalars of a type take: where each starts, and its size.
type Parts = Rc<[(u64, u64)]>;

/// The recorder of a launch.
#[derive(Debug)]
pub(super) struct Recorder {
    seed: u64,
    is_reversed: bool,
    /// True if the last writer of each element is wanted, of atomics, too.
    pub(super) keeps_writers: bool,
    unwritten: Vec<Unwritten>,
    names: Names,
    /// Threads of a block.
    threads: u16,
    /// Blocks of a cluster.
    cluster: u32,
    /// Shared memory, then the global regions.
    regions: Vec<Region>,
    /// The blocks that run, from the number of the first one on.
    running: Vec<Vec<sync::Thread>>,
    first: u32,
    /// The running block and thread.
    block: usize,
    thread: usize,
    cells: HashMap<(u32, u64), sync::CellState>,
    named: HashMap<(u32, u32, u32), Clock>,
    /// The parts of types without their padding, by the indices of the types.
    parts: Vec<Option<Parts>>,
    found: Vec<Report>,
    known: HashSet<Key>,
}

impl Recorder {
    pub(super) fn new(code: &Code<'_>, kernel: &Kernel, check: &Check, dynamic: [u64; 2], shared_size: u64) -> Self {
        let mut shared = Region::new(shared_granule(code, dynamic[1] > 0), true, false);
        // Only dynamic shared memory has atomic and other accesses to one place.
        let is_concurrent = bodies(code).any(|body| body.places.iter().any(|(_, place)| place.access.is_concurrent()));
        shared.keeps_atomics = is_concurrent || dynamic[1] > 0;
        Recorder {
            seed: check.seed,
            is_reversed: check.reversed,
            keeps_writers: false,
            unwritten: check.unwritten.clone(),
            names: Names::new(code, kernel, dynamic[0], shared_size),
            threads: kernel.block_threads() as u16,
            cluster: kernel.cluster_blocks(),
            regions: vec![shared],
            running: Vec::new(),
            first: 0,
            block: 0,
            thread: 0,
            cells: HashMap::new(),
            named: HashMap::new(),
            parts: vec![None; code.program.types.iter().len()],
            found: Vec::new(),
            known: HashSet::new(),
        }
    }

    fn who(&self, thread: usize) -> Who {
        Who {
            block: self.first + self.block as u32,
            slot: thread as u16,
        }
    }

    /// The slot of the copies of a thread.
    fn copies_of(&self, thread: usize) -> Who {
        let Who { block, slot } = self.who(thread);
        Who {
            block,
            slot: slot + self.threads,
        }
    }

    /// Enters an access to bytes; `reads` says whether it needs a value there.
    fn access(&mut self, at: Pointer, size: u64, (action, reads): (Action, bool), in_block: bool, span: Span) {
        let index = at.region().wrapping_sub(SHARED) as usize;
        let Some(region) = self.regions.get_mut(index) else {
            return;
        };
        if size == 0 || !region.is_tracked && region.is_initialised && region.unwritten.is_none() {
            return;
        }
        let thread = &self.running[self.block][self.thread];
        let own = Who {
            block: self.first + self.block as u32,
            slot: self.thread as u16,
        };
        let observer = Observer {
            who: own,
            clock: &thread.clock,
            cluster: self.cluster,
        };
        let mut access = match action.is_copy() {
            true => {
                let slot = own.slot + self.threads;
                Access::new(Who { slot, ..own }, thread.copies, action, span)
            }
            false => Access::new(own, thread.time, action, span),
        };
        access.in_block = in_block;
        let mut races = Vec::new();
        let mut unwritten = None;
        let granule = region.granule;
        if let Some(known) = &region.unwritten {
            if reads {
                unwritten = known.first(at.offset(), size).map(|at| at / granule * granule);
            }
            if action.writes() {
                known.mark(at.offset(), size);
            }
        }
        let (is_initialised, keeps) = (region.is_initialised, region.keeps_atomics);
        for number in at.offset() / granule..=(at.offset() + size - 1) / granule {
            if !region.is_tracked {
                break;
            }
            let cell = region.cell(number);
            if reads && !is_initialised && !cell.is_written() {
                unwritten.get_or_insert(number * granule);
            }
            cell.enter(access, keeps, &observer, &mut |earlier| {
                races.push((number * granule, earlier));
            });
        }
        let there = |offset| at.moved(at.offset(), offset);
        for (offset, earlier) in races {
            self.race(there(offset), earlier, access);
        }
        if let Some(offset) = unwritten {
            let object = self.names.object(there(offset));
            let missing = match at.is_shared() {
                true => "a write before it is missing; where another thread writes, a barrier between them too",
                false => "the host passes no values here: a write before the read is missing",
            };
            self.report(Kind::Unwritten, object, &[access], missing, at.region());
        }
    }

    fn race(&mut self, at: Pointer, earlier: Access, later: Access) {
        let actions = [earlier.action, later.action];
        let kind = match actions.map(Action::is_atomic) {
            _ if actions.iter().any(|action| action.is_copy()) => Kind::CopyRace,
            [true, true] => Kind::ScopeRace,
            [false, false] => Kind::Race,
            _ => Kind::MixedRace,
        };
        if self.known.contains(&key(kind, &[earlier, later], at.region())) {
            return;
        }
        let [one, other] = [earlier, later].map(|access| access.who());
        let thread = |who: Who| u32::from(who.slot % self.threads);
        let is_same_warp = one.block == other.block && thread(one) / WARP_SIZE == thread(other) / WARP_SIZE;
        let missing = match kind {
            Kind::CopyRace if one.block == other.block && thread(one) == thread(other) => {
                "a wait of the thread for its copy is missing between them, `pipeline::wait_prior`"
            }
            Kind::CopyRace => {
                "a wait for the copy by its thread and then a barrier are missing between them, `pipeline::wait_prior` and \
                 `block::sync()`"
            }
            Kind::ScopeRace => "the scope of the device includes both: leave out `in_block()`",
            _ if is_same_warp => {
                "a barrier of the warp or the block is missing between them, `warp::sync()` or `block::sync()`"
            }
            _ if one.block == other.block => "a barrier of the block is missing between them, `block::sync()`",
            _ if one.block / self.cluster == other.block / self.cluster => {
                "a barrier of the cluster is missing between them, `cluster::sync()`"
            }
            _ => {
                "different blocks are ordered by `grid::sync()`, by another launch, or by a release and an acquire of an atomic"
            }
        };
        let object = self.names.object(at);
        self.report(kind, object, &[earlier, later], missing, at.region());
    }

    fn report(&mut self, kind: Kind, object: String, accesses: &[Access], missing: &'static str, region: u32) {
        if !self.known.insert(key(kind, accesses, region)) {
            return;
        }
        let party = |access: &Access| {
            self.names
                .party(access.who(), Does::Access(access.action), access.span())
        };
        let parties = accesses.iter().map(party).collect();
        self.add(kind, object, parties, missing);
    }

    fn add(&mut self, kind: Kind, object: String, parties: Vec<Party>, missing: &'static str) {
        self.found.push(Report {
            kind,
            kernel: self.names.kernel.clone(),
            object,
            parties,
            values: None,
            missing,
        });
    }

    /// The reports of a launch that has ended so. Undefined behaviour ends it, and is a report.
    pub(super) fn reports(&mut self, outcome: &Result<(), Error>) -> Vec<Report> {
        if let Err(Error::Undefined {
            what,
            span,
            block,
            thread,
        }) = outcome
        {
            self.undefined(*what, *span, [*block, *thread]);
        }
        std::mem::take(&mut self.found)
    }

    fn undefined(&mut self, what: Undefined, span: Span, [block, thread]: [[u32; 3]; 2]) {
        let mut party = self.names.party(Who::default(), Does::Addresses, span);
        (party.block, party.thread) = (block, thread);
        let missing = match what {
            Undefined::Dangling => "the reference has to be set before it is used",
            _ => "a check of the index against the length is missing before it",
        };
        self.add(Kind::Outside, what.to_string(), vec![party], missing);
    }
}

fn key(kind: Kind, accesses: &[Access], region: u32) -> Key {
    let mut places = [(Span::NONE, Action::Read); 2];
    for (place, access) in places.iter_mut().zip(accesses) {
        *place = (access.span(), access.action);
    }
    places.sort_unstable();
    (kind, places, region)
}

/// The bodies of the code.
fn bodies<'c>(code: &'c Code<'_>) -> impl Iterator<Item = &'c crate::ir::Body> {
    code.routines().map(|routine| routine.body)
}

/// True if an atomic access is for the threads of the block alone.
fn has_block_scope(body: &crate::ir::Body) -> bool {
    let mut found = false;
    each_stmt(&body.block, &mut |stmt| {
        found |= matches!(
            stmt.kind,
            StmtKind::Atomic {
                scope: MemoryScope::Block,
                ..
            }
        );
    });
    found
}

/// The smallest scalar in shared memory.
fn shared_granule(code: &Code<'_>, has_dynamic: bool) -> u64 {
    let types = &code.program.types;
    let variables = (code.program.shared.iter())
        .filter(|(variable, _)| code.shared_offset(*variable) != u64::MAX)
        .map(|(_, variable)| variable.ty);
    let slices = bodies(code).flat_map(|body| body.exprs.iter()).filter_map(|(_, expr)| {
        let is_dynamic = has_dynamic && matches!(expr.kind, ExprKind::DynamicShared { .. });
        match types[expr.ty] {
            Type::Slice { element, .. } if is_dynamic => Some(element),
            _ => None,
        }
    });
    variables.chain(slices).map(|ty| smallest(types, ty)).min().unwrap_or(4)
}

/// The size of the smallest scalar of a type.
fn smallest(types: &Types, ty: TypeId) -> u64 {
    let least = |fields: &mut dyn Iterator<Item = TypeId>| fields.map(|field| smallest(types, field)).min();
    let size = match &types[ty] {
        Type::Tuple(fields) => least(&mut fields.iter().copied()),
        Type::Struct { fields, .. } => least(&mut fields.iter().map(|field| field.ty)),
        Type::Array { element, .. } => Some(smallest(types, *element)),
        _ => Some(types.layout(ty).size),
    };
    // A type without parts is never accessed.
    size.unwrap_or(8).max(1)
}

/// Adds the ranges of bytes that the scalars of a type take, neighbours as one.
fn add_parts(types: &Types, ty: TypeId, start: u64, parts: &mut Vec<(u64, u64)>) {
    let layout = types.layout(ty);
    match &types[ty] {
        Type::Tuple(fields) => {
            for (field, offset) in fields.iter().zip(&layout.offsets) {
                add_parts(types, *field, start + offset, parts);
            }
        }
        Type::Struct { fields, .. } => {
            for (field, offset) in fields.iter().zip(&layout.offsets) {
                add_parts(types, field.ty, start + offset, parts);
            }
        }
        Type::Array { element, length } if types.as_scalar(*element).is_none() => {
            let size = types.layout(*element).size;
            for number in 0..*length {
                add_parts(types, *element, start + number * size, parts);
            }
        }
        _ => match parts.last_mut() {
            Some((first, size)) if *first + *size == start => *size += layout.size,
            _ => parts.push((start, layout.size)),
        },
    }
}
