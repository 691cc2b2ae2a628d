//! The types of values: what a register holds.

use crate::ir::Scalar;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Ty {
    /// No value: the operation is there for its effect.
    Unit,
    /// A predicate.
    Bool,
    /// 32 bits without sign.
    I32,
    /// 64 bits without sign.
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

/// A state space of PTX: which memory a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Space {
    /// Device memory.
    Global,
    /// The memory of the block.
    Shared,
    /// The shared memory of the blocks of a cluster.
    Cluster,
    /// Memory private to the thread.
    Local,
    /// Constant memory.
    Const,
    /// The parameters of the kernel.
    Param,
    /// Any of these; the address says which.
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

    /// Whether this is a float.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Ty::F16 | Ty::BF16 | Ty::F32 | Ty::F64)
    }

    /// Whether this is a float of 16 bits.
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
    /// The integers that offset addresses of the space: 32 bits where the memory is small, so
    /// that index arithmetic is cheap.
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
