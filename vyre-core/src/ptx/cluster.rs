//! Clusters: their barriers, and how the threads of a kernel with clusters leave.
//!
//! The barrier is the hardware's, which does not wait for threads that have left. Two things are left to
//! do.
//!
//! **Each fault has an end of its own.** ptxas lets lanes that come to code where several ends meet wait
//! there for the others of their warp, and the barrier of a cluster waits for all lanes of a warp that
//! have not left: so one that faults must not meet any that goes on. The same holds of those that leave in
//! a poll, and of early returns.
//!
//! **Shared memory lives on.** When all threads of a block have left, its shared memory is gone, and an
//! access of another block to it would end the context. So, where a kernel has such accesses, whoever leaves
//! counts itself in the memory of its block. The last one tells every block of the cluster and goes on
//! taking part in the barriers of the others, until all blocks have told its own. It is alone in its warp,
//! and whatever the others wait for comes about. Nobody counts before all blocks of the cluster have
//! begun, for which there is a barrier at the start.

use std::fmt::Write;

use super::entry::{EntryPlan, Writer};
use super::text::{Class, Operand, Register};
use crate::ir::CLUSTER_COUNTER_BYTES;
use crate::ssa::{Edge, Function, Terminator};

/// The variable that holds the counters: of threads of the block that have left, and of blocks of the
/// cluster all of whose threads have.
const COUNTERS: &str = "cluster_counters";

/// How threads leave an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// Faults meet at one end.
    Together,
    /// Each by itself.
    Apart,
    /// Each by itself, and the last one of a block waits for the other blocks of the cluster.
    Counted,
}

impl Leaving {
    /// That of an entry, whose kernel may have clusters.
    pub(super) fn of(plan: &EntryPlan<'_>) -> Leaving {
        match (plan.kernel.cluster, plan.summary.maps_shared) {
            (None, _) => Leaving::Together,
            (Some(_), true) => Leaving::Counted,
            (Some(_), false) => Leaving::Apart,
        }
    }
}

/// Gives each way to an end at which nothing more is done an end of its own.
pub(crate) fn part_ends(function: &mut Function) {
    let is_end = |function: &Function, edge: &Edge| {
        let target = &function.blocks[edge.block];
        target.body.is_empty() && target.end == Terminator::Return
    };
    for block in function.blocks.handles().collect::<Vec<_>>() {
        let mut end = std::mem::replace(&mut function.blocks[block].end, Terminator::Return);
        for edge in end.edges_mut() {
            if is_end(function, edge) {
                *edge = Edge::to(function.add_block());
            }
        }
        function.blocks[block].end = end;
    }
}

impl Writer<'_> {
    /// Waits for the cluster.
    pub(super) fn cluster_barrier(&mut self) {
        self.converge();
        self.text.instruction(&["barrier.cluster.arrive"], &[]);
        self.text.instruction(&["barrier.cluster.wait"], &[]);
    }

    /// Says that blocks make clusters.
    pub(super) fn cluster_shape(&self, out: &mut String) {
        if let Some([x, y, z]) = self.plan.kernel.cluster {
            let _ = writeln!(out, ".explicitcluster\n.reqnctapercluster {x}, {y}, {z}");
        }
    }

    /// Declares the counters.
    pub(super) fn declare_cluster(&self, out: &mut String) {
        if self.leaving == Leaving::Counted {
            let _ = writeln!(out, "    .shared .align 4 .b8 {COUNTERS}[{CLUSTER_COUNTER_BYTES}];");
        }
    }

    /// Sets the counters to zero, and waits for the other blocks to begin.
    pub(super) fn begin_cluster(&mut self) {
        if self.leaving != Leaving::Counted {
            return;
        }
        let other = self.is_not_first();
        for offset in [0, 4] {
            self.text.condition(other, false);
            self.at(
                "st.shared.u32",
                None,
                Operand::Text(COUNTERS),
                offset,
                Some(Operand::Number(0)),
            );
        }
        self.cluster_barrier();
    }

    /// The label to which a thread goes that leaves early.
    pub(super) fn way_out(&mut self) -> String {
        self.exits = true;
        if self.leaving == Leaving::Together {
            return "EXIT".to_owned();
        }
        self.ways_out += 1;
        format!("EXIT{}", self.ways_out)
    }

    /// Writes the ends of those that leave early.
    pub(super) fn ends(&mut self) {
        if !self.exits {
            return;
        }
        if self.leaving == Leaving::Together {
            self.text.label("EXIT");
            return self.text.instruction(&["ret"], &[]);
        }
        for number in 1..=self.ways_out {
            self.text.label(&format!("EXIT{number}"));
            self.end_of_thread();
        }
    }

    /// Ends the thread.
    pub(super) fn end_of_thread(&mut self) {
        if self.leaving != Leaving::Counted {
            return self.text.instruction(&["ret"], &[]);
        }
        let left = Operand::Register(self.text.register(Class::Word));
        let (counters, one) = (Operand::Text(COUNTERS), Operand::Number(1));
        // What this thread did to memory comes before what it says. ptxas lets one lane count for a warp.
        self.text.instruction(&["fence.acq_rel.cluster"], &[]);
        self.at("atom.relaxed.cta.shared.add.u32", Some(left), counters, 0, Some(one));
        let others = Operand::Number(self.plan.kernel.block_threads() as i64 - 1);
        let goes = self.differ(left, others);
        // An end of its own, not a branch to one, where ptxas could let lanes meet.
        self.text.condition(goes, true);
        self.text.instruction(&["ret"], &[]);
        self.text.instruction(&["bra"], &[Operand::Text("LAST")]);
    }

    fn differ(&mut self, a: Operand<'_>, b: Operand<'_>) -> Register {
        let differ = self.text.register(Class::Predicate);
        let operands = [Operand::Register(differ), a, b];
        self.text.instruction(&["setp.ne.u32"], &operands);
        differ
    }

    /// What the last thread of a block does.
    pub(super) fn last_of_block(&mut self) {
        if self.leaving != Leaving::Counted {
            return;
        }
        let [own, there, ended] = [(); 3].map(|()| Operand::Register(self.text.register(Class::Word)));
        let blocks = i64::from(self.plan.kernel.cluster_blocks());
        self.text.label("LAST");
        self.text.instruction(&["fence.acq_rel.cluster"], &[]);
        self.text.instruction(&["mov.u32"], &[own, Operand::Text(COUNTERS)]);
        for rank in 0..blocks {
            self.text
                .instruction(&["mapa.shared::cluster.u32"], &[there, own, Operand::Number(rank)]);
            let one = Some(Operand::Number(1));
            self.at("red.relaxed.cluster.shared::cluster.add.u32", None, there, 4, one);
        }
        self.text.label("LAST_WAIT");
        self.cluster_barrier();
        self.at("ld.relaxed.cluster.shared.u32", Some(ended), own, 4, None);
        let waits = self.differ(ended, Operand::Number(blocks));
        self.text.predicated(waits, true, "bra", Operand::Text("LAST_WAIT"));
        self.text.instruction(&["ret"], &[]);
    }
}
