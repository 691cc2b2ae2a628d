//! The operations of values.
//!
//! Scalar arithmetic keeps the operators of the IR, so that their meaning is defined once, in
//! [`crate::semantics`]; here they work on `bool` and on 32- and 64-bit scalars alone. Adding an
//! operation: give it a variant here with its meaning and types, then follow the compiler through
//! the exhaustive matches ([`Op::visit_inline`], `verify`, `print`, `ptx`).

use super::function::Value;
use super::value_list::ValueList;
use crate::ir::{
    Access, Among, AtomicOp, Axis, BinaryOp, ConstantTable, External, Handle, Intrinsic, MatrixLoad, MemoryOrder,
    MemoryScope, Product, Scalar, SharedVariable, UnaryOp, WarpOp,
};

/// What a value is. Operands are values; the type of the result stands beside the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    /// A parameter of a block.
    Parameter,
    /// A root: these bits, of any type but `Unit`.
    Constant(u64),
    /// A root: an integer or float of 32 or 64 bits that the crate's compiler supplies.
    External(Handle<External>),
    /// A root: the scalar at a byte offset of a kernel parameter. Of a slice the address is at
    /// offset 0, of pointer type, and the length at 8.
    Argument {
        /// Number of the parameter.
        parameter: u32,
        /// Offset in bytes.
        offset: u32,
        /// The scalar there; never `bool`, which is read as `u8`.
        scalar: Scalar,
    },
    /// A root: an `I32` that the hardware knows about the thread.
    Special(Special),
    /// A root: the address of a variable or table.
    Address(Object),

    /// An operation on one scalar. `LeadingZeros`, `TrailingZeros` and `CountOnes` yield `I32` for
    /// either width; `Round` was expanded.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// The type on which it works.
        scalar: Scalar,
        /// The operand.
        a: Value,
    },
    /// An operation on two scalars; shifts and rotations take an `I32` on the right. Comparisons
    /// yield `Bool`. Integer division is reached only where it does not fault; float remainder
    /// and `Copysign` were expanded. Of operations on which the sign has no bearing only the
    /// unsigned form occurs. On `f16` there are sums, differences, products and comparisons alone, on
    /// `bf16` there is nothing: the rest is done in `f32`.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// The type on which it works.
        scalar: Scalar,
        /// The left operand.
        a: Value,
        /// The right operand.
        b: Value,
    },
    /// `a * b + c`, rounded once; floats.
    MulAdd {
        /// First factor.
        a: Value,
        /// Second factor.
        b: Value,
        /// Summand.
        c: Value,
    },
    /// The whole product of two `I32` as an `I64`.
    MulWide {
        /// Whether the factors are signed.
        signed: bool,
        /// First factor.
        a: Value,
        /// Second factor.
        b: Value,
    },
    /// `a` where the condition holds, else `b`; of any type but `Bool`.
    Select {
        /// A `Bool`.
        condition: Value,
        /// The value where it is true.
        a: Value,
        /// The value where it is false.
        b: Value,
    },
    /// The value as another scalar, with the meaning of `as`. `from` may be a narrow integer: the
    /// low bits of the operand are then extended; `to` is none. Between `f16` or `bf16` and integers
    /// there is none, nor between the two, nor from `bf16` to `f64`.
    Convert {
        /// The scalar that the operand is taken for.
        from: Scalar,
        /// The scalar of the result.
        to: Scalar,
        /// The operand.
        a: Value,
    },
    /// The same bits in a register of another type and equal width, or the lower half of an `I32` as a
    /// float of 16 bits, or such a float as an `I32` with zeros above.
    Bits(Value),

    /// The pointer `bytes` past another one; `bytes` has the space's word and wraps.
    Offset {
        /// The pointer.
        base: Value,
        /// How far.
        bytes: Value,
    },
    /// The same address in the generic space.
    ToGeneric(Value),
    /// The two lowest bits of an address, an `I32`.
    LowBits(Value),
    /// The pointer into the shared memory of another block of the cluster that corresponds to one into
    /// that of the own.
    MapShared {
        /// The pointer.
        address: Value,
        /// The block, an `I32`.
        rank: Value,
    },
    /// The scalar at a constant offset from a pointer, extended if narrow; never `bool`.
    Load {
        /// The pointer.
        address: Value,
        /// Offset in bytes.
        offset: i32,
        /// What lies there.
        scalar: Scalar,
        /// Whether nothing writes there while the kernel runs. Not so of volatile loads.
        constant: bool,
        /// How it goes through the caches.
        access: Access,
    },
    /// Writes a scalar, narrowed if need be; never `bool`.
    Store {
        /// The pointer.
        address: Value,
        /// Offset in bytes.
        offset: i32,
        /// What lies there.
        scalar: Scalar,
        /// What to write.
        value: Value,
        /// How it goes through the caches.
        access: Access,
    },
    /// An atomic access that yields the old value; of stores, and where nobody asked for it,
    /// `Unit`. Float minimum and maximum and the ordering of sequential consistency were expanded. Pairs
    /// of `f16` and `bf16` are an `I32`, and only sums tell them from other words.
    Atomic {
        /// The operation; never `Sub` or `Nand`.
        op: AtomicOp,
        /// What lies there.
        scalar: Scalar,
        /// The ordering; never `SeqCst`.
        order: MemoryOrder,
        /// Among whom.
        scope: MemoryScope,
        /// The pointer.
        address: Value,
        /// The operands in order, then zeros.
        operands: [Value; 2],
    },
    /// An intrinsic; yields what its [`Row`](crate::ir::Row) says, else `Unit`.
    Intrinsic {
        /// Which one.
        intrinsic: Intrinsic,
        /// The operands of its row: scalars, and pointers in place of references and slices.
        operands: ValueList,
    },
    /// Orders memory accesses.
    Fence {
        /// How.
        order: MemoryOrder,
        /// Among whom.
        scope: MemoryScope,
    },
    /// Waits for the block.
    Barrier,
    /// Waits for the block; an `I32` of the number of threads that give `true`. Takes a `Bool`.
    BarrierCount(Value),
    /// Waits for the cluster.
    ClusterBarrier,
    /// Waits for the grid; a `Bool` that is false where it is known that some threads never come.
    GridBarrier,
    /// An `I64` of cycles that have gone by.
    Clock,
    /// Waits for the lanes of an `I32`, which are those of a tile, and orders the memory accesses of
    /// their threads.
    WarpSync(Value),
    /// The value that another lane of a tile gives, by the low bits of `amount` that number its lanes;
    /// an `I32` or `I64`. Of a lane that is not there the value is unspecified.
    Shuffle {
        /// Which lane; one of the shuffles.
        op: WarpOp,
        /// How many lanes the tile has.
        tile: u32,
        /// The lanes of the tile, an `I32`.
        members: Value,
        /// What this lane gives.
        a: Value,
        /// An `I32`.
        amount: Value,
    },
    /// An `I32` of the lanes of the warp that are members, there, and give `true`; takes a `Bool` and
    /// the members.
    Ballot(Value, Value),
    /// An `I32` of the lanes of the warp that are members and give the same; takes an `I32` or `I64`
    /// and the members. Whether it has the bits of lanes that are not there is unspecified.
    MatchAny(Value, Value),
    /// A product of matrices, added to a third. Yields [`Op::Result`]s: the words of the sum.
    Product {
        /// Which one.
        product: Product,
        /// The words of this lane's fragments of the two factors, then of the summand.
        operands: ValueList,
    },
    /// A load of matrices by the whole warp. Takes the address of the row that this lane gives, which is aligned to
    /// [`MatrixLoad::ROW_BYTES`] and in shared memory once the optimiser is done; yields [`Op::Result`]s.
    LoadMatrices {
        /// Which one.
        load: MatrixLoad,
        /// What the rows are made of.
        scalar: Scalar,
        /// The pointer.
        address: Value,
        /// Offset in bytes.
        offset: i32,
    },
    /// One of the results of an operation that has several; the type of such an operation is `Unit`. Stands in the
    /// operation's block.
    Result {
        /// The operation.
        of: Value,
        /// The number of the result.
        index: u32,
    },
    /// Unless the condition holds the thread reports a fault of the site and leaves.
    Guard {
        /// A `Bool`.
        condition: Value,
        /// Index into the kernel's sites.
        site: u32,
        /// What the record's values get, as `I64`.
        values: [Value; 2],
    },
    /// Where the operand, a `Bool`, holds, the thread leaves if another one of the launch has faulted.
    Poll(Value),
    /// Where the operand, a `Bool`, holds, the thread leaves: others of its warp have, by faults.
    Leave(Value),
    /// Makes room for a record of what is printed. Yields its address, an `I64`, or 0 where there is
    /// no room.
    Print {
        /// Index into what the kernel prints.
        site: u32,
        /// How many values follow.
        values: u32,
    },
    /// Reports a fault of the site, and leaves unless it is the first one of the launch. Yields the
    /// address of the record, an `I64`. The values of the message follow, then [`Op::Fault`].
    Claim {
        /// Index into the kernel's sites.
        site: u32,
    },
    /// Writes a value into a record, unless its address is 0.
    Put {
        /// The address that `Print` or `Claim` yields.
        record: Value,
        /// Offset in bytes.
        offset: u32,
        /// A scalar, but no `Bool`.
        value: Value,
    },
    /// Instructions in PTX; yields a word, or `Unit` and [`Op::Result`]s.
    Ptx {
        /// Index into [`Function::inline`](super::Function::inline).
        number: u32,
        /// The operands.
        operands: ValueList,
    },
    /// The record that `Claim` has yielded is whole; the thread leaves. Stands at the end of a block
    /// that returns.
    Fault(Value),
}

/// An `I32` that a special register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    /// Place of the thread in its block.
    Thread(Axis),
    /// Place of the block in the grid.
    Block(Axis),
    /// Blocks of the grid.
    Grid(Axis),
    /// Place of the thread in its warp.
    Lane,
    /// Bytes of dynamic shared memory.
    SharedBytes,
}

/// Something in memory that has an address of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Object {
    /// A variable of the block.
    Shared(Handle<SharedVariable>),
    /// The dynamic shared memory of the block.
    Dynamic,
    /// A table of constants.
    Table(Handle<ConstantTable>),
    /// An object of the function in local memory, by number.
    Local(u32),
    /// A parameter of the kernel that is no slice.
    Parameter {
        /// Its number.
        number: u32,
        /// How many bytes it has.
        size: u32,
    },
}

impl Op {
    /// Calls `f` on each operand in order that stands in the operation itself; `f` may replace it. The others
    /// stand in the list that is returned. Pure operations have no list.
    ///
    /// Passes visit the operands of a value with [`Function::visit_operands`](super::Function::visit_operands).
    /// `f` is no type parameter because a user waits for each copy to be compiled.
    pub(super) fn visit_inline(&mut self, f: &mut dyn FnMut(&mut Value)) -> ValueList {
        match self {
            Op::Parameter
            | Op::Constant(_)
            | Op::External(_)
            | Op::Argument { .. }
            | Op::Special(_)
            | Op::Address(_)
            | Op::Fence { .. }
            | Op::Barrier
            | Op::Clock
            | Op::GridBarrier
            | Op::ClusterBarrier
            | Op::Print { .. }
            | Op::Claim { .. } => {}
            Op::Unary { a, .. }
            | Op::Convert { a, .. }
            | Op::Bits(a)
            | Op::ToGeneric(a)
            | Op::LowBits(a)
            | Op::BarrierCount(a)
            | Op::Poll(a)
            | Op::Leave(a)
            | Op::WarpSync(a)
            | Op::Result { of: a, .. }
            | Op::LoadMatrices { address: a, .. }
            | Op::Fault(a) => f(a),
            Op::Binary { a, b, .. }
            | Op::MulWide { a, b, .. }
            | Op::MatchAny(a, b)
            | Op::Ballot(a, b)
            | Op::MapShared { address: a, rank: b }
            | Op::Offset { base: a, bytes: b } => {
                f(a);
                f(b);
            }
            Op::MulAdd { a, b, c }
            | Op::Shuffle {
                a,
                amount: b,
                members: c,
                ..
            }
            | Op::Select {
                condition: a,
                a: b,
                b: c,
            } => {
                f(a);
                f(b);
                f(c);
            }
            Op::Load { address, .. } => f(address),
            Op::Put { record, value, .. } => {
                f(record);
                f(value);
            }
            Op::Store { address, value, .. } => {
                f(address);
                f(value);
            }
            Op::Atomic { address, operands, .. } => {
                f(address);
                operands.iter_mut().for_each(f);
            }
            Op::Ptx { operands, .. } | Op::Product { operands, .. } | Op::Intrinsic { operands, .. } => {
                return *operands;
            }
            Op::Guard { condition, values, .. } => {
                f(condition);
                values.iter_mut().for_each(f);
            }
        }
        ValueList::default()
    }

    /// The list of its operands, if it has one.
    pub(crate) fn list_mut(&mut self) -> Option<&mut ValueList> {
        match self {
            Op::Ptx { operands, .. } | Op::Product { operands, .. } | Op::Intrinsic { operands, .. } => Some(operands),
            _ => None,
        }
    }

    /// The pure operation on other operands.
    pub(crate) fn with_operands(mut self, mut f: impl FnMut(Value) -> Value) -> Op {
        debug_assert!(self.is_pure(), "{self:?} is not pure");
        self.visit_inline(&mut |operand| *operand = f(*operand));
        self
    }

    /// Whether the operation accesses memory of the program, or guards an access.
    pub(crate) fn accesses_memory(self) -> bool {
        if let Op::Intrinsic { intrinsic, .. } = self {
            return intrinsic.row().accesses_memory();
        }
        matches!(
            self,
            Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } | Op::LoadMatrices { .. } | Op::Guard { .. }
        )
    }

    /// Whether the value stands in no block.
    pub(crate) fn is_root(self) -> bool {
        matches!(
            self,
            Op::Constant(_) | Op::External(_) | Op::Argument { .. } | Op::Special(_) | Op::Address(_)
        )
    }

    /// Whether the operation does something besides yielding its value: it stays even if nobody
    /// asks for the value, and keeps its place among the others that do.
    pub(crate) fn has_effect(self) -> bool {
        if let Op::Load { access, .. } = self {
            return access.is_effect();
        }
        matches!(
            self,
            Op::Clock
                | Op::Store { .. }
                | Op::Intrinsic { .. }
                | Op::Atomic { .. }
                | Op::Fence { .. }
                | Op::Guard { .. }
                | Op::Poll(_)
                | Op::Leave(_)
                | Op::Print { .. }
                | Op::Claim { .. }
                | Op::Put { .. }
                | Op::Fault(_)
                | Op::Ptx { .. }
        ) || self.waits_for_others()
    }

    /// Whether the operation takes place for several threads at once: all of them come to the same
    /// one, so that there are no copies of it on different ways.
    pub(crate) fn waits_for_others(self) -> bool {
        if let Op::Intrinsic { intrinsic, .. } = self {
            return intrinsic.row().among > Among::Thread;
        }
        matches!(
            self,
            Op::Barrier
                | Op::BarrierCount(_)
                | Op::GridBarrier
                | Op::ClusterBarrier
                | Op::WarpSync(_)
                | Op::Shuffle { .. }
                | Op::Ballot(..)
                | Op::MatchAny(..)
                | Op::Product { .. }
                | Op::LoadMatrices { .. }
        )
    }

    /// Whether equal operands give an equal value at any time: no effect, and no memory that
    /// somebody writes.
    pub(crate) fn is_pure(self) -> bool {
        match self {
            Op::Parameter => false,
            op if op.has_effect() => false,
            Op::Load { constant, .. } => constant,
            _ => true,
        }
    }

    /// Whether the operation may run where the source would not have run it: it is pure, and no
    /// operand makes it fault.
    pub(crate) fn is_speculatable(self) -> bool {
        match self {
            Op::Binary { op, scalar, .. } => !op.may_fault(scalar),
            Op::Load { .. } => false,
            op => op.is_pure(),
        }
    }
}
