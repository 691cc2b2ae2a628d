//! Scalar types and values.

/// A scalar type.
///
/// `usize` and `isize` of the source are [`U64`](Scalar::U64) and [`I64`](Scalar::I64): vyre
/// supports only 64-bit little-endian hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Scalar {
    /// `bool`: one byte in memory, 0 or 1.
    Bool,
    /// 8-bit two's complement.
    I8,
    /// 16-bit two's complement.
    I16,
    /// 32-bit two's complement.
    I32,
    /// 64-bit two's complement.
    I64,
    /// 8-bit unsigned.
    U8,
    /// 16-bit unsigned.
    U16,
    /// 32-bit unsigned.
    U32,
    /// 64-bit unsigned.
    U64,
    /// IEEE 754 binary16, the type `f16` of the crate `half`.
    F16,
    /// The upper half of a binary32, the type `bf16` of the crate `half`.
    BF16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl Scalar {
    /// Every scalar type, in the order of the enum.
    pub const ALL: [Scalar; 13] = [
        Scalar::Bool,
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::U8,
        Scalar::U16,
        Scalar::U32,
        Scalar::U64,
        Scalar::F16,
        Scalar::BF16,
        Scalar::F32,
        Scalar::F64,
    ];

    /// Size in memory, in bytes; also the alignment.
    pub const fn size(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::BF16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Size of an atomic cell, in bytes; also the alignment. Atomic floats of 16 bits come in
    /// pairs.
    pub const fn cell_size(self) -> u32 {
        if self.is_half() { 4 } else { self.size() }
    }

    /// Width in bits; `bool` has 1.
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            _ => self.size() * 8,
        }
    }

    /// True for the integer types (`bool` is not one).
    pub const fn is_integer(self) -> bool {
        !matches!(self, Scalar::Bool) && !self.is_float()
    }

    /// True for the signed integer types.
    pub const fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// True for the floating-point types.
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64)
    }

    /// True for the floating-point types of 16 bits.
    pub const fn is_half(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::BF16)
    }

    /// The name in Rust and in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::F16 => "f16",
            Scalar::BF16 => "bf16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// The scalar of this name, or `None`.
    pub fn from_name(name: &str) -> Option<Scalar> {
        let mut all = Scalar::ALL.iter();
        all.find(|scalar| scalar.name().len() == name.len() && scalar.name() == name)
            .copied()
    }
}

/// A scalar value: its type and its bits, in the low end of the word, the rest zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Constant {
    /// The type.
    pub scalar: Scalar,
    /// The bits; a `bool` is 0 or 1, signed integers are two's complement of their own width.
    pub bits: u64,
}

impl Constant {
    /// A constant of these bits; bits above the type's width are cleared.
    pub const fn new(scalar: Scalar, bits: u64) -> Self {
        let width = scalar.bits();
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        Constant {
            scalar,
            bits: bits & mask,
        }
    }

    /// An unsigned 64-bit constant, the type of indices and lengths.
    pub const fn u64(value: u64) -> Self {
        Constant::new(Scalar::U64, value)
    }

    /// A `bool`.
    pub const fn bool(value: bool) -> Self {
        Constant::new(Scalar::Bool, value as u64)
    }

    /// The value of an integer or `bool`, sign-extended.
    pub const fn as_i128(self) -> i128 {
        let shift = 64 - self.scalar.bits();
        if self.scalar.is_signed() {
            (((self.bits << shift) as i64) >> shift) as i128
        } else {
            self.bits as i128
        }
    }
}
