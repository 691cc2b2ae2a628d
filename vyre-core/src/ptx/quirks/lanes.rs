//! Convergence of a warp around operations among part of its lanes.

use crate::ptx::entry::Writer;
use crate::ptx::text::{Class, Operand};
use crate::ptx::warp::is_all;
use crate::ssa::Value;

impl Writer<'_> {
    /// Prepares [`converge`](Self::converge) and [`diverge`](Self::diverge) in an entry with
    /// operations among part of a warp: a mask of all lanes that ptxas cannot recognise as full
    /// (quirk `full_mask`).
    pub(in crate::ptx) fn lanes_of_warp(&mut self) {
        if !self.plan.summary.tiles {
            return;
        }
        let all = self.text.register(Class::Word);
        let to = Operand::Register(all);
        let [below, rest] = self.text.operands(Class::Word);
        self.text
            .instruction(&["mov.u32"], &[below, Operand::Text("%lanemask_lt")]);
        self.text
            .instruction(&["mov.u32"], &[rest, Operand::Text("%lanemask_ge")]);
        self.text.instruction(&["or.b32"], &[to, below, rest]);
        self.lanes = Some(all);
    }

    /// Reconverges the lanes of the warp before an instruction of the whole warp (quirk
    /// `diverged_tiles`).
    pub(in crate::ptx) fn converge(&mut self) {
        if let Some(lanes) = self.lanes {
            self.text.instruction(&["bar.warp.sync"], &[Operand::Register(lanes)]);
        }
    }

    /// Begins a branch around an operation among `members` that no lane takes; returns the label
    /// that ends it. Does nothing for an operation of all lanes (quirk `diverged_tiles`).
    pub(in crate::ptx) fn diverge(&mut self, value: Value, members: Value) -> Option<String> {
        let lanes = self.lanes.filter(|_| !is_all(self.function, members))?;
        let join = format!("TILE{}", value.index());
        let none = self.text.register(Class::Predicate);
        let operands = [Operand::Register(none), Operand::Register(lanes), Operand::Number(0)];
        self.text.instruction(&["setp.eq.u32"], &operands);
        self.text.predicated(none, true, "bra", Operand::Text(&join));
        Some(join)
    }
}
