//! SSA construction: from a structured [`Program`] to a [`Function`], one entry of a kernel with
//! all calls inlined.
//!
//! Control flow is structured, so one walk constructs SSA form: the state maps each variable to its
//! current value, and at joins the states are compared ([`state`]). Locals become variables word by
//! word unless they must live in memory ([`storage`]).
//!
//! The files: [`shape`] breaks types into words, [`place`] resolves places, [`expression`] and
//! [`statement`] follow the IR, [`scalar`], [`cast`], [`float`], [`atomic`] and [`intrinsic`]
//! translate its operations to those of the graph, [`bulk`] copies values that are too large for
//! words.

mod atomic;
mod bulk;
mod cast;
mod expression;
mod float;
mod intrinsic;
mod place;
mod records;
mod reduce;
mod scalar;
mod shape;
mod small_atomic;
mod state;
mod statement;
mod storage;
mod variables;
pub(crate) mod warp;

use std::rc::Rc;

use vyre_abi::fault::FaultKind;
use vyre_ir::ir::needs::Devices;
use vyre_ir::ir::{
    Access, BinaryOp, Entry, Handle, Kernel, PlaceId, Program, Scalar, Span, StmtKind, Type, UnaryOp, each_stmt,
};
use vyre_ir::module::FaultSite;
use vyre_ir::validate::{AccessId, Accesses, BodyInfo, ProgramInfo, Validated};

pub(crate) use self::place::table_space;
pub(crate) use self::reduce::is_reduction;
use self::shape::Shapes;
use self::state::{Arrival, Frame};
use self::storage::Homes;
use self::variables::Variables;
use super::function::{Block, Edge, Function, Terminator, Value, ignores_sign, unsigned};
use super::op::{Op, Special};
use super::ty::{Space, Ty};

/// The distinct fault sites of a kernel.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    sites: Vec<FaultSite>,
    /// The distinct templates of printed output.
    prints: Vec<String>,
}

impl Sites {
    /// The sites of a kernel before it is built: with all its print templates, so that other
    /// numberings of the program's templates agree.
    pub(crate) fn of(program: &Program, kernel: &Kernel) -> Sites {
        let mut sites = Sites::default();
        let entries = kernel.entries.iter().map(|entry| &entry.body);
        let functions = program.functions.iter().map(|(_, function)| &function.body);
        for body in entries.chain(functions) {
            each_stmt(&body.block, &mut |stmt| {
                if let StmtKind::Print { template, .. } = &stmt.kind {
                    sites.print(template);
                }
            });
        }
        sites
    }

    /// The index of a site, added if new.
    fn number(&mut self, kind: FaultKind, span: Span, message: &str) -> u32 {
        // Sites are added in textual order, so an existing one is rarely far from the end; a missed
        // one is listed twice, which is harmless.
        let recent = self.sites.len().saturating_sub(32);
        let known = self.sites[recent..]
            .iter()
            .position(|site| site.kind == kind && site.span == span && site.message == message);
        let index = known.map_or(self.sites.len(), |position| recent + position);
        if known.is_none() {
            self.sites.push(FaultSite {
                kind,
                span,
                message: message.to_owned(),
            });
        }
        index as u32
    }

    /// The index of a template, added if new.
    fn print(&mut self, template: &str) -> u32 {
        let known = self.prints.iter().position(|known| known == template);
        if known.is_none() {
            self.prints.push(template.to_owned());
        }
        known.unwrap_or(self.prints.len() - 1) as u32
    }

    /// The sites, and the templates of printed output, by index.
    pub(crate) fn into_inner(self) -> (Vec<FaultSite>, Vec<String>) {
        (self.sites, self.prints)
    }
}

/// Builds the graph of one entry of a kernel.
///
/// Under limits, cache hints that they exclude are left out, and atomic operations take another way where there is one.
pub(crate) fn build(
    valid: &Validated<'_>,
    kernel: Handle<Kernel>,
    entry: usize,
    sites: &mut Sites,
    devices: Devices,
) -> Function {
    let (program, info) = (valid.program(), valid.info());
    let entry_info = &info.entries(kernel)[entry].body;
    let kernel = &program.kernels[kernel];
    let mut builder = Builder {
        program,
        info,
        dimensions: kernel.dimensions,
        cluster: kernel.cluster,
        devices,
        full_warps: warp::are_full(kernel, entry_info),
        nesting: 0,
        function: Function::new(kernel.block),
        shapes: Shapes::new(&program.types),
        homes: vec![None; program.functions.len()],
        sites,
        block: Handle::new(0),
        reachable: true,
        state: Variables::default(),
        frame: Frame::default(),
        access: Access::Plain,
        accessing: None,
        storing: None,
        large_objects: Vec::new(),
        free_objects: Vec::new(),
        span: kernel.span,
    };
    builder.kernel(kernel, &kernel.entries[entry], entry_info);
    builder.function
}

/// Builds a [`Function`].
struct Builder<'p, 's> {
    program: &'p Program,
    info: &'s ProgramInfo<'p>,
    /// Axes of the launch that the kernel uses.
    dimensions: u32,
    /// Blocks of a cluster, if the kernel has clusters.
    cluster: Option<[u32; 3]>,
    /// The devices that the code is for.
    devices: Devices,
    /// True if warps are full and no thread exits before the end except by a fault.
    full_warps: bool,
    /// Number of enclosing branches, loops and calls.
    nesting: u32,
    function: Function,
    shapes: Shapes<'p>,
    /// The storage decisions for the bodies of device functions visited so far.
    homes: Vec<Option<Rc<Homes>>>,
    sites: &'s mut Sites,
    /// The current block.
    block: Block,
    /// True if control reaches the end of that block. Otherwise later operations are dead.
    reachable: bool,
    /// The current value of each variable.
    state: Variables,
    /// The current body.
    frame: Frame<'p, 's>,
    /// The cache operator of the current load or store.
    access: Access,
    /// The access of the current body that memory operations now implement.
    accessing: Option<AccessId>,
    /// The same for stores only, while a value is written piece by piece.
    storing: Option<AccessId>,
    /// The large objects in local memory that the calls around this place hold, and those of calls that have ended.
    large_objects: Vec<u32>,
    free_objects: Vec<u32>,
    /// The current source location.
    span: Span,
}

impl<'p, 's> Builder<'p, 's> {
    fn kernel(&mut self, kernel: &'p Kernel, entry: &'p Entry, info: &'s BodyInfo<'p>) {
        let mut homes = Homes::of(&entry.body, info, &mut self.shapes);
        homes.keep_parameters(info, kernel.parameters.len());
        let homes = Rc::new(homes);
        let outer = self.enter(&entry.body, info, homes.clone(), kernel.parameters.len());
        for (number, parameter) in kernel.parameters.iter().enumerate() {
            let read_only = match self.program.types[parameter.ty] {
                Type::Slice { element, mutable } => !mutable && !self.program.types.has_atomics(element),
                _ => false,
            };
            self.function.read_only.push(read_only);
            if homes.in_place.get(number) != Some(&true) {
                let words = self.arguments(number as u32, parameter.ty);
                self.initialise(Handle::new(number), &words);
            }
        }
        self.stmts(&entry.body.block);
        let frame = self.leave(outer);
        // Every return of the kernel ends the thread.
        for Arrival { block, .. } in frame.returns {
            self.function.blocks[block].end = Terminator::Return;
        }
        self.function.blocks[self.block].end = Terminator::Return;
    }

    /// The words of a kernel parameter.
    fn arguments(&mut self, parameter: u32, ty: vyre_ir::ir::TypeId) -> Vec<Value> {
        let slice = matches!(self.program.types[ty], Type::Slice { .. });
        let shape = self.shapes.of(ty);
        let mut words = Vec::with_capacity(shape.leaves.len());
        for leaf in &shape.leaves {
            let offset = leaf.offset as u32;
            let (scalar, ty) = match leaf.kind {
                shape::LeafKind::Pointer => (Scalar::U64, Ty::Pointer(Space::Global)),
                shape::LeafKind::Scalar(Scalar::Bool) => (Scalar::U8, Ty::I32),
                shape::LeafKind::Scalar(scalar) => (scalar, Ty::of(scalar)),
            };
            debug_assert!(slice || ty != Ty::Pointer(Space::Global), "kernels take no references");
            let op = Op::Argument {
                parameter,
                offset,
                scalar,
            };
            let mut word = self.function.root(op, ty);
            if leaf.kind == shape::LeafKind::Scalar(Scalar::Bool) {
                let zero = self.constant(Ty::I32, 0);
                word = self.binary_op(BinaryOp::Ne, Scalar::U32, word, zero);
            }
            words.push(word);
        }
        words
    }

    /// Appends an operation.
    fn emit(&mut self, op: Op, ty: Ty) -> Value {
        let value = self.function.add_value(op, ty, self.span);
        if op.accesses_memory()
            && let Some(access) = self
                .accessing
                .or(self.storing.filter(|_| matches!(op, Op::Store { .. })))
        {
            self.function.origins.add(value, (self.frame.inlined, access));
        }
        self.function.blocks[self.block].body.push(value);
        value
    }

    /// The accesses of the current body.
    fn accesses(&self) -> &'s Accesses {
        &self.frame.info.expect("statements stand in a body").accesses
    }

    /// Appends an operation without a result.
    fn effect(&mut self, op: Op) {
        self.emit(op, Ty::Unit);
    }

    fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        self.function.constant(ty, bits)
    }

    fn bool(&mut self, value: bool) -> Value {
        self.constant(Ty::Bool, u64::from(value))
    }

    /// A binary operation on scalars of 32 and 64 bits and `bool`.
    fn binary_op(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Value {
        let scalar = if ignores_sign(op) { unsigned(scalar) } else { scalar };
        let ty = if op.is_comparison() { Ty::Bool } else { Ty::of(scalar) };
        self.emit(Op::Binary { op, scalar, a, b }, ty)
    }

    /// A binary operation with a constant on the right.
    fn binary_with(&mut self, op: BinaryOp, scalar: Scalar, a: Value, bits: u64) -> Value {
        let ty = if op.is_shift() { Ty::I32 } else { Ty::of(scalar) };
        let b = self.constant(ty, bits);
        self.binary_op(op, scalar, a, b)
    }

    /// A unary operation that keeps the type.
    fn unary_op(&mut self, op: UnaryOp, scalar: Scalar, a: Value) -> Value {
        self.emit(Op::Unary { op, scalar, a }, Ty::of(scalar))
    }

    fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        if ty == Ty::Bool {
            let first = self.binary_op(BinaryOp::And, Scalar::Bool, condition, a);
            let inverse = self.unary_op(UnaryOp::Not, Scalar::Bool, condition);
            let second = self.binary_op(BinaryOp::And, Scalar::Bool, inverse, b);
            return self.binary_op(BinaryOp::Or, Scalar::Bool, first, second);
        }
        self.emit(Op::Select { condition, a, b }, ty)
    }

    fn convert(&mut self, from: Scalar, to: Scalar, a: Value) -> Value {
        self.emit(Op::Convert { from, to, a }, Ty::of(to))
    }

    fn bits(&mut self, a: Value, ty: Ty) -> Value {
        self.emit(Op::Bits(a), ty)
    }

    /// Faults unless `condition` holds.
    fn guard(&mut self, condition: Value, kind: FaultKind, message: &str, values: [Value; 2]) {
        if self.function.as_constant(condition) == Some(1) {
            return;
        }
        let site = self.sites.number(kind, self.span, message);
        self.effect(Op::Guard {
            condition,
            site,
            values,
        });
    }

    /// Faults unless `condition` holds, as a guard of an access of the current body.
    fn guard_access(&mut self, access: Option<AccessId>, condition: Value, kind: FaultKind, values: [Value; 2]) {
        self.accessing = access;
        self.guard(condition, kind, "", values);
        self.accessing = None;
    }

    /// The same for an index or range of what a place is after `steps` projections.
    fn guard_place(
        &mut self,
        access: Option<AccessId>,
        condition: Value,
        kind: FaultKind,
        (place, steps): (PlaceId, usize),
        values: [Value; 2],
    ) {
        // Most conditions are constants once the place is in registers.
        if self.function.as_constant(condition) != Some(1) {
            let name = self.program.place_name(self.body(), place, steps);
            self.accessing = access;
            self.guard(condition, kind, &name, values);
            self.accessing = None;
        }
    }

    /// Faults unless `condition` holds, without values.
    fn guard_plain(&mut self, condition: Value, kind: FaultKind, message: &str) {
        let zero = self.constant(Ty::I64, 0);
        self.guard(condition, kind, message, [zero, zero]);
    }

    /// Ends the current block with a jump and continues in the target.
    fn jump_into(&mut self, block: Block, arguments: Vec<Value>) {
        self.function.blocks[self.block].end = Terminator::Jump(Edge { block, arguments });
        self.block = block;
    }

    /// Ends the current block with a branch to two new blocks.
    fn branch(&mut self, condition: Value) -> (Block, Block) {
        let (then, otherwise) = (self.function.add_block(), self.function.add_block());
        self.function.blocks[self.block].end = Terminator::Branch {
            condition,
            then: Edge::to(then),
            otherwise: Edge::to(otherwise),
        };
        (then, otherwise)
    }

    fn special(&mut self, special: Special) -> Value {
        self.function.special(special)
    }
}
