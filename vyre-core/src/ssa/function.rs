//! Functions in static single assignment form: values, blocks, and how passes edit them.

use vyre_ir::ir::{Arena, ConstantTable, Handle, Scalar, Span};

use super::op::{Op, Special};
use super::origin::Origins;
use super::ty::Ty;
use super::value_list::ValueLists;
use super::value_table::Table;

/// The handle of a value.
pub(crate) type Value = Handle<ValueData>;
/// The handle of a block.
pub(crate) type Block = Handle<BlockData>;

/// A value: the operation that computes it and its type.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "verify", derive(Debug))]
pub(crate) struct ValueData {
    /// The operation that computes it.
    pub(crate) op: Op,
    /// Its type; `Unit` without a value.
    pub(crate) ty: Ty,
    /// The source location.
    pub(crate) span: Span,
}

/// A block: its parameters, its operations in order, and its terminator.
#[derive(Clone, Debug)]
pub(crate) struct BlockData {
    /// The parameters, each an [`Op::Parameter`].
    pub(crate) parameters: Vec<Value>,
    /// The operations in order; never a parameter or a root.
    pub(crate) body: Vec<Value>,
    /// The terminator.
    pub(crate) end: Terminator,
}

/// The terminator of a block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Terminator {
    /// Continues in another block.
    Jump(Edge),
    /// Continues in one of two blocks.
    Branch {
        /// A `Bool`.
        condition: Value,
        /// The edge if it is true.
        then: Edge,
        /// The edge if it is false.
        otherwise: Edge,
    },
    /// The thread ends.
    Return,
}

/// An edge from one block to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edge {
    /// The target.
    pub(crate) block: Block,
    /// The arguments for its parameters.
    pub(crate) arguments: Vec<Value>,
}

/// An object in the local memory of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalObject {
    /// Size in bytes.
    pub(crate) size: u64,
    /// Alignment in bytes.
    pub(crate) align: u64,
}

/// The contents of a constant table.
#[derive(Clone, Debug)]
pub(crate) struct TableValues {
    /// The table.
    pub(crate) table: Handle<ConstantTable>,
    /// The type of its elements.
    pub(crate) scalar: Scalar,
    /// Their bits.
    pub(crate) values: Vec<u64>,
}

/// One entry of a kernel.
#[derive(Clone)]
#[cfg_attr(feature = "verify", derive(Debug))]
pub(crate) struct Function {
    /// The values.
    pub(crate) values: Arena<ValueData>,
    /// The blocks; the first one is the entry, which has no predecessors. Unreachable blocks stay
    /// in the arena and are ignored.
    pub(crate) blocks: Arena<BlockData>,
    /// The objects in local memory.
    pub(crate) objects: Vec<LocalObject>,
    /// The number of objects, from the first on, that mem2reg has promoted: they are no longer
    /// used.
    pub(crate) promoted: usize,
    /// Threads of a block along x, y and z.
    pub(crate) block_size: [u32; 3],
    /// The tables whose addresses it takes.
    pub(crate) tables: Vec<TableValues>,
    /// For each parameter of the kernel, true if it is a slice that is not written while it runs.
    pub(crate) read_only: Vec<bool>,
    /// Inline PTX of the source.
    pub(crate) inline: Vec<Inline>,
    /// The accesses of the source that its operations implement.
    pub(crate) origins: Origins,
    /// The operands of operations with any number of them.
    pub(crate) lists: ValueLists,
    roots: Table,
}

/// Inline PTX, as in [`StmtKind::Ptx`](vyre_ir::ir::StmtKind::Ptx).
#[derive(Clone, Debug)]
pub(crate) struct Inline {
    /// The text, with placeholders for operands and result.
    pub(crate) text: String,
    /// The PTX `.version` that it asks for.
    pub(crate) version: Option<(u32, u32)>,
    /// The types of the [`Op::Result`]s, if it has several results.
    pub(crate) results: Vec<Ty>,
}

impl Function {
    /// A function whose entry returns.
    pub(crate) fn new(block_size: [u32; 3]) -> Function {
        let mut blocks = Arena::new();
        blocks.push(BlockData::new());
        Function {
            values: Arena::new(),
            blocks,
            objects: Vec::new(),
            promoted: 0,
            tables: Vec::new(),
            block_size,
            read_only: Vec::new(),
            inline: Vec::new(),
            origins: Origins::default(),
            lists: ValueLists::default(),
            roots: Table::default(),
        }
    }

    /// The entry block.
    pub(crate) fn entry(&self) -> Block {
        Handle::new(0)
    }

    /// The operation of a value.
    #[inline(always)]
    pub(crate) fn op(&self, value: Value) -> Op {
        self.values[value].op
    }

    /// The type of a value.
    #[inline(always)]
    pub(crate) fn ty(&self, value: Value) -> Ty {
        self.values[value].ty
    }

    /// The bits of a constant.
    pub(crate) fn as_constant(&self, value: Value) -> Option<u64> {
        match self.values[value].op {
            Op::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// The `I32` that a value is the zero extension of.
    pub(crate) fn as_zero_extended(&self, value: Value) -> Option<Value> {
        match self.op(value) {
            Op::Convert {
                from: Scalar::U32,
                to: Scalar::U64,
                a,
            } => Some(a),
            _ => None,
        }
    }

    /// True if the threads that come to the end of a block fault.
    pub(crate) fn faults(&self, block: Block) -> bool {
        let last = self.blocks[block].body.last();
        last.is_some_and(|&last| matches!(self.op(last), Op::Fault(_)))
    }

    /// A new, unreachable block.
    pub(crate) fn add_block(&mut self) -> Block {
        self.blocks.push(BlockData::new())
    }

    /// A new parameter at the end of a block's list.
    pub(crate) fn add_parameter(&mut self, block: Block, ty: Ty, span: Span) -> Value {
        let value = self.values.push(ValueData {
            op: Op::Parameter,
            ty,
            span,
        });
        self.blocks[block].parameters.push(value);
        value
    }

    /// A new value that is in no block yet.
    pub(crate) fn add_value(&mut self, op: Op, ty: Ty, span: Span) -> Value {
        self.values.push(ValueData { op, ty, span })
    }

    /// Calls `f` on each operand of a value in order.
    pub(crate) fn each_operand(&self, value: Value, mut f: impl FnMut(Value)) {
        self.operands(value, &mut f);
    }

    /// The same, compiled once.
    fn operands(&self, value: Value, f: &mut dyn FnMut(Value)) {
        let mut op = self.values[value].op;
        let list = op.visit_inline(&mut |operand| f(*operand));
        if !list.is_empty() {
            self.lists.get(list).iter().for_each(|&operand| f(operand));
        }
    }

    /// Calls `f` on each operand of a value in order; `f` may replace it.
    pub(crate) fn visit_operands(&mut self, value: Value, mut f: impl FnMut(&mut Value)) {
        self.operands_mut(value, &mut f);
    }

    /// The same, compiled once.
    fn operands_mut(&mut self, value: Value, f: &mut dyn FnMut(&mut Value)) {
        let list = self.values[value].op.visit_inline(f);
        if !list.is_empty() {
            self.lists.get_mut(list).iter_mut().for_each(f);
        }
    }

    /// A new value with the same operation, type, source location and access, in no block yet.
    pub(crate) fn duplicate(&mut self, value: Value) -> Value {
        let mut data = self.values[value];
        if let Some(operands) = data.op.list_mut() {
            *operands = self.lists.copy(*operands);
        }
        let copy = self.values.push(data);
        if let Some(access) = self.origins.of(value) {
            self.origins.set(copy, access);
        }
        copy
    }

    /// The unique value of a root.
    pub(crate) fn root(&mut self, op: Op, ty: Ty) -> Value {
        debug_assert!(op.is_root(), "the operation is no root");
        if let Some(known) = self.roots.find(&self.values, op, ty, |_| true) {
            return known;
        }
        let value = self.add_value(op, ty, Span::NONE);
        self.roots.insert(&self.values, value);
        value
    }

    /// A constant of these bits; bits above the type's width are cleared.
    pub(crate) fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        let bits = match ty.bits() {
            64 => bits,
            width => bits & ((1 << width) - 1),
        };
        self.root(Op::Constant(bits), ty)
    }

    /// A special register.
    pub(crate) fn special(&mut self, special: Special) -> Value {
        self.root(Op::Special(special), Ty::I32)
    }
}

impl BlockData {
    /// An empty block that returns.
    fn new() -> BlockData {
        BlockData {
            parameters: Vec::new(),
            body: Vec::new(),
            end: Terminator::Return,
        }
    }
}

impl Terminator {
    /// The edges, at most two.
    pub(crate) fn edges(&self) -> impl DoubleEndedIterator<Item = &Edge> {
        let (first, second) = match self {
            Terminator::Jump(edge) => (Some(edge), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Return => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The targets of the edges.
    #[inline(always)]
    pub(crate) fn targets(&self) -> [Option<Block>; 2] {
        match self {
            Terminator::Jump(edge) => [Some(edge.block), None],
            Terminator::Branch { then, otherwise, .. } => [Some(then.block), Some(otherwise.block)],
            Terminator::Return => [None, None],
        }
    }

    /// The edges, at most two, to be changed.
    pub(crate) fn edges_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Edge> {
        let (first, second) = match self {
            Terminator::Jump(edge) => (Some(edge), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Return => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Resolves a branch to one edge.
    pub(crate) fn decide(&mut self, condition: bool) {
        if let Terminator::Branch { then, otherwise, .. } = self {
            let edge = if condition { then } else { otherwise };
            *self = Terminator::Jump(Edge {
                block: edge.block,
                arguments: std::mem::take(&mut edge.arguments),
            });
        }
    }

    /// Calls `f` on each value used by the terminator; `f` may replace it.
    pub(crate) fn visit(&mut self, mut f: impl FnMut(&mut Value)) {
        self.operands_mut(&mut f);
    }

    /// The same, compiled once.
    fn operands_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        if let Terminator::Branch { condition, .. } = self {
            f(condition);
        }
        for edge in self.edges_mut() {
            edge.arguments.iter_mut().for_each(&mut *f);
        }
    }

    /// Calls `f` on each value used by the terminator.
    pub(crate) fn each_operand(&self, mut f: impl FnMut(Value)) {
        self.operands(&mut f);
    }

    /// The same, compiled once.
    fn operands(&self, f: &mut dyn FnMut(Value)) {
        if let Terminator::Branch { condition, .. } = self {
            f(*condition);
        }
        for edge in self.edges() {
            edge.arguments.iter().copied().for_each(&mut *f);
        }
    }
}

impl Edge {
    /// An edge without arguments.
    pub(crate) fn to(block: Block) -> Edge {
        Edge {
            block,
            arguments: Vec::new(),
        }
    }
}

/// True if the signedness of the operands does not affect the result of an integer operation, so
/// that its unsigned form represents both.
pub(crate) fn ignores_sign(op: vyre_ir::ir::BinaryOp) -> bool {
    use vyre_ir::ir::BinaryOp::*;
    matches!(
        op,
        Add | Sub | Mul | And | Or | Xor | Shl | RotateLeft | RotateRight | Eq | Ne
    )
}

/// The unsigned scalar of the same width; floats and `bool` are their own.
pub(crate) fn unsigned(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::I8 => Scalar::U8,
        Scalar::I16 => Scalar::U16,
        Scalar::I32 => Scalar::U32,
        Scalar::I64 => Scalar::U64,
        other => other,
    }
}
