//! Scalar evolution: values that change by the same amount in each iteration of a loop.
//!
//! A parameter of a loop's header to which each iteration adds a loop-invariant value is an
//! induction variable, here called a counter. A value is linear if it is a counter times an
//! invariant plus an invariant. Its value in the first iteration, and its growth per increment of
//! the counter, can be computed in the preheader. All of this is arithmetic modulo 2^64, so it
//! needs no ranges.

use vyre_ir::ir::{BinaryOp, Constant, Scalar, Span};
use vyre_ir::semantics;

use crate::analysis::homes::Homes;
use crate::analysis::loop_forest::LoopForest;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Ty, Value, filled};

/// The dependence of a value on the counters of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// Not analysed yet.
    Unknown,
    /// Loop-invariant.
    Invariant,
    /// Linear in the counter at this position of the header's parameters, at the cost of some
    /// operations in the loop.
    Linear {
        /// The position.
        counter: usize,
        /// Number of operations in the loop.
        operations: u32,
    },
    /// Any other value.
    Other,
}

/// The linear values of loops with one latch, one loop after the other.
pub(crate) struct Linear<'a> {
    forest: &'a LoopForest,
    homes: Homes,
    /// The current loop.
    number: usize,
    pub(crate) header: Block,
    pub(crate) front: Block,
    pub(crate) latch: Block,
    /// The forms found in the current loop.
    forms: Vec<Form>,
    /// The values whose forms were found.
    found: Vec<Value>,
    /// For each parameter of the header, the increment per iteration if it is a counter.
    pub(crate) steps: Vec<Option<Value>>,
    /// For values computed in the preheader: the value, and its first value or growth.
    firsts: Vec<(Value, Value)>,
    factors: Vec<(Value, Value)>,
}

impl<'a> Linear<'a> {
    /// Prepares the tables for the loops of a function. All loops share them: separate tables per
    /// loop would make the cost of many loops quadratic.
    pub(crate) fn of(function: &Function, forest: &'a LoopForest) -> Self {
        let entry = function.entry();
        Linear {
            forest,
            homes: Homes::of(function, &forest.graph),
            number: usize::MAX,
            header: entry,
            front: entry,
            latch: entry,
            forms: filled(Form::Unknown, function.values.len()),
            found: Vec::new(),
            steps: Vec::new(),
            firsts: Vec::new(),
            factors: Vec::new(),
        }
    }

    /// Switches to a loop; false if it has more than one latch.
    pub(crate) fn enter(&mut self, function: &Function, number: usize) -> bool {
        let this = &self.forest.loops[number];
        let &[latch] = this.latches.as_slice() else {
            return false;
        };
        for value in self.found.drain(..) {
            self.forms[value.index()] = Form::Unknown;
        }
        self.number = number;
        (self.header, self.front, self.latch) = (this.header, this.preheader(), latch);
        self.steps.clear();
        self.firsts.clear();
        self.factors.clear();
        for (position, &parameter) in function.blocks[this.header].parameters.iter().enumerate() {
            let step = self.step(function, parameter, position);
            self.steps.push(step);
            let form = match step {
                Some(_) => Form::Linear {
                    counter: position,
                    operations: 0,
                },
                None => Form::Other,
            };
            self.set_form(parameter, form);
        }
        true
    }

    fn set_form(&mut self, value: Value, form: Form) {
        if self.forms.len() <= value.index() {
            self.forms.resize(value.index() + 1, Form::Unknown);
        }
        self.forms[value.index()] = form;
        self.found.push(value);
    }

    fn known_form(&self, value: Value) -> Form {
        self.forms.get(value.index()).copied().unwrap_or(Form::Unknown)
    }

    /// The increment of a parameter per iteration.
    fn step(&self, function: &Function, parameter: Value, position: usize) -> Option<Value> {
        if function.ty(parameter) != Ty::I64 {
            return None;
        }
        let Op::Binary {
            op: BinaryOp::Add,
            scalar: Scalar::U64,
            a,
            b,
        } = function.op(self.passed(function, self.latch, position))
        else {
            return None;
        };
        match (a == parameter, b == parameter) {
            (true, false) if self.is_invariant(b) => Some(b),
            (false, true) if self.is_invariant(a) => Some(a),
            _ => None,
        }
    }

    /// The argument that a block passes for a parameter of the header.
    fn passed(&self, function: &Function, block: Block, position: usize) -> Value {
        let mut edges = function.blocks[block].end.edges();
        match edges.find(|edge| edge.block == self.header) {
            Some(edge) => edge.arguments[position],
            None => unreachable!("the latch and the block in front of a loop lead to its header"),
        }
    }

    /// True if a value is computed outside of the loop, and so is invariant.
    pub(crate) fn is_invariant(&self, value: Value) -> bool {
        match self.homes.get(value) {
            Some(block) => !self.forest.contains(self.number, block),
            None => true,
        }
    }

    /// The dependence of a value on the counters.
    pub(crate) fn form(&mut self, function: &Function, value: Value) -> Form {
        if self.is_invariant(value) {
            return Form::Invariant;
        }
        let known = self.known_form(value);
        if known != Form::Unknown {
            return known;
        }
        let form = match function.op(value) {
            Op::Binary {
                op: BinaryOp::Add | BinaryOp::Sub,
                scalar: Scalar::U64,
                a,
                b,
            }
            | Op::Offset { base: a, bytes: b } => {
                let (a, b) = (self.form(function, a), self.form(function, b));
                a.plus(b)
            }
            Op::Binary {
                op: BinaryOp::Shl | BinaryOp::Mul,
                scalar: Scalar::U64,
                a,
                b,
            } if self.is_invariant(b) => self.form(function, a).plus(Form::Invariant),
            Op::Binary {
                op: BinaryOp::Mul,
                scalar: Scalar::U64,
                a,
                b,
            } if self.is_invariant(a) => self.form(function, b).plus(Form::Invariant),
            _ => Form::Other,
        };
        self.set_form(value, form);
        form
    }

    /// The value of a linear value in the first iteration.
    pub(crate) fn first(&mut self, function: &mut Function, value: Value) -> Value {
        if self.is_invariant(value) {
            return value;
        }
        if let Some(&(_, known)) = self.firsts.iter().find(|(of, _)| *of == value) {
            return known;
        }
        let parameters = &function.blocks[self.header].parameters;
        let first = match parameters.iter().position(|&parameter| parameter == value) {
            Some(position) => self.passed(function, self.front, position),
            None => {
                let data = function.values[value];
                let op = data.op.with_operands(|operand| self.first(function, operand));
                let first = function.add_value(op, data.ty, data.span);
                function.blocks[self.front].body.push(first);
                first
            }
        };
        self.firsts.push((value, first));
        first
    }

    /// The growth of a linear value per increment of its counter.
    pub(crate) fn factor(&mut self, function: &mut Function, value: Value) -> Value {
        if self.is_invariant(value) {
            return function.constant(Ty::I64, 0);
        }
        if let Some(&(_, known)) = self.factors.iter().find(|(of, _)| *of == value) {
            return known;
        }
        let factor = match function.op(value) {
            Op::Binary {
                op: BinaryOp::Add,
                a,
                b,
                ..
            }
            | Op::Offset { base: a, bytes: b } => {
                let (a, b) = (self.factor(function, a), self.factor(function, b));
                self.add(function, BinaryOp::Add, a, b)
            }
            Op::Binary {
                op: BinaryOp::Sub,
                a,
                b,
                ..
            } => {
                let (a, b) = (self.factor(function, a), self.factor(function, b));
                self.add(function, BinaryOp::Sub, a, b)
            }
            Op::Binary {
                op: op @ (BinaryOp::Mul | BinaryOp::Shl),
                a,
                b,
                ..
            } => {
                let (linear, invariant) = if self.is_invariant(b) { (a, b) } else { (b, a) };
                let factor = self.factor(function, linear);
                self.add(function, op, factor, invariant)
            }
            // The counter itself has a growth of 1.
            _ => function.constant(Ty::I64, 1),
        };
        self.factors.push((value, factor));
        factor
    }

    /// Registers a new parameter that grows by `factor` with a counter, and its next value.
    pub(crate) fn adopt(&mut self, parameter: Value, next: Value, counter: usize, factor: Value) {
        self.homes.set(parameter, self.header);
        self.homes.set(next, self.latch);
        self.set_form(parameter, Form::Linear { counter, operations: 0 });
        self.set_form(next, Form::Other);
        self.factors.push((parameter, factor));
    }

    /// Emits a 64-bit operation in the preheader.
    pub(crate) fn add(&self, function: &mut Function, op: BinaryOp, a: Value, b: Value) -> Value {
        let scalar = Scalar::U64;
        if let (Some(a), Some(b)) = (function.as_constant(a), function.as_constant(b))
            && let Ok(folded) = semantics::binary(op, Constant::new(scalar, a), Constant::new(scalar, b))
            && folded.scalar == scalar
        {
            return function.constant(Ty::I64, folded.bits);
        }
        let value = function.add_value(Op::Binary { op, scalar, a, b }, Ty::I64, Span::NONE);
        function.blocks[self.front].body.push(value);
        value
    }
}

impl Form {
    /// The form of a sum, which costs one more operation.
    fn plus(self, other: Form) -> Form {
        match (self, other) {
            (Form::Invariant, Form::Invariant) => Form::Invariant,
            (Form::Linear { counter, operations }, Form::Invariant)
            | (Form::Invariant, Form::Linear { counter, operations }) => Form::Linear {
                counter,
                operations: operations + 1,
            },
            (
                Form::Linear { counter, operations },
                Form::Linear {
                    counter: other,
                    operations: more,
                },
            ) if counter == other => Form::Linear {
                counter,
                operations: operations + more + 1,
            },
            _ => Form::Other,
        }
    }
}
