//! Thread coarsening: an entry whose threads compute several elements each.
//!
//! A kernel that computes one element per thread spends most of its instructions on indices and checks, and has few
//! loads in flight. If a thread computes `C` elements, it does both once. Its elements lie one block apart, so
//! neighbours in a warp access neighbours in memory, with any alignment: on an H200, saxpy with four elements a thread
//! reaches the bandwidth of `float4` accesses.
//!
//! **Which kernels:** those of one axis that leave at the end of their slices and otherwise access only their element:
//! no other index of the thread, no cooperation, no loop, nothing that can fault or print, no change of a parameter.
//! Their results do not depend on which thread computes which element.
//!
//! **The entry** takes large slices of equal lengths. A thread whose last element exists computes all of them without a
//! check, which unrolling makes one piece of code; the others compute theirs one by one.

use crate::ir::builder::BodyBuilder;
use crate::ir::{
    Axis, BinaryOp, Block, Body, Builtin, Constant, Entry, ExprId, ExprKind, Handle, Kernel, Local, Mention, PlaceId,
    Program, Projection, Scalar, Stmt, StmtKind, Type, Use,
};

/// Limit of the expressions that compute an element.
const MAX_SIZE: usize = 48;
/// The least number of elements that pays: with fewer, four to a thread leave a large GPU without enough threads.
pub const MIN_ELEMENTS: u64 = 1 << 20;

/// Adds an entry whose threads compute several elements each in front of the only entry of a kernel, if that is one of
/// those that profit; returns whether it is. The entry takes launches of at least `least` elements.
///
/// Locals must be written before they are read, as in all programs from Rust: the next element finds what this one left.
pub fn coarsen(program: &mut Program, kernel: Handle<Kernel>, least: u64) -> bool {
    let Some(plan) = Plan::of(program, &program.kernels[kernel]) else {
        return false;
    };
    let definition = &program.kernels[kernel];
    let threads = definition.block_threads();
    let (symbol, body) = (&definition.entries[0].symbol, definition.entries[0].body.clone());
    let symbol = format!("{symbol}__coarsened");
    let (predicate, body) = plan.entry(program, body, threads, least);
    program.kernels[kernel].entries.insert(
        0,
        Entry {
            symbol,
            predicate: Some(predicate),
            coarsening: plan.elements,
            body,
        },
    );
    true
}

/// How a kernel is coarsened.
struct Plan {
    /// The elements of a thread.
    elements: u32,
    /// The local that holds the index of the element.
    index: Handle<Local>,
    /// The slices with an element for each thread.
    slices: Vec<Handle<Local>>,
    /// The parameters, which are the first locals.
    parameters: usize,
}

impl Plan {
    fn of(program: &Program, kernel: &Kernel) -> Option<Plan> {
        let ([entry], 1, None) = (&kernel.entries[..], kernel.dimensions, kernel.cluster) else {
            return None;
        };
        let body = &entry.body;
        let [first, check, rest @ ..] = &body.block[..] else {
            return None;
        };
        let StmtKind::Store { place, value } = first.kind else {
            return None;
        };
        let index = body.places[place].whole_local()?;
        if !matches!(
            body.exprs[value].kind,
            ExprKind::Builtin(Builtin::GlobalIndex(Axis::X) | Builtin::LinearIndex)
        ) {
            return None;
        }
        let StmtKind::If {
            condition,
            then,
            otherwise,
        } = &check.kind
        else {
            return None;
        };
        let leaves = matches!(&otherwise[..], [stmt] if matches!(stmt.kind, StmtKind::Return(None)));
        let mut slices = Vec::new();
        if !then.is_empty() || !leaves || !compared(body, *condition, index, &mut slices) {
            return None;
        }
        let mut widest = 0;
        for (parameter, local) in kernel.parameters.iter().zip(body.locals.handles()) {
            if let Type::Slice { element, .. } = program.types[parameter.ty] {
                if !slices.contains(&local) {
                    return None;
                }
                widest = widest.max(program.types.layout(element).size);
            }
        }
        let elements = match widest {
            1 => 16,
            2 => 8,
            3..=16 => 4,
            _ => return None,
        };
        let plan = Plan {
            elements,
            index,
            slices,
            parameters: kernel.parameters.len(),
        };
        plan.permits(program, body, rest).then_some(plan)
    }

    /// True if the statements compute an element and do nothing that depends on the thread that does.
    fn permits(&self, program: &Program, body: &Body, rest: &[Stmt]) -> bool {
        let mut search = Search {
            program,
            plan: self,
            size: 0,
        };
        search.permits(body, rest, true)
    }

    /// True if a local must hold the same for the next element: the index and the parameters but the slices.
    fn keeps(&self, local: Handle<Local>) -> bool {
        local == self.index || local.index() < self.parameters && !self.slices.contains(&local)
    }

    /// The entry's predicate and body, from those of the only entry.
    fn entry(&self, program: &mut Program, body: Body, threads: u64, least: u64) -> (ExprId, Body) {
        let span = body.block[0].span;
        let mut b = BodyBuilder::resume(program, body);
        let mut rest = b.begin_block();
        rest.drain(..2);
        b.span = span;
        let (elements, first) = (u64::from(self.elements), self.slices[0]);

        let predicate = self.predicate(&mut b, least);
        let index = b.builtin(Builtin::BlockIndex(Axis::X));
        let index = b.cast(index, Scalar::U64);
        let stride = b.u64(threads * elements);
        let index = b.binary(BinaryOp::Mul, index, stride);
        let thread = b.builtin(Builtin::ThreadIndex(Axis::X));
        let thread = b.cast(thread, Scalar::U64);
        let base = b.binary(BinaryOp::Add, index, thread);
        let base = b.let_("", base);

        let (start, ahead) = (b.get(base), b.u64(threads * (elements - 1)));
        let last = b.binary(BinaryOp::Add, start, ahead);
        let whole = self.is_inside(&mut b, last, first);
        let copy = b.copy(&rest);
        b.if_(
            whole,
            |b| {
                let (zero, count) = (b.u64(0), b.u64(elements));
                b.for_range("", zero, count, |b, number| {
                    let (number, threads) = (b.get(number), b.u64(threads));
                    let ahead = b.binary(BinaryOp::Mul, number, threads);
                    let start = b.get(base);
                    let element = b.binary(BinaryOp::Add, start, ahead);
                    b.set(self.index, element);
                    b.append(copy);
                });
            },
            |b| {
                let start = b.get(base);
                let any = self.is_inside(b, start, first);
                b.if_(any, |b| self.one_by_one(b, base, threads, rest), |_| {});
            },
        );
        (predicate, b.finish())
    }

    /// The elements that a thread has, if at least one. The test is `!=`: a comparison by order would have this loop
    /// unrolled, which few threads run.
    fn one_by_one(&self, b: &mut BodyBuilder<'_>, base: Handle<Local>, threads: u64, rest: Block) {
        let (length, start) = (b.length(b.local_place(self.slices[0])), b.get(base));
        let left = b.binary(BinaryOp::Sub, length, start);
        let up = b.u64(threads - 1);
        let left = b.binary(BinaryOp::Add, left, up);
        let stride = b.u64(threads);
        let count = b.binary(BinaryOp::Div, left, stride);
        let (stride, start) = (b.u64(threads), b.get(base));
        let ahead = b.binary(BinaryOp::Mul, count, stride);
        let end = b.binary(BinaryOp::Add, start, ahead);
        let end = b.let_("", end);
        let start = b.get(base);
        b.set(self.index, start);
        b.loop_(
            |b| {
                let (element, end) = (b.get(self.index), b.get(end));
                let more = b.binary(BinaryOp::Ne, element, end);
                b.break_unless(more, 0);
                b.append(rest);
            },
            |b| {
                let (element, stride) = (b.get(self.index), b.u64(threads));
                let next = b.binary(BinaryOp::Add, element, stride);
                b.set(self.index, next);
            },
        );
    }

    fn is_inside(&self, b: &mut BodyBuilder<'_>, index: ExprId, slice: Handle<Local>) -> ExprId {
        let length = b.length(b.local_place(slice));
        b.binary(BinaryOp::Lt, index, length)
    }

    /// All slices have one length, which is large.
    fn predicate(&self, b: &mut BodyBuilder<'_>, least: u64) -> ExprId {
        let (first, others) = (self.slices[0], &self.slices[1..]);
        let (length, least) = (b.length(b.local_place(first)), b.u64(least));
        let mut holds = b.binary(BinaryOp::Ge, length, least);
        for &other in others {
            let (length, own) = (b.length(b.local_place(first)), b.length(b.local_place(other)));
            let same = b.binary(BinaryOp::Eq, length, own);
            holds = b.and(holds, same);
        }
        holds
    }
}

/// Looks through the statements of a kernel and of the functions that it calls.
struct Search<'p> {
    program: &'p Program,
    plan: &'p Plan,
    /// The expressions and places so far.
    size: usize,
}

impl Search<'_> {
    fn permits(&mut self, body: &Body, block: &[Stmt], is_kernel: bool) -> bool {
        block.iter().all(|stmt| {
            let is_permitted = match &stmt.kind {
                StmtKind::Store { .. } => true,
                StmtKind::If { then, otherwise, .. } => {
                    self.permits(body, then, is_kernel) && self.permits(body, otherwise, is_kernel)
                }
                // A return from the kernel would skip the elements after this one.
                StmtKind::Return(_) => !is_kernel,
                StmtKind::Call { function, .. } => {
                    let callee = &self.program.functions[*function].body;
                    self.permits(callee, &callee.block, false)
                }
                _ => false,
            };
            let mut is_plain = is_permitted;
            body.mentions_of(stmt, &mut |mention| {
                self.size += 1;
                is_plain &= match mention {
                    Mention::Expr(expr) => is_plain_expr(self.program, body, expr),
                    Mention::Place(place, used) => {
                        let local = body.places[place].local();
                        let is_kept =
                            is_kernel && used == Use::Store && local.is_some_and(|local| self.plan.keeps(local));
                        !is_kept && self.is_plain_place(body, place, is_kernel)
                    }
                    Mention::Result(local) => !(is_kernel && self.plan.keeps(local)),
                };
            });
            is_plain && self.size <= MAX_SIZE
        })
    }

    /// True if a place is in a local or in the thread's element.
    fn is_plain_place(&self, body: &Body, place: PlaceId, is_kernel: bool) -> bool {
        let place = &body.places[place];
        let Some(local) = place.local() else { return false };
        let is_slice = is_kernel && self.plan.slices.contains(&local);
        let is_own = |index: ExprId| match body.exprs[index].kind {
            ExprKind::Load(place) => body.places[place].whole_local() == Some(self.plan.index),
            _ => false,
        };
        let types = &self.program.types;
        let mut ty = body.locals[local].ty;
        let is_plain = place
            .path
            .iter()
            .enumerate()
            .all(|(depth, step)| match (*step, &types[ty]) {
                (Projection::Index { index, checked }, &Type::Array { element, length }) => {
                    ty = element;
                    let known = match body.exprs[index].kind {
                        ExprKind::Constant(constant) => constant.bits < length,
                        _ => false,
                    };
                    known || !checked
                }
                (Projection::Index { index, checked }, &Type::Slice { element, .. }) => {
                    ty = element;
                    !checked && depth == 0 && is_slice && is_own(index)
                }
                (Projection::Field(index), Type::Struct { fields, .. }) => {
                    fields.get(index as usize).inspect(|field| ty = field.ty).is_some()
                }
                (Projection::Field(index), Type::Tuple(fields)) => {
                    fields.get(index as usize).inspect(|field| ty = **field).is_some()
                }
                _ => false,
            });
        is_plain && !(is_slice && place.path.is_empty())
    }
}

/// Adds the slices with whose lengths a condition compares the index; false if it does anything else.
fn compared(body: &Body, condition: ExprId, index: Handle<Local>, slices: &mut Vec<Handle<Local>>) -> bool {
    match body.exprs[condition].kind {
        ExprKind::And { left, right } => compared(body, left, index, slices) && compared(body, right, index, slices),
        ExprKind::Binary {
            op: BinaryOp::Lt,
            left,
            right,
        } => match (&body.exprs[left].kind, &body.exprs[right].kind) {
            (ExprKind::Load(loaded), ExprKind::Length(of)) => {
                let slice = body.places[*of].whole_local();
                slices.extend(slice);
                slice.is_some() && body.places[*loaded].whole_local() == Some(index)
            }
            _ => false,
        },
        _ => false,
    }
}

/// True if an expression is arithmetic that cannot fault.
fn is_plain_expr(program: &Program, body: &Body, expr: ExprId) -> bool {
    match &body.exprs[expr].kind {
        ExprKind::Constant(_)
        | ExprKind::External(_)
        | ExprKind::Load(_)
        | ExprKind::Unary { .. }
        | ExprKind::MulAdd { .. }
        | ExprKind::And { .. }
        | ExprKind::Or { .. }
        | ExprKind::Select { .. }
        | ExprKind::Cast(_)
        | ExprKind::Bitcast(_)
        | ExprKind::Construct(_)
        | ExprKind::Repeat(_)
        | ExprKind::Field { .. } => true,
        ExprKind::Binary { op, left, right } => {
            let scalar = program.types.as_scalar(body.exprs[*left].ty);
            scalar.is_some_and(|scalar| !op.may_fault(scalar)) || is_safe_divisor(body, *right)
        }
        _ => false,
    }
}

/// True of a constant that divides every integer.
fn is_safe_divisor(body: &Body, expr: ExprId) -> bool {
    let ExprKind::Constant(Constant { scalar, bits }) = body.exprs[expr].kind else {
        return false;
    };
    let minus_one = u64::MAX >> (64 - scalar.bits());
    bits != 0 && (bits != minus_one || !scalar.is_signed())
}
