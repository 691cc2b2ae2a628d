//! Text of lines, registers and immediates.

use vyre_ir::append::{decimal, push};
use vyre_ir::ir::Scalar;

use crate::ssa::op::Op;
use crate::ssa::{Function, Ty, Value};

/// The type of a scalar in instruction names: `s32`, `u8`, `f64`; a `bool` is a `u8` in memory.
pub(super) fn type_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I8 => "s8",
        Scalar::I16 => "s16",
        Scalar::I32 => "s32",
        Scalar::I64 => "s64",
        Scalar::Bool => "u8",
        other => other.name(),
    }
}

/// The type of a scalar in memory accesses, where floats of 16 bits are untyped bits.
pub(super) fn memory_type(scalar: Scalar) -> &'static str {
    if scalar.is_half() { "b16" } else { type_name(scalar) }
}

/// A register class of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Predicate,
    Word,
    Double,
    Float,
    FloatDouble,
    Half,
}

impl Class {
    pub(super) const ALL: [Class; 6] = [
        Class::Predicate,
        Class::Word,
        Class::Double,
        Class::Float,
        Class::FloatDouble,
        Class::Half,
    ];

    /// The class of a value's register.
    pub(super) fn of(ty: Ty) -> Class {
        match ty.word() {
            Ty::Bool => Class::Predicate,
            Ty::I64 => Class::Double,
            Ty::F16 | Ty::BF16 => Class::Half,
            Ty::F32 => Class::Float,
            Ty::F64 => Class::FloatDouble,
            Ty::Unit | Ty::I32 | Ty::Pointer(_) => Class::Word,
        }
    }

    /// The prefix of its registers' names.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Class::Predicate => "%p",
            Class::Word => "%r",
            Class::Double => "%rd",
            Class::Float => "%f",
            Class::FloatDouble => "%fd",
            Class::Half => "%h",
        }
    }

    /// Its type in a declaration.
    pub(super) fn declared(self) -> &'static str {
        match self {
            Class::Predicate => ".pred",
            Class::Word => ".b32",
            Class::Double => ".b64",
            Class::Float => ".f32",
            Class::FloatDouble => ".f64",
            Class::Half => ".b16",
        }
    }

    /// The type suffix of moves.
    pub(super) fn bits(self) -> &'static str {
        match self {
            Class::Float => "f32",
            Class::FloatDouble => "f64",
            _ => self.untyped(),
        }
    }

    /// The type suffix of bitwise instructions.
    pub(super) fn untyped(self) -> &'static str {
        match self {
            Class::Predicate => "pred",
            Class::Word | Class::Float => "b32",
            Class::Double | Class::FloatDouble => "b64",
            Class::Half => "b16",
        }
    }
}

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Register {
    pub(super) class: Class,
    pub(super) number: u32,
}

/// An operand as text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operand<'t> {
    Register(Register),
    /// The bits of a constant of this type.
    Immediate(Ty, u64),
    /// Verbatim text.
    Text(&'t str),
    /// A number.
    Number(i64),
}

/// The text of an entry's body under construction.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) out: String,
    /// Instructions written so far.
    pub(super) instructions: u32,
    /// Number of registers of each class.
    registers: [u32; 6],
    /// True if the predicate of the next instruction is already written.
    is_conditional: bool,
}

impl Text {
    /// A fresh register.
    pub(super) fn register(&mut self, class: Class) -> Register {
        let count = &mut self.registers[class as usize];
        *count += 1;
        Register { class, number: *count }
    }

    /// Fresh registers as operands.
    pub(super) fn operands<const N: usize>(&mut self, class: Class) -> [Operand<'static>; N] {
        let mut operands = [Operand::Number(0); N];
        for operand in &mut operands {
            *operand = Operand::Register(self.register(class));
        }
        operands
    }

    /// Number of registers of a class; they are numbered from 1.
    pub(super) fn in_use(&self, class: Class) -> u32 {
        self.registers[class as usize]
    }

    /// Begins an instruction with its name, in parts.
    pub(super) fn begin(&mut self, name: &[&str]) {
        if !std::mem::take(&mut self.is_conditional) {
            self.out.push_str("    ");
        }
        for part in name {
            push(&mut self.out, part);
        }
        self.instructions += 1;
    }

    /// Predicates the next instruction.
    pub(super) fn condition(&mut self, predicate: Register, value: bool) {
        self.out.push_str(if value { "    @" } else { "    @!" });
        self.operand(Operand::Register(predicate));
        self.out.push(' ');
        self.is_conditional = true;
    }

    /// Ends an instruction.
    pub(super) fn end(&mut self) {
        push(&mut self.out, ";\n");
    }

    /// An instruction: its name in parts, then its operands.
    pub(super) fn instruction(&mut self, name: &[&str], operands: &[Operand<'_>]) {
        self.begin(name);
        for (number, &operand) in operands.iter().enumerate() {
            push(&mut self.out, if number == 0 { " " } else { ", " });
            self.operand(operand);
        }
        self.end();
    }

    /// A predicated instruction.
    pub(super) fn predicated(&mut self, predicate: Register, value: bool, name: &str, target: Operand<'_>) {
        self.condition(predicate, value);
        self.instruction(&[name], &[target]);
    }

    /// Operands in braces.
    pub(super) fn group(&mut self, operands: &[Operand<'_>]) {
        self.out.push('{');
        for (number, &operand) in operands.iter().enumerate() {
            push(&mut self.out, if number == 0 { "" } else { ", " });
            self.operand(operand);
        }
        self.out.push('}');
    }

    /// A label.
    pub(super) fn label(&mut self, name: &str) {
        self.out.push_str(name);
        self.out.push_str(":\n");
    }

    /// The offset of an address: PTX adds it with a plus also if it is negative.
    pub(super) fn offset(&mut self, offset: i64) {
        if offset != 0 {
            self.out.push('+');
            self.signed(offset);
        }
    }

    pub(super) fn operand(&mut self, operand: Operand<'_>) {
        match operand {
            Operand::Register(register) => {
                push(&mut self.out, register.class.prefix());
                decimal(&mut self.out, u64::from(register.number));
            }
            Operand::Text(text) => self.out.push_str(text),
            Operand::Number(number) => self.signed(number),
            Operand::Immediate(ty, bits) => match ty.word() {
                Ty::F32 => {
                    self.out.push_str("0f");
                    self.hexadecimal(bits, 8);
                }
                Ty::F64 => {
                    self.out.push_str("0d");
                    self.hexadecimal(bits, 16);
                }
                Ty::I32 => self.integer(i64::from(bits as i32), bits, 8),
                _ => self.integer(bits as i64, bits, 16),
            },
        }
    }

    /// An integer: decimal if its magnitude is small, else its bits in hexadecimal.
    fn integer(&mut self, signed: i64, bits: u64, digits: u32) {
        if (-65536..1 << 20).contains(&signed) {
            self.signed(signed);
        } else {
            self.out.push_str("0x");
            self.hexadecimal(bits, digits);
        }
    }

    fn signed(&mut self, number: i64) {
        if number < 0 {
            self.out.push('-');
        }
        decimal(&mut self.out, number.unsigned_abs());
    }

    pub(super) fn hexadecimal(&mut self, bits: u64, digits: u32) {
        for digit in (0..digits).rev() {
            let value = (bits >> (4 * digit) & 15) as u8;
            self.out
                .push(char::from(if value < 10 { b'0' + value } else { b'A' - 10 + value }));
        }
    }
}

/// True if a value is written as an immediate at each use. Floats of 16 bits have none.
pub(super) fn is_immediate(function: &Function, value: Value) -> bool {
    let ty = function.ty(value);
    matches!(function.op(value), Op::Constant(_)) && ty != Ty::Bool && !ty.is_half()
}
