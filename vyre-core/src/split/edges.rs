//! The begin and the end of a part: what it takes from memory, and what it leaves there.

use crate::ir::builder::{BodyBuilder, Path};
use crate::ir::{
    AtomicOp, Axis, BinaryOp, Body, Builtin, ExprId, Handle, Intrinsic, Kernel, Local, Mention, MentionMut, Parameter,
    PlaceBase, Program, Scalar, Span, Stmt, Type, TypeId, Use, each_stmt,
};

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// The parameters of the parts after those of the kernel.
pub(super) fn parameters(program: &mut Program, body: &Body, kept: &[Handle<Local>]) -> Vec<Parameter> {
    let cell = program.types.intern(Type::Atomic(Scalar::U64));
    let mut more = vec![parameter("arrived", program.types.slice(cell, false))];
    for &local in kept {
        let Local { name, ty, .. } = &body.locals[local];
        more.push(parameter(&format!("kept_{name}"), program.types.slice(*ty, true)));
    }
    more
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
    mut body: Body,
    kept: &[Handle<Local>],
    more: &[Parameter],
    [number, count]: [usize; 2],
) -> Body {
    let used: Vec<Mentioned> = kept.iter().map(|&local| mentioned(program, &body, local)).collect();
    let own = whole.parameters.len();
    let moved = insert_locals(&mut body, own, more);
    let block = std::mem::take(&mut body.block);
    let mut b = BodyBuilder::resume(program, body);
    let arrived = Handle::new(own);
    // The locals in their new places, beside the slices that keep them.
    let kept: Vec<_> = kept
        .iter()
        .zip(1..)
        .map(|(&local, slice)| (moved(local), Handle::new(own + slice)))
        .collect();
    if number > 0 {
        end_unless_all(&mut b, arrived, number as u64 - 1);
        for (&(local, slice), _) in kept.iter().zip(&used).filter(|(_, used)| used.anyhow) {
            let place = element(&mut b, slice);
            let value = b.load(place);
            b.set(local, value);
        }
    }
    b.append(block);
    if number + 1 < count {
        for (&(local, slice), _) in kept.iter().zip(&used).filter(|(_, used)| used.changed) {
            let (place, value) = (element(&mut b, slice), b.get(local));
            b.store(place, value);
        }
        arrive(&mut b, arrived, number as u64);
    }
    b.finish()
}

/// How statements mention a local.
#[derive(Clone, Copy, Default)]
struct Mentioned {
    anyhow: bool,
    /// They may change it.
    changed: bool,
}

fn mentioned(program: &Program, body: &Body, local: Handle<Local>) -> Mentioned {
    let mut found = Mentioned::default();
    each_stmt(&body.block, &mut |stmt| {
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
    });
    found
}

/// Inserts parameters behind the first locals. The result leads to the new places of the others.
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

fn cell(b: &mut BodyBuilder<'_>, arrived: Handle<Local>, barrier: u64) -> Path {
    let (place, index) = (b.local_place(arrived), b.u64(barrier));
    b.index(place, index)
}

/// Ends the thread unless all threads of the launch have come to the end of the part before.
fn end_unless_all(b: &mut BodyBuilder<'_>, arrived: Handle<Local>, barrier: u64) {
    let place = cell(b, arrived, barrier);
    let there = b.atomic(AtomicOp::Load, place, Vec::new());
    let mut all = b.u64(1);
    for axis in AXES {
        for builtin in [Builtin::GridSize(axis), Builtin::BlockSize(axis)] {
            let extent = b.builtin(builtin);
            let extent = b.cast(extent, Scalar::U64);
            all = b.binary(BinaryOp::Mul, all, extent);
        }
    }
    let there = b.get(there);
    let missing = b.binary(BinaryOp::Ne, there, all);
    b.if_(missing, |b| b.return_(None), |_| {});
}

/// Counts the threads of the block that have come to the end of the part; those that have faulted do not.
fn arrive(b: &mut BodyBuilder<'_>, arrived: Handle<Local>, barrier: u64) {
    let here = b.bool(true);
    let count = b.intrinsic_value(Intrinsic::BarrierCount, &[here]);
    let first = is_first(b);
    b.if_(
        first,
        |b| {
            let place = cell(b, arrived, barrier);
            let count = b.get(count);
            let count = b.cast(count, Scalar::U64);
            b.atomic(AtomicOp::Add, place, vec![count]);
        },
        |_| {},
    );
}

/// True for the first thread of a block.
fn is_first(b: &mut BodyBuilder<'_>) -> ExprId {
    let mut first = b.bool(true);
    for axis in AXES {
        let (index, zero) = (b.builtin(Builtin::ThreadIndex(axis)), b.u32(0));
        let here = b.binary(BinaryOp::Eq, index, zero);
        first = b.and(first, here);
    }
    first
}
