//! The types of values: the contents of a register.

use vyre_ir::ir::Scalar;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Ty {
    /// No value: an operation with only an effect.
    Unit,
    /// A predicate.
    Bool,
    /// A 32-bit integer without signedness.
    I32,
    /// A 64-bit integer without signedness.
    I64,
    /// IEEE 754 binary16.
    F16,
    /// The upper half of a binary32.
    BF16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// The address of something in a state space.
    Pointer(Space),
}

/// A state space of PTX: the memory that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Space {
    /// Device memory.
    Global,
    /// The shared memory of the block.
    Shared,
    /// The shared memory of the blocks of a cluster.
    Cluster,
    /// Memory private to the thread.
    Local,
    /// Constant memory.
    Const,
    /// The parameters of the kernel.
    Param,
    /// Any of these, determined by the address.
    Generic,
}

impl Ty {
    /// The type of the register that holds a scalar.
    pub(crate) fn of(scalar: Scalar) -> Ty {
        match scalar {
            Scalar::Bool => Ty::Bool,
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::U8 | Scalar::U16 | Scalar::U32 => Ty::I32,
            Scalar::I64 | Scalar::U64 => Ty::I64,
            Scalar::F16 => Ty::F16,
            Scalar::BF16 => Ty::BF16,
            Scalar::F32 => Ty::F32,
            Scalar::F64 => Ty::F64,
        }
    }

    /// The type of address arithmetic on a pointer type; other types are their own.
    pub(crate) fn word(self) -> Ty {
        match self {
            Ty::Pointer(space) => space.word(),
            other => other,
        }
    }

    /// Bits of the register; 1 for predicates.
    pub(crate) fn bits(self) -> u32 {
        match self.word() {
            Ty::Unit | Ty::Pointer(_) => 0,
            Ty::Bool => 1,
            Ty::F16 | Ty::BF16 => 16,
            Ty::I32 | Ty::F32 => 32,
            Ty::I64 | Ty::F64 => 64,
        }
    }

    /// True for floats.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Ty::F16 | Ty::BF16 | Ty::F32 | Ty::F64)
    }

    /// True for floats of 16 bits.
    pub(crate) fn is_half(self) -> bool {
        matches!(self, Ty::F16 | Ty::BF16)
    }

    /// The unsigned scalar of an integer type, the scalar of any other; `None` for pointers.
    pub(crate) fn scalar(self) -> Option<Scalar> {
        match self {
            Ty::Bool => Some(Scalar::Bool),
            Ty::I32 => Some(Scalar::U32),
            Ty::I64 => Some(Scalar::U64),
            Ty::F16 => Some(Scalar::F16),
            Ty::BF16 => Some(Scalar::BF16),
            Ty::F32 => Some(Scalar::F32),
            Ty::F64 => Some(Scalar::F64),
            Ty::Unit | Ty::Pointer(_) => None,
        }
    }
}

impl Space {
    /// The integer type of address offsets in the space: 32 bits for small memories, so that index
    /// arithmetic is cheap.
    pub(crate) fn word(self) -> Ty {
        match self {
            Space::Global | Space::Generic => Ty::I64,
            Space::Shared | Space::Cluster | Space::Local | Space::Const | Space::Param => Ty::I32,
        }
    }

    /// The name in PTX and in dumps.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Cluster => "shared::cluster",
            Space::Local => "local",
            Space::Const => "const",
            Space::Param => "param",
            Space::Generic => "generic",
        }
    }
}
