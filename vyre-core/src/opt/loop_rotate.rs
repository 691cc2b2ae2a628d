//! Loop rotation: a loop that tests at the top is changed to test at the bottom, after one test in
//! its preheader.
//!
//! An iteration then takes one branch instead of two, and the outcome of the loop's test is known
//! in its whole body from the first iteration on.
//!
//! **Algorithm.** Tests that follow one another, as those of `while a && b`, become one if nothing keeps the second from
//! being computed where the first fails. Then a header with an exit edge is copied; the loop is entered through the copy, and
//! the header itself becomes the latch. If constants decide the first test, it is omitted.
//! [`block_copies`](super::block_copies) does the rest.
//!
//! **Before and after:** any valid graph. **Cost:** linear.

use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp};

use super::block_copies::Regions;
use super::rules;
use super::trip_count::TripCount;
use super::unroll::{LIMITS, MAX_TRIPS};
use crate::analysis::loop_forest::{Loop, LoopForest};
use crate::ssa::graph::Graph;
use crate::ssa::op::Op;
use crate::ssa::{Block, Edge, Function, Space, Terminator, Ty, Value};

/// Headers with more operations than this are not copied.
const MAX_HEADER: usize = 24;
/// Limit of the operations between constants and a test that they decide.
const MAX_DEPTH: u32 = 2;

/// Rotates loops; returns the new graph if there were any to rotate.
pub(crate) fn run(function: &mut Function, forest: &LoopForest) -> Option<Graph> {
    let mut merged = false;
    for number in 0..forest.loops.len() {
        while merge_tests(function, forest, number) {
            merged = true;
        }
    }
    let rotated: Vec<&Loop> = (0..forest.loops.len())
        .filter(|&number| tests_at_top(function, forest, number))
        .map(|number| &forest.loops[number])
        .collect();
    if rotated.is_empty() {
        return merged.then(|| Graph::of(function));
    }
    let mut regions = Regions::new(function);
    for this in &rotated {
        regions.add(function, &[this.header]);
    }
    for (region, this) in rotated.into_iter().enumerate() {
        let front = this.preheader();
        let test = first_test(function, this.header, front);
        let Terminator::Jump(Edge { arguments, .. }) = &mut function.blocks[front].end else {
            continue;
        };
        let arguments = std::mem::take(arguments);
        let (copy, into) = regions.copy_with(function, region, arguments);
        function.blocks[front].end = Terminator::Jump(into);
        if let Some(test) = test {
            let copied = regions.block(region, copy, this.header);
            function.blocks[copied].end.decide(test == 1);
        }
    }
    Some(regions.repair(function))
}

/// Merges the test of a loop's header with the one after it; false if there is none, or if it must not be computed where
/// the first fails.
fn merge_tests(function: &mut Function, forest: &LoopForest, number: usize) -> bool {
    let header = forest.loops[number].header;
    let Some(first) = Test::of(function, forest, number, header) else {
        return false;
    };
    let second = first.stay.block;
    let data = &function.blocks[second];
    let is_merged = forest.graph.predecessors(second).len() == 1
        && second != header
        && data.parameters.is_empty()
        && data.body.iter().all(|&value| function.op(value).is_speculatable())
        && function.blocks[header].body.len() + data.body.len() + 3 <= MAX_HEADER;
    let Some(test) = Test::of(function, forest, number, second).filter(|test| is_merged && test.exit == first.exit)
    else {
        return false;
    };
    // A trip count that is known unrolls the loop, by the test of the counter alone.
    let most = match touches_objects(function, &forest.loops[number]) {
        true => MAX_TRIPS,
        false => LIMITS.trips,
    };
    if TripCount::of(function, forest, number).is_some_and(|trips| trips.count(function, most).is_some()) {
        return false;
    }
    let span = function.values[test.condition].span;
    let mut body = std::mem::take(&mut function.blocks[second].body);
    let mut add = |op: Op| {
        let value = function.add_value(op, Ty::Bool, span);
        body.push(value);
        value
    };
    let [a, b] = [&first, &test].map(|test| match test.stays {
        true => test.condition,
        false => add(Op::Unary {
            op: UnaryOp::Not,
            scalar: Scalar::Bool,
            a: test.condition,
        }),
    });
    let condition = add(Op::Binary {
        op: BinaryOp::And,
        scalar: Scalar::Bool,
        a,
        b,
    });
    function.blocks[second].end = Terminator::Return;
    let data = &mut function.blocks[header];
    data.body.append(&mut body);
    data.end = Terminator::Branch {
        condition,
        then: test.stay,
        otherwise: test.exit,
    };
    true
}

/// True if a loop selects elements of objects in local memory.
fn touches_objects(function: &Function, this: &Loop) -> bool {
    let is_element = |value: Value| {
        matches!(function.op(value), Op::Offset { .. })
            && matches!(function.ty(value), Ty::Pointer(Space::Local | Space::Param))
    };
    let mut blocks = this.blocks.iter();
    blocks.any(|&block| function.blocks[block].body.iter().any(|&value| is_element(value)))
}

/// A test at the end of a block that may exit the loop.
struct Test {
    condition: Value,
    /// The value of the condition that continues the loop.
    stays: bool,
    stay: Edge,
    exit: Edge,
}

impl Test {
    fn of(function: &Function, forest: &LoopForest, number: usize, block: Block) -> Option<Test> {
        let Terminator::Branch {
            condition,
            then,
            otherwise,
        } = &function.blocks[block].end
        else {
            return None;
        };
        let inside = |edge: &Edge| forest.contains(number, edge.block);
        let (stays, stay, exit) = match (inside(then), inside(otherwise)) {
            (true, false) => (true, then, otherwise),
            (false, true) => (false, otherwise, then),
            _ => return None,
        };
        Some(Test {
            condition: *condition,
            stays,
            stay: stay.clone(),
            exit: exit.clone(),
        })
    }
}

/// The outcome of a header's test in the first iteration, if known.
fn first_test(function: &Function, header: Block, front: Block) -> Option<u64> {
    let (Terminator::Branch { condition, .. }, Terminator::Jump(edge)) =
        (&function.blocks[header].end, &function.blocks[front].end)
    else {
        return None;
    };
    rules::bits(function, *condition, MAX_DEPTH, &|value| {
        let parameters = &function.blocks[header].parameters;
        let position = parameters.iter().position(|&parameter| parameter == value)?;
        function.as_constant(edge.arguments[position])
    })
}

/// True if a loop's header has the exit test, and another block is the latch.
fn tests_at_top(function: &Function, forest: &LoopForest, number: usize) -> bool {
    let this = &forest.loops[number];
    let header = &function.blocks[this.header];
    Test::of(function, forest, number, this.header).is_some_and(|test| test.stay.block != this.header)
        && !this.latches.contains(&this.header)
        && header.body.len() <= MAX_HEADER
}
