//! Global value numbering with algebraic simplification: one walk that folds constants, simplifies,
//! and reuses known values.
//!
//! **Algorithm.** Blocks are visited in the order of the dominator tree, so that each follows its
//! dominators, and values of a block that dominates none of the later ones are not needed again.
//! The operands of each operation are replaced by their new values, the [`rules`] are tried for
//! something simpler, and a pure operation is looked up among the dominating ones that compute the
//! same. If a branch or a guard decides a predicate, the predicate is a constant in all dominated
//! blocks; a guard whose predicate is known to hold is removed: this removes most bounds checks. If
//! all edges to a join pass the same value for a parameter, the parameter is removed; a branch on a
//! constant becomes a jump.
//!
//! **Before:** any valid graph. **After:** no pure operation computes the same as a dominating one;
//! no operation on constants has a constant result; constants are on the right. Unused operations
//! and blocks are left for [`dce`](super::dce) and [`simplify_cfg`](super::simplify_cfg).
//!
//! **Cost:** linear, about half a microsecond per operation in an unoptimised build.

use vyre_ir::ir::{BinaryOp, Scalar, Span, UnaryOp};

use super::replacements::Replacements;
use super::rules;
use crate::analysis::bounds::Range;
use crate::analysis::facts::Facts;
use crate::ssa::function::{ignores_sign, unsigned};
use crate::ssa::graph::Graph;
use crate::ssa::op::Op;
use crate::ssa::value_table::Table;
use crate::ssa::{Block, Function, Terminator, Ty, Value, filled};

/// Numbers and simplifies the values of a function; returns true if edges were removed, so that
/// more blocks may dominate others.
pub(crate) fn run(function: &mut Function, graph: &Graph) -> bool {
    let values = function.values.len();
    let mut numbering = Numbering {
        replaced: Replacements::new(function),
        homes: filled(None, values),
        facts: Facts::new(function, graph),
        table: Table::default(),
        body: Vec::new(),
        block: function.entry(),
        span: Span::NONE,
        depth: 0,
        visited: vec![false; function.blocks.len()],
        cut: false,
        graph,
        function,
    };
    for block in graph.dominator_order() {
        numbering.block(block);
    }
    numbering.cut
}

/// Limit of the recursion of rules into simplification.
const MAX_DEPTH: u32 = 16;

/// Limit of the nesting of joined tests that bound a counter.
const MAX_TESTS: u32 = 4;

/// The state of the walk, used by the rules.
pub(super) struct Numbering<'f> {
    pub(super) function: &'f mut Function,
    graph: &'f Graph,
    /// The replacement of each value, if any.
    replaced: Replacements,
    /// The block of each operation and parameter visited so far.
    homes: Vec<Option<Block>>,
    /// The facts about the values visited so far.
    facts: Facts<'f>,
    table: Table,
    /// The new body of the current block.
    body: Vec<Value>,
    block: Block,
    span: Span,
    depth: u32,
    visited: Vec<bool>,
    /// True if an edge was removed.
    cut: bool,
}

impl Numbering<'_> {
    fn block(&mut self, block: Block) {
        self.block = block;
        self.arrive(block);
        // A loop of one block passes itself arguments that are not final before.
        self.visited[block.index()] = true;
        let old = std::mem::take(&mut self.function.blocks[block].body);
        self.body = Vec::with_capacity(old.len());
        let mut faults = false;
        for value in old {
            self.value(value);
            if let Some(&last) = self.body.last()
                && let Op::Guard { condition, .. } = self.function.op(last)
                && self.function.as_constant(condition) == Some(0)
            {
                faults = true;
                break;
            }
        }
        if faults {
            self.function.blocks[block].end = Terminator::Return;
            self.cut = true;
        } else {
            self.end(block);
        }
        self.function.blocks[block].body = std::mem::take(&mut self.body);
    }

    /// Records the facts at the start of a block.
    fn arrive(&mut self, block: Block) {
        let predecessors = self.graph.predecessors(block);
        self.facts.enter(self.function, block);
        for position in 0..self.function.blocks[block].parameters.len() {
            let parameter = self.function.blocks[block].parameters[position];
            self.homes[parameter.index()] = Some(block);
            self.facts.bound(parameter, Range::of_type(self.function.ty(parameter)));
            if predecessors.iter().all(|predecessor| self.visited[predecessor.index()]) {
                self.meet(block, position, parameter);
            } else {
                self.count(block, position, parameter);
            }
        }
    }

    /// Examines the arguments that the edges pass for a parameter; all of them are final.
    fn meet(&mut self, block: Block, position: usize, parameter: Value) {
        let mut same = None;
        let mut agree = true;
        let mut range: Option<Range> = None;
        for predecessor in self.graph.predecessors(block) {
            for edge in self.function.blocks[*predecessor].end.edges() {
                if edge.block == block {
                    let argument = edge.arguments[position];
                    agree &= same.is_none_or(|same| same == argument);
                    same = Some(argument);
                    let passed = self.range(argument);
                    range = Some(range.map_or(passed, |range| range.or(passed)));
                }
            }
        }
        if let (true, Some(same)) = (agree, same) {
            self.replaced.set(parameter, same);
        } else if let Some(range) = range {
            self.facts.bound(parameter, range);
        }
    }

    /// Bounds a parameter of a loop's header by its initial value and by the loop's exit test at
    /// the end of an iteration.
    fn count(&mut self, block: Block, position: usize, parameter: Value) {
        let mut range: Option<Range> = None;
        for &predecessor in self.graph.predecessors(block) {
            let end = &self.function.blocks[predecessor].end;
            for edge in end.edges().filter(|edge| edge.block == block) {
                let argument = self.resolve(edge.arguments[position]);
                let passed = match end {
                    _ if self.visited[predecessor.index()] => self.range(argument),
                    Terminator::Branch { condition, then, .. } if then == edge => Range {
                        least: 0,
                        most: self.tested(argument, *condition, MAX_TESTS),
                    },
                    _ => Range::ALL,
                };
                range = Some(range.map_or(passed, |range| range.or(passed)));
            }
        }
        if let Some(range) = range {
            self.facts.bound(parameter, range);
        }
    }

    /// The bound of an argument whose edge is taken if a condition holds; neither has been visited
    /// yet. A condition that joins tests, nested up to a depth, has the least of their bounds: all of them hold.
    fn tested(&self, argument: Value, condition: Value, depth: u32) -> u64 {
        match self.function.op(condition) {
            Op::Binary {
                op: BinaryOp::And,
                scalar: Scalar::Bool,
                a,
                b,
            } if depth > 0 => {
                let joined = [a, b].map(|test| self.tested(argument, test, depth - 1));
                joined[0].min(joined[1])
            }
            Op::Binary {
                op: BinaryOp::Lt,
                scalar,
                a,
                b,
            } if !scalar.is_signed()
                && scalar.is_integer()
                && (a == argument || self.function.as_zero_extended(argument) == Some(a)) =>
            {
                let limit = self.resolve(b);
                let known = self.function.op(limit).is_root() || self.homes[limit.index()].is_some();
                if known {
                    self.bound(limit).saturating_sub(1)
                } else {
                    u64::MAX
                }
            }
            _ => u64::MAX,
        }
    }

    fn value(&mut self, value: Value) {
        let data = self.function.values[value];
        self.span = data.span;
        self.replaced.operands(self.function, value);
        let mut op = self.function.op(value);
        normalise(self.function, &mut op);
        if let Op::Guard { condition, .. } = op {
            return self.guard(value, condition, op);
        }
        rules::memory::access(self, &mut op);
        if let Some(known) = self.simpler(op, data.ty) {
            self.replaced.set(value, known);
            return;
        }
        self.function.values[value].op = op;
        self.keep(value);
    }

    fn guard(&mut self, value: Value, condition: Value, mut op: Op) {
        let known = self
            .known(condition)
            .or(self.function.as_constant(condition).map(|bits| bits == 1));
        if known == Some(true) {
            return;
        }
        if known == Some(false)
            && let Op::Guard { condition, .. } = &mut op
        {
            *condition = self.function.constant(Ty::Bool, 0);
        }
        self.function.values[value].op = op;
        self.keep(value);
        self.decide(condition, true);
    }

    /// Appends an operation to the current block.
    fn keep(&mut self, value: Value) {
        let data = self.function.values[value];
        self.body.push(value);
        self.homes[value.index()] = Some(self.block);
        self.facts.define(self.function, value, self.block);
        if data.op.is_pure() {
            self.table.insert(&self.function.values, value);
        }
    }

    /// An available value that equals an operation: simpler, or already computed.
    fn simpler(&mut self, op: Op, ty: Ty) -> Option<Value> {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            let simpler = rules::simplify(self, op, ty);
            self.depth -= 1;
            if simpler.is_some() {
                return simpler;
            }
        }
        if op.is_pure() { self.find(op, ty) } else { None }
    }

    /// An earlier pure operation that dominates this point.
    pub(super) fn find(&mut self, op: Op, ty: Ty) -> Option<Value> {
        let (homes, graph, block) = (&self.homes, self.graph, self.block);
        self.table.find(&self.function.values, op, ty, |value| {
            homes[value.index()].is_some_and(|home| graph.dominates(home, block))
        })
    }

    /// The value of a pure operation: simplified, found, or new at this point.
    pub(super) fn add(&mut self, mut op: Op, ty: Ty) -> Value {
        normalise(self.function, &mut op);
        if let Some(known) = self.simpler(op, ty) {
            return known;
        }
        let value = self.function.add_value(op, ty, self.span);
        self.grow();
        self.keep(value);
        value
    }

    /// A constant.
    pub(super) fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        let value = self.function.constant(ty, bits);
        self.grow();
        value
    }

    fn grow(&mut self) {
        let values = self.function.values.len();
        if self.homes.len() < values {
            self.homes.resize(values, None);
        }
    }

    fn resolve(&self, value: Value) -> Value {
        self.replaced.resolve(value)
    }

    fn end(&mut self, block: Block) {
        let mut end = std::mem::replace(&mut self.function.blocks[block].end, Terminator::Return);
        end.visit(|value| *value = self.resolve(*value));
        for edge in end.edges_mut() {
            for argument in &mut edge.arguments {
                *argument = self.extension(*argument);
            }
        }
        if let Terminator::Branch {
            mut condition,
            mut then,
            mut otherwise,
        } = end
        {
            while let Op::Unary {
                op: UnaryOp::Not, a, ..
            } = self.function.op(condition)
            {
                condition = a;
                std::mem::swap(&mut then, &mut otherwise);
            }
            let known = self
                .known(condition)
                .or(self.function.as_constant(condition).map(|bits| bits == 1));
            self.cut |= known.is_some() || then == otherwise;
            end = match known {
                Some(true) => Terminator::Jump(then),
                Some(false) => Terminator::Jump(otherwise),
                None if then == otherwise => Terminator::Jump(then),
                None => {
                    for (edge, holds) in [(&mut then, 1), (&mut otherwise, 0)] {
                        for argument in edge.arguments.iter_mut().filter(|argument| **argument == condition) {
                            *argument = self.function.constant(Ty::Bool, holds);
                        }
                    }
                    Terminator::Branch {
                        condition,
                        then,
                        otherwise,
                    }
                }
            };
        }
        self.function.blocks[block].end = end;
    }

    /// The extension of a word that has been computed, in place of a sum of 64 bits that equals it: a block that counts in
    /// words truncates what it is passed.
    fn extension(&mut self, value: Value) -> Value {
        let Some((x, added @ 1..)) = self.as_word(value) else {
            return value;
        };
        let (op, scalar) = (BinaryOp::Add, Scalar::U32);
        let b = self.constant(Ty::I32, added);
        let Some(word) = self.find(Op::Binary { op, scalar, a: x, b }, Ty::I32) else {
            return value;
        };
        let (from, to) = (Scalar::U32, Scalar::U64);
        let op = Op::Convert { from, to, a: word };
        self.find(op, Ty::I64).unwrap_or_else(|| {
            let extended = self.function.add_value(op, Ty::I64, self.span);
            self.grow();
            self.keep(extended);
            extended
        })
    }

    /// Records the outcome of a predicate in the current block and below it, and its consequences.
    fn decide(&mut self, condition: Value, holds: bool) {
        self.facts.decide(self.function, condition, holds, self.block);
    }

    /// Records a bound that does not follow from the operation of a value, and that holds in the
    /// current block and below it: it may follow from the facts there.
    pub(super) fn limit_here(&mut self, value: Value, most: u64) {
        let range = Range { least: 0, most };
        self.facts.limit(self.function, value, range, self.block);
    }

    /// The known outcome of a predicate at this point.
    pub(super) fn known(&self, condition: Value) -> Option<bool> {
        self.facts.holds(condition, self.block)
    }

    /// An unsigned upper bound of a value at this point.
    pub(super) fn bound(&self, value: Value) -> u64 {
        self.range(value).most
    }

    /// The unsigned range of a value at this point.
    pub(super) fn range(&self, value: Value) -> Range {
        self.facts.range(self.function, value, self.block)
    }

    /// True if a value is the zero extension of its lower 32 bits at this point.
    pub(super) fn fits_32(&self, value: Value) -> bool {
        self.facts.fits_32(self.function, value, self.block)
    }

    /// True if a float is no NaN at this point.
    pub(super) fn is_number(&self, value: Value) -> bool {
        self.facts.is_number(self.function, value, self.block)
    }

    /// The outcome of the unsigned comparison `a < b` at this point, if known.
    pub(super) fn less_than(&self, a: Value, b: Value) -> Option<bool> {
        self.facts.less_than(self.function, a, b, self.block)
    }
}

/// Canonicalises the operand order of commutative operations, constants last, and the direction of
/// comparisons, so that equal ones become identical.
fn normalise(function: &Function, op: &mut Op) {
    match op {
        Op::Binary {
            op: operator,
            scalar,
            a,
            b,
        } => {
            if ignores_sign(*operator) {
                *scalar = unsigned(*scalar);
            }
            let symmetric = matches!(
                operator,
                BinaryOp::Add
                    | BinaryOp::Mul
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::MulHigh
                    | BinaryOp::Min
                    | BinaryOp::Max
                    | BinaryOp::Eq
                    | BinaryOp::Ne
            );
            let turned = match operator {
                BinaryOp::Gt => Some(BinaryOp::Lt),
                BinaryOp::Ge => Some(BinaryOp::Le),
                _ => None,
            };
            if let Some(turned) = turned {
                *operator = turned;
                std::mem::swap(a, b);
            } else if symmetric && wrong_order(function, *a, *b) {
                std::mem::swap(a, b);
            }
        }
        Op::MulAdd { a, b, .. } | Op::MulWide { a, b, .. } if wrong_order(function, *a, *b) => {
            std::mem::swap(a, b);
        }
        _ => {}
    }
}

fn wrong_order(function: &Function, a: Value, b: Value) -> bool {
    match (function.as_constant(a).is_some(), function.as_constant(b).is_some()) {
        (true, false) => true,
        (false, true) => false,
        _ => a > b,
    }
}
