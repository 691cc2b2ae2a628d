//! Facts about values where memory is accessed: ranges, and orders.
//!
//! **Rules.** The facts of the blocks that dominate the access, of which some are stronger than those that passes need:
//! - A counter that each iteration divides, shifts right or masks is at most its first value.
//! - A counter that each iteration takes from a constant, as the index of one of two buffers, `now = 1 - now`, has two numbers.
//! - A trip of a loop whose header ends it has no access of the loop behind the header: sums and quotients are less there.
//! - A slice has at most 2^57 elements: no address has more bits.
//! - The range of a multiple of a value plus a constant, where neither wraps, gives one of the value.
//! - A counter that takes a step that is the same for the whole launch, after a test that it is below a number, does not
//!   wrap if that number and the step together do not. Then its sum is the number itself.
//! - Nor does one that 2^53 iterations do not bring to the end of its type.
//! - What `step_by` counts up to a limit is below it, and nothing wraps.
//!
//! Accesses of a block between which nothing can fail have the same facts: the threads of the first one come to the last.

use std::rc::Rc;

use vyre_ir::ir::{BinaryOp, Scalar};

use super::touches::Touch;
use crate::analysis::bounds::{self, Range};
use crate::analysis::digits::{By, Digit, Digits, Form, Known, NONE, Term};
use crate::analysis::facts::Facts;
use crate::analysis::loop_forest::LoopForest;
use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Ty, Value};

/// No slice has more elements.
pub(super) const MAX_LENGTH: u64 = 1 << 57;

/// No loop has more iterations: they would take months. That is an assumption about time; a pass that computes the last
/// iteration without the others must not precede this analysis.
const MAX_TRIPS: u128 = 1 << 53;

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
    /// The integers that have one number, but for constants and arguments, with it.
    pub(super) fixed: Vec<(Value, u64)>,
    /// The values that a guard keeps below what their sums reach.
    pub(super) bounded: Vec<Value>,
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
        match known.digit {
            Digit::Trip(_) if self.trips.contains(&digit) => known.most.min(known.inside),
            Digit::Quotient(value, By::Constant(by)) => known.most.min(self.range(value).most / by.max(1)),
            _ => known.most,
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
    pub(super) sites: Vec<Rc<Site>>,
    /// For each value, true if it is counted and does not wrap.
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
    let mut all: Vec<Rc<Site>> = touches.iter().map(|_| Rc::default()).collect();
    let values: Vec<Value> = function.values.handles().collect();
    let mut exact = vec![false; values.len()];
    let mut homes: Vec<Option<Block>> = vec![None; values.len()];
    for &block in &graph.order {
        let data = &function.blocks[block];
        for value in data.parameters.iter().chain(&data.body) {
            homes[value.index()] = Some(block);
        }
    }
    let site = |block: Block, facts: &Facts<'_>| {
        let trips = trips(forest, digits, block);
        let range_of = |&value: &Value| {
            // Its own range holds for the threads that compute it.
            let is_computed = match homes[value.index()] {
                Some(home) => graph.dominates(home, block),
                None => function.op(value).is_root(),
            };
            match is_computed {
                true => range(function, digits, facts, value, block, &trips),
                false => Range::of_type(function.ty(value)),
            }
        };
        let mut ranges: Vec<Range> = values.iter().map(range_of).collect();
        for &value in &values {
            if let Some((digit, range)) = range_of_digit(function, digits, value, ranges[value.index()]) {
                let known = &mut ranges[digit.index()];
                let most = known.most.min(range.most);
                *known = Range {
                    least: known.least.max(range.least).min(most),
                    most,
                };
            }
        }
        let is_fixed = |value: Value| {
            let (range, op) = (ranges[value.index()], function.op(value));
            range.least == range.most
                && matches!(function.ty(value), Ty::I32 | Ty::I64)
                && (!op.is_root() || matches!(op, Op::Special(_)))
        };
        let fixed = (values.iter())
            .filter(|&&value| is_fixed(value))
            .map(|&value| (value, ranges[value.index()].least))
            .collect();
        let is_bounded = |value: Value| {
            let sum = digits.form(value).filter(|form| form.terms.len() > 1);
            sum.is_some_and(|form| {
                i128::from(ranges[value.index()].most) < form.most.min(Range::of_type(function.ty(value)).most.into())
            })
        };
        let bounded = values.iter().copied().filter(|&value| is_bounded(value)).collect();
        Site {
            ranges,
            fixed,
            bounded,
            orders: orders(function, facts, &values, block),
            trips,
        }
    };
    // The parameters so far, with their blocks.
    let mut parameters: Vec<(Value, Block)> = Vec::new();
    for block in graph.dominator_order() {
        facts.enter(function, block);
        for (position, &parameter) in function.blocks[block].parameters.iter().enumerate() {
            let range = parameter_range(function, forest, &facts, block, position);
            facts.bound(parameter, range);
            parameters.push((parameter, block));
        }
        let mut own: Vec<usize> = (0..touches.len())
            .filter(|&touch| touches[touch].block == block)
            .collect();
        let body = &function.blocks[block].body;
        for (at, &value) in body.iter().enumerate() {
            if let Op::Guard { condition, .. } = function.op(value) {
                let before: Vec<usize> = own.extract_if(.., |touch| touches[*touch].at < at).collect();
                if !before.is_empty() {
                    let site = Rc::new(site(block, &facts));
                    before.iter().for_each(|&touch| all[touch] = site.clone());
                }
                facts.define(function, value, block);
                facts.decide(function, condition, true, block);
            } else {
                facts.define(function, value, block);
                let is_exact =
                    |value: Value| exact[value.index()] || digits.form(value).is_some_and(|form| form.is_exact());
                exact[value.index()] |= is_stepped(function, &facts, &is_exact, block, value);
            }
        }
        if !own.is_empty() {
            let site = Rc::new(site(block, &facts));
            own.iter().for_each(|&touch| all[touch] = site.clone());
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

/// The range of a value, by its operation, its sum and what it is. `inside` are the trips of loops that do not end here.
fn range(function: &Function, digits: &Digits, facts: &Facts<'_>, value: Value, block: Block, inside: &[u32]) -> Range {
    if !matches!(function.ty(value), Ty::I32 | Ty::I64) {
        return Range::ALL;
    }
    let mut range = facts.range(function, value, block);
    if is_length(function, value) {
        range.most = range.most.min(MAX_LENGTH);
    }
    if let Some(form) = digits.form(value).filter(Form::is_exact) {
        let of_last_trip = |term: &Term| match digits.digit(term.digit) {
            known if term.symbol == NONE && term.factor > 0 && inside.contains(&term.digit) => {
                i128::from(term.factor) * i128::from(known.most.saturating_sub(known.inside))
            }
            _ => 0,
        };
        let less: i128 = form.terms.iter().map(of_last_trip).sum();
        range.least = range.least.max(form.least as u64);
        range.most = range.most.min((form.most - less).max(0) as u64);
    }
    range.least = range.least.min(range.most);
    range
}

/// True for `first + trip * step` if the trip is below the quotient of `limit - first` and the step, rounded up, as in
/// `(first..limit).step_by(step)`, and each of them is the number of its sum. Then it is below the limit, and nothing wraps.
fn is_stepped(
    function: &Function,
    facts: &Facts<'_>,
    is_exact: &dyn Fn(Value) -> bool,
    block: Block,
    value: Value,
) -> bool {
    let both = |wanted: BinaryOp, value: Value| match function.op(value) {
        Op::Binary { op, scalar, a, b } if op == wanted && !scalar.is_signed() => Some((a, b)),
        _ => None,
    };
    let either =
        |wanted: BinaryOp, value: Value| both(wanted, value).map_or([None; 2], |(a, b)| [Some((a, b)), Some((b, a))]);
    let is_constant = |value: Value, number: u64| function.as_constant(value) == Some(number);
    // The quotient rounded up, and what is divided.
    let rounded_up = |value: Value, step: Value| {
        either(BinaryOp::Add, value)
            .into_iter()
            .flatten()
            .find_map(|(quotient, more)| {
                let (whole, by) = both(BinaryOp::Div, quotient)?;
                let (rest, one) = both(BinaryOp::Min, more)?;
                let is_rest = match both(BinaryOp::Sub, rest) {
                    Some((of, less)) => {
                        let is_product = |factors: Option<(Value, Value)>| factors == Some((quotient, step));
                        of == whole && either(BinaryOp::Mul, less).into_iter().any(is_product)
                    }
                    None => both(BinaryOp::Rem, rest) == Some((whole, step)),
                };
                (by == step && is_constant(one, 1) && is_rest).then_some(whole)
            })
    };
    let is_left = |value: Value, first: Value| match function.op(value) {
        Op::Select { condition, a, b } => {
            is_constant(b, 0)
                && (both(BinaryOp::Sub, a))
                    .is_some_and(|(limit, less)| less == first && both(BinaryOp::Lt, condition) == Some((first, limit)))
        }
        _ => false,
    };
    let sums = either(BinaryOp::Add, value).into_iter().flatten();
    let products = sums.flat_map(|(first, product)| {
        let factors = either(BinaryOp::Mul, product).into_iter().flatten();
        factors.map(move |(trip, step)| (first, trip, step))
    });
    let holds = |(first, trip, step): (Value, Value, Value)| {
        if ![first, trip, step].into_iter().all(is_exact) {
            return false;
        }
        let mut is_below = false;
        facts.each_order(trip, block, &mut |limit, number| {
            is_below |= number >= 0 && rounded_up(limit, step).is_some_and(|left| is_left(left, first));
        });
        is_below
    };
    products.into_iter().any(holds)
}

/// A value and its range, from that of a multiple of it plus a constant: `4 * v + 8 < 32` says that `v < 6`.
fn range_of_digit(function: &Function, digits: &Digits, value: Value, range: Range) -> Option<(Value, Range)> {
    let form = digits.form(value).filter(Form::is_exact)?;
    let &[
        Term {
            factor,
            symbol: NONE,
            digit,
        },
    ] = form.terms
    else {
        return None;
    };
    let own = Digits::own_value(digits.digit(digit).digit).filter(|&own| own != value)?;
    if factor <= 0 || range == Range::of_type(function.ty(value)) {
        return None;
    }
    let (constant, factor) = (i128::from(form.constant), i128::from(factor));
    let least = (i128::from(range.least) - constant + factor - 1)
        .div_euclid(factor)
        .max(0);
    let most = (i128::from(range.most) - constant).div_euclid(factor);
    let range = Range {
        least: least.try_into().ok()?,
        most: most.try_into().ok()?,
    };
    (range.least <= range.most).then_some((own, range))
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
    let mut sums: Vec<u64> = Vec::new();
    let mut goes_round = false;
    for &from in forest.graph.predecessors(block) {
        for edge in function.blocks[from].end.edges().filter(|edge| edge.block == block) {
            let argument = edge.arguments[position];
            if forest.graph.position(from) >= here {
                if argument == parameter {
                    continue;
                }
                goes_round = true;
                if let Some(sum) = turns(function, parameter, argument) {
                    sums.push(sum);
                } else if !falls(function, parameter, argument) {
                    return all;
                }
                continue;
            }
            let range = facts.range(function, argument, from);
            found = Some(found.map_or(range, |found| found.or(range)));
        }
    }
    if let Some(&sum) = sums.first() {
        let is_one = sums.iter().all(|&other| other == sum);
        found = found.filter(|range| is_one && range.most <= sum);
        found = found.map(|range| Range { most: sum, ..range });
    }
    match found {
        Some(range) if range.most <= all.most => Range {
            least: if goes_round || forest.loops.iter().any(|this| this.header == block) {
                0
            } else {
                range.least
            },
            ..range
        },
        _ => all,
    }
}

/// The number that a value and the other one add up to: `1 - now`, or `now ^ 1` of a number of one bit.
fn turns(function: &Function, whole: Value, part: Value) -> Option<u64> {
    match function.op(part) {
        Op::Binary {
            op: BinaryOp::Sub,
            a,
            b,
            ..
        } if b == whole => function.as_constant(a),
        Op::Binary {
            op: BinaryOp::Xor,
            a,
            b,
            ..
        } if a == whole => function.as_constant(b).filter(|&bits| bits == 1),
        _ => None,
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
    let mut first = 0;
    for &from in graph.predecessors(header).iter().filter(|&&from| from != latch) {
        for edge in function.blocks[from].end.edges().filter(|edge| edge.block == header) {
            first = first.max(range(function, digits, facts, edge.arguments[position], from, &[]).most);
        }
    }
    let longest = u128::from(first).saturating_add((form.most as u128).saturating_mul(MAX_TRIPS));
    if longest <= u128::from(bounds::of_type(function.ty(parameter))) {
        return true;
    }
    let mut most = range(function, digits, facts, parameter, latch, &[]).most;
    facts.each_order(parameter, latch, &mut |limit, number| {
        if number >= 0 {
            most = most.min(range(function, digits, facts, limit, latch, &[]).most.saturating_sub(1));
        }
    });
    let step = form.most as u64;
    most.checked_add(step)
        .is_some_and(|sum| sum <= bounds::of_type(function.ty(parameter)))
}
