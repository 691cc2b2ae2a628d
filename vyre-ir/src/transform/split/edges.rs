//! The begin and the end of a part: what it takes from memory, and what it leaves there.

use super::{Cut, resume};
use crate::ir::builder::{BodyBuilder, Path};
use crate::ir::{
    AtomicOp, Axis, BinaryOp, Block, Body, Builtin, ExprId, Handle, Intrinsic, Kernel, Local, Mention, MentionMut,
    Parameter, PlaceBase, Program, Scalar, SharedVariable, Span, Stmt, Type, TypeId, Use, each_stmt,
};

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// The values that memory keeps from part to part.
pub(super) struct Kept {
    pub(super) locals: Vec<Handle<Local>>,
    pub(super) shared: Vec<Handle<SharedVariable>>,
    /// The number of barriers.
    pub(super) barriers: usize,
}

impl Kept {
    /// The parameters of the parts after those of the kernel: the number of the launch, the cells, then what is kept.
    pub(super) fn parameters(&self, program: &mut Program, body: &Body) -> Vec<Parameter> {
        let cell = program.types.intern(Type::Atomic(Scalar::U64));
        let mut more = vec![
            parameter("launch", program.types.scalar(Scalar::U64)),
            parameter("arrived", program.types.slice(cell, false)),
        ];
        for &local in &self.locals {
            let Local { name, ty, .. } = &body.locals[local];
            more.push(parameter(&format!("kept_{name}"), program.types.slice(*ty, true)));
        }
        for &shared in &self.shared {
            let SharedVariable { name, ty, .. } = program.shared[shared].clone();
            more.push(parameter(&format!("kept_{name}"), program.types.slice(ty, true)));
        }
        more
    }
}

fn parameter(name: &str, ty: TypeId) -> Parameter {
    Parameter {
        name: name.to_owned(),
        ty,
        span: Span::NONE,
    }
}

/// The body of a part with its edges, where `more` are its parameters after those of the kernel.
pub(super) fn complete(
    program: &mut Program,
    whole: &Kernel,
    body: &Body,
    cut: &Cut,
    kept: &Kept,
    more: &[Parameter],
    number: usize,
) -> Body {
    let part = &cut.parts[number];
    let mut repeated = cut.repeated[number].clone();
    let own = whole.parameters.len();
    let used = kept.locals.iter().map(|&local| {
        let mut used = mentioned(program, part, &[&repeated, &part.block], local);
        // Memory is zero at first, as locals are, but for parameters.
        used.changed |= number == 0 && local.index() < own;
        used
    });
    let used: Vec<Mentioned> = used.collect();
    let lengths: Vec<Option<u64>> = kept
        .shared
        .iter()
        .map(|&shared| match program.types[program.shared[shared].ty] {
            Type::Array { length, .. } => Some(length),
            _ => None,
        })
        .collect();
    let mut body = body.clone();
    let moved = insert_locals(&mut body, own, more);
    move_results(&mut repeated, &moved);
    let block = std::mem::take(&mut body.block);
    let mut b = BodyBuilder::resume(program, body);
    let cells = Cells {
        launch: Handle::new(own),
        arrived: Handle::new(own + 1),
        barriers: kept.barriers as u64,
    };
    // The locals before and in their new places, beside the slices that keep them.
    let locals: Vec<_> = kept.locals.iter().zip(own + 2..).zip(&used).collect();
    let shared = kept.shared.iter().zip(own + 2 + kept.locals.len()..).zip(&lengths);
    let shared: Vec<_> = shared
        .map(|((&shared, slice), length)| (shared, Handle::new(slice), *length))
        .collect();
    if let Some(barrier) = number.checked_sub(1) {
        cells.end_unless_all(&mut b, barrier as u64);
        for ((local, slice), _) in locals.iter().filter(|(_, used)| used.anyhow) {
            let place = element(&mut b, Handle::new(*slice));
            let value = b.load(place);
            b.set(moved(**local), value);
        }
        for &(shared, slice, length) in &shared {
            copy(&mut b, shared, slice, length, false);
        }
        if !shared.is_empty() {
            b.barrier();
        }
    }
    b.append(repeated);
    resume::part(&mut b, &block, number.checked_sub(1), &|b, barrier| {
        let needed = &cut.live[barrier + 1];
        for ((local, slice), _) in locals
            .iter()
            .filter(|((local, _), used)| used.changed && needed[local.index()])
        {
            let (place, value) = (element(b, Handle::new(*slice)), b.get(moved(**local)));
            b.store(place, value);
        }
        let count = arrived(b);
        for &(shared, slice, length) in &shared {
            copy(b, shared, slice, length, true);
        }
        cells.arrive(b, barrier as u64, count);
        b.return_(None);
    });
    b.finish()
}

/// Copies a shared variable to the element of the block, or from there. An array, of which the length is given, is copied by
/// all threads, another value by the first one.
fn copy(
    b: &mut BodyBuilder<'_>,
    shared: Handle<SharedVariable>,
    slice: Handle<Local>,
    length: Option<u64>,
    saves: bool,
) {
    let move_value = |b: &mut BodyBuilder<'_>, index: Option<Handle<Local>>| {
        let (place, block) = (b.local_place(slice), linear(b, Builtin::BlockIndex, Builtin::GridSize));
        let (mut kept, mut own) = (b.index(place, block), b.shared_place(shared));
        if let Some(index) = index {
            let at = b.get(index);
            kept = b.index(kept, at);
            let at = b.get(index);
            own = b.index(own, at);
        }
        let (from, to) = if saves { (own, kept) } else { (kept, own) };
        let value = b.load(from);
        b.store(to, value);
    };
    let first = linear(b, Builtin::ThreadIndex, Builtin::BlockSize);
    match length {
        None => {
            let zero = b.u64(0);
            let is_first = b.binary(BinaryOp::Eq, first, zero);
            b.if_(is_first, |b| move_value(b, None), |_| {});
        }
        Some(length) => {
            let index = b.let_("index", first);
            b.loop_(
                |b| {
                    let (at, end) = (b.get(index), b.u64(length));
                    let inside = b.binary(BinaryOp::Lt, at, end);
                    b.break_unless(inside, 0);
                    move_value(b, Some(index));
                },
                |b| {
                    let (at, step) = (b.get(index), product(b, &[Builtin::BlockSize]));
                    let next = b.binary(BinaryOp::Add, at, step);
                    b.set(index, next);
                },
            );
        }
    }
}

/// The number of a thread in its block, or of a block, along all axes.
fn linear(b: &mut BodyBuilder<'_>, index: fn(Axis) -> Builtin, extent: fn(Axis) -> Builtin) -> ExprId {
    let mut number = b.u64(0);
    for axis in AXES.into_iter().rev() {
        let [index, extent] = [index, extent].map(|of| {
            let value = b.builtin(of(axis));
            b.cast(value, Scalar::U64)
        });
        number = b.binary(BinaryOp::Mul, number, extent);
        number = b.binary(BinaryOp::Add, number, index);
    }
    number
}

/// The product of extents along all axes.
fn product(b: &mut BodyBuilder<'_>, extents: &[fn(Axis) -> Builtin]) -> ExprId {
    let mut all = b.u64(1);
    for axis in AXES {
        for extent in extents {
            let extent = b.builtin(extent(axis));
            let extent = b.cast(extent, Scalar::U64);
            all = b.binary(BinaryOp::Mul, all, extent);
        }
    }
    all
}

/// How statements mention a local.
#[derive(Clone, Copy, Default)]
struct Mentioned {
    anyhow: bool,
    /// They may change it.
    changed: bool,
}

fn mentioned(program: &Program, body: &Body, blocks: &[&Block], local: Handle<Local>) -> Mentioned {
    let mut found = Mentioned::default();
    let mut look = |stmt: &Stmt| {
        body.mentions_of(stmt, &mut |mention| match mention {
            Mention::Result(result) if result == local => {
                found.anyhow = true;
                found.changed = true;
            }
            Mention::Place(place, used) if body.places[place].part_of(&program.types, body) == Some(local) => {
                found.anyhow = true;
                found.changed |= matches!(used, Use::Store | Use::Atomic | Use::Address | Use::Subslice);
            }
            _ => {}
        });
    };
    blocks.iter().for_each(|block| each_stmt(block, &mut look));
    found
}

/// Inserts parameters behind the first locals. The result leads to the new places of the others. Statements that are not
/// in the block of the body keep their results.
fn insert_locals(body: &mut Body, at: usize, more: &[Parameter]) -> impl Fn(Handle<Local>) -> Handle<Local> + use<> {
    let mut locals: Vec<Local> = body.locals.iter().map(|(_, local)| local.clone()).collect();
    let added = more.iter().map(|parameter| Local {
        name: parameter.name.clone(),
        ty: parameter.ty,
        span: parameter.span,
    });
    locals.splice(at..at, added);
    body.locals = locals.into_iter().collect();
    let added = more.len();
    let moved = move |local: Handle<Local>| match local.index() < at {
        true => local,
        false => Handle::new(local.index() + added),
    };
    for place in body.places.handles() {
        if let PlaceBase::Local(local) = &mut body.places[place].base {
            *local = moved(*local);
        }
    }
    move_results(&mut body.block, &moved);
    moved
}

fn move_results(block: &mut [Stmt], moved: &dyn Fn(Handle<Local>) -> Handle<Local>) {
    for stmt in block {
        stmt.kind.mentions_mut(&mut |mention| {
            if let MentionMut::Result(local) = mention {
                *local = moved(*local);
            }
        });
        for inner in stmt.kind.blocks_mut() {
            move_results(inner, moved);
        }
    }
}

/// The element of this thread.
fn element(b: &mut BodyBuilder<'_>, slice: Handle<Local>) -> Path {
    let (place, index) = (b.local_place(slice), b.builtin(Builtin::LinearIndex));
    b.index(place, index)
}

/// The number of the block's threads that have come to a barrier; those that have faulted do not. All of them wait for each
/// other.
fn arrived(b: &mut BodyBuilder<'_>) -> Handle<Local> {
    let here = b.bool(true);
    b.intrinsic_value(Intrinsic::BarrierCount, &[here])
}

/// The rows of cells: in that of a launch the number of threads that have come to each barrier.
struct Cells {
    /// The number of the launch.
    launch: Handle<Local>,
    arrived: Handle<Local>,
    barriers: u64,
}

impl Cells {
    /// A cell of this launch, or of the one before.
    fn cell(&self, b: &mut BodyBuilder<'_>, is_before: bool, barrier: ExprId) -> Path {
        let mut launch = b.get(self.launch);
        if is_before {
            let one = b.u64(1);
            launch = b.binary(BinaryOp::Sub, launch, one);
        }
        let (width, place) = (b.u64(self.barriers), b.local_place(self.arrived));
        let row = b.binary(BinaryOp::Mul, launch, width);
        let index = b.binary(BinaryOp::Add, row, barrier);
        b.index(place, index)
    }

    /// Ends the thread unless all threads of the launch before have come to a barrier. The first one passes the row on.
    fn end_unless_all(&self, b: &mut BodyBuilder<'_>, barrier: u64) {
        let barrier = b.u64(barrier);
        let place = self.cell(b, true, barrier);
        let there = b.atomic(AtomicOp::Load, place, Vec::new());
        let (there, all) = (b.get(there), product(b, &[Builtin::GridSize, Builtin::BlockSize]));
        let missing = b.binary(BinaryOp::Ne, there, all);
        b.if_(
            missing,
            |b| {
                let (index, zero) = (b.builtin(Builtin::LinearIndex), b.u64(0));
                let is_first = b.binary(BinaryOp::Eq, index, zero);
                b.if_(is_first, |b| self.pass_on(b), |_| {});
                b.return_(None);
            },
            |_| {},
        );
    }

    fn pass_on(&self, b: &mut BodyBuilder<'_>) {
        for barrier in 0..self.barriers {
            let number = b.u64(barrier);
            let from = self.cell(b, true, number);
            let count = b.atomic(AtomicOp::Load, from, Vec::new());
            let number = b.u64(barrier);
            let (to, count) = (self.cell(b, false, number), b.get(count));
            b.atomic(AtomicOp::Add, to, vec![count]);
        }
    }

    /// Adds the threads of the block that have come to a barrier.
    fn arrive(&self, b: &mut BodyBuilder<'_>, barrier: u64, count: Handle<Local>) {
        let (first, zero) = (linear(b, Builtin::ThreadIndex, Builtin::BlockSize), b.u64(0));
        let is_first = b.binary(BinaryOp::Eq, first, zero);
        b.if_(
            is_first,
            |b| {
                let number = b.u64(barrier);
                let (place, count) = (self.cell(b, false, number), b.get(count));
                let count = b.cast(count, Scalar::U64);
                b.atomic(AtomicOp::Add, place, vec![count]);
            },
            |_| {},
        );
    }
}
