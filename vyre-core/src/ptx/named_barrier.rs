//! Named barriers.
//!
//! The hardware's `barrier.sync id, count` waits for a fixed number of threads, and if a fault
//! takes one away, nothing releases the others. So each named barrier is a counter in shared
//! memory, zero when the block begins: the first active lane of an arriving warp adds one for its
//! warp and waits until the counter has left the interval, as long as the number of warps, in which
//! it found it. While it waits it polls occasionally for a fault of the launch. The other lanes
//! wait for the first one at a warp barrier, which does not wait for exited lanes.

use std::fmt::Write;

use vyre_ir::ir::{NAMED_BARRIER_BYTES, NAMED_BARRIERS, WARP_SIZE};

use super::entry::Writer;
use super::text::{Class, Operand, Register};

/// The variable that holds the counters.
const COUNTERS: &str = "named_barriers";

/// Iterations between two polls for a fault, each of which costs an access to global memory.
const ROUNDS: i64 = 64;

/// Phases after which a counter wraps.
const OPENINGS: i64 = 1 << 24;

impl Writer<'_> {
    /// Declares the counters.
    pub(super) fn declare_counters(&self, out: &mut String) {
        if self.plan.summary.named_barriers != 0 {
            let _ = writeln!(out, "    .shared .align 4 .b8 {COUNTERS}[{NAMED_BARRIER_BYTES}];");
        }
    }

    /// Zeroes the counters before any thread reaches a barrier.
    pub(super) fn begin_counters(&mut self) {
        let used = self.plan.summary.named_barriers;
        if used == 0 {
            return;
        }
        let other = self.is_not_first();
        self.text.predicated(other, true, "bra", Operand::Text("NAMED"));
        for barrier in (0..NAMED_BARRIERS).filter(|barrier| used >> barrier & 1 == 1) {
            self.text.begin(&["st.shared.u32 "]);
            self.counter_of(barrier);
            self.text.out.push_str(", 0");
            self.text.end();
        }
        self.text.label("NAMED");
        self.text.instruction(&["bar.sync"], &[Operand::Number(0)]);
    }

    /// Arrives at a barrier, and waits there if `waits`.
    pub(super) fn named_barrier(&mut self, barrier: u32, threads: u32, waits: bool) {
        let number = self.waits;
        self.waits += 1;
        let name = |what: &str| format!("NAMED{number}{what}");
        let [again, next, rest] = [name(""), name("_NEXT"), name("_DONE")];
        let warps = i64::from(threads / WARP_SIZE);
        let all = Operand::Text("0xFFFFFFFF");
        self.text.instruction(&["bar.warp.sync"], &[all]);
        let other = self.is_not_first_lane(all);
        self.text.predicated(other, true, "bra", Operand::Text(&rest));
        let [old, start, now] = self.text.operands(Class::Word);
        self.text.begin(&["atom.acq_rel.cta.shared.inc.u32 "]);
        self.text.operand(old);
        self.text.out.push_str(", ");
        self.counter_of(barrier);
        self.text.out.push_str(", ");
        self.text.operand(Operand::Number(warps * OPENINGS - 1));
        self.text.end();
        if waits {
            self.text
                .instruction(&["rem.u32"], &[start, old, Operand::Number(warps)]);
            self.text.instruction(&["sub.u32"], &[start, old, start]);
            let polls = !self.plan.sites.is_empty();
            let left = Operand::Register(self.text.register(Class::Word));
            self.text.label(&again);
            if polls {
                self.text.instruction(&["mov.u32"], &[left, Operand::Number(ROUNDS)]);
                self.text.label(&next);
            }
            self.text.begin(&["ld.acquire.cta.shared.u32 "]);
            self.text.operand(now);
            self.text.out.push_str(", ");
            self.counter_of(barrier);
            self.text.end();
            self.text.instruction(&["sub.u32"], &[now, now, start]);
            let opened = self.text.register(Class::Predicate);
            let operands = [Operand::Register(opened), now, Operand::Number(warps)];
            self.text.instruction(&["setp.ge.u32"], &operands);
            self.text.predicated(opened, true, "bra", Operand::Text(&rest));
            if polls {
                self.text.instruction(&["sub.u32"], &[left, left, Operand::Number(1)]);
                let more = self.text.register(Class::Predicate);
                let operands = [Operand::Register(more), left, Operand::Number(0)];
                self.text.instruction(&["setp.ne.u32"], &operands);
                self.text.predicated(more, true, "bra", Operand::Text(&next));
                self.leave_if_faulted();
            }
            self.text.instruction(&["bra"], &[Operand::Text(&again)]);
        }
        self.text.label(&rest);
        self.text.instruction(&["bar.warp.sync"], &[all]);
    }

    /// A predicate that is true for all but the first active lane of a warp.
    fn is_not_first_lane(&mut self, all: Operand<'_>) -> Register {
        let [there, reversed, first, lane] = self.text.operands(Class::Word);
        let (yes, other) = (
            self.text.register(Class::Predicate),
            self.text.register(Class::Predicate),
        );
        let zero = Operand::Number(0);
        self.text
            .instruction(&["setp.eq.u32"], &[Operand::Register(yes), zero, zero]);
        self.text
            .instruction(&["vote.sync.ballot.b32"], &[there, Operand::Register(yes), all]);
        self.text.instruction(&["brev.b32"], &[reversed, there]);
        self.text.instruction(&["clz.b32"], &[first, reversed]);
        self.text.instruction(&["mov.u32"], &[lane, Operand::Text("%laneid")]);
        self.text
            .instruction(&["setp.ne.u32"], &[Operand::Register(other), lane, first]);
        other
    }

    /// Computes the address of a barrier's counter.
    fn counter_of(&mut self, barrier: u32) {
        self.text.out.push('[');
        self.text.operand(Operand::Text(COUNTERS));
        self.text.offset(i64::from(4 * barrier));
        self.text.out.push(']');
    }
}
