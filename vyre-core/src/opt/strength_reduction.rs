//! Strength reduction of addresses: one that is affine in the iteration becomes an induction
//! variable.
//!
//! **Algorithm.** A pointer that is [`linear`](crate::analysis::scev) becomes a parameter of the
//! loop: it starts with its value in the first iteration, and each iteration adds its growth, both
//! computed before the loop. The arithmetic on the index is removed. If a check needs the index,
//! and stays because the loop will not be [versioned](super::loop_versioning), the index becomes
//! the parameter instead. Addresses that cost no more than that addition, such as an array element
//! at the counter itself, stay as they are, and so do those in outer loops, and those of small
//! memories, which have 32-bit arithmetic.
//!
//! **Before and after:** any valid graph. **Cost:** linear.

use vyre_ir::ir::{BinaryOp, Scalar};

use super::loop_versioning::{Plan, Step};
use crate::analysis::loop_forest::LoopForest;
use crate::analysis::scev::{Form, Linear};
use crate::analysis::uses::{User, Uses};
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Space, Ty, Value};

/// Operations of an index beyond which an addition is cheaper.
const CHEAP_INDEX: u32 = 1;
/// Operations of an address beyond which an addition is cheaper: a shift, and an addition to the
/// base.
const CHEAP_ADDRESS: u32 = 2;

/// Turns linear addresses into parameters; returns true if there were any.
pub(crate) fn run(function: &mut Function, forest: &LoopForest) -> bool {
    let mut reduction = Reduction {
        linear: Linear::of(function, forest),
        function,
        forest,
        number: 0,
        uses: None,
        replaced: Vec::new(),
        grown: Vec::new(),
    };
    let mut changed = false;
    for (number, this) in forest.loops.iter().enumerate().rev() {
        // Computations of an outer loop cost little compared with its inner loops, and its
        // parameters would occupy registers in them.
        if !this.is_innermost() {
            continue;
        }
        let plan = Plan::of(reduction.function, forest, &mut reduction.linear, number);
        if !reduction.linear.enter(reduction.function, number) {
            continue;
        }
        let split = plan.is_some();
        // Between the iterations of a group only the counter changes, by a constant that folds into
        // the offsets of accesses, or else for addresses only.
        let cheap = match plan {
            Some(Plan {
                step: Step::Invariant(_),
                ..
            }) => CHEAP_ADDRESS - 1,
            _ => CHEAP_ADDRESS,
        };
        reduction.number = number;
        reduction.replaced.clear();
        reduction.grown.clear();
        for &block in &this.blocks {
            if !split {
                reduction.indices(block);
            }
        }
        for &block in &this.blocks {
            reduction.addresses(block, cheap);
        }
        changed |= !reduction.replaced.is_empty();
    }
    changed
}

/// Replaces the linear values of a loop.
struct Reduction<'f> {
    function: &'f mut Function,
    linear: Linear<'f>,
    forest: &'f LoopForest,
    /// The current loop.
    number: usize,
    /// The original uses of values, computed once a check's index was replaced.
    uses: Option<Uses>,
    /// Values and the parameters that replace them.
    replaced: Vec<(Value, Value)>,
    /// The parameters so far.
    grown: Vec<Grown>,
}

impl Reduction<'_> {
    /// Replaces the indices that checks compare.
    fn indices(&mut self, block: Block) {
        for position in 0..self.function.blocks[block].body.len() {
            let value = self.function.blocks[block].body[position];
            let Op::Guard { condition, .. } = self.function.op(value) else {
                continue;
            };
            let Op::Binary {
                op: BinaryOp::Lt,
                scalar: Scalar::U64,
                a: index,
                ..
            } = self.function.op(condition)
            else {
                continue;
            };
            // Indices that differ by a constant share a parameter.
            let index = base(self.function, index);
            if let Some(parameter) = self.parameter(index, CHEAP_INDEX) {
                self.replace_uses(index, parameter);
            }
        }
    }

    /// Replaces the uses of a value in the loop by its parameter.
    fn replace_uses(&mut self, value: Value, parameter: Value) {
        let (function, forest, number) = (&mut *self.function, self.forest, self.number);
        let replace = |operand: &mut Value| {
            if *operand == value {
                *operand = parameter;
            }
        };
        let uses = self.uses.get_or_insert_with(|| Uses::of(function, &forest.graph));
        for &user in uses.of_value(value) {
            match user {
                User::Operation(user, block) if forest.contains(number, block) => {
                    function.visit_operands(user, replace)
                }
                User::End(block) if forest.contains(number, block) => function.blocks[block].end.visit(replace),
                _ => {}
            }
        }
    }

    /// Replaces the addresses of loads, stores and atomics.
    fn addresses(&mut self, block: Block, cheap: u32) {
        for position in 0..self.function.blocks[block].body.len() {
            let value = self.function.blocks[block].body[position];
            let address = match self.function.op(value) {
                Op::Load { address, .. } | Op::Store { address, .. } | Op::Atomic { address, .. } => address,
                _ => continue,
            };
            if self.function.ty(address) != Ty::Pointer(Space::Global) {
                continue;
            }
            if let Some(parameter) = self.parameter(address, cheap) {
                self.function.visit_operands(value, |operand| {
                    if *operand == address {
                        *operand = parameter;
                    }
                });
            }
        }
    }

    /// A parameter that equals a linear value in every iteration, if that saves operations.
    fn parameter(&mut self, value: Value, cheap: u32) -> Option<Value> {
        if let Some(&(_, parameter)) = self.replaced.iter().find(|(of, _)| *of == value) {
            return Some(parameter);
        }
        let Form::Linear { counter, operations } = self.linear.form(self.function, value) else {
            return None;
        };
        let step = self.linear.steps[counter]?;
        if operations <= cheap {
            return None;
        }
        let data = self.function.values[value];
        let first = self.linear.first(self.function, value);
        let factor = self.linear.factor(self.function, value);
        let distance = self.linear.add(self.function, BinaryOp::Mul, factor, step);
        // Values in branches that do not dominate each other may still grow equally, and would each
        // occupy a register throughout the loop.
        let known = self.grown.iter().find(|known| {
            known.ty == data.ty
                && alike(self.function, known.first, first)
                && alike(self.function, known.distance, distance)
        });
        if let Some(&Grown { parameter, .. }) = known {
            self.replaced.push((value, parameter));
            return Some(parameter);
        }
        let parameter = self.function.add_parameter(self.linear.header, data.ty, data.span);
        let next = match data.ty {
            Ty::Pointer(_) => Op::Offset {
                base: parameter,
                bytes: distance,
            },
            _ => Op::Binary {
                op: BinaryOp::Add,
                scalar: Scalar::U64,
                a: parameter,
                b: distance,
            },
        };
        let next = self.function.add_value(next, data.ty, data.span);
        self.function.blocks[self.linear.latch].body.push(next);
        for (block, argument) in [(self.linear.front, first), (self.linear.latch, next)] {
            for edge in self.function.blocks[block].end.edges_mut() {
                if edge.block == self.linear.header {
                    edge.arguments.push(argument);
                }
            }
        }
        self.linear.adopt(parameter, next, counter, factor);
        self.replaced.push((value, parameter));
        self.grown.push(Grown {
            parameter,
            ty: data.ty,
            first,
            distance,
        });
        Some(parameter)
    }
}

/// An added parameter.
struct Grown {
    parameter: Value,
    ty: Ty,
    /// Its initial value.
    first: Value,
    /// Its growth per iteration.
    distance: Value,
}

/// The value that another one is a constant away from.
fn base(function: &Function, mut value: Value) -> Value {
    while let Op::Binary {
        op: BinaryOp::Add,
        a,
        b,
        ..
    } = function.op(value)
        && function.as_constant(b).is_some()
    {
        value = a;
    }
    value
}

/// True if two values are computed in the same way.
fn alike(function: &Function, a: Value, b: Value) -> bool {
    if a == b {
        return true;
    }
    let (of_a, of_b) = (function.op(a), function.op(b));
    if !of_a.is_pure() || !of_b.is_pure() || function.ty(a) != function.ty(b) {
        return false;
    }
    let (mut operands, mut others) = (Vec::new(), Vec::new());
    function.each_operand(a, |operand| operands.push(operand));
    function.each_operand(b, |operand| others.push(operand));
    if operands.len() != others.len() || !operands.iter().zip(&others).all(|(&a, &b)| alike(function, a, b)) {
        return false;
    }
    // With the same operands they are the same operation.
    let mut operands = operands.into_iter();
    of_a == of_b.with_operands(|operand| operands.next().unwrap_or(operand))
}
