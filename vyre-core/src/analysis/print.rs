//! The facts of a function as text, for tests and for people.

use std::fmt::{self, Write};

use super::digits::{By, Digit, Digits, Given, NONE, Term};
use super::facts::Facts;
use super::loop_forest::LoopForest;
use super::meets::may_meet;
use super::post_dominators::PostDominators;
use super::provenance::Provenance;
use super::uniformity::{Group, Uniformity};
use crate::ssa::op::Op;
use crate::ssa::print::operand;
use crate::ssa::{Block, Function, Ty, Value};

/// The facts about each block and value.
pub(crate) fn print(function: &Function) -> String {
    let forest = LoopForest::as_is(function);
    let mut out = String::new();
    let inside = |header, block| forest.is_inside(header, block);
    let given = Given {
        aligned: &|_| 1,
        inside: Some(&inside),
        grid: None,
        quotients: false,
    };
    let mut printer = Printer {
        post_dominators: PostDominators::of(function, &forest.graph),
        facts: Facts::new(function, &forest.graph),
        digits: Digits::of(function, &forest.graph, &given),
        block_uniformity: Uniformity::of(function, &forest, Group::Block),
        warp_uniformity: Uniformity::of(function, &forest, Group::Warp),
        provenance: Provenance::of(function, &forest.graph),
        accesses: Vec::new(),
        function,
        forest: &forest,
    };
    for block in forest.graph.dominator_order() {
        // Writing to a string does not fail.
        let _ = printer.block(block, &mut out);
    }
    out
}

struct Printer<'f> {
    function: &'f Function,
    forest: &'f LoopForest,
    post_dominators: PostDominators,
    facts: Facts<'f>,
    digits: Digits,
    block_uniformity: Uniformity,
    warp_uniformity: Uniformity,
    provenance: Provenance,
    /// The accesses so far.
    accesses: Vec<Value>,
}

impl Printer<'_> {
    fn block(&mut self, block: Block, out: &mut String) -> fmt::Result {
        let (function, forest) = (self.function, self.forest);
        let graph = &forest.graph;
        let dominator = graph.order[graph.dominator(graph.position(block)) as usize];
        write!(out, "b{}: dominated by b{}", block.index(), dominator.index())?;
        if let Some(post_dominator) = self.post_dominators.immediate(graph, block) {
            write!(out, ", post-dominated by b{}", post_dominator.index())?;
        }
        out.push('\n');
        for (number, this) in forest.loops.iter().enumerate() {
            if this.header == block {
                write!(out, "    loop {number}, depth {}, exits", this.depth)?;
                for (from, to) in forest.exits(function, number) {
                    write!(out, " b{} to b{}", from.index(), to.index())?;
                }
                out.push('\n');
            }
        }
        self.facts.enter(function, block);
        let data = &function.blocks[block];
        for &parameter in &data.parameters {
            self.value(parameter, block, out)?;
        }
        for &value in &data.body {
            self.facts.define(function, value, block);
            match function.op(value) {
                Op::Guard { condition, .. } => self.facts.decide(function, condition, true, block),
                Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } => self.access(value, out)?,
                Op::Binary { op, a, b, .. } if op.is_comparison() => {
                    if let Some(less) = self.facts.less_than(function, a, b, block) {
                        writeln!(
                            out,
                            "    v{}: its operands are {}less",
                            value.index(),
                            if less { "" } else { "not " }
                        )?;
                    }
                    if let Some(distance) = self.digits.distance(a, b) {
                        writeln!(out, "    v{}: its operands differ by {}", value.index(), distance)?;
                    }
                }
                _ => {}
            }
            self.value(value, block, out)?;
        }
        Ok(())
    }

    fn value(&self, value: Value, block: Block, out: &mut String) -> fmt::Result {
        let function = self.function;
        let ty = function.ty(value);
        if ty == Ty::Unit {
            return Ok(());
        }
        write!(out, "    v{}:", value.index())?;
        out.push_str(
            match (
                self.block_uniformity.uniform(value),
                self.warp_uniformity.uniform(value),
            ) {
                (true, _) => " uniform",
                (false, true) => " uniform in a warp",
                (false, false) => " varying",
            },
        );
        if matches!(ty, Ty::I32 | Ty::I64) {
            let range = self.facts.range(function, value, block);
            if range.most < super::bounds::of_type(ty) {
                write!(out, ", {} to {}", range.least, range.most)?;
            }
            if ty == Ty::I64 && self.facts.fits_32(function, value, block) {
                out.push_str(", fits 32 bits");
            }
        }
        if matches!(ty, Ty::I32 | Ty::I64 | Ty::Pointer(_)) {
            let zeros = self.digits.zeros(value);
            if zeros != 0 {
                write!(out, ", {zeros} low bits zero")?;
            }
        }
        self.sum(value, out)?;
        if let Some(holds) = self.facts.holds(value, block) {
            write!(out, ", {holds}")?;
        }
        out.push('\n');
        Ok(())
    }

    /// The sum of a value that is more than itself.
    fn sum(&self, value: Value, out: &mut String) -> fmt::Result {
        let Some(form) = self.digits.form(value) else {
            return Ok(());
        };
        let is_own = |term: &Term| self.digits.digit(term.digit).digit == Digit::Value(value);
        if form.terms.iter().any(is_own) {
            return Ok(());
        }
        out.push_str(", = ");
        for (number, &Term { factor, symbol, digit }) in form.terms.iter().enumerate() {
            out.push_str(if number == 0 { "" } else { " + " });
            if factor != 1 {
                write!(out, "{factor}*")?;
            }
            if symbol != NONE {
                self.digit(symbol, out)?;
                out.push('*');
            }
            self.digit(digit, out)?;
        }
        match (form.constant, form.terms.is_empty()) {
            (0, false) => {}
            (constant, true) => write!(out, "{constant}")?,
            (constant, false) => write!(out, " + {constant}")?,
        }
        if !form.is_exact() {
            out.push_str(" with wrapping");
        }
        Ok(())
    }

    fn digit(&self, digit: u32, out: &mut String) -> fmt::Result {
        let (value, by, sign) = match self.digits.digit(digit).digit {
            Digit::Value(value) => return operand(self.function, value, out),
            Digit::Trip(header) => return write!(out, "trip(b{})", header.index()),
            Digit::Product(s, t) => {
                self.digit(s, out)?;
                out.push('*');
                return self.digit(t, out);
            }
            Digit::Quotient(value, by) => (value, by, '/'),
            Digit::Remainder(value, by) => (value, by, '%'),
        };
        out.push('(');
        operand(self.function, value, out)?;
        write!(out, "{sign}")?;
        match by {
            By::Constant(by) => write!(out, "{by}")?,
            By::Symbol(symbol) => self.digit(symbol, out)?,
        }
        out.push(')');
        Ok(())
    }

    fn access(&mut self, access: Value, out: &mut String) -> fmt::Result {
        for &other in &self.accesses {
            if may_meet(self.function, &self.provenance, &self.digits, access, other) {
                writeln!(out, "    v{}: may meet v{}", access.index(), other.index())?;
            }
        }
        self.accesses.push(access);
        Ok(())
    }
}
