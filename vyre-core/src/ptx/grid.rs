//! The barrier of a whole grid.
//!
//! The threads of a block wait for each other; its first thread then adds one to a counter in global
//! memory that is zero when the launch begins, and waits until the counter has come to the next
//! multiple of the number of blocks; then the block goes on. Fences on both sides hand on what the
//! blocks wrote. While it waits, and once more behind the barrier, a thread looks whether the launch
//! has faulted, because then some block never comes.

use super::entry::Writer;
use super::fault::channel;
use super::text::{Class, Operand, Register};

/// Offset of the counter in `FaultControl`.
const COUNTER: i64 = 32;

impl Writer<'_> {
    /// Waits for the grid.
    pub(super) fn grid_barrier(&mut self) {
        let number = self.waits;
        self.waits += 1;
        let (wait, rest) = (format!("GRID{number}"), format!("GRID{number}_DONE"));
        let block = &[Operand::Number(0)];
        self.text.instruction(&["bar.sync"], block);
        let other = self.is_not_first();
        self.text.predicated(other, true, "bra", Operand::Text(&rest));
        let [counter, blocks, old, goal, now] = [(); 5].map(|()| self.wide());
        self.load_channel(counter, channel::CONTROL);
        self.text.instruction(&["cvta.to.global.u64"], &[counter, counter]);
        self.blocks_of_grid(blocks);
        self.text.instruction(&["fence.acq_rel.gpu"], &[]);
        self.counter("atom.relaxed.gpu.global.add.u64 ", old, counter, Some(1));
        self.text.instruction(&["div.u64"], &[goal, old, blocks]);
        self.text.instruction(&["mad.lo.u64"], &[goal, goal, blocks, blocks]);
        self.text.label(&wait);
        self.poll_if_faults();
        self.counter("ld.relaxed.gpu.global.u64 ", now, counter, None);
        let waits = self.text.register(Class::Predicate);
        self.text
            .instruction(&["setp.lt.u64"], &[Operand::Register(waits), now, goal]);
        self.text.predicated(waits, true, "bra", Operand::Text(&wait));
        self.text.instruction(&["fence.acq_rel.gpu"], &[]);
        self.text.label(&rest);
        self.text.instruction(&["bar.sync"], block);
        self.poll_if_faults();
    }

    fn poll_if_faults(&mut self) {
        if !self.plan.sites.is_empty() {
            self.leave_if_faulted();
        }
    }

    fn wide(&mut self) -> Operand<'static> {
        Operand::Register(self.text.register(Class::Double))
    }

    fn word(&mut self) -> Operand<'static> {
        Operand::Register(self.text.register(Class::Word))
    }

    /// Whether this is not the first thread of its block.
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

    /// The number of blocks.
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

    /// An access to the counter.
    fn counter(&mut self, name: &str, target: Operand<'_>, counter: Operand<'_>, operand: Option<i64>) {
        self.text.begin(&[name]);
        self.text.operand(target);
        self.text.out.push_str(", [");
        self.text.operand(counter);
        self.text.offset(COUNTER);
        self.text.out.push(']');
        if let Some(operand) = operand {
            self.text.out.push_str(", ");
            self.text.operand(Operand::Number(operand));
        }
        self.text.end();
    }
}
