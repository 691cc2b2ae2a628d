//! Flattened bodies, so that a thread can stop at a barrier inside nested statements and calls, and
//! resume: its state is a list of positions in lists of steps.

use crate::ir::{
    Block, Body, ExprId, Function, Handle, Kernel, Layout, PlaceBase, Program, Scalar, Stmt, StmtKind, Type, TypeId,
    Types,
};
use crate::validate::Validated;

/// One step of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'p> {
    /// Any statement without blocks.
    Do(&'p Stmt),
    /// Goes to another step.
    Jump(usize),
    /// Goes to another step if the condition is false.
    Unless(ExprId, usize),
    /// Leaves the function or kernel.
    Return(Option<ExprId>),
    /// The end of the body, which leaves it too.
    End,
}

/// A body, ready to run.
pub(super) struct Routine<'p> {
    pub(super) body: &'p Body,
    pub(super) steps: Vec<Step<'p>>,
    /// The offset of each local in the frame.
    pub(super) locals: Vec<u64>,
    /// For each place that is a whole local of a scalar type, the scalar and its offset in the frame: most operands are
    /// such places.
    pub(super) scalars: Vec<Option<(Scalar, u64)>>,
    /// The size of a frame.
    pub(super) frame: u64,
}

/// An entry and its callees, ready to run.
pub(super) struct Code<'p> {
    pub(super) program: &'p Program,
    pub(super) entry: Routine<'p>,
    /// By the function's handle; `None` for unreachable ones.
    functions: Vec<Option<Routine<'p>>>,
    /// By the type's handle.
    layouts: Vec<Layout>,
    /// The offset of each variable in shared memory, by its handle.
    shared: Vec<u64>,
    /// The size of the shared variables used by the code.
    pub(super) shared_size: u64,
}

impl<'p> Code<'p> {
    /// The code of an entry of a kernel; `None` if there is no such entry.
    pub(super) fn new(valid: &Validated<'p>, kernel: Handle<Kernel>, entry: usize) -> Option<Self> {
        let program = valid.program();
        let reach = &valid.info().entries(kernel).get(entry)?.reach;
        let layouts = program.types.iter().map(|(ty, _)| program.types.layout(ty)).collect();
        let mut code = Code {
            program,
            entry: Routine::new(&program.kernels[kernel].entries[entry].body, &program.types),
            functions: program.functions.iter().map(|_| None).collect(),
            layouts,
            shared: vec![u64::MAX; program.shared.len()],
            shared_size: 0,
        };
        for &function in &reach.functions {
            let body = &program.functions[function].body;
            code.functions[function.index()] = Some(Routine::new(body, &program.types));
        }
        for &variable in &reach.shared {
            let layout = &code.layouts[program.shared[variable].ty.index()];
            let offset = aligned(code.shared_size, layout.align);
            code.shared[variable.index()] = offset;
            code.shared_size = offset.saturating_add(layout.size);
        }
        Some(code)
    }

    /// The routine of a function, or of the entry.
    pub(super) fn routine(&self, function: Option<Handle<Function>>) -> &Routine<'p> {
        let function = function.and_then(|function| self.functions[function.index()].as_ref());
        function.unwrap_or(&self.entry)
    }

    /// All routines.
    #[cfg(feature = "programs")]
    pub(super) fn routines(&self) -> impl Iterator<Item = &Routine<'p>> {
        self.functions.iter().flatten().chain([&self.entry])
    }

    pub(super) fn layout(&self, ty: TypeId) -> &Layout {
        &self.layouts[ty.index()]
    }

    /// Makes 1 of each byte of a `bool` in a value that is neither 0 nor 1: any bits may lie in memory.
    pub(super) fn normalise(&self, ty: TypeId, bytes: &mut [u8]) {
        let types = &self.program.types;
        match &types[ty] {
            Type::Scalar(Scalar::Bool) => bytes[0] = u8::from(bytes[0] != 0),
            Type::Tuple(fields) => self.normalise_fields(ty, fields.iter().copied(), bytes),
            Type::Struct { fields, .. } => self.normalise_fields(ty, fields.iter().map(|field| field.ty), bytes),
            Type::Array { element, .. } if types.as_scalar(*element).is_none_or(|scalar| scalar == Scalar::Bool) => {
                let size = self.layout(*element).size.max(1) as usize;
                bytes
                    .chunks_exact_mut(size)
                    .for_each(|bytes| self.normalise(*element, bytes));
            }
            _ => {}
        }
    }

    fn normalise_fields(&self, ty: TypeId, fields: impl Iterator<Item = TypeId>, bytes: &mut [u8]) {
        for (field, &offset) in fields.zip(&self.layout(ty).offsets) {
            let bytes = &mut bytes[offset as usize..][..self.layout(field).size as usize];
            self.normalise(field, bytes);
        }
    }

    pub(super) fn shared_offset(&self, variable: Handle<crate::ir::SharedVariable>) -> u64 {
        self.shared[variable.index()]
    }
}

impl<'p> Routine<'p> {
    fn new(body: &'p Body, types: &Types) -> Self {
        let mut frame = 0;
        let mut locals = Vec::with_capacity(body.locals.len());
        for (_, local) in body.locals.iter() {
            let layout = types.layout(local.ty);
            let offset = aligned(frame, layout.align);
            locals.push(offset);
            frame = offset.saturating_add(layout.size);
        }
        let mut scalars = Vec::with_capacity(body.places.len());
        for (_, place) in body.places.iter() {
            scalars.push(match (place.base, &place.path[..]) {
                (PlaceBase::Local(local), []) => {
                    let scalar = types.as_scalar(body.locals[local].ty);
                    scalar.map(|scalar| (scalar, locals[local.index()]))
                }
                _ => None,
            });
        }
        let mut flattener = Flattener::default();
        flattener.block(&body.block);
        flattener.steps.push(Step::End);
        Routine {
            body,
            steps: flattener.steps,
            locals,
            scalars,
            frame,
        }
    }
}

fn aligned(offset: u64, align: u64) -> u64 {
    offset.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}

#[derive(Default)]
struct Flattener<'p> {
    steps: Vec<Step<'p>>,
    /// The loops around the current statement, outermost first.
    loops: Vec<Loop>,
}

/// The jumps of a loop whose target is not known yet.
#[derive(Default)]
struct Loop {
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

impl<'p> Flattener<'p> {
    fn block(&mut self, block: &'p Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        match &stmt.kind {
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let unless = self.steps.len();
                self.steps.push(Step::Unless(*condition, 0));
                self.block(then);
                let end = self.jump();
                self.steps[unless] = Step::Unless(*condition, self.steps.len());
                self.block(otherwise);
                self.land(&[end]);
            }
            StmtKind::Loop { body, step } => {
                let start = self.steps.len();
                self.loops.push(Loop::default());
                self.block(body);
                if let Some(current) = self.loops.last_mut() {
                    let continues = std::mem::take(&mut current.continues);
                    self.land(&continues);
                }
                self.block(step);
                self.steps.push(Step::Jump(start));
                let breaks = self.loops.pop().map_or(Vec::new(), |finished| finished.breaks);
                self.land(&breaks);
            }
            StmtKind::Break(depth) => {
                let jump = self.jump();
                if let Some(target) = self.enclosing(*depth) {
                    target.breaks.push(jump);
                }
            }
            StmtKind::Continue(depth) => {
                let jump = self.jump();
                if let Some(target) = self.enclosing(*depth) {
                    target.continues.push(jump);
                }
            }
            StmtKind::Return(value) => self.steps.push(Step::Return(*value)),
            StmtKind::Store { .. }
            | StmtKind::Call { .. }
            | StmtKind::Atomic { .. }
            | StmtKind::Intrinsic { .. }
            | StmtKind::Print { .. }
            | StmtKind::Ptx { .. }
            | StmtKind::Assert { .. } => self.steps.push(Step::Do(stmt)),
        }
    }

    /// The loop targeted by `break` or `continue` of this depth; it exists in a validated program.
    fn enclosing(&mut self, depth: u32) -> Option<&mut Loop> {
        let place = self.loops.len().checked_sub(1 + depth as usize);
        debug_assert!(place.is_some(), "a break or continue stands in the loop that it leaves");
        place.and_then(|place| self.loops.get_mut(place))
    }

    /// Appends a jump whose target is set later.
    fn jump(&mut self) -> usize {
        self.steps.push(Step::Jump(0));
        self.steps.len() - 1
    }

    /// Makes the next step the target of jumps.
    fn land(&mut self, jumps: &[usize]) {
        let here = self.steps.len();
        for &jump in jumps {
            self.steps[jump] = Step::Jump(here);
        }
    }
}
