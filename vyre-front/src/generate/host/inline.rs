//! Device functions in place of their calls.
//!
//! A call becomes the stores of its arguments, the statements of the function on locals of its own, and a store of the
//! result. Returns before the end leave a loop around the statements, which runs once.

use vyre_ir::ir::{
    Access, Block, Body, Constant, Expr, ExprId, ExprKind, Function, Handle, Local, MentionMut, Place, PlaceBase,
    PlaceId, Program, Projection, Span, Stmt, StmtKind, Type, TypeId,
};
use vyre_ir::validate::ProgramInfo;

/// Puts the functions that `chosen` accepts in place of their calls in `body`, also within each other.
///
/// `None` if one has a variable that a path may read before it is written, and whose zero cannot be written down: it
/// holds a reference.
pub(super) fn inline(
    program: &Program,
    info: &ProgramInfo<'_>,
    body: &Body,
    chosen: &dyn Fn(Handle<Function>) -> bool,
) -> Option<Body> {
    let mut body = body.clone();
    let block = std::mem::take(&mut body.block);
    let mut inliner = Inliner {
        program,
        info,
        chosen,
        body,
    };
    let block = inliner.calls_of(block)?;
    Some(Body { block, ..inliner.body })
}

struct Inliner<'a> {
    program: &'a Program,
    info: &'a ProgramInfo<'a>,
    chosen: &'a dyn Fn(Handle<Function>) -> bool,
    /// The body that grows.
    body: Body,
}

/// A function on its way into the body.
struct Copied<'a> {
    from: &'a Body,
    /// The place of its locals among those of the body.
    first: usize,
    result: Option<Handle<Local>>,
    /// True if returns leave a loop.
    in_loop: bool,
}

impl Inliner<'_> {
    /// The statements with calls replaced.
    fn calls_of(&mut self, block: Block) -> Option<Block> {
        let mut replaced = Vec::with_capacity(block.len());
        for mut stmt in block {
            for inner in stmt.kind.blocks_mut() {
                *inner = self.calls_of(std::mem::take(inner))?;
            }
            match stmt.kind {
                StmtKind::Call {
                    function,
                    arguments,
                    result,
                } if (self.chosen)(function) => {
                    self.call(function, &arguments, (result, stmt.span), &mut replaced)?;
                }
                _ => replaced.push(stmt),
            }
        }
        Some(replaced)
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[ExprId],
        (result, span): (Option<Handle<Local>>, Span),
        to: &mut Block,
    ) -> Option<()> {
        let (program, info) = (self.program, self.info.function(function));
        let function = &program.functions[function];
        let copied = Copied {
            from: &function.body,
            first: self.body.locals.len(),
            result,
            in_loop: info.returns_early,
        };
        for (local, it) in function.body.locals.iter() {
            let new = self.body.locals.push(it.clone());
            let value = match arguments.get(local.index()) {
                Some(&argument) => argument,
                // It holds zero at each call.
                None if info.local(local).read_unwritten => self.zero(it.ty, span)?,
                None => continue,
            };
            to.push(self.store(new, it.ty, value, span));
        }
        let mut block = self.block(&copied, &function.body.block, 0);
        if copied.in_loop {
            // A return at the end has left it.
            block.push(Stmt {
                kind: StmtKind::Break(0),
                span,
            });
            let kind = StmtKind::Loop {
                body: block,
                step: Vec::new(),
            };
            block = vec![Stmt { kind, span }];
        }
        let block = self.calls_of(block)?;
        to.extend(block);
        Some(())
    }

    /// `local = value`
    fn store(&mut self, local: Handle<Local>, ty: TypeId, value: ExprId, span: Span) -> Stmt {
        let place = self.body.places.push(Place {
            base: PlaceBase::Local(local),
            path: Vec::new(),
            ty,
            access: Access::Plain,
            span,
        });
        Stmt {
            kind: StmtKind::Store { place, value },
            span,
        }
    }

    /// The zero of a type without references.
    fn zero(&mut self, ty: TypeId, span: Span) -> Option<ExprId> {
        let program = self.program;
        let kind = match &program.types[ty] {
            Type::Scalar(scalar) => ExprKind::Constant(Constant {
                scalar: *scalar,
                bits: 0,
            }),
            Type::Array { element, .. } => ExprKind::Repeat(self.zero(*element, span)?),
            Type::Tuple(fields) => {
                let fields = fields.iter().map(|&field| self.zero(field, span));
                ExprKind::Construct(fields.collect::<Option<_>>()?)
            }
            Type::Struct { fields, .. } => {
                let fields = fields.iter().map(|field| self.zero(field.ty, span));
                ExprKind::Construct(fields.collect::<Option<_>>()?)
            }
            Type::Atomic(_) | Type::Reference { .. } | Type::Slice { .. } => return None,
        };
        Some(self.body.exprs.push(Expr { kind, ty, span }))
    }

    /// A block of the function, so many loops deep.
    fn block(&mut self, copied: &Copied<'_>, block: &Block, depth: u32) -> Block {
        let mut statements = Vec::with_capacity(block.len());
        for stmt in block {
            let span = stmt.span;
            if let StmtKind::Return(value) = stmt.kind {
                if let (Some(value), Some(local)) = (value, copied.result) {
                    let ty = copied.from.exprs[value].ty;
                    let value = self.expr(copied, value);
                    statements.push(self.store(local, ty, value, span));
                }
                if copied.in_loop {
                    let kind = StmtKind::Break(depth);
                    statements.push(Stmt { kind, span });
                }
                continue;
            }
            let mut kind = match &stmt.kind {
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => StmtKind::If {
                    condition: *condition,
                    then: self.block(copied, then, depth),
                    otherwise: self.block(copied, otherwise, depth),
                },
                StmtKind::Loop { body, step } => StmtKind::Loop {
                    body: self.block(copied, body, depth + 1),
                    step: self.block(copied, step, depth + 1),
                },
                other => other.clone(),
            };
            kind.mentions_mut(&mut |mention| self.mention(copied, mention));
            statements.push(Stmt { kind, span });
        }
        statements
    }

    /// Leads a mention of the function's own nodes to their copies.
    fn mention(&mut self, copied: &Copied<'_>, mention: MentionMut<'_>) {
        match mention {
            MentionMut::Expr(expr) => *expr = self.expr(copied, *expr),
            MentionMut::Place(place, _) => *place = self.place(copied, *place),
            MentionMut::Result(local) => *local = copied.local(*local),
        }
    }

    fn expr(&mut self, copied: &Copied<'_>, id: ExprId) -> ExprId {
        let mut expr = copied.from.exprs[id].clone();
        expr.kind.mentions_mut(&mut |mention| self.mention(copied, mention));
        self.body.exprs.push(expr)
    }

    fn place(&mut self, copied: &Copied<'_>, id: PlaceId) -> PlaceId {
        let mut place = copied.from.places[id].clone();
        if let PlaceBase::Local(local) = &mut place.base {
            *local = copied.local(*local);
        }
        for step in &mut place.path {
            if let Projection::Index { index, .. } = step {
                *index = self.expr(copied, *index);
            }
        }
        self.body.places.push(place)
    }
}

impl Copied<'_> {
    fn local(&self, local: Handle<Local>) -> Handle<Local> {
        Handle::new(self.first + local.index())
    }
}
