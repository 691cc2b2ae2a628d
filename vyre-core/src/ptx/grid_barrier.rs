//! The grid barrier.
//!
//! The threads of a block wait for each other; its first thread then adds to a counter in global
//! memory, which is zero when the launch begins, and waits until its highest bit has changed: all
//! blocks together add that bit, since the first one adds it less the number of the others, which
//! add one each. Then the block continues. Fences on both sides make the blocks' writes visible.
//! While it waits, the thread polls for a fault of the launch now and then, because then some block
//! never arrives, and leaves. The others of its block see that it has not come back.
//!
//! A barrier that some threads do not reach would never open, so this is detected. Within a block,
//! the arriving threads are counted: exited ones are not. And a block that ends records it: by then
//! every barrier of the launch has opened unless the block has missed one, so a thread that still
//! waits would wait forever.

use std::mem::offset_of;

use vyre_abi::fault::FaultControl;

use super::entry::Writer;
use super::fault::channel;
use super::text::{Class, Operand, Register};
use crate::ssa::Value;

/// Offset of the counter in `FaultControl`.
const ARRIVED: i64 = offset_of!(FaultControl, arrived) as i64;

/// Looks at the counter per poll for a fault, a power of two.
const POLL_EVERY: i64 = 32;

/// Offset of the launch number of which a block has ended.
const ENDED: i64 = offset_of!(FaultControl, ended) as i64;

impl Writer<'_> {
    /// Emits the barrier; `value` is true if it has opened.
    pub(super) fn grid_barrier(&mut self, value: Value) {
        let number = self.waits;
        self.waits += 1;
        let name = |what: &str| format!("GRID{number}{what}");
        let [wait, open, rest, done] = [name(""), name("_OPEN"), name("_REST"), name("_DONE")];
        let opened = self.register(value);
        let (everyone, there) = (self.text.register(Class::Predicate), self.word());
        let zero = Operand::Number(0);
        let operands = [Operand::Register(everyone), zero, zero];
        self.text.instruction(&["setp.eq.u32"], &operands);
        // The operands of the first thread are computed before the block's barrier, while others are still on their way.
        let other = self.is_not_first();
        let [control, blocks, amount, old, now, ended] = self.text.operands(Class::Double);
        let turns = self.word();
        self.load_channel(control, channel::CONTROL);
        self.text.instruction(&["cvta.to.global.u64"], &[control, control]);
        self.blocks_of_grid(blocks);
        let leads = Operand::Register(self.is_first_block());
        self.text
            .instruction(&["sub.u64"], &[amount, Operand::Number(i64::MIN + 1), blocks]);
        self.text
            .instruction(&["selp.b64"], &[amount, amount, Operand::Number(1), leads]);
        let block_barrier = Operand::Number(0);
        let operands = [there, block_barrier, Operand::Register(everyone)];
        self.converge();
        self.text.instruction(&["bar.red.popc.u32"], &operands);
        let threads = Operand::Number(self.plan.kernel.block_threads() as i64);
        let operands = [Operand::Register(opened), there, threads];
        self.text.instruction(&["setp.eq.u32"], &operands);
        self.text.predicated(opened, false, "bra", Operand::Text(&done));
        self.text.predicated(other, true, "bra", Operand::Text(&rest));
        self.text.instruction(&["fence.acq_rel.gpu"], &[]);
        self.at(
            "atom.relaxed.gpu.global.add.u64",
            Some(old),
            control,
            ARRIVED,
            Some(amount),
        );
        self.text.instruction(&["mov.u32"], &[turns, zero]);
        self.text.label(&wait);
        self.has_opened(opened, control, [old, now]);
        self.text.predicated(opened, true, "bra", Operand::Text(&open));
        self.text.instruction(&["add.u32"], &[turns, turns, Operand::Number(1)]);
        self.text
            .instruction(&["and.b32"], &[turns, turns, Operand::Number(POLL_EVERY - 1)]);
        let waits = self.text.register(Class::Predicate);
        self.text
            .instruction(&["setp.ne.u32"], &[Operand::Register(waits), turns, zero]);
        self.text.predicated(waits, true, "bra", Operand::Text(&wait));
        // The poll loads the number of the launch in each turn: no register holds it over the loop.
        let [_, launch] = self.leave_if_faulted();
        self.at("ld.relaxed.gpu.global.u64", Some(ended), control, ENDED, None);
        let stays = self.text.register(Class::Predicate);
        self.text
            .instruction(&["setp.ne.u64"], &[Operand::Register(stays), ended, launch]);
        self.text.predicated(stays, true, "bra", Operand::Text(&wait));
        // Makes that block's increment visible.
        self.text.instruction(&["fence.acq_rel.gpu"], &[]);
        self.has_opened(opened, control, [old, now]);
        self.text.label(&open);
        self.text.label(&rest);
        // The first thread, if it has not left.
        let first = self.text.register(Class::Predicate);
        self.text
            .instruction(&["not.pred"], &[Operand::Register(first), Operand::Register(other)]);
        self.converge();
        self.text
            .instruction(&["bar.red.popc.u32"], &[there, block_barrier, Operand::Register(first)]);
        let left = self.text.register(Class::Predicate);
        self.text
            .instruction(&["setp.eq.u32"], &[Operand::Register(left), there, zero]);
        self.exit_where(left);
        self.text.label(&done);
    }

    /// Sets `opened` if the highest bit of the counter differs from that before this block has added to it.
    fn has_opened(&mut self, opened: Register, control: Operand<'_>, [old, now]: [Operand<'_>; 2]) {
        self.at("ld.acquire.gpu.global.u64", Some(now), control, ARRIVED, None);
        self.text.instruction(&["xor.b64"], &[now, now, old]);
        let operands = [Operand::Register(opened), now, Operand::Number(0)];
        self.text.instruction(&["setp.lt.s64"], &operands);
    }

    /// Records that this block has ended, if others may wait for it.
    pub(super) fn end_for_grid(&mut self) {
        if !self.plan.summary.grid_barriers {
            return;
        }
        let end = format!("END{}", self.waits);
        self.waits += 1;
        let other = self.is_not_first();
        self.text.predicated(other, true, "bra", Operand::Text(&end));
        let [control, launch] = self.control_and_launch();
        self.text.instruction(&["fence.acq_rel.gpu"], &[]);
        self.at("st.relaxed.gpu.global.u64", None, control, ENDED, Some(launch));
        self.text.label(&end);
    }

    fn wide(&mut self) -> Operand<'static> {
        Operand::Register(self.text.register(Class::Double))
    }

    fn word(&mut self) -> Operand<'static> {
        Operand::Register(self.text.register(Class::Word))
    }

    /// A predicate that is true for all but the first thread of a block.
    pub(super) fn is_not_first(&mut self) -> Register {
        let place = self.word();
        self.text.instruction(&["mov.u32"], &[place, Operand::Text("%tid.x")]);
        for (axis, name) in [(1, "%tid.y"), (2, "%tid.z")] {
            if self.plan.kernel.block[axis] > 1 {
                let along = self.word();
                self.text.instruction(&["mov.u32"], &[along, Operand::Text(name)]);
                self.text.instruction(&["or.b32"], &[place, place, along]);
            }
        }
        let other = self.text.register(Class::Predicate);
        let operands = [Operand::Register(other), place, Operand::Number(0)];
        self.text.instruction(&["setp.ne.u32"], &operands);
        other
    }

    /// A predicate that is true for the first block of the grid.
    fn is_first_block(&mut self) -> Register {
        let place = self.word();
        self.text.instruction(&["mov.u32"], &[place, Operand::Text("%ctaid.x")]);
        for name in ["%ctaid.y", "%ctaid.z"] {
            let along = self.word();
            self.text.instruction(&["mov.u32"], &[along, Operand::Text(name)]);
            self.text.instruction(&["or.b32"], &[place, place, along]);
        }
        let first = self.text.register(Class::Predicate);
        let operands = [Operand::Register(first), place, Operand::Number(0)];
        self.text.instruction(&["setp.eq.u32"], &operands);
        first
    }

    /// Computes the number of blocks.
    fn blocks_of_grid(&mut self, blocks: Operand<'_>) {
        let along = self.word();
        self.text
            .instruction(&["mov.u32"], &[along, Operand::Text("%nctaid.x")]);
        self.text.instruction(&["cvt.u64.u32"], &[blocks, along]);
        for name in ["%nctaid.y", "%nctaid.z"] {
            let (along, wide) = (self.word(), self.wide());
            self.text.instruction(&["mov.u32"], &[along, Operand::Text(name)]);
            self.text.instruction(&["cvt.u64.u32"], &[wide, along]);
            self.text.instruction(&["mul.lo.u64"], &[blocks, blocks, wide]);
        }
    }
}
