//! Kernels cut at their barriers of the grid.
//!
//! A barrier of the grid needs all blocks on the device at the same time. Launches on one stream run one after the other,
//! so a kernel that is cut at its barriers, with a launch for each part, needs no such thing and takes grids of any size.
//!
//! **A part** goes from the begin of the kernel, or from behind a barrier, up to the barriers that its threads come to next.
//! For a barrier in a loop or branch it holds what is around it, and begins in its middle: [`resume`].
//!
//! Locals and shared memory are lost between two launches:
//! - A local that a later part reads is computed again there, if that gives the same value: from parameters, indices,
//!   constants, other such locals, and slices that the kernel cannot write. The analysis does not follow the flow: each
//!   assignment of such a local that was executed once before the barrier is repeated, with the branches and loops around
//!   it. Checks, writes to memory and output are not.
//! - Other locals of plain data, among them all that change in a loop around a barrier, are kept in memory, with an element
//!   for each thread.
//! - Shared memory of plain data that may last over a barrier is kept, with an element for each block.
//! - References, slices and other shared memory to which none of this applies are refused.
//!
//! **Which part is next** depends on the loops, and is known on the device alone. All parts can be launched in turn: one
//! whose barrier the threads do not wait at ends at once. Each launch writes a row of cells, one for each barrier, with the
//! number of threads that have come there; the next one reads it.
//!
//! **No part runs after one that has faulted,** since not all threads come to a barrier then. So a repeated expression does
//! not fault, and what a faulted thread did not write makes no other thread wait.

mod again;
mod cuts;
mod edges;
mod resume;
mod shared;

use std::cell::RefCell;
use std::fmt;

use self::again::{Again, Stop, is_plain};
use self::cuts::Row;
use self::edges::Kept;
use crate::ir::builder::BodyBuilder;
use crate::ir::{
    Block, Body, Entry, Handle, Kernel, Local, Mention, Program, Span, Stmt, Type, Use, each_stmt, unassigned_reads,
};

/// A kernel in parts.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The parts are its kernels, in order.
    pub program: Program,
    /// True if a barrier is in a loop or branch: the parts behind the first one are launched in turn until, behind the last of
    /// them, no cell of the row holds the number of all threads. If one holds another number than 0 then, some threads have
    /// not come to its barrier.
    pub is_repeated: bool,
    /// The barriers, in order.
    pub barriers: Vec<Span>,
    /// The slices that keep values over a barrier: the last parameters of each part.
    pub kept: Vec<Keeper>,
}

/// The elements of a slice that keeps values over a barrier. They are zero before the first launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeper {
    /// One for each thread of the launch.
    Threads,
    /// One for each block.
    Blocks,
}

/// Why a kernel cannot be cut at its barriers of the grid, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason.
    pub kind: RefusalKind,
    /// The location of the statement or variable.
    pub span: Span,
}

/// The reason of a [`Refusal`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalKind {
    /// A reference or slice, by its name, is used after a barrier and comes from before it by what memory has held.
    Value(String),
    /// Shared memory of atomics, of barriers or of a size known at the launch, by its name, may have to last over a
    /// barrier.
    Shared(String),
}

impl fmt::Display for RefusalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefusalKind::Value(name) if name.is_empty() => f.write_str(
                "a reference from before a barrier of the grid is used after it, and cannot be computed again",
            ),
            RefusalKind::Value(name) => write!(
                f,
                "the reference `{name}` from before a barrier of the grid is used after it, and cannot be computed again"
            ),
            RefusalKind::Shared(name) => write!(
                f,
                "the shared memory `{name}` may have to last over a barrier of the grid, and cannot be kept"
            ),
        }
    }
}

impl Refusal {
    /// The reason and its location, in words.
    pub fn display(&self, program: &Program) -> impl fmt::Display + use<> {
        let Refusal { kind, span } = self;
        match program.files.get(span.file as usize).filter(|_| span.is_some()) {
            Some(file) => format!("{kind} ({file}:{}:{})", span.line, span.column),
            None => kind.to_string(),
        }
    }
}

/// The parts of a kernel: launched one after the other over the same extent with the same arguments, they do what the
/// kernel does. A kernel without barriers of the grid is one part. Each part has one entry, whose threads cover one index
/// each.
///
/// Several parts take more parameters after those of the kernel, all of them the same:
/// - the number of the launch, a `u64`: 0 for the first part, which is launched once, and one more for each launch;
/// - a slice of 64-bit cells, a row for each launch of one cell for each barrier, zero before that launch;
/// - the slices that [keep](Parts::kept) values.
///
/// ```
/// use vyre_ir::interp::{self, Argument};
/// use vyre_ir::ir::Handle;
/// use vyre_ir::{text, transform::split::split, validate::validate};
///
/// let program = text::parse(
///     "vyre 1
///     type &mut [u32]
///     kernel rotate(x: &mut [u32], y: &mut [u32]) dimensions 1 block 2 1 1 {
///         entry rotate {
///             let i: u64
///             store i = linear_index
///             store x[i] = cast u32(i)
///             grid_barrier
///             store y[i] = x[rem(add(i, 2u64), length(x))]
///         }
///     }",
/// )
/// .expect("it is a program");
/// let parts = split(&program, Handle::new(0)).expect("`i` can be computed again").program;
/// let valid = validate(&parts).expect("it stays valid");
/// let (mut x, mut y, mut arrived) = ([0u8; 16], [0u8; 16], [0u8; 16]);
/// for (part, number) in parts.kernels.handles().zip(0u64..) {
///     let [x, y, arrived] = [&mut x[..], &mut y, &mut arrived].map(Argument::Slice);
///     let mut arguments = [x, y, Argument::Scalar(number.into()), arrived];
///     interp::launch(&valid, part, &mut arguments, [2, 1, 1]).expect("nothing faults");
/// }
/// assert_eq!((parts.kernels.len(), y[0], y[12]), (2, 2, 1));
/// ```
///
/// # Errors
/// A [`Refusal`] with the reason and its place, if the kernel cannot be cut.
pub fn split(program: &Program, kernel: Handle<Kernel>) -> Result<Parts, Refusal> {
    let whole = &program.kernels[kernel];
    let mut parts = Parts {
        program: Program {
            kernels: Default::default(),
            ..program.clone()
        },
        is_repeated: false,
        barriers: Vec::new(),
        kept: Vec::new(),
    };
    let Some(entry) = whole.entries.last() else {
        return Ok(parts);
    };
    let row = Row::of(&entry.body.block);
    if row.count == 0 {
        parts.program.kernels.push(whole.clone());
        return Ok(parts);
    }
    let shared = shared::lasting(program, &entry.body, &row)?;
    let cut = Cut::of(&mut parts.program, whole, &entry.body, &row)?;
    let kept = Kept {
        locals: cut.kept(),
        shared,
        barriers: row.count,
    };
    parts.is_repeated = !row.nests.is_empty();
    each_stmt(&entry.body.block, &mut |stmt| {
        parts.barriers.extend(cuts::is_cut(stmt).then_some(stmt.span))
    });
    parts.kept.extend(kept.locals.iter().map(|_| Keeper::Threads));
    parts.kept.extend(kept.shared.iter().map(|_| Keeper::Blocks));
    let more = kept.parameters(&mut parts.program, &entry.body);
    for number in 0..=row.count {
        let body = edges::complete(&mut parts.program, whole, &entry.body, &cut, &kept, &more, number);
        parts.program.kernels.push(Kernel {
            entries: vec![Entry {
                symbol: match number {
                    0 => entry.symbol.clone(),
                    _ => format!("{}__part{number}", entry.symbol),
                },
                predicate: None,
                coarsening: 1,
                body,
            }],
            parameters: whole.parameters.iter().chain(&more).cloned().collect(),
            ..whole.clone()
        });
    }
    Ok(parts)
}

/// A body that is cut at its barriers.
struct Cut {
    /// The bodies of the parts, without their edges.
    parts: Vec<Body>,
    /// The statements that each part repeats, of those before it.
    repeated: Vec<Block>,
    /// By part and local: true if the part, or one that follows it, needs its value from before.
    live: Vec<Vec<bool>>,
    /// By local: true if it is not computed again.
    fixed: Vec<bool>,
}

impl Cut {
    fn of(parts: &mut Program, whole: &Kernel, body: &Body, row: &Row<'_>) -> Result<Cut, Refusal> {
        let changes = changed_in_nests(parts, body, row);
        let (bodies, ends): (Vec<Body>, Vec<_>) = (0..=row.count).map(|number| part(parts, body, number)).unzip();
        let mut fixed: Vec<bool> = changes.iter().map(Option::is_some).collect();
        // Each round keeps another local, or is the last.
        let repeated = loop {
            let repeated = bodies.iter().enumerate().map(|(number, part)| match number {
                0 => Ok(Block::new()),
                _ => {
                    let needed = unassigned(part, &part.block, body.locals.len());
                    Again::of(
                        parts,
                        whole.parameters.len(),
                        body,
                        &row.before(number - 1),
                        needed,
                        &fixed,
                    )
                }
            });
            match repeated.collect::<Result<Vec<Block>, Stop>>() {
                Ok(repeated) => break repeated,
                Err(Stop::Refused(refusal)) => return Err(refusal),
                Err(Stop::Keep(locals)) => locals.iter().for_each(|local| fixed[local.index()] = true),
            }
        };
        let live = bodies.iter().zip(&repeated).map(|(part, repeated)| {
            let block: Block = repeated.iter().chain(&part.block).cloned().collect();
            unassigned(part, &block, body.locals.len())
        });
        let mut live: Vec<Vec<bool>> = live.collect();
        while pass_on(&mut live, &ends) {}
        let cut = Cut {
            live,
            parts: bodies,
            repeated,
            fixed,
        };
        let refused = cut
            .kept()
            .into_iter()
            .filter(|&local| !is_plain(parts, body.locals[local].ty));
        // One with a name, rather.
        match refused.min_by_key(|&local| body.locals[local].name.is_empty()) {
            None => Ok(cut),
            Some(local) => Err(Refusal {
                kind: RefusalKind::Value(body.locals[local].name.clone()),
                span: changes[local.index()].unwrap_or(body.locals[local].span),
            }),
        }
    }

    /// The locals that memory keeps.
    fn kept(&self) -> Vec<Handle<Local>> {
        let is_kept = |local: &usize| self.fixed[*local] && self.live[1..].iter().any(|live| live[*local]);
        (0..self.fixed.len()).filter(is_kept).map(Handle::new).collect()
    }
}

/// The body of a part, which ends the threads at its barriers, and the numbers of these.
fn part(program: &mut Program, body: &Body, number: usize) -> (Body, Vec<usize>) {
    let mut own = body.clone();
    own.block = Block::new();
    let mut b = BodyBuilder::resume(program, own);
    let ends = RefCell::new(Vec::new());
    resume::part(&mut b, &body.block, number.checked_sub(1), &|b, barrier| {
        ends.borrow_mut().push(barrier);
        b.return_(None);
    });
    (b.finish(), ends.into_inner())
}

/// Lets each part need what those behind its barriers need; true if that is more than before.
fn pass_on(live: &mut [Vec<bool>], ends: &[Vec<usize>]) -> bool {
    let mut is_more = false;
    for (part, ends) in ends.iter().enumerate() {
        for barrier in ends {
            for local in 0..live[part].len() {
                let is_new = live[barrier + 1][local] && !live[part][local];
                live[part][local] |= is_new;
                is_more |= is_new;
            }
        }
    }
    is_more
}

/// By local, of the first ones: true if a block may read it before it has assigned it.
fn unassigned(body: &Body, block: &Block, locals: usize) -> Vec<bool> {
    let mut found = vec![false; body.locals.len()];
    let nothing = vec![false; body.locals.len()];
    unassigned_reads(body, block, nothing, &mut |_, local| found[local.index()] = true);
    found.truncate(locals);
    found
}

/// By local: the first statement in a loop or branch with a barrier that may change it.
fn changed_in_nests(program: &Program, body: &Body, row: &Row<'_>) -> Vec<Option<Span>> {
    let mut changes = vec![None; body.locals.len()];
    let mut note = |stmt: &Stmt| {
        body.mentions_of(stmt, &mut |mention| {
            let local = match mention {
                Mention::Result(local) => Some(local),
                // The slice itself is read, and an array has its address taken.
                Mention::Place(place, Use::Subslice) => body.places[place]
                    .part_of(&program.types, body)
                    .filter(|_| matches!(program.types[body.places[place].ty], Type::Array { .. })),
                Mention::Place(place, Use::Store | Use::Atomic | Use::Address) => {
                    body.places[place].part_of(&program.types, body)
                }
                Mention::Place(_, Use::Load | Use::Length) | Mention::Expr(_) => None,
            };
            if let Some(local) = local {
                changes[local.index()].get_or_insert(stmt.span);
            }
        });
    };
    for (_, nest) in &row.nests {
        note(nest);
        nest.kind.blocks().for_each(|block| each_stmt(block, &mut note));
    }
    changes
}
