//! Kernels cut at their barriers of the grid.
//!
//! A barrier of the grid needs all blocks on the device at the same time. Launches on one stream run one after the other,
//! so a kernel that is cut at its barriers, with a launch for each part, needs no such thing and takes grids of any size.
//!
//! **Which kernels:** those whose barriers stand in the body itself, in no branch and no loop. What threads keep over a
//! barrier is lost between two launches:
//! - A local that a later part reads is computed again there, if that gives the same value: from parameters, indices,
//!   constants, other such locals, and slices that the kernel cannot write.
//! - Other locals of plain data are kept in memory, with an element for each thread.
//! - References and slices to which neither applies are refused, and shared memory that two parts use, since its content
//!   may be meant to last.
//!
//! The analysis of locals does not follow the flow within the earlier parts: each assignment there of a local that is
//! needed is repeated, with the branches and loops around it. Checks, writes to memory and output are not.
//!
//! **No part runs after one that has faulted.** The blocks of a part count the threads that come to its end, and the blocks
//! of the next one end at once unless all have. So a repeated expression does not fault, and what a faulted thread did not
//! write makes nobody wait.

mod again;
mod edges;

use std::fmt;

use self::again::{Again, Stop};
use crate::ir::{
    Among, Block, Body, Entry, ExprKind, Handle, Kernel, Mention, PlaceBase, Program, SharedVariable, Span, Stmt,
    StmtKind, each_stmt,
};

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
    /// A barrier of the grid is in a loop or a branch.
    Nested,
    /// A reference or slice, by its name, is used after a barrier and comes from before it by what memory has held.
    Value(String),
    /// Shared memory, by its name, is used on both sides of a barrier.
    Shared(String),
}

impl fmt::Display for RefusalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefusalKind::Nested => f.write_str("a barrier of the grid is in a loop or a branch"),
            RefusalKind::Value(name) if name.is_empty() => f.write_str(
                "a reference from before a barrier of the grid is used after it, and cannot be computed again",
            ),
            RefusalKind::Value(name) => write!(
                f,
                "the reference `{name}` from before a barrier of the grid is used after it, and cannot be computed again"
            ),
            RefusalKind::Shared(name) => write!(
                f,
                "the shared memory `{name}` is used before a barrier of the grid and after it"
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

/// The program of a kernel's parts, which are its kernels, in order: launched one after the other over the same extent with
/// the same arguments, they do what the kernel does. A kernel without barriers of the grid is one part. Each part has one
/// entry, whose threads cover one index each.
///
/// Several parts take more parameters after those of the kernel, all of them the same: a slice of 64-bit cells, one for each
/// barrier, which are zero before the first part; then for each local that memory keeps a slice with an element for each
/// thread of the launch.
///
/// ```
/// use vyre_core::interp::{self, Argument};
/// use vyre_core::ir::Handle;
/// use vyre_core::{split::split, text, validate::validate};
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
/// let parts = split(&program, Handle::new(0)).expect("`i` can be computed again");
/// let valid = validate(&parts).expect("it stays valid");
/// let (mut x, mut y, mut arrived) = ([0u8; 16], [0u8; 16], [0u8; 8]);
/// for part in parts.kernels.handles() {
///     let mut arguments = [&mut x[..], &mut y, &mut arrived].map(Argument::Slice);
///     interp::launch(&valid, part, &mut arguments, [2, 1, 1]).expect("nothing faults");
/// }
/// assert_eq!((parts.kernels.len(), y[0], y[12]), (2, 2, 1));
/// ```
///
/// # Errors
/// A [`Refusal`] with the reason and its place, if the kernel cannot be cut.
pub fn split(program: &Program, kernel: Handle<Kernel>) -> Result<Program, Refusal> {
    let whole = &program.kernels[kernel];
    let mut parts = Program {
        kernels: Default::default(),
        ..program.clone()
    };
    let Some(entry) = whole.entries.last() else {
        return Ok(parts);
    };
    let body = &entry.body;
    let cuts = cuts(&body.block)?;
    if cuts.is_empty() {
        parts.kernels.push(whole.clone());
        return Ok(parts);
    }
    let owns = owns(&body.block, &cuts);
    check_shared(program, body, &owns)?;
    let mut kept = vec![false; body.locals.len()];
    // Each round keeps another local, or is the last.
    let repeated = loop {
        match repeated(program, whole, body, &owns, &kept) {
            Ok(repeated) => break repeated,
            Err(Stop::Refused(refusal)) => return Err(refusal),
            Err(Stop::Keep(locals)) => locals.iter().for_each(|local| kept[local.index()] = true),
        }
    };
    let kept: Vec<_> = body.locals.handles().filter(|local| kept[local.index()]).collect();
    let more = edges::parameters(&mut parts, body, &kept);
    for (number, (mut block, own)) in repeated.into_iter().zip(&owns).enumerate() {
        block.extend_from_slice(own);
        let part = Body { block, ..body.clone() };
        let body = edges::complete(&mut parts, whole, part, &kept, &more, [number, owns.len()]);
        parts.kernels.push(Kernel {
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

/// The statements of the parts.
fn owns<'b>(block: &'b [Stmt], cuts: &[usize]) -> Vec<&'b [Stmt]> {
    let begins = std::iter::once(0).chain(cuts.iter().map(|cut| cut + 1));
    let ends = cuts.iter().copied().chain([block.len()]);
    begins.zip(ends).map(|(begin, end)| &block[begin..end]).collect()
}

/// The statements that each part repeats.
fn repeated(
    program: &Program,
    whole: &Kernel,
    body: &Body,
    owns: &[&[Stmt]],
    kept: &[bool],
) -> Result<Vec<Block>, Stop> {
    let of = |number: usize| {
        let before: Vec<&Stmt> = owns[..number].iter().copied().flatten().collect();
        Again::of(program, whole.parameters.len(), body, &before, owns[number], kept)
    };
    (0..owns.len()).map(of).collect()
}

/// Refuses shared memory that two parts use.
fn check_shared(program: &Program, body: &Body, owns: &[&[Stmt]]) -> Result<(), Refusal> {
    let mut users: Vec<Option<usize>> = vec![None; program.shared.len() + 1];
    for (number, own) in owns.iter().enumerate() {
        each_shared(program, body, own, &mut |shared, span| {
            let user = &mut users[shared.map_or(program.shared.len(), Handle::index)];
            let name = shared.map_or("dynamic", |shared| &program.shared[shared].name);
            match user.replace(number) {
                Some(before) if before != number => Err(Refusal {
                    kind: RefusalKind::Shared(name.to_owned()),
                    span,
                }),
                _ => Ok(()),
            }
        })?;
    }
    Ok(())
}

fn is_cut(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Intrinsic { intrinsic, .. } if intrinsic.row().among == Among::Grid)
}

/// The places of the barriers in a body.
fn cuts(block: &Block) -> Result<Vec<usize>, Refusal> {
    let mut cuts = Vec::new();
    for (number, stmt) in block.iter().enumerate() {
        if is_cut(stmt) {
            cuts.push(number);
        }
        let mut nested = None;
        for inner in stmt.kind.blocks() {
            each_stmt(inner, &mut |stmt| nested = nested.or(is_cut(stmt).then_some(stmt.span)));
        }
        if let Some(span) = nested {
            return Err(Refusal {
                kind: RefusalKind::Nested,
                span,
            });
        }
    }
    Ok(cuts)
}

/// Visits the shared variables that statements and the functions that they call use, with the statement; `None` is the
/// dynamic shared memory.
fn each_shared(
    program: &Program,
    body: &Body,
    block: &[Stmt],
    visit: &mut dyn FnMut(Option<Handle<SharedVariable>>, Span) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    for stmt in block {
        let mut found = Vec::new();
        body.mentions_of(stmt, &mut |mention| match mention {
            Mention::Place(place, _) => match body.places[place].base {
                PlaceBase::Shared(shared) => found.push(Some(shared)),
                PlaceBase::Local(_) | PlaceBase::Table(_) => {}
            },
            Mention::Expr(expr) if matches!(body.exprs[expr].kind, ExprKind::DynamicShared { .. }) => found.push(None),
            Mention::Expr(_) | Mention::Result(_) => {}
        });
        if let StmtKind::Call { function, .. } = stmt.kind {
            let callee = &program.functions[function].body;
            each_shared(program, callee, &callee.block, &mut |shared, _| {
                found.push(shared);
                Ok(())
            })?;
        }
        for shared in found {
            visit(shared, stmt.span)?;
        }
        for inner in stmt.kind.blocks() {
            each_shared(program, body, inner, visit)?;
        }
    }
    Ok(())
}
