//! Functions in static single assignment form: values, blocks, and how passes edit them.

use super::op::{Op, Special};
use super::origin::Origins;
use super::ty::Ty;
use super::value_list::ValueLists;
use super::value_table::Table;
use crate::ir::{Arena, ConstantTable, Handle, Scalar, Span};

/// The handle of a value.
pub(crate) type Value = Handle<ValueData>;
/// The handle of a block.
pub(crate) type Block = Handle<BlockData>;

/// A value: the operation that computes it and its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueData {
    /// What computes it.
    pub(crate) op: Op,
    /// Its type; `Unit` where there is no value.
    pub(crate) ty: Ty,
    /// Where it stands in the source.
    pub(crate) span: Span,
}

/// A block: its parameters, its operations in order, and how it ends.
#[derive(Clone, Debug)]
pub(crate) struct BlockData {
    /// The parameters, each an [`Op::Parameter`].
    pub(crate) parameters: Vec<Value>,
    /// The operations in order; never a parameter or a root.
    pub(crate) body: Vec<Value>,
    /// Where control goes.
    pub(crate) end: Terminator,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Terminator {
    /// Goes on in another block.
    Jump(Edge),
    /// Goes on in one of two blocks.
    Branch {
        /// A `Bool`.
        condition: Value,
        /// Where to if it is true.
        then: Edge,
        /// Where to if it is false.
        otherwise: Edge,
    },
    /// The thread is done.
    Return,
}

/// A way from one block to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edge {
    /// Where to.
    pub(crate) block: Block,
    /// The values of its parameters.
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

/// What stands in a table of constants.
#[derive(Clone, Debug)]
pub(crate) struct TableValues {
    /// Which table.
    pub(crate) table: Handle<ConstantTable>,
    /// The type of its elements.
    pub(crate) scalar: Scalar,
    /// Their bits.
    pub(crate) values: Vec<u64>,
}

/// One entry of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// The values.
    pub(crate) values: Arena<ValueData>,
    /// The blocks; the first one is the entry, which no edge reaches. A block that cannot be
    /// reached stays in the arena and counts for nothing.
    pub(crate) blocks: Arena<BlockData>,
    /// The objects in local memory.
    pub(crate) objects: Vec<LocalObject>,
    /// How many of them, the first ones, have become values: nothing names them any more.
    pub(crate) promoted: usize,
    /// Threads of a block along x, y and z.
    pub(crate) block_size: [u32; 3],
    /// The tables whose addresses it takes.
    pub(crate) tables: Vec<TableValues>,
    /// For each parameter of the kernel whether it is a slice that nobody writes while it runs.
    pub(crate) read_only: Vec<bool>,
    /// Instructions that the source has in PTX.
    pub(crate) inline: Vec<Inline>,
    /// The accesses of the source that its operations carry out.
    pub(crate) origins: Origins,
    /// The operands of operations that take any number of them.
    pub(crate) lists: ValueLists,
    roots: Table,
}

/// Instructions in PTX, as [`StmtKind::Ptx`](crate::ir::StmtKind::Ptx) has them.
#[derive(Clone, Debug)]
pub(crate) struct Inline {
    /// The text, with places for operands and result.
    pub(crate) text: String,
    /// The types of the [`Op::Result`]s, where it yields several words.
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

    /// A new block, not yet reached.
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

    /// A new value that stands in no block yet.
    pub(crate) fn add_value(&mut self, op: Op, ty: Ty, span: Span) -> Value {
        self.values.push(ValueData { op, ty, span })
    }

    /// Calls `f` on each operand of a value in order.
    pub(crate) fn each_operand(&self, value: Value, mut f: impl FnMut(Value)) {
        let mut op = self.values[value].op;
        let list = op.visit_inline(&mut |operand| f(*operand));
        self.lists.get(list).iter().for_each(|&operand| f(operand));
    }

    /// Calls `f` on each operand of a value in order; `f` may replace it.
    pub(crate) fn visit_operands(&mut self, value: Value, mut f: impl FnMut(&mut Value)) {
        let list = self.values[value].op.visit_inline(&mut f);
        self.lists.get_mut(list).iter_mut().for_each(f);
    }

    /// A new value of the same operation, type, place in the source and access, that stands in no block yet.
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

    /// The one value of a root.
    pub(crate) fn root(&mut self, op: Op, ty: Ty) -> Value {
        debug_assert!(op.is_root(), "{op:?} is no root");
        if let Some(known) = self.roots.find(&self.values, op, ty, |_| true) {
            return known;
        }
        let value = self.add_value(op, ty, Span::NONE);
        self.roots.insert(&self.values, value);
        value
    }

    /// A constant of these bits; those above the type's width are cleared.
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

    /// The blocks where the edges lead to.
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

    /// Leaves one edge of a branch.
    pub(crate) fn decide(&mut self, condition: bool) {
        if let Terminator::Branch { then, otherwise, .. } = self {
            let edge = if condition { then } else { otherwise };
            *self = Terminator::Jump(Edge {
                block: edge.block,
                arguments: std::mem::take(&mut edge.arguments),
            });
        }
    }

    /// Calls `f` on each value that the terminator mentions; `f` may replace it.
    pub(crate) fn visit(&mut self, mut f: impl FnMut(&mut Value)) {
        if let Terminator::Branch { condition, .. } = self {
            f(condition);
        }
        for edge in self.edges_mut() {
            edge.arguments.iter_mut().for_each(&mut f);
        }
    }

    /// Calls `f` on each value that the terminator mentions.
    pub(crate) fn each_operand(&self, mut f: impl FnMut(Value)) {
        if let Terminator::Branch { condition, .. } = self {
            f(*condition);
        }
        for edge in self.edges() {
            edge.arguments.iter().copied().for_each(&mut f);
        }
    }
}

impl Edge {
    /// An edge that passes nothing.
    pub(crate) fn to(block: Block) -> Edge {
        Edge {
            block,
            arguments: Vec::new(),
        }
    }
}

/// Whether the sign of the operands has no bearing on the result of an integer operation, so that
/// its unsigned form stands for both.
pub(crate) fn ignores_sign(op: crate::ir::BinaryOp) -> bool {
    use crate::ir::BinaryOp::*;
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
