//! Facts about values where memory is accessed: ranges, and orders.
//!
//! **Rules.** The facts of the blocks that dominate the access, of which some are stronger than those that passes need:
//! - A counter that each iteration divides, shifts right or masks is at most its first value.
//! - A trip of a loop whose header ends it has no access of the loop behind the header.
//! - A slice has at most 2^57 elements: no address has more bits.
//! - A counter that takes a step that is the same for the whole launch, after a test that it is below a number, does not
//!   wrap if that number and the step together do not. Then its sum is the number itself.

use vyre_ir::ir::{BinaryOp, Scalar};

use super::touches::Touch;
use crate::analysis::bounds::{self, Range};
use crate::analysis::digits::{Digit, Digits, Form, Known, NONE};
use crate::analysis::facts::Facts;
use crate::analysis::loop_forest::LoopForest;
use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Ty, Value};

/// No slice has more elements.
pub(super) const MAX_LENGTH: u64 = 1 << 57;

/// A value plus a number is less than another value, and does not wrap.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) value: Value,
    pub(super) number: i64,
    pub(super) limit: Value,
}

/// The facts at an access.
#[derive(Default)]
pub(super) struct Site {
    ranges: Vec<Range>,
    pub(super) orders: Vec<Order>,
    /// The digits of the trips of loops that the access is in, behind the header.
    trips: Vec<u32>,
}

impl Site {
    pub(super) fn range(&self, value: Value) -> Range {
        self.ranges[value.index()]
    }

    /// The greatest number of a digit that is no value.
    pub(super) fn most_of(&self, digit: u32, known: &Known) -> u64 {
        match self.trips.contains(&digit) {
            true => known.most.min(known.inside),
            false => known.most,
        }
    }

    /// True if a value is below another one.
    pub(super) fn is_below(&self, value: Value, limit: Value) -> bool {
        let says = |order: &Order| (order.value, order.limit) == (value, limit) && order.number >= 0;
        self.orders.iter().any(says)
    }

    /// The greatest number of a value.
    pub(super) fn most(&self, value: Value) -> u64 {
        let of = self
            .orders
            .iter()
            .filter(|order| order.value == value && order.number >= 0);
        let limits = of.map(|order| self.range(order.limit).most.saturating_sub(1));
        limits.fold(self.range(value).most, u64::min)
    }
}

/// The facts at all accesses, and those about counters.
pub(super) struct Sites {
    pub(super) sites: Vec<Site>,
    /// For each value, true if it is a counter that does not wrap.
    exact: Vec<bool>,
}

impl Sites {
    /// True if the number of a value is that of its sum.
    pub(super) fn is_exact(&self, digits: &Digits, value: Value) -> bool {
        self.exact[value.index()] || digits.form(value).is_some_and(|form| form.is_exact())
    }
}

/// Finds the facts.
pub(super) fn find(function: &Function, forest: &LoopForest, digits: &Digits, touches: &[Touch]) -> Sites {
    let graph = &forest.graph;
    let mut facts = Facts::new(function, graph);
    let mut all: Vec<Site> = touches.iter().map(|_| Site::default()).collect();
    let values: Vec<Value> = function.values.handles().collect();
    let mut exact = vec![false; values.len()];
    let mut homes: Vec<Option<Block>> = vec![None; values.len()];
    for &block in &graph.order {
        let data = &function.blocks[block];
        for value in data.parameters.iter().chain(&data.body) {
            homes[value.index()] = Some(block);
        }
    }
    // The parameters so far, with their blocks.
    let mut parameters: Vec<(Value, Block)> = Vec::new();
    for block in graph.dominator_order() {
        facts.enter(function, block);
        for (position, &parameter) in function.blocks[block].parameters.iter().enumerate() {
            let range = parameter_range(function, forest, &facts, block, position);
            facts.bound(parameter, range);
            parameters.push((parameter, block));
        }
        for (at, &value) in function.blocks[block].body.iter().enumerate() {
            facts.define(function, value, block);
            if let Op::Guard { condition, .. } = function.op(value) {
                facts.decide(function, condition, true, block);
            }
            for (touch, site) in touches.iter().zip(&mut all) {
                if (touch.block, touch.at) == (block, at) {
                    site.ranges = (values.iter())
                        .map(|&value| {
                            // Its own range holds for the threads that compute it.
                            let is_computed = match homes[value.index()] {
                                Some(home) => graph.dominates(home, block),
                                None => function.op(value).is_root(),
                            };
                            match is_computed {
                                true => range(function, digits, &facts, value, block),
                                false => Range::of_type(function.ty(value)),
                            }
                        })
                        .collect();
                    site.orders = orders(function, &facts, &values, block);
                    site.trips = trips(forest, digits, block);
                }
            }
        }
        for &(parameter, header) in &parameters {
            if closes(function, forest, block, header)
                && counts(function, graph, digits, &facts, &exact, parameter, (block, header))
            {
                exact[parameter.index()] = true;
            }
        }
    }
    Sites { sites: all, exact }
}

/// The orders that hold at a block.
fn orders(function: &Function, facts: &Facts<'_>, values: &[Value], block: Block) -> Vec<Order> {
    let mut orders = Vec::new();
    for &value in values {
        if matches!(function.ty(value), Ty::I32 | Ty::I64) {
            facts.each_order(value, block, &mut |limit, number| {
                orders.push(Order { value, number, limit });
            });
        }
    }
    orders
}

/// The digits of the trips of the loops that a block is in, but for those whose header it is.
fn trips(forest: &LoopForest, digits: &Digits, block: Block) -> Vec<u32> {
    let is_trip = |digit: u32| match digits.digit(digit).digit {
        Digit::Trip(header) => header != block && forest.is_inside(header, block),
        _ => false,
    };
    (0..digits.len()).filter(|&digit| is_trip(digit)).collect()
}

/// The range of a value, by its operation, its sum and what it is.
fn range(function: &Function, digits: &Digits, facts: &Facts<'_>, value: Value, block: Block) -> Range {
    if !matches!(function.ty(value), Ty::I32 | Ty::I64) {
        return Range::ALL;
    }
    let mut range = facts.range(function, value, block);
    if is_length(function, value) {
        range.most = range.most.min(MAX_LENGTH);
    }
    if let Some(form) = digits.form(value).filter(Form::is_exact) {
        range.least = range.least.max(form.least as u64);
        range.most = range.most.min(form.most as u64);
    }
    range.least = range.least.min(range.most);
    range
}

/// True for the length of a slice that is a parameter.
pub(super) fn is_length(function: &Function, value: Value) -> bool {
    let Op::Argument {
        parameter,
        offset,
        scalar: Scalar::U64,
    } = function.op(value)
    else {
        return false;
    };
    function.values.iter().any(|(_, data)| {
        matches!(data.op, Op::Argument { parameter: of, offset: at, .. } if of == parameter && at + 8 == offset)
            && matches!(data.ty, Ty::Pointer(_))
    })
}

/// The range of a parameter by its arguments.
fn parameter_range(
    function: &Function,
    forest: &LoopForest,
    facts: &Facts<'_>,
    block: Block,
    position: usize,
) -> Range {
    let parameter = function.blocks[block].parameters[position];
    let ty = function.ty(parameter);
    let all = Range::of_type(ty);
    if !matches!(ty, Ty::I32 | Ty::I64) {
        return Range::ALL;
    }
    let here = forest.graph.position(block);
    let mut found: Option<Range> = None;
    for &from in forest.graph.predecessors(block) {
        for edge in function.blocks[from].end.edges().filter(|edge| edge.block == block) {
            let argument = edge.arguments[position];
            if forest.graph.position(from) >= here {
                if argument == parameter {
                    continue;
                }
                if !falls(function, parameter, argument) {
                    return all;
                }
                // It may become zero.
                found = found.map(|range| Range { least: 0, ..range });
                continue;
            }
            let range = facts.range(function, argument, from);
            found = Some(found.map_or(range, |found| found.or(range)));
        }
    }
    match found {
        Some(range) if range.most <= all.most => Range {
            least: if forest.loops.iter().any(|this| this.header == block) {
                0
            } else {
                range.least
            },
            ..range
        },
        _ => all,
    }
}

/// True if a value is at most the other one.
fn falls(function: &Function, whole: Value, part: Value) -> bool {
    match function.op(part) {
        Op::Binary { op, scalar, a, b } if a == whole && !scalar.is_signed() => match op {
            BinaryOp::Shr | BinaryOp::And | BinaryOp::Rem | BinaryOp::Min => true,
            BinaryOp::Div => function.as_constant(b).is_some(),
            _ => false,
        },
        _ => false,
    }
}

/// True if a block leads back to a header.
fn closes(function: &Function, forest: &LoopForest, block: Block, header: Block) -> bool {
    forest.is_inside(header, block) && function.blocks[block].end.edges().any(|edge| edge.block == header)
}

/// True if the counter of a loop with one latch does not wrap.
fn counts(
    function: &Function,
    graph: &Flow,
    digits: &Digits,
    facts: &Facts<'_>,
    exact: &[bool],
    parameter: Value,
    (latch, header): (Block, Block),
) -> bool {
    let Some(position) = function.blocks[header]
        .parameters
        .iter()
        .position(|&it| it == parameter)
    else {
        return false;
    };
    let is_exact = |value: Value| exact[value.index()] || digits.form(value).is_some_and(|form| form.is_exact());
    let mut latches = 0;
    let mut next = None;
    // Not the edges of blocks that nothing reaches: they may be from before the header had all its parameters.
    for &block in graph.predecessors(header) {
        for edge in function.blocks[block].end.edges().filter(|edge| edge.block == header) {
            let argument = edge.arguments[position];
            if block == latch {
                next = Some(argument);
                latches += 1;
            } else if !is_exact(argument) {
                // Also other latches.
                return false;
            }
        }
    }
    let (Some(next), 1) = (next, latches) else {
        return false;
    };
    let Op::Binary {
        op: BinaryOp::Add,
        a,
        b,
        ..
    } = function.op(next)
    else {
        return false;
    };
    let step = if a == parameter { b } else { a };
    if a != parameter && b != parameter {
        return false;
    }
    // The step must be one that sums have: a constant, or symbols without another constant.
    let Some(form) = digits.form(step).filter(Form::is_exact) else {
        return false;
    };
    let own = digits.form(parameter);
    let is_counter = own.is_some_and(|own| !own.terms.iter().any(|term| digits.is_own(term.digit, parameter)));
    if !is_counter || form.terms.iter().any(|term| term.symbol != NONE || term.factor < 0) || form.constant < 0 {
        return false;
    }
    let mut most = range(function, digits, facts, parameter, latch).most;
    facts.each_order(parameter, latch, &mut |limit, number| {
        if number >= 0 {
            most = most.min(range(function, digits, facts, limit, latch).most.saturating_sub(1));
        }
    });
    let step = form.most as u64;
    most.checked_add(step)
        .is_some_and(|sum| sum <= bounds::of_type(function.ty(parameter)))
}
