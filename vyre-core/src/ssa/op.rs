//! The operations of values.
//!
//! Scalar arithmetic uses the operators of the IR, so that their semantics are defined once, in
//! [`vyre_ir::semantics`]; here they only work on `bool` and on 32- and 64-bit scalars. To add an
//! operation, add a variant here with its semantics and types, then follow the compiler through the
//! exhaustive matches ([`Op::visit_inline`], `verify`, `print`, `ptx`).

use vyre_ir::ir::{
    Access, Among, AtomicOp, Axis, BinaryOp, ConstantTable, External, Handle, Intrinsic, MemoryOrder, MemoryScope,
    Scalar, SharedVariable, UnaryOp,
};

use super::function::Value;
use super::value_list::ValueList;

/// The operation that defines a value. Operands are values; the type of the result is stored beside
/// the operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "verify", derive(Debug))]
pub(crate) enum Op {
    /// A parameter of a block.
    Parameter,
    /// A root: these bits, of any type but `Unit`.
    Constant(u64),
    /// A root: an integer or float of 32 or 64 bits supplied by rustc.
    External(Handle<External>),
    /// A root: the scalar at a byte offset of a kernel parameter. For a slice the address is at
    /// offset 0, of pointer type, and the length at 8.
    Argument {
        /// Index of the parameter.
        parameter: u32,
        /// Offset in bytes.
        offset: u32,
        /// The scalar there; never `bool`, which is loaded as `u8`.
        scalar: Scalar,
    },
    /// A root: an `I32` special register of the thread.
    Special(Special),
    /// A root: the address of a variable or table.
    Address(Object),

    /// An operation on one scalar. `LeadingZeros`, `TrailingZeros` and `CountOnes` yield `I32` for
    /// either width; `Round` was expanded.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// The operand type.
        scalar: Scalar,
        /// The operand.
        a: Value,
    },
    /// An operation on two scalars; shifts and rotations take an `I32` on the right. Comparisons
    /// yield `Bool`. Integer division is only reached if it does not fault; float remainder and
    /// `Copysign` were expanded. Operations whose result does not depend on signedness only occur
    /// in their unsigned form. `f16` only has sums, differences, products and comparisons, `bf16`
    /// has nothing: the rest is computed in `f32`.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// The operand type.
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
    /// The full product of two `I32` as an `I64`.
    MulWide {
        /// True if the factors are signed.
        signed: bool,
        /// First factor.
        a: Value,
        /// Second factor.
        b: Value,
    },
    /// `a` if the condition holds, else `b`; of any type but `Bool`.
    Select {
        /// A `Bool`.
        condition: Value,
        /// The value if it is true.
        a: Value,
        /// The value if it is false.
        b: Value,
    },
    /// Conversion to another scalar, with the semantics of `as`. `from` may be a narrow integer:
    /// the low bits of the operand are then extended; `to` may not. There is no conversion between
    /// `f16` or `bf16` and integers, nor between the two, nor from `bf16` to `f64`.
    Convert {
        /// The source scalar.
        from: Scalar,
        /// The scalar of the result.
        to: Scalar,
        /// The operand.
        a: Value,
    },
    /// The same bits in a register of another type and equal width, or the lower half of an `I32`
    /// as a float of 16 bits, or such a float as a zero-extended `I32`.
    Bits(Value),

    /// The pointer `bytes` past another one; `bytes` has the word type of the space and wraps.
    Offset {
        /// The pointer.
        base: Value,
        /// The offset.
        bytes: Value,
    },
    /// The same address in the generic space.
    ToGeneric(Value),
    /// The two lowest bits of an address, an `I32`.
    LowBits(Value),
    /// The pointer into the shared memory of another block of the cluster that corresponds to one
    /// into this block's.
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
        /// The scalar in memory.
        scalar: Scalar,
        /// True if the memory is not written while the kernel runs. False for volatile loads.
        constant: bool,
        /// True if the memory is allocated whatever the guards of the same block find.
        in_bounds: bool,
        /// The cache operator.
        access: Access,
    },
    /// Stores a scalar, truncated if narrow; never `bool`.
    Store {
        /// The pointer.
        address: Value,
        /// Offset in bytes.
        offset: i32,
        /// The scalar in memory.
        scalar: Scalar,
        /// The value to store.
        value: Value,
        /// The cache operator.
        access: Access,
    },
    /// An atomic access that yields the old value; `Unit` for stores and unused results. Float
    /// minimum and maximum and sequential consistency were expanded. Pairs of `f16` and `bf16` are
    /// an `I32`, and only additions distinguish them from other words.
    Atomic {
        /// The operation; never `Sub` or `Nand`.
        op: AtomicOp,
        /// The scalar in memory.
        scalar: Scalar,
        /// The ordering; never `SeqCst`.
        order: MemoryOrder,
        /// The scope.
        scope: MemoryScope,
        /// The pointer.
        address: Value,
        /// The operands in order, padded with zeros.
        operands: [Value; 2],
    },
    /// An intrinsic; yields the result of its [`Row`](vyre_ir::ir::Row), or `Unit`, and for an array
    /// [`Op::Result`]s.
    ///
    /// The operands of its row are scalars, the registers of fragments, and pointers for references
    /// and slices. The last operand of an intrinsic among a tile is an `I32` mask of its lanes; a
    /// shuffle from an inactive lane, and the bits of inactive lanes that a match yields, are
    /// unspecified.
    Intrinsic {
        /// The intrinsic.
        intrinsic: Intrinsic,
        /// The operands.
        operands: ValueList,
    },
    /// One of the results of an operation with several; the type of such an operation is `Unit`.
    /// Must be in the operation's block.
    Result {
        /// The operation.
        of: Value,
        /// The index of the result.
        index: u32,
    },
    /// Unless the condition holds, the thread reports a fault of the site and exits.
    Guard {
        /// A `Bool`.
        condition: Value,
        /// Index into the kernel's sites.
        site: u32,
        /// The values of the record, as `I64`.
        values: [Value; 2],
    },
    /// If the operand, a `Bool`, holds, the thread exits if another one of the launch has faulted.
    Poll(Value),
    /// If the operand, a `Bool`, holds, the thread exits, because others of its warp have faulted.
    Leave(Value),
    /// Reserves a print record. Yields its address, an `I64`, or 0 if there is no room.
    Print {
        /// Index into the kernel's print sites.
        site: u32,
        /// Number of values that follow.
        values: u32,
    },
    /// Reports a fault of the site, and exits unless it is the first one of the launch. Yields the
    /// address of the record, an `I64`. The values of the message follow, then [`Op::Fault`].
    Claim {
        /// Index into the kernel's sites.
        site: u32,
    },
    /// Writes a value into a record, unless its address is 0.
    Put {
        /// The address yielded by `Print` or `Claim`.
        record: Value,
        /// Offset in bytes.
        offset: u32,
        /// A scalar other than `Bool`.
        value: Value,
    },
    /// Inline PTX; yields a word, or `Unit` and [`Op::Result`]s.
    Ptx {
        /// Index into [`Function::inline`](super::Function::inline).
        number: u32,
        /// The operands.
        operands: ValueList,
    },
    /// Completes the record of `Claim`; the thread exits. Must be the last operation of a block
    /// that returns.
    Fault(Value),
}

/// An `I32` special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    /// Index of the thread in its block.
    Thread(Axis),
    /// Index of the block in the grid.
    Block(Axis),
    /// Blocks of the grid.
    Grid(Axis),
    /// Lane index of the thread.
    Lane,
    /// Bytes of dynamic shared memory.
    SharedBytes,
}

/// An addressable object in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Object {
    /// A variable of the block.
    Shared(Handle<SharedVariable>),
    /// The dynamic shared memory of the block.
    Dynamic,
    /// A table of constants.
    Table(Handle<ConstantTable>),
    /// An object of the function in local memory, by index.
    Local(u32),
    /// A parameter of the kernel other than a slice.
    Parameter {
        /// Its index.
        number: u32,
        /// Its size in bytes.
        size: u32,
    },
}

impl Op {
    /// Calls `f` on each inline operand in order; `f` may replace it. Returns the list of the
    /// others. Pure operations have no list.
    ///
    /// Passes visit the operands of a value with
    /// [`Function::visit_operands`](super::Function::visit_operands). `f` is not a type parameter
    /// because each instance would cost compile time for the user.
    pub(super) fn visit_inline(&mut self, f: &mut dyn FnMut(&mut Value)) -> ValueList {
        match self {
            Op::Parameter
            | Op::Constant(_)
            | Op::External(_)
            | Op::Argument { .. }
            | Op::Special(_)
            | Op::Address(_)
            | Op::Print { .. }
            | Op::Claim { .. } => {}
            Op::Unary { a, .. }
            | Op::Convert { a, .. }
            | Op::Bits(a)
            | Op::ToGeneric(a)
            | Op::LowBits(a)
            | Op::Poll(a)
            | Op::Leave(a)
            | Op::Result { of: a, .. }
            | Op::Fault(a) => f(a),
            Op::Binary { a, b, .. }
            | Op::MulWide { a, b, .. }
            | Op::MapShared { address: a, rank: b }
            | Op::Offset { base: a, bytes: b } => {
                f(a);
                f(b);
            }
            Op::MulAdd { a, b, c }
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
            Op::Ptx { operands, .. } | Op::Intrinsic { operands, .. } => return *operands,
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
            Op::Ptx { operands, .. } | Op::Intrinsic { operands, .. } => Some(operands),
            _ => None,
        }
    }

    /// The pure operation with other operands.
    pub(crate) fn with_operands(mut self, mut f: impl FnMut(Value) -> Value) -> Op {
        debug_assert!(self.is_pure(), "the operation is not pure");
        self.visit_inline(&mut |operand| *operand = f(*operand));
        self
    }

    /// True if the operation accesses memory of the program, or guards an access.
    pub(crate) fn accesses_memory(self) -> bool {
        match self {
            Op::Intrinsic { intrinsic, .. } => intrinsic.row().accesses_memory(),
            Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } | Op::Guard { .. } => true,
            _ => false,
        }
    }

    /// True if the value belongs to no block.
    pub(crate) fn is_root(self) -> bool {
        matches!(
            self,
            Op::Constant(_) | Op::External(_) | Op::Argument { .. } | Op::Special(_) | Op::Address(_)
        )
    }

    /// True if the operation has an effect besides its value: it stays even if the value is unused,
    /// and keeps its order relative to other effects.
    pub(crate) fn has_effect(self) -> bool {
        if let Op::Load { access, .. } = self {
            return access.is_effect();
        }
        matches!(
            self,
            Op::Store { .. }
                | Op::Intrinsic { .. }
                | Op::Atomic { .. }
                | Op::Guard { .. }
                | Op::Poll(_)
                | Op::Leave(_)
                | Op::Print { .. }
                | Op::Claim { .. }
                | Op::Put { .. }
                | Op::Fault(_)
                | Op::Ptx { .. }
        )
    }

    /// True if the operation is executed by several threads together: all of them reach the same
    /// one, so it must not be duplicated on different paths.
    pub(crate) fn waits_for_others(self) -> bool {
        matches!(self, Op::Intrinsic { intrinsic, .. } if intrinsic.row().among > Among::Thread)
    }

    /// True if equal operands give an equal value at any time: no effect, and no access to written
    /// memory.
    pub(crate) fn is_pure(self) -> bool {
        match self {
            Op::Parameter => false,
            op if op.has_effect() => false,
            Op::Load { constant, .. } => constant,
            _ => true,
        }
    }

    /// True if the operation may be speculated: it is pure, and cannot fault.
    pub(crate) fn is_speculatable(self) -> bool {
        match self {
            Op::Binary { op, scalar, .. } => !op.may_fault(scalar),
            Op::Load { .. } => false,
            op => op.is_pure(),
        }
    }
}
