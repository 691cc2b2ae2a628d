//! The facts of the values that a kernel prints, for a test that holds them against the interpreter.
//!
//! A verdict is about the last value of a print statement, at its block: its sum for a thread, its bounds, among
//! which threads it is the same, whether each thread has one of its own, and from which others no two threads
//! have the same.

use vyre_ir::ir::Axis;

use super::bounds::Range;
use super::digits::{By, Digit, Digits, Given, NONE, Term};
use super::facts::Facts;
use super::loop_forest::LoopForest;
use super::meets::Threads;
use super::uniformity::{Group, Uniformity};
use crate::ssa::op::{Op, Special};
use crate::ssa::{Block, Function, Value};

/// A thread, by which sums are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Thread<'a> {
    /// Its index in the block.
    pub thread: [u32; 3],
    /// The index of the block.
    pub block: [u32; 3],
    /// The blocks of the grid.
    pub grid: [u32; 3],
    /// The values of the parameters; none of slices.
    pub arguments: &'a [Option<u64>],
    /// The trips of the loops, in the order of the source.
    pub trips: &'a [u64],
}

/// The facts about a printed value.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// The number of the print statement.
    pub site: u32,
    /// No value is less.
    pub least: u64,
    /// No value is greater.
    pub most: u64,
    /// True if the sum is known to be the value, without wrapping.
    pub is_exact: bool,
    /// True if the threads of a block have the same value in the same iterations.
    pub uniform_in_block: bool,
    /// True if those of a warp have.
    pub uniform_in_warp: bool,
    /// True if no two threads of the grid have the same value.
    pub is_injective: bool,
    value: Value,
}

/// The verdicts of a function.
#[allow(missing_debug_implementations, reason = "a function has none that people can read")]
pub struct Verdicts<'f> {
    function: &'f Function,
    digits: Digits,
    /// The headers of the loops.
    headers: Vec<Block>,
    grid: [u32; 3],
    found: Vec<Site>,
}

/// A verdict with the bounds of all values at its block.
struct Site {
    verdict: Verdict,
    ranges: Vec<Range>,
    below: Vec<(Value, Value)>,
}

impl<'f> Verdicts<'f> {
    /// Looks through a function that is launched with a grid.
    pub(crate) fn of(function: &'f Function, grid: [u32; 3]) -> Verdicts<'f> {
        let forest = LoopForest::as_is(function);
        let inside = |header, block| forest.is_inside(header, block);
        let mut headers: Vec<Block> = forest.loops.iter().map(|this| this.header).collect();
        // Blocks are made in the order of the source.
        headers.sort_unstable_by_key(|header| header.index());
        let given = Given {
            aligned: &|_| 1,
            inside: Some(&inside),
            grid: Some(grid),
            quotients: false,
        };
        let mut verdicts = Verdicts {
            function,
            digits: Digits::of(function, &forest.graph, &given),
            headers,
            grid,
            found: Vec::new(),
        };
        let [block_uniformity, warp_uniformity] =
            [Group::Block, Group::Warp].map(|group| Uniformity::of(function, &forest, group));
        let mut facts = Facts::new(function, &forest.graph);
        for block in forest.graph.dominator_order() {
            facts.enter(function, block);
            for &parameter in &function.blocks[block].parameters {
                facts.bound(parameter, Range::of_type(function.ty(parameter)));
            }
            let mut print = None;
            let body = &function.blocks[block].body;
            for (at, &operation) in body.iter().enumerate() {
                facts.define(function, operation, block);
                match function.op(operation) {
                    Op::Guard { condition, .. } => facts.decide(function, condition, true, block),
                    Op::Print { site, .. } => print = Some((site, operation)),
                    Op::Put { record, value, .. } => {
                        let puts =
                            |next: &Value| matches!(function.op(*next), Op::Put { record: of, .. } if of == record);
                        if let Some((site, of)) = print
                            && of == record
                            && !body[at + 1..].iter().any(puts)
                        {
                            let mut found = verdicts.site(&facts, site, value, block);
                            found.verdict.uniform_in_block = block_uniformity.uniform(value);
                            found.verdict.uniform_in_warp = warp_uniformity.uniform(value);
                            found.verdict.is_injective = verdicts.injective(&found);
                            verdicts.found.push(found);
                        }
                    }
                    _ => {}
                }
            }
        }
        verdicts
    }

    fn site(&self, facts: &Facts<'_>, site: u32, value: Value, block: Block) -> Site {
        let function = self.function;
        let range = facts.range(function, value, block);
        let mut below = Vec::new();
        let all: Vec<Value> = function.values.handles().collect();
        let digits = (0..).map_while(|digit| self.digits.value(digit)).flatten();
        for a in digits.chain([value]) {
            for symbol in self.digits.symbols() {
                if let Digit::Value(b) = self.digits.digit(symbol).digit
                    && function.ty(a) == function.ty(b)
                    && facts.less_than(function, a, b, block) == Some(true)
                {
                    below.push((a, b));
                }
            }
        }
        Site {
            verdict: Verdict {
                site,
                least: range.least,
                most: range.most,
                is_exact: self.digits.form(value).is_some_and(|form| form.is_exact()),
                uniform_in_block: false,
                uniform_in_warp: false,
                is_injective: false,
                value,
            },
            ranges: all.iter().map(|&value| facts.range(function, value, block)).collect(),
            below,
        }
    }

    /// The verdicts.
    pub fn all(&self) -> impl Iterator<Item = Verdict> + '_ {
        self.found.iter().map(|site| site.verdict)
    }

    /// True if the value of a print statement is below an argument of 64 bits.
    pub fn is_below(&self, at: usize, parameter: u32) -> bool {
        let site = &self.found[at];
        site.below.iter().any(|&(value, limit)| {
            value == site.verdict.value
                && matches!(self.function.op(limit), Op::Argument { parameter: of, offset: 0, .. } if of == parameter)
        })
    }

    /// True if no two threads of the grid have the same number, one of them at the first of two print statements and the
    /// other one at the second.
    pub fn are_apart(&self, one: usize, other: usize) -> bool {
        let (a, b) = (&self.found[one], &self.found[other]);
        let sites = [a, b];
        let range = |value: Value| a.ranges[value.index()].or(b.ranges[value.index()]);
        let below = |a: Value, b: Value| sites.iter().all(|site| site.below.contains(&(a, b)));
        let threads = Threads {
            function: self.function,
            digits: &self.digits,
            grid: Some(self.grid),
            range: &range,
            below: &below,
        };
        let [x, y] = sites.map(|site| site.verdict);
        x.most < y.least || y.most < x.least || threads.are_apart(x.value, y.value, [1, 1])
    }

    fn injective(&self, site: &Site) -> bool {
        let range = |value: Value| site.ranges[value.index()];
        let below = |a: Value, b: Value| site.below.contains(&(a, b));
        let threads = Threads {
            function: self.function,
            digits: &self.digits,
            grid: Some(self.grid),
            range: &range,
            below: &below,
        };
        threads.is_injective(site.verdict.value)
    }

    /// The number that the sum of a value is for a thread, if all its digits are known: modulo the type, and if nothing
    /// wraps.
    pub fn evaluate(&self, verdict: Verdict, thread: &Thread<'_>) -> Option<(u64, i128)> {
        self.number(verdict.value, thread)
    }

    fn number(&self, value: Value, thread: &Thread<'_>) -> Option<(u64, i128)> {
        let form = self.digits.form(value)?;
        let mut sum = i128::from(form.constant);
        for &Term { factor, symbol, digit } in form.terms {
            let symbol = match symbol {
                NONE => 1,
                symbol => self.digit(symbol, thread)?,
            };
            let product = i128::from(factor).checked_mul(symbol)?;
            sum = sum.checked_add(product.checked_mul(self.digit(digit, thread)?)?)?;
        }
        Some((sum as u64 & (u64::MAX >> (64 - form.bits)), sum))
    }

    fn digit(&self, digit: u32, thread: &Thread<'_>) -> Option<i128> {
        let known = self.digits.digit(digit);
        let by = |by: By| match by {
            By::Constant(by) => Some(i128::from(by)),
            By::Symbol(symbol) => self.digit(symbol, thread),
        };
        let number = match known.digit {
            Digit::Value(value) => i128::from(self.root(value, thread)?),
            Digit::Trip(header) => {
                let at = self.headers.iter().position(|&known| known == header)?;
                (self.headers.len() == thread.trips.len()).then(|| i128::from(thread.trips[at]))?
            }
            Digit::Quotient(value, number) => i128::from(self.number(value, thread)?.0) / by(number)?,
            Digit::Remainder(value, number) => i128::from(self.number(value, thread)?.0) % by(number)?,
            Digit::Product(s, t) => self.digit(s, thread)?.checked_mul(self.digit(t, thread)?)?,
        };
        assert!(
            number <= i128::from(known.most),
            "the digit {:?} is {number}",
            known.digit
        );
        Some(number)
    }

    fn root(&self, value: Value, thread: &Thread<'_>) -> Option<u64> {
        let word = match self.function.op(value) {
            Op::Special(Special::Thread(axis)) => thread.thread[axis.index()],
            Op::Special(Special::Block(axis)) => thread.block[axis.index()],
            Op::Special(Special::Grid(axis)) => thread.grid[axis.index()],
            Op::Special(Special::Lane) => {
                let [x, y, z] = thread.thread;
                let size = self.function.block_size;
                ((z * size[Axis::Y.index()] + y) * size[Axis::X.index()] + x) % 32
            }
            Op::Argument {
                parameter, offset: 0, ..
            } => return thread.arguments[parameter as usize],
            _ => return None,
        };
        Some(word.into())
    }
}
