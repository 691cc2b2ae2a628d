//! Thread block clusters: their barriers, and the exit of threads in kernels with clusters.
//!
//! The barrier is the hardware's, which does not wait for exited threads. Two problems remain.
//!
//! **Each fault has its own exit.** ptxas makes lanes that reach code where several exits join wait
//! there for the others of their warp, and the cluster barrier waits for all lanes of a warp that
//! have not exited: so a faulting lane must not reconverge with lanes that continue. The same holds
//! for exits in a poll, and for early returns.
//!
//! **Shared memory outlives its threads.** Once all threads of a block have exited, its shared
//! memory is gone, and an access by another block would kill the context. So, in a kernel with such
//! accesses, exiting threads are counted in the shared memory of their block. The last one notifies
//! every block of the cluster and keeps taking part in the barriers of the others until all blocks
//! have notified its own. It is alone in its warp, so that all waits of the others complete.
//! Counting starts after all blocks of the cluster have begun, which a barrier at the start
//! ensures.

use std::fmt::Write;

use vyre_ir::ir::CLUSTER_COUNTER_BYTES;

use super::entry::{EntryPlan, Writer};
use super::text::{Class, Operand, Register};
use crate::ssa::{Edge, Function, Terminator};

/// The variable of the two counters: exited threads of the block, and blocks of the cluster all of
/// whose threads have exited.
const COUNTERS: &str = "cluster_counters";

/// The exit strategy of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// Faults share one exit.
    Together,
    /// Separate exits.
    Apart,
    /// Separate exits, and the last thread of a block waits for the other blocks of the cluster.
    Counted,
}

impl Leaving {
    /// The strategy of an entry, whose kernel may have clusters.
    pub(super) fn of(plan: &EntryPlan<'_>) -> Leaving {
        match (plan.kernel.cluster, plan.summary.maps_shared) {
            (None, _) => Leaving::Together,
            (Some(_), true) => Leaving::Counted,
            (Some(_), false) => Leaving::Apart,
        }
    }
}

/// Duplicates empty exit blocks so that each edge to one has its own.
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
    /// Emits the cluster barrier.
    pub(super) fn cluster_barrier(&mut self) {
        self.converge();
        self.text.instruction(&["barrier.cluster.arrive"], &[]);
        self.text.instruction(&["barrier.cluster.wait"], &[]);
    }

    /// Emits the cluster dimensions of the entry.
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

    /// Zeroes the counters and waits for the other blocks to begin.
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

    /// The label of a thread's early exit.
    pub(super) fn way_out(&mut self) -> String {
        self.exits = true;
        if self.leaving == Leaving::Together {
            return "EXIT".to_owned();
        }
        self.ways_out += 1;
        format!("EXIT{}", self.ways_out)
    }

    /// Emits the early exits.
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

    /// Emits the exit of a thread.
    pub(super) fn end_of_thread(&mut self) {
        if self.leaving != Leaving::Counted {
            return self.text.instruction(&["ret"], &[]);
        }
        let left = Operand::Register(self.text.register(Class::Word));
        let (counters, one) = (Operand::Text(COUNTERS), Operand::Number(1));
        // Orders this thread's memory accesses before the counter. ptxas lets one lane count for a
        // warp.
        self.text.instruction(&["fence.acq_rel.cluster"], &[]);
        self.at("atom.relaxed.cta.shared.add.u32", Some(left), counters, 0, Some(one));
        let others = Operand::Number(self.plan.kernel.block_threads() as i64 - 1);
        let goes = self.differ(left, others);
        // A separate exit instead of a branch to a common one, where ptxas could make lanes
        // reconverge.
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

    /// Emits the code of the last thread of a block.
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
