//! Warp shuffles, votes and matches, counts at barriers, and tensor-core instructions.

use vyre_abi::list;
use vyre_ir::ir::{BinaryOp, MatrixLoad, Product, Role, Scalar, Shuffle, WARP_SIZE};

use super::entry::Writer;
use super::text::{Class, Operand, Register};
use crate::ssa::{Function, Ty, Value, filled};

/// The mask of all lanes: the hardware waits for those that have not exited.
const ALL: &str = "0xFFFFFFFF";

/// True if a warp operation is among all lanes.
pub(super) fn is_all(function: &Function, members: Value) -> bool {
    function.as_constant(members) == Some(u64::from(u32::MAX))
}

impl Writer<'_> {
    /// A shuffle; 64 bits are shuffled as two halves.
    pub(super) fn shuffle(&mut self, value: Value, of: (Shuffle, u32), a: Value, amount: Value, members: Value) {
        let members = self.members(members);
        let amount = self.operand(amount);
        if self.function.ty(value).bits() == 64 {
            let (from, halves) = (self.halves(a), self.text.operands::<2>(Class::Word));
            for (target, half) in halves.into_iter().zip(from) {
                self.shuffle_word(of, [target, half, amount, members]);
            }
            return self.join(value, halves);
        }
        let target = Operand::Register(self.register(value));
        let a = self.operand(a);
        self.shuffle_word(of, [target, a, amount, members]);
    }

    /// A shuffle of a word: the target, the value, the amount, and the members of the tile.
    fn shuffle_word(&mut self, (from, tile): (Shuffle, u32), [target, a, amount, members]: [Operand<'_>; 4]) {
        // The first or last lane that may be a source.
        let (name, bound) = match from {
            Shuffle::Up => ("shfl.sync.up.b32", 0),
            Shuffle::Down => ("shfl.sync.down.b32", 31),
            Shuffle::Xor => ("shfl.sync.bfly.b32", 31),
            Shuffle::Index => ("shfl.sync.idx.b32", 31),
        };
        // The bits of a lane index that select the tile.
        let bound = i64::from(WARP_SIZE - tile) << 8 | bound;
        self.text
            .instruction(&[name], &[target, a, amount, Operand::Number(bound), members]);
    }

    /// The mask of the lanes that take part.
    fn members(&mut self, members: Value) -> Operand<'static> {
        if is_all(self.function, members) {
            self.converge();
            return Operand::Text(ALL);
        }
        self.operand(members)
    }

    /// The lanes that pass `true`.
    pub(super) fn ballot(&mut self, value: Value, predicate: Value, members: Value) {
        let (predicate, members) = (self.vote(predicate), self.members(members));
        let target = Operand::Register(self.register(value));
        self.text
            .instruction(&["vote.sync.ballot.b32"], &[target, predicate, members]);
    }

    /// The block barrier.
    pub(super) fn block_barrier(&mut self) {
        self.converge();
        self.text.instruction(&["bar.sync"], &[Operand::Number(0)]);
    }

    /// The number of threads of the block that pass `true`, once all of them have arrived.
    pub(super) fn barrier_count(&mut self, value: Value, predicate: Value) {
        let predicate = self.vote(predicate);
        let target = Operand::Register(self.register(value));
        self.converge();
        self.text
            .instruction(&["bar.red.popc.u32"], &[target, Operand::Number(0), predicate]);
    }

    /// A predicate register with this thread's vote.
    fn vote(&mut self, predicate: Value) -> Operand<'static> {
        let Some(bits) = self.function.as_constant(predicate) else {
            return Operand::Register(self.register(predicate));
        };
        let same = Operand::Register(self.text.register(Class::Predicate));
        let number = Operand::Number(i64::from(bits == 0));
        self.text
            .instruction(&["setp.eq.u32"], &[same, Operand::Number(0), number]);
        same
    }

    /// The lanes that pass the same value.
    pub(super) fn match_any(&mut self, value: Value, a: Value, members: Value) {
        let members = self.members(members);
        let wide = self.function.ty(a).bits() == 64;
        let name = if wide {
            "match.any.sync.b64"
        } else {
            "match.any.sync.b32"
        };
        // The instruction takes no immediates.
        let source = self.in_register(a);
        let target = Operand::Register(self.register(value));
        self.text
            .instruction(&[name], &[target, Operand::Register(source), members]);
    }

    /// The values of the lanes, combined: of 32 bits, among all lanes of the warp.
    pub(super) fn reduce(&mut self, value: Value, (op, scalar): (BinaryOp, Scalar), a: Value, members: Value) {
        let members = self.members(members);
        let ty = match (op, scalar) {
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, _) => ".b32",
            (_, Scalar::I32) => ".s32",
            _ => ".u32",
        };
        let source = Operand::Register(self.in_register(a));
        let target = Operand::Register(self.register(value));
        self.text
            .instruction(&["redux.sync.", op.name(), ty], &[target, source, members]);
    }

    /// Barrier of these lanes.
    pub(super) fn warp_barrier(&mut self, members: Value) {
        let members = match is_all(self.function, members) {
            true => Operand::Text(ALL),
            false => self.operand(members),
        };
        self.text.instruction(&["bar.warp.sync"], &[members]);
    }

    /// A matrix product; its results get registers here.
    pub(super) fn product(&mut self, value: Value, product: Product, operands: &[Value]) {
        let shape = product.shape();
        let (scalar, length) = shape.machine_registers(Role::C);
        let mut groups = vec![self.result_registers(value, &filled(Ty::of(scalar), length as usize))];
        let mut words = operands;
        for role in [Role::A, Role::B, Role::C] {
            let (fragment, rest) = words.split_at(shape.machine_registers(role).1 as usize);
            groups.push(list::map(fragment, |&word| self.in_register(word)));
            words = rest;
        }
        self.converge();
        self.text.begin(&[shape.instruction]);
        for (number, group) in groups.iter().enumerate() {
            self.text.out.push_str(if number == 0 { " {" } else { ", {" });
            for (number, &register) in group.iter().enumerate() {
                self.text.out.push_str(if number == 0 { "" } else { ", " });
                self.text.operand(Operand::Register(register));
            }
            self.text.out.push('}');
        }
        self.text.end();
    }

    /// A matrix load; its results get registers here.
    pub(super) fn load_matrices(&mut self, value: Value, load: MatrixLoad, address: Value, offset: i32) {
        let count = load.count() as usize;
        let registers = self.result_registers(value, &filled(Ty::I32, count));
        self.converge();
        let (number, transposed) = (
            ["", "x1", "x2", "", "x4"][count],
            if load.is_transposed() { ".trans" } else { "" },
        );
        self.text
            .begin(&["ldmatrix.sync.aligned.m8n8.", number, transposed, ".shared.b16 {"]);
        for (number, &register) in registers.iter().enumerate() {
            self.text.out.push_str(if number == 0 { "" } else { ", " });
            self.text.operand(Operand::Register(register));
        }
        self.text.out.push_str("}, ");
        self.address(address, offset);
        self.text.end();
    }

    /// A value in a register, also if it is a constant.
    pub(super) fn in_register(&mut self, value: Value) -> Register {
        match self.operand(value) {
            Operand::Register(register) => register,
            immediate => {
                let register = self.text.register(Class::of(self.function.ty(value)));
                self.mov(register, immediate);
                register
            }
        }
    }

    /// New registers for the results of an operation that has several.
    pub(super) fn result_registers(&mut self, value: Value, types: &[Ty]) -> Vec<Register> {
        let mut registers = Vec::with_capacity(types.len());
        for &ty in types {
            registers.push(self.text.register(Class::of(ty)));
        }
        if !types.is_empty() {
            self.results.push((value, registers.clone()));
        }
        registers
    }

    /// A result of an earlier operation: it has already been written to its register.
    pub(super) fn result(&mut self, value: Value, of: Value, index: u32) {
        let known = self.results.iter().rev().find(|(known, _)| *known == of);
        if let Some((_, registers)) = known {
            self.name_register(value, registers[index as usize]);
        }
    }
}
