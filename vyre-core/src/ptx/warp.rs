//! Exchanges among the threads of a warp, and counts at barriers.

use super::entry::Writer;
use super::text::{Class, Operand};
use crate::ir::{WARP_SIZE, WarpOp};
use crate::ssa::Value;

/// All lanes: the hardware waits for those of them that have not left.
const ALL: &str = "0xFFFFFFFF";

impl Writer<'_> {
    /// A shuffle, of 64 bits by halves.
    pub(super) fn shuffle(&mut self, value: Value, op: WarpOp, among: (u32, Value), a: Value, amount: Value) {
        let (tile, members) = (among.0, self.members(among.1));
        let amount = self.operand(amount);
        if self.function.ty(value).bits() == 64 {
            let halves = self.halves(a).map(|half| {
                let target = Operand::Register(self.text.register(Class::Word));
                self.shuffle_word(op, tile, [target, half, amount, members]);
                target
            });
            return self.join(value, halves);
        }
        let target = Operand::Register(self.register(value));
        let a = self.operand(a);
        self.shuffle_word(op, tile, [target, a, amount, members]);
    }

    /// The target, the value, the amount, and the members of the tile.
    fn shuffle_word(&mut self, op: WarpOp, tile: u32, [target, a, amount, members]: [Operand<'_>; 4]) {
        // The number is the first or last lane from which a lane may take.
        let (name, bound) = match op {
            WarpOp::ShuffleUp => ("shfl.sync.up.b32", 0),
            WarpOp::ShuffleDown => ("shfl.sync.down.b32", 31),
            WarpOp::ShuffleXor => ("shfl.sync.bfly.b32", 31),
            WarpOp::Shuffle | WarpOp::Ballot | WarpOp::MatchAny | WarpOp::Sync => ("shfl.sync.idx.b32", 31),
        };
        // And which bits of a lane's number tell its tile.
        let bound = i64::from(WARP_SIZE - tile) << 8 | bound;
        self.text
            .instruction(&[name], &[target, a, amount, Operand::Number(bound), members]);
    }

    /// The lanes that an exchange waits for.
    fn members(&mut self, members: Value) -> Operand<'static> {
        match self.function.as_constant(members) {
            Some(bits) if bits == u64::from(u32::MAX) => Operand::Text(ALL),
            _ => self.operand(members),
        }
    }

    /// The lanes that give `true`.
    pub(super) fn ballot(&mut self, value: Value, predicate: Value, members: Value) {
        let (predicate, members) = (self.vote(predicate), self.members(members));
        let target = Operand::Register(self.register(value));
        self.text
            .instruction(&["vote.sync.ballot.b32"], &[target, predicate, members]);
    }

    /// The number of threads of the block that give `true`, once all of them are here.
    pub(super) fn barrier_count(&mut self, value: Value, predicate: Value) {
        let predicate = self.vote(predicate);
        let target = Operand::Register(self.register(value));
        self.text
            .instruction(&["bar.red.popc.u32"], &[target, Operand::Number(0), predicate]);
    }

    /// A predicate register of what this thread says.
    fn vote(&mut self, predicate: Value) -> Operand<'static> {
        let Some(bits) = self.function.as_constant(predicate) else {
            return Operand::Register(self.predicate(predicate));
        };
        let same = Operand::Register(self.text.register(Class::Predicate));
        let number = Operand::Number(i64::from(bits == 0));
        self.text
            .instruction(&["setp.eq.u32"], &[same, Operand::Number(0), number]);
        same
    }

    /// The lanes that give the same.
    pub(super) fn match_any(&mut self, value: Value, a: Value, members: Value) {
        let members = self.members(members);
        let wide = self.function.ty(a).bits() == 64;
        let name = if wide {
            "match.any.sync.b64"
        } else {
            "match.any.sync.b32"
        };
        // The instruction takes no immediate value.
        let source = match self.operand(a) {
            Operand::Register(register) => register,
            immediate => {
                let register = self.text.register(if wide { Class::Double } else { Class::Word });
                let name = if wide { "mov.b64" } else { "mov.b32" };
                self.text
                    .instruction(&[name], &[Operand::Register(register), immediate]);
                register
            }
        };
        let target = Operand::Register(self.register(value));
        self.text
            .instruction(&[name], &[target, Operand::Register(source), members]);
    }

    /// Waits for these lanes.
    pub(super) fn warp_sync(&mut self, members: Value) {
        let members = self.members(members);
        self.text.instruction(&["bar.warp.sync"], &[members]);
    }
}
