//! The types of variables.

use super::Maker;

/// A primitive type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prim {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    F32,
    F64,
}

impl Prim {
    pub(super) const INTEGERS: [Prim; 10] = [
        Prim::I32,
        Prim::U32,
        Prim::I64,
        Prim::U64,
        Prim::Usize,
        Prim::U8,
        Prim::I8,
        Prim::U16,
        Prim::I16,
        Prim::Isize,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Prim::Bool => "bool",
            Prim::I8 => "i8",
            Prim::I16 => "i16",
            Prim::I32 => "i32",
            Prim::I64 => "i64",
            Prim::Isize => "isize",
            Prim::U8 => "u8",
            Prim::U16 => "u16",
            Prim::U32 => "u32",
            Prim::U64 => "u64",
            Prim::Usize => "usize",
            Prim::F32 => "f32",
            Prim::F64 => "f64",
        }
    }

    pub(super) const fn bits(self) -> u32 {
        match self {
            Prim::Bool => 1,
            Prim::I8 | Prim::U8 => 8,
            Prim::I16 | Prim::U16 => 16,
            Prim::I32 | Prim::U32 | Prim::F32 => 32,
            _ => 64,
        }
    }

    pub(super) const fn is_signed(self) -> bool {
        matches!(self, Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 | Prim::Isize)
    }

    pub(super) const fn is_float(self) -> bool {
        matches!(self, Prim::F32 | Prim::F64)
    }

    pub(super) const fn is_integer(self) -> bool {
        !self.is_float() && !matches!(self, Prim::Bool)
    }

    /// The integer type of the same width without, or with, a sign.
    pub(super) fn with_sign(self, signed: bool) -> Prim {
        let pairs = [
            (Prim::I8, Prim::U8),
            (Prim::I16, Prim::U16),
            (Prim::I32, Prim::U32),
            (Prim::I64, Prim::U64),
            (Prim::Isize, Prim::Usize),
        ];
        let pair = pairs.into_iter().find(|pair| pair.0 == self || pair.1 == self);
        pair.map_or(self, |pair| if signed { pair.0 } else { pair.1 })
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Prim(Prim),
    Tuple(Vec<Ty>),
    Array(Box<Ty>, u64),
    /// The index of the struct among the items.
    Struct(usize),
    Enum(usize),
    Option(Box<Ty>),
    Result(Box<Ty>, Box<Ty>),
}

impl Maker {
    /// Favours integers of 32 bits.
    pub(super) fn prim(&mut self) -> Prim {
        match self.random.below(8) {
            0 => Prim::Bool,
            1 => self.random.pick(&[Prim::F32, Prim::F32, Prim::F64]),
            2 => self.random.pick(&[Prim::I32, Prim::U32]),
            _ => self.random.pick(&Prim::INTEGERS),
        }
    }

    /// The type of a variable.
    pub(super) fn ty(&mut self, depth: u32) -> Ty {
        match self.random.below(if depth == 0 { 6 } else { 14 }) {
            6 => {
                let parts = (0..2 + self.random.below(2)).map(|_| self.ty(depth - 1)).collect();
                Ty::Tuple(parts)
            }
            7 | 8 => {
                let element = self.ty(depth - 1);
                Ty::Array(Box::new(element), 1 + self.random.below(4))
            }
            9 | 10 if !self.items.structs.is_empty() => {
                Ty::Struct(self.random.below(self.items.structs.len() as u64) as usize)
            }
            11 if !self.items.enums.is_empty() => Ty::Enum(self.random.below(self.items.enums.len() as u64) as usize),
            12 => Ty::Option(Box::new(self.ty(depth - 1))),
            13 => Ty::Result(Box::new(self.ty(depth - 1)), Box::new(self.ty(0))),
            _ => Ty::Prim(self.prim()),
        }
    }

    /// The type as text.
    pub(super) fn written(&self, ty: &Ty) -> String {
        match ty {
            Ty::Prim(prim) => prim.name().to_owned(),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.written(part)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Array(element, length) => format!("[{}; {length}]", self.written(element)),
            Ty::Struct(number) => self.items.structs[*number].name.clone(),
            Ty::Enum(number) => self.items.enums[*number].name.clone(),
            Ty::Option(inner) => format!("Option<{}>", self.written(inner)),
            Ty::Result(inner, other) => format!("Result<{}, {}>", self.written(inner), self.written(other)),
        }
    }

    /// True if `==` on values has the same result on all back ends.
    pub(super) fn compares(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Prim(_) => true,
            Ty::Tuple(parts) => parts.iter().all(|part| self.compares(part)),
            Ty::Array(element, _) | Ty::Option(element) => self.compares(element),
            Ty::Result(inner, other) => self.compares(inner) && self.compares(other),
            Ty::Struct(number) => self.items.structs[*number].compares,
            Ty::Enum(number) => self.items.enums[*number].compares,
        }
    }
}
