//! Asynchronous copies: `cp.async` from global to shared memory.
//!
//! The instruction requires both addresses to be aligned to the size of the copy. If the element
//! type guarantees less, as for four `f32` at any index of a slice, the alignment is checked at run
//! time, and a misaligned copy is done in smaller pieces. Bytes and floats of 16 bits are copied
//! through registers, and so is everything between other state spaces: such a copy completes
//! immediately.

use super::entry::Writer;
use super::text::{Class, Operand, Register};
use crate::ssa::op::Op;
use crate::ssa::{Space, Value};

/// Pieces loaded before they are stored.
const AT_ONCE: u32 = 4;

/// Destination and source of a copy, each with an offset in bytes.
type Ends = [(Value, i32); 2];

impl Writer<'_> {
    /// Emits a copy of `bytes` bytes between addresses of at least this alignment.
    pub(super) fn async_copy(&mut self, ends: [Value; 2], offsets: [i32; 2], bytes: u32, align: u32) {
        let ends = [(ends[0], offsets[0]), (ends[1], offsets[1])];
        let is_async = ends.map(|(end, _)| self.space(end)) == [Space::Shared, Space::Global];
        if is_async && align >= bytes {
            return self.copy_piece(ends, 0, bytes);
        }
        // A register holds eight bytes.
        let align = align.min(8);
        let count = bytes / align;
        let mut pieces = (0..count).map(|piece| (piece * align) as i32);
        if !is_async {
            let bases = ends.map(|(end, _)| self.base(end));
            let operands = bases.each_ref().map(Base::operand);
            return self.copy_by_registers(ends, operands, &mut pieces, align);
        }
        let aligned = self.are_aligned(ends, bytes);
        let [copied, by_pieces] = ["COPIED", "PIECES"].map(|name| format!("{name}{}", self.waits));
        self.waits += 1;
        self.text.predicated(aligned, false, "bra", Operand::Text(&by_pieces));
        self.copy_piece(ends, 0, bytes);
        self.text.instruction(&["bra"], &[Operand::Text(&copied)]);
        self.text.label(&by_pieces);
        if align >= 4 {
            pieces.for_each(|offset| self.copy_piece(ends, offset, align));
        } else {
            self.copy_in_rounds(ends, count, align);
        }
        self.text.label(&copied);
    }

    /// Emits one instruction at `offset`. Copies of 16 bytes bypass L1.
    fn copy_piece(&mut self, [to, from]: Ends, offset: i32, bytes: u32) {
        let cache = if bytes == 16 { "cg" } else { "ca" };
        self.text.begin(&["cp.async.", cache, ".shared.global "]);
        self.address(to.0, to.1 + offset);
        self.text.out.push_str(", ");
        self.address(from.0, from.1 + offset);
        self.text.out.push_str(", ");
        self.text.operand(Operand::Number(bytes.into()));
        self.text.end();
    }

    /// Copies pieces of `bytes` bytes from global to shared memory, a few per iteration of a loop.
    /// If the loop were unrolled, ptxas would predicate the copies one by one, and they would slow
    /// down the aligned path.
    fn copy_in_rounds(&mut self, ends: Ends, count: u32, bytes: u32) {
        let label = format!("COPYING{}", self.waits);
        let at_once = count.min(AT_ONCE);
        let rounds = Operand::Number(i64::from(count / at_once));
        let [to, from] = ends.map(|(end, _)| self.base(end));
        let registers = [Class::Word, Class::Double, Class::Word].map(|class| self.text.register(class));
        let [target, source, left] = registers.map(Operand::Register);
        self.text.instruction(&["mov.b32"], &[target, to.operand()]);
        self.text.instruction(&["mov.b64"], &[source, from.operand()]);
        self.text.instruction(&["mov.b32"], &[left, rounds]);
        self.text.label(&label);
        self.text.begin(&[".pragma \"nounroll\""]);
        self.text.end();
        let mut pieces = (0..at_once).map(|piece| (piece * bytes) as i32);
        self.copy_by_registers(ends, [target, source], &mut pieces, bytes);
        let distance = Operand::Number(i64::from(at_once * bytes));
        self.text.instruction(&["add.u32"], &[target, target, distance]);
        self.text.instruction(&["add.u64"], &[source, source, distance]);
        self.text.instruction(&["sub.u32"], &[left, left, Operand::Number(1)]);
        let again = self.text.register(Class::Predicate);
        self.text
            .instruction(&["setp.ne.u32"], &[Operand::Register(again), left, Operand::Number(0)]);
        self.text.predicated(again, true, "bra", Operand::Text(&label));
    }

    /// Loads pieces of `bytes` bytes, then stores them. The operands are the start addresses.
    fn copy_by_registers(
        &mut self,
        [to, from]: Ends,
        [target, source]: [Operand<'_>; 2],
        pieces: &mut dyn Iterator<Item = i32>,
        bytes: u32,
    ) {
        let (class, ty) = match bytes {
            8 => (Class::Double, "b64"),
            4 => (Class::Word, "b32"),
            2 => (Class::Word, "u16"),
            _ => (Class::Word, "u8"),
        };
        let loaded: Vec<_> = pieces
            .map(|offset| {
                let register = Operand::Register(self.text.register(class));
                self.text.begin(&["ld", self.space(from.0).suffix(), ".", ty, " "]);
                self.text.operand(register);
                self.text.out.push_str(", ");
                self.bracketed(source, from.1, offset);
                self.text.end();
                (offset, register)
            })
            .collect();
        for (offset, register) in loaded {
            self.text.begin(&["st", self.space(to.0).suffix(), ".", ty, " "]);
            self.bracketed(target, to.1, offset);
            self.text.out.push_str(", ");
            self.text.operand(register);
            self.text.end();
        }
    }

    /// Emits an address in brackets.
    fn bracketed(&mut self, base: Operand<'_>, offset: i32, more: i32) {
        self.text.out.push('[');
        self.text.operand(base);
        self.text.offset(i64::from(offset) + i64::from(more));
        self.text.out.push(']');
    }

    /// The base of an address.
    fn base(&mut self, end: Value) -> Base {
        match self.function.op(end) {
            Op::Address(object) => Base::Object(self.object_name(object)),
            _ => Base::Operand(self.operand(end)),
        }
    }

    /// A predicate that is true if both addresses are multiples of a power of two.
    fn are_aligned(&mut self, ends: Ends, bytes: u32) -> Register {
        let mask = Operand::Number(i64::from(bytes) - 1);
        let mut all = None;
        for (end, offset) in ends {
            let is_object = matches!(self.function.op(end), Op::Address(_));
            let rest = i64::from(offset) & (i64::from(bytes) - 1);
            if is_object && rest == 0 {
                // Variables of kernels with such copies are declared with that alignment.
                continue;
            }
            let mut low = self.operand(end);
            if self.function.ty(end).bits() == 64 {
                let word = Operand::Register(self.text.register(Class::Word));
                self.text.instruction(&["cvt.u32.u64"], &[word, low]);
                low = word;
            }
            let next = [low, Operand::Number(rest)];
            if rest != 0 {
                let sum = Operand::Register(self.text.register(Class::Word));
                self.text.instruction(&["add.u32"], &[sum, next[0], next[1]]);
                low = sum;
            }
            all = Some(match all {
                None => low,
                Some(before) => {
                    let both = Operand::Register(self.text.register(Class::Word));
                    self.text.instruction(&["or.b32"], &[both, before, low]);
                    both
                }
            });
        }
        let rest = Operand::Register(self.text.register(Class::Word));
        let all = all.unwrap_or(Operand::Number(0));
        self.text.instruction(&["and.b32"], &[rest, all, mask]);
        let aligned = self.text.register(Class::Predicate);
        let operands = [Operand::Register(aligned), rest, Operand::Number(0)];
        self.text.instruction(&["setp.eq.u32"], &operands);
        aligned
    }
}

/// The base that offsets are added to.
enum Base {
    /// The name of a variable.
    Object(String),
    Operand(Operand<'static>),
}

impl Base {
    fn operand(&self) -> Operand<'_> {
        match self {
            Base::Object(name) => Operand::Text(name),
            &Base::Operand(operand) => operand,
        }
    }
}
