//! Builds programs: bodies whose nodes get their types from their operands.
//!
//! The builder never fails and never panics on ill-typed input; [`validate`](crate::validate) reports it.
//!
//! ```
//! use vyre_ir::ir::{Axis, BinaryOp, Builtin, Program, Scalar};
//!
//! let mut program = Program::default();
//! let f32 = program.types.scalar(Scalar::F32);
//! let (x, y) = (program.types.slice(f32, false), program.types.slice(f32, true));
//! program.build_kernel("double", &[256], &[("x", x), ("y", y)], |b, parameters| {
//!     let [x, y] = parameters else { return };
//!     let i = b.builtin(Builtin::GlobalIndex(Axis::X));
//!     let n = b.length(b.local_place(*y));
//!     let inside = b.binary(BinaryOp::Lt, i, n);
//!     b.if_(inside, |b| {
//!         let i = b.builtin(Builtin::GlobalIndex(Axis::X));
//!         let element = b.index(b.local_place(*x), i);
//!         let value = b.load(element);
//!         let two = b.f32(2.0);
//!         let product = b.binary(BinaryOp::Mul, value, two);
//!         let i = b.builtin(Builtin::GlobalIndex(Axis::X));
//!         let target = b.index(b.local_place(*y), i);
//!         b.store(target, product);
//!     }, |_| {});
//! });
//! assert!(vyre_ir::validate::validate(&program).is_ok());
//! ```

mod copy;
mod exchange;
mod places;

use vyre_abi::format::Template;

use super::expr::{Expr, ExprId, ExprKind, Extent, Place, PlaceId};
use super::handle::Handle;
use super::intrinsic::Intrinsic;
use super::ops::{AtomicOp, Builtin, MemoryOrder, MemoryScope};
use super::program::{
    Body, ConstantTable, Entry, External, Function, Kernel, Local, Parameter, Program, SharedVariable,
};
use super::row::Output;
use super::span::Span;
use super::stmt::{AssertMessage, Block, Stmt, StmtKind};
use super::types::{Type, TypeId, Types};
use super::{BinaryOp, Constant, Scalar, UnaryOp};
pub use places::Path;

/// Builds one [`Body`].
#[derive(Debug)]
pub struct BodyBuilder<'p> {
    /// The span that new nodes get.
    pub span: Span,
    types: &'p mut Types,
    externals: &'p super::handle::Arena<External>,
    tables: &'p super::handle::Arena<ConstantTable>,
    shared: &'p super::handle::Arena<SharedVariable>,
    results: Vec<TypeId>,
    body: Body,
    open: Block,
}

impl Program {
    /// Adds a kernel with one entry of the same name. `block` has one extent for each axis that
    /// the kernel uses.
    pub fn build_kernel(
        &mut self,
        name: &str,
        block: &[u32],
        parameters: &[(&str, TypeId)],
        build: impl FnOnce(&mut BodyBuilder<'_>, &[Handle<Local>]),
    ) -> Handle<Kernel> {
        let body = self.build_body(parameters, build);
        let mut extents = [1; 3];
        for (extent, &given) in extents.iter_mut().zip(block) {
            *extent = given;
        }
        self.kernels.push(Kernel {
            name: name.to_owned(),
            instance: Vec::new(),
            dimensions: block.len() as u32,
            block: extents,
            cluster: None,
            min_blocks: None,
            parameters: parameters
                .iter()
                .map(|&(name, ty)| Parameter {
                    name: name.to_owned(),
                    ty,
                    span: Span::NONE,
                })
                .collect(),
            entries: vec![Entry {
                symbol: name.to_owned(),
                predicate: None,
                coarsening: 1,
                body,
            }],
            span: Span::NONE,
        })
    }

    /// Adds a device function.
    pub fn build_function(
        &mut self,
        name: &str,
        parameters: &[(&str, TypeId)],
        result: TypeId,
        build: impl FnOnce(&mut BodyBuilder<'_>, &[Handle<Local>]),
    ) -> Handle<Function> {
        let body = self.build_body(parameters, build);
        self.functions.push(Function {
            name: name.to_owned(),
            parameters: parameters.len() as u32,
            result,
            exact: false,
            body,
            span: Span::NONE,
        })
    }

    /// Builds a body whose first locals are `parameters`.
    pub fn build_body(
        &mut self,
        parameters: &[(&str, TypeId)],
        build: impl FnOnce(&mut BodyBuilder<'_>, &[Handle<Local>]),
    ) -> Body {
        let mut builder = BodyBuilder::new(self);
        let locals: Vec<_> = parameters.iter().map(|&(name, ty)| builder.local(name, ty)).collect();
        build(&mut builder, &locals);
        builder.finish()
    }
}

impl<'p> BodyBuilder<'p> {
    /// An empty body in `program`. Its first locals must be the parameters.
    pub fn new(program: &'p mut Program) -> Self {
        BodyBuilder {
            span: Span::NONE,
            types: &mut program.types,
            externals: &program.externals,
            tables: &program.tables,
            shared: &program.shared,
            results: program.functions.iter().map(|(_, function)| function.result).collect(),
            body: Body::default(),
            open: Block::new(),
        }
    }

    /// A body in `program` to which more is added.
    pub(crate) fn resume(program: &'p mut Program, mut body: Body) -> Self {
        let open = std::mem::take(&mut body.block);
        let builder = BodyBuilder::new(program);
        BodyBuilder { body, open, ..builder }
    }

    /// Number of expressions so far.
    pub fn exprs(&self) -> usize {
        self.body.exprs.len()
    }

    /// The finished body.
    pub fn finish(mut self) -> Body {
        self.body.block = self.open;
        self.body
    }

    /// The program's types.
    pub fn types(&mut self) -> &mut Types {
        self.types
    }

    /// The type of an expression.
    pub fn type_of(&self, expr: ExprId) -> TypeId {
        self.body.exprs[expr].ty
    }

    /// The kind of an expression.
    pub fn kind_of(&self, expr: ExprId) -> &ExprKind {
        &self.body.exprs[expr].kind
    }

    /// A place used by an expression.
    pub fn place_of(&self, place: PlaceId) -> &Place {
        &self.body.places[place]
    }

    /// A new local.
    pub fn local(&mut self, name: &str, ty: TypeId) -> Handle<Local> {
        self.body.locals.push(Local {
            name: name.to_owned(),
            ty,
            span: self.span,
        })
    }

    /// Adds an expression as it is.
    pub fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.body.exprs.push(Expr {
            kind,
            ty,
            span: self.span,
        })
    }

    fn scalar_expr(&mut self, kind: ExprKind, scalar: Scalar) -> ExprId {
        let ty = self.types.scalar(scalar);
        self.expr(kind, ty)
    }

    /// A constant.
    pub fn constant(&mut self, constant: Constant) -> ExprId {
        self.scalar_expr(ExprKind::Constant(constant), constant.scalar)
    }

    /// A `u64` constant.
    pub fn u64(&mut self, value: u64) -> ExprId {
        self.constant(Constant::u64(value))
    }

    /// A `u32` constant.
    pub fn u32(&mut self, value: u32) -> ExprId {
        self.constant(Constant::new(Scalar::U32, u64::from(value)))
    }

    /// An `i32` constant.
    pub fn i32(&mut self, value: i32) -> ExprId {
        self.constant(Constant::new(Scalar::I32, value as u64))
    }

    /// An `f32` constant.
    pub fn f32(&mut self, value: f32) -> ExprId {
        self.constant(Constant::new(Scalar::F32, u64::from(value.to_bits())))
    }

    /// An `f64` constant.
    pub fn f64(&mut self, value: f64) -> ExprId {
        self.constant(Constant::new(Scalar::F64, value.to_bits()))
    }

    /// A `bool` constant.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.constant(Constant::bool(value))
    }

    /// An external constant.
    pub fn external(&mut self, external: Handle<External>) -> ExprId {
        let scalar = self
            .externals
            .get(external)
            .map_or(Scalar::U64, |external| external.scalar);
        self.scalar_expr(ExprKind::External(external), scalar)
    }

    /// A builtin value of the running thread.
    pub fn builtin(&mut self, builtin: Builtin) -> ExprId {
        self.scalar_expr(ExprKind::Builtin(builtin), builtin.scalar())
    }

    /// An operation on one operand.
    pub fn unary(&mut self, op: UnaryOp, operand: ExprId) -> ExprId {
        let ty = self.type_of(operand);
        self.expr(ExprKind::Unary { op, operand }, ty)
    }

    /// An operation on two operands.
    pub fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let ty = if op.is_comparison() {
            self.types.scalar(Scalar::Bool)
        } else {
            self.type_of(left)
        };
        self.expr(ExprKind::Binary { op, left, right }, ty)
    }

    /// `a * b + c`, rounded once.
    pub fn mul_add(&mut self, a: ExprId, b: ExprId, c: ExprId) -> ExprId {
        let ty = self.type_of(a);
        self.expr(ExprKind::MulAdd { a, b, c }, ty)
    }

    /// `left && right`.
    pub fn and(&mut self, left: ExprId, right: ExprId) -> ExprId {
        self.scalar_expr(ExprKind::And { left, right }, Scalar::Bool)
    }

    /// `left || right`.
    pub fn or(&mut self, left: ExprId, right: ExprId) -> ExprId {
        self.scalar_expr(ExprKind::Or { left, right }, Scalar::Bool)
    }

    /// One of two values; the other is not evaluated.
    pub fn select(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let ty = self.type_of(then);
        self.expr(
            ExprKind::Select {
                condition,
                then,
                otherwise,
            },
            ty,
        )
    }

    /// `operand as scalar`.
    pub fn cast(&mut self, operand: ExprId, scalar: Scalar) -> ExprId {
        self.scalar_expr(ExprKind::Cast(operand), scalar)
    }

    /// The same bits as another scalar type.
    pub fn bitcast(&mut self, operand: ExprId, scalar: Scalar) -> ExprId {
        self.scalar_expr(ExprKind::Bitcast(operand), scalar)
    }

    /// A tuple, struct or array value.
    pub fn construct(&mut self, ty: TypeId, parts: Vec<ExprId>) -> ExprId {
        self.expr(ExprKind::Construct(parts), ty)
    }

    /// `[operand; length]`.
    pub fn repeat(&mut self, operand: ExprId, length: u64) -> ExprId {
        let element = self.type_of(operand);
        let ty = self.types.array(element, length);
        self.expr(ExprKind::Repeat(operand), ty)
    }

    /// A field of a tuple or struct value.
    pub fn field_of(&mut self, operand: ExprId, index: u32) -> ExprId {
        let ty = self.field_type(self.type_of(operand), index);
        self.expr(ExprKind::Field { operand, index }, ty)
    }

    /// `index`, which faults unless it is less than `length`; see [`ExprKind::Within`].
    pub fn within(&mut self, index: ExprId, length: ExprId, extent: Extent) -> ExprId {
        self.scalar_expr(ExprKind::Within { index, length, extent }, Scalar::U64)
    }

    /// The corresponding reference into the block of this rank; see [`ExprKind::MapShared`].
    pub fn map_shared(&mut self, reference: ExprId, rank: ExprId) -> ExprId {
        let ty = self.type_of(reference);
        self.expr(ExprKind::MapShared { reference, rank }, ty)
    }

    /// A slice of `element`s in dynamic shared memory; see [`ExprKind::DynamicShared`].
    pub fn dynamic_shared(&mut self, element: TypeId, offset: ExprId, length: Option<ExprId>) -> ExprId {
        let ty = self.types.slice(element, true);
        self.expr(ExprKind::DynamicShared { offset, length }, ty)
    }

    /// Appends a statement as it is.
    pub fn push(&mut self, kind: StmtKind) {
        self.open.push(Stmt { kind, span: self.span });
    }

    /// Appends the statements of a block.
    pub fn append(&mut self, mut block: Block) {
        self.open.append(&mut block);
    }

    /// Number of statements in the open block.
    pub fn position(&self) -> usize {
        self.open.len()
    }

    /// Inserts a statement into the open block, before the one at `position`.
    pub fn insert(&mut self, position: usize, kind: StmtKind) {
        self.open.insert(position, Stmt { kind, span: self.span });
    }

    /// Opens a nested block; pass the returned outer block to [`end_block`](Self::end_block).
    pub fn begin_block(&mut self) -> Block {
        std::mem::take(&mut self.open)
    }

    /// Closes the open block and returns to `outer`.
    pub fn end_block(&mut self, outer: Block) -> Block {
        std::mem::replace(&mut self.open, outer)
    }

    /// Builds a nested block.
    pub fn block<R>(&mut self, build: impl FnOnce(&mut Self) -> R) -> (Block, R) {
        let outer = self.begin_block();
        let result = build(self);
        (self.end_block(outer), result)
    }

    /// Writes `value` to a place.
    pub fn store(&mut self, path: Path, value: ExprId) {
        let place = self.place(path);
        self.push(StmtKind::Store { place, value });
    }

    /// Writes `value` to a local.
    pub fn set(&mut self, local: Handle<Local>, value: ExprId) {
        let path = self.local_place(local);
        self.store(path, value);
    }

    /// A new local that holds `value`.
    pub fn let_(&mut self, name: &str, value: ExprId) -> Handle<Local> {
        let local = self.local(name, self.type_of(value));
        self.set(local, value);
        local
    }

    /// `if condition { then } else { otherwise }`.
    pub fn if_(&mut self, condition: ExprId, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        // The span of the statement is the builder's span before its blocks were built.
        let span = self.span;
        let (then, ()) = self.block(then);
        let (otherwise, ()) = self.block(otherwise);
        self.span = span;
        self.push(StmtKind::If {
            condition,
            then,
            otherwise,
        });
    }

    /// Runs `body`, then `step`, until a break.
    pub fn loop_(&mut self, body: impl FnOnce(&mut Self), step: impl FnOnce(&mut Self)) {
        let span = self.span;
        let (body, ()) = self.block(body);
        let (step, ()) = self.block(step);
        self.span = span;
        self.push(StmtKind::Loop { body, step });
    }

    /// Leaves the loop at `depth`, 0 being the innermost, unless `condition` holds.
    pub fn break_unless(&mut self, condition: ExprId, depth: u32) {
        self.if_(condition, |_| {}, |b| b.push(StmtKind::Break(depth)));
    }

    /// `for local in start..end`, counting by one; `start` and `end` of one integer type.
    pub fn for_range(&mut self, name: &str, start: ExprId, end: ExprId, body: impl FnOnce(&mut Self, Handle<Local>)) {
        let counter = self.let_(name, start);
        let end = self.let_("", end);
        let scalar = self
            .types
            .as_scalar(self.body.locals[counter].ty)
            .unwrap_or(Scalar::U64);
        self.loop_(
            |b| {
                let (i, n) = (b.get(counter), b.get(end));
                let inside = b.binary(BinaryOp::Lt, i, n);
                b.break_unless(inside, 0);
                body(b, counter);
            },
            |b| {
                let (i, one) = (b.get(counter), b.constant(Constant::new(scalar, 1)));
                let next = b.binary(BinaryOp::Add, i, one);
                b.set(counter, next);
            },
        );
    }

    /// Calls a function; the result is in the local returned.
    pub fn call(&mut self, function: Handle<Function>, arguments: Vec<ExprId>) -> Handle<Local> {
        let ty = self.results.get(function.index()).copied().unwrap_or(self.types.unit());
        let result = self.local("", ty);
        self.push(StmtKind::Call {
            function,
            arguments,
            result: Some(result),
        });
        result
    }

    /// An atomic access, relaxed and among the threads of the device; the old value is in the
    /// local returned.
    pub fn atomic(&mut self, op: AtomicOp, path: Path, operands: Vec<ExprId>) -> Handle<Local> {
        let scalar = match self.types[self.path_type(&path)] {
            Type::Atomic(scalar) => scalar,
            _ => Scalar::U32,
        };
        let value = self.types.cell_value(scalar);
        let result = self.local("", value);
        let place = self.place(path);
        let result_of = op.has_result().then_some(result);
        self.push(StmtKind::Atomic {
            op,
            place,
            operands,
            order: MemoryOrder::Relaxed,
            scope: MemoryScope::Device,
            result: result_of,
        });
        result
    }

    /// `block::sync()`.
    pub fn barrier(&mut self) {
        self.intrinsic(Intrinsic::Barrier, &[]);
    }

    /// An intrinsic without a result.
    pub fn intrinsic(&mut self, intrinsic: Intrinsic, operands: &[ExprId]) {
        self.push(StmtKind::Intrinsic {
            intrinsic,
            operands: operands.to_vec(),
            result: None,
        });
    }

    /// An intrinsic with a result, which is in the local returned.
    pub fn intrinsic_value(&mut self, intrinsic: Intrinsic, operands: &[ExprId]) -> Handle<Local> {
        let ty = match intrinsic.row().result {
            Output::Nothing => self.types.unit(),
            Output::Scalar(scalar) => self.types.scalar(scalar),
            Output::First => self.type_of(operands[0]),
            Output::Array { element, length } => {
                let element = self.types.scalar(element);
                self.types.array(element, length)
            }
        };
        let result = self.local("", ty);
        self.push(StmtKind::Intrinsic {
            intrinsic,
            operands: operands.to_vec(),
            result: Some(result),
        });
        result
    }

    /// `assert!(condition, message)`, with a message without values.
    pub fn assert(&mut self, condition: ExprId, message: &str) {
        self.push(StmtKind::Assert {
            condition,
            message: AssertMessage::Assertion(Template::plain(message).to_string()),
            values: Vec::new(),
        });
    }

    /// `print!(..)`, of a [`Template`] and its values.
    pub fn print(&mut self, template: &str, values: Vec<ExprId>) {
        let template = template.to_owned();
        self.push(StmtKind::Print { template, values });
    }

    /// Leaves the kernel or function.
    pub fn return_(&mut self, value: Option<ExprId>) {
        self.push(StmtKind::Return(value));
    }
}
