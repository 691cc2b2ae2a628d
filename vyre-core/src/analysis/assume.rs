//! Assumptions: the conditions of a launch under which checks hold in all threads and iterations.
//!
//! A check compares a value with a length or another number of the launch. If the value's [greatest number](extent) is a
//! sum of products of such numbers, the check holds for all launches for which that is less.
//!
//! **Rules.** The bound of a value may follow from earlier checks of the same thread: where these hold, or the thread has
//! faulted, it holds too. Sums are over the integers, and the launcher compares them without wrapping.
//!
//! One condition that hardly any launch keeps would cost all others. So it has to say that what the launch covers fits:
//! the number on the greater side stays there, and if that is a constant, the grid has no part in it. Data, and what is
//! bounded by its type alone, keep their checks.
//!
//! An index of 32 bits whose check holds may be a [sum](wide) that does not wrap either, so that the same sum of 64 bits
//! equals it behind the check.
//!
//! **Before:** simplified; loops test at the top. **Cost:** one walk, and a constant number of values for each check.

mod extent;
mod sum;
mod wide;

use vyre_abi::assumption::{Inequality, Product, Symbol, encode};
use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp};

use self::extent::FUEL;
use self::sum::{Sum, Symbols};
pub(crate) use self::wide::{Part, Wide};
use super::bounds::Range;
use super::digits::{Digits, Given};
use super::facts::Facts;
use super::loop_forest::LoopForest;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Value};

/// Limit of the inequalities of an assumption.
const MAX_NEEDS: usize = 16;
/// So many have room in the code of an assumption in any case but rare ones.
const FEW_NEEDS: usize = 4;
/// Limit of the symbols.
const MAX_SYMBOLS: usize = 200;
/// A constant above this is no number of elements.
const MAX_CONSTANT: i64 = 1 << 30;

/// The checks that hold under conditions of the launch.
pub(crate) struct Assumption {
    /// The guards.
    pub(crate) guards: Vec<Value>,
    /// The conditions, all of which have to hold.
    pub(crate) needs: Vec<Inequality>,
    /// The indices that are sums of 64 bits, too.
    pub(crate) wide: Vec<Wide>,
}

/// A sum that must be less than a power of two.
#[derive(Clone, Copy)]
struct Asked {
    sum: Sum,
    bits: u32,
}

struct Search<'f> {
    function: &'f Function,
    digits: Digits,
    /// The facts by branches, and those by branches and checks.
    branches: Facts<'f>,
    all: Facts<'f>,
    block: Block,
    symbols: Vec<Symbol>,
    /// The numbers of values that the current check may still look at.
    fuel: u32,
    /// The conditions of the current check beside its own.
    asked: Vec<Asked>,
    /// The sums that must not be positive.
    needs: Vec<Sum>,
}

/// Finds the checks of a function that hold under conditions of its launch.
pub(crate) fn find(function: &Function, forest: &LoopForest) -> Option<Assumption> {
    let blocks = &forest.graph.order;
    let is_guard = |&value: &Value| matches!(function.op(value), Op::Guard { .. });
    if !blocks
        .iter()
        .any(|&block| function.blocks[block].body.iter().any(is_guard))
    {
        return None;
    }
    let inside = |header, block| forest.is_inside(header, block);
    let given = Given {
        aligned: &|_| 1,
        inside: Some(&inside),
        grid: None,
        quotients: false,
    };
    let mut search = Search {
        function,
        digits: Digits::of(function, &forest.graph, &given),
        branches: Facts::new(function, &forest.graph),
        all: Facts::new(function, &forest.graph),
        block: function.entry(),
        symbols: Vec::new(),
        fuel: 0,
        asked: Vec::new(),
        needs: Vec::new(),
    };
    let mut guards = Vec::new();
    // With what they ask for.
    let mut candidates: Vec<(Wide, Vec<Asked>)> = Vec::new();
    for block in forest.graph.dominator_order() {
        search.block = block;
        search.branches.enter(function, block);
        search.all.enter(function, block);
        for &parameter in &function.blocks[block].parameters {
            let range = Range::of_type(function.ty(parameter));
            search.branches.bound(parameter, range);
            search.all.bound(parameter, range);
        }
        for &value in &function.blocks[block].body {
            search.branches.define(function, value, block);
            search.all.define(function, value, block);
            if let Op::Guard { condition, .. } = function.op(value) {
                if search.assume(condition) {
                    guards.push(value);
                    candidates.extend(search.wide(condition, value));
                }
                search.all.decide(function, condition, true, block);
            }
        }
    }
    if guards.is_empty() {
        return None;
    }
    // Checks come first.
    let mut wide = Vec::new();
    for (index, asked) in candidates {
        search.asked = asked;
        if search.ask(&[]) {
            wide.push(index);
        }
    }
    let needs = search.encodable(&search.needs)?;
    Some(Assumption { guards, needs, wide })
}

impl Search<'_> {
    /// Adds what the launch must keep for a condition to hold; false if it is unknown, or too much.
    fn assume(&mut self, condition: Value) -> bool {
        self.fuel = FUEL;
        self.asked.clear();
        let mut found = Vec::new();
        self.conditions(condition, &mut found).is_some() && self.ask(&found)
    }

    /// Adds sums that must not be positive, and what was asked beside; false if that is too much.
    fn ask(&mut self, found: &[Sum]) -> bool {
        let mut needs = self.needs.clone();
        for sum in found {
            add(&mut needs, sum);
        }
        for at in 0..self.asked.len() {
            let Asked { sum, bits } = self.asked[at];
            // A sum that is at most a length fits in 64 bits.
            let is_known = bits == 64 && needs.iter().any(|need| self.is_shorter(&sum, need));
            if !is_known {
                let most = if bits > 62 { 1 << 62 } else { (1 << bits) - 1 };
                match sum.plus_constant(-most) {
                    Some(sum) if !sum.is_positive() => add(&mut needs, &sum),
                    _ => return false,
                }
            }
        }
        let is_longer = needs.len() > self.needs.len().max(FEW_NEEDS);
        if needs.len() > MAX_NEEDS || is_longer && self.encodable(&needs).is_none() {
            return false;
        }
        self.needs = needs;
        true
    }

    /// The inequalities; `None` if a launch has no room for their numbers.
    fn encodable(&self, needs: &[Sum]) -> Option<Vec<Inequality>> {
        let needs: Vec<Inequality> = needs.iter().map(|sum| self.inequality(sum)).collect();
        encode(&needs, &|parameter| parameter)?;
        Some(needs)
    }

    /// The sums that must not be positive for a condition to hold.
    fn conditions(&mut self, condition: Value, found: &mut Vec<Sum>) -> Option<()> {
        let function = self.function;
        let is_unsigned = |scalar: Scalar| scalar.is_integer() && !scalar.is_signed();
        match function.op(condition) {
            Op::Binary {
                op: BinaryOp::And,
                scalar: Scalar::Bool,
                a,
                b,
            } => {
                self.conditions(a, found)?;
                self.conditions(b, found)
            }
            Op::Binary {
                op: BinaryOp::Lt,
                scalar,
                a,
                b,
            } if is_unsigned(scalar) => self.less(a, b, 1, found),
            Op::Binary {
                op: BinaryOp::Ne,
                scalar,
                a,
                b,
            } if scalar.is_integer() && function.as_constant(b) == Some(0) => {
                let one = Sum::constant(1).plus(&self.exact(a)?, -1)?;
                found.push(one);
                Some(())
            }
            Op::Binary {
                op: BinaryOp::Eq,
                scalar,
                a,
                b,
            } if scalar.is_integer() => {
                let (a, b) = (self.exact(a)?, self.exact(b)?);
                found.extend([a.plus(&b, -1)?, b.plus(&a, -1)?]);
                Some(())
            }
            Op::Unary {
                op: UnaryOp::Not, a, ..
            } => match function.op(a) {
                Op::Binary {
                    op: BinaryOp::Lt,
                    scalar,
                    a,
                    b,
                } if is_unsigned(scalar) => self.less(b, a, 0, found),
                Op::Binary {
                    op: BinaryOp::Eq,
                    scalar,
                    a,
                    b,
                } if scalar.is_integer() && function.as_constant(b) == Some(0) => {
                    let one = Sum::constant(1).plus(&self.exact(a)?, -1)?;
                    found.push(one);
                    Some(())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `value + distance` is at most a number of the launch.
    fn less(&mut self, value: Value, limit: Value, distance: i64, found: &mut Vec<Sum>) -> Option<()> {
        let limit = self.exact(limit)?;
        let sum = self.most(value)?.plus_constant(distance)?.plus(&limit, -1)?;
        let covers = match limit.terms() {
            [] => {
                let of_grid = |(symbols, factor): &(Symbols, i64)| *factor > 0 && self.has_grid(symbols);
                let least = sum
                    .terms()
                    .iter()
                    .fold(sum.constant, |all, (_, factor)| all.saturating_add(*factor));
                least <= 0 && !sum.terms().iter().any(of_grid)
            }
            terms => terms.iter().all(|&(symbols, _)| sum.factor(symbols) < 0),
        };
        let is_far = sum.constant > MAX_CONSTANT;
        (covers && !is_far).then(|| found.push(sum))
    }

    /// True if a product has an extent of the grid.
    fn has_grid(&self, symbols: &Symbols) -> bool {
        let is_grid = |&number: &u8| number != 0 && matches!(self.symbols[usize::from(number) - 1], Symbol::Grid(_));
        symbols.iter().any(is_grid)
    }

    /// True if a sum is at most a parameter, or a length, wherever another sum is not positive.
    fn is_shorter(&self, sum: &Sum, need: &Sum) -> bool {
        need.terms().iter().any(|&(symbols, factor)| {
            let ([number, 0, 0, 0], -1) = (symbols, factor) else {
                return false;
            };
            let number = usize::from(number) - 1;
            let is_parameter = matches!(self.symbols[number], Symbol::Argument { more: 0, by: 1, .. });
            let shorter = Sum::symbol(number).and_then(|length| sum.plus(&length, -1));
            is_parameter && shorter.is_some_and(|shorter| shorter.is_at_most(need))
        })
    }

    /// The sum that is a symbol.
    fn symbol(&mut self, symbol: Symbol) -> Option<Sum> {
        let known = self.symbols.iter().position(|known| *known == symbol);
        let number = known.unwrap_or(self.symbols.len());
        if known.is_none() {
            if number == MAX_SYMBOLS {
                return None;
            }
            self.symbols.push(symbol);
        }
        Sum::symbol(number)
    }

    /// The condition that a sum is not positive.
    fn inequality(&self, sum: &Sum) -> Inequality {
        let mut sides = [Vec::new(), Vec::new()];
        let terms = sum.terms().iter().map(|&(symbols, factor)| (Some(symbols), factor));
        for (symbols, factor) in terms.chain([(None, sum.constant)]).filter(|(_, factor)| *factor != 0) {
            let numbers = symbols.into_iter().flatten().filter(|&number| number != 0);
            let mut symbols: Vec<Symbol> = numbers.map(|number| self.symbols[usize::from(number) - 1]).collect();
            symbols.sort_unstable();
            sides[usize::from(factor < 0)].push(Product {
                factor: factor.unsigned_abs().into(),
                symbols,
            });
        }
        let [left, right] = sides;
        Inequality { left, right }
    }
}

/// Adds a sum to others, of which none implies another one by being at least as great.
fn add(all: &mut Vec<Sum>, one: &Sum) {
    let is_trivial = one.is_at_most(&Sum::constant(0));
    if is_trivial || all.iter().any(|known| one.is_at_most(known)) {
        return;
    }
    all.retain(|known| !known.is_at_most(one));
    all.push(*one);
}
