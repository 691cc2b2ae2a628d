//! Random formulas: short chains of operations on edge values and their neighbours.
//!
//! Assemblers combine several instructions into one, and some of their rules do not hold for a NaN,
//! a negative zero or the smallest integer. Constants trigger these rules, so each formula is full
//! of them. A program of [`random_program`](vyre_test_support::random_program) meets such
//! combinations too, but rarely.

use vyre_core::ir::builder::BodyBuilder;
use vyre_core::ir::{BinaryOp, Builtin, Constant, ExprId, Handle, Local, Program, Scalar, UnaryOp};
use vyre_test_support::random_program::{LENGTH, Random, RandomProgram};

/// Formulas of a program.
const FORMULAS: usize = 8;

/// Combinations of scalar types in a formula: types that convert to each other, or a single one.
const KINDS: &[&[Scalar]] = &[
    &[Scalar::I32],
    &[Scalar::U32, Scalar::I32],
    &[Scalar::F32],
    &[Scalar::F64],
    &[Scalar::F32, Scalar::I32],
    &[Scalar::F32, Scalar::F64],
    &[Scalar::I64, Scalar::U64, Scalar::I32],
    &[Scalar::F16, Scalar::F32],
    &[Scalar::BF16, Scalar::F32],
    &[Scalar::F16, Scalar::I16],
    &[Scalar::I8, Scalar::U16, Scalar::I32],
    &[Scalar::F64, Scalar::U64, Scalar::I32],
];

/// A kernel that computes formulas for each element of its inputs.
pub fn random_formulas(seed: u64) -> RandomProgram {
    let mut random = Random::new(seed);
    let kinds = random.pick(KINDS);
    let results = [(); FORMULAS].map(|()| random.pick(kinds));
    let mut program = Program::default();
    let mut parameters = Vec::new();
    for (number, &scalar) in kinds.iter().chain(kinds).chain(&results).enumerate() {
        let element = program.types.scalar(scalar);
        let slice = program.types.slice(element, number >= 2 * kinds.len());
        parameters.push((format!("a{number}"), slice));
    }
    let named: Vec<_> = parameters.iter().map(|(name, ty)| (name.as_str(), *ty)).collect();
    let kernel = program.build_kernel("formulas", &[LENGTH as u32], &named, |b, locals| {
        let (inputs, outputs) = locals.split_at(2 * kinds.len());
        let given = kinds.iter().chain(kinds).zip(inputs).map(|(&scalar, &input)| {
            let i = b.builtin(Builtin::LinearIndex);
            let place = b.index(b.local_place(input), i);
            let value = b.load(place);
            (scalar, b.let_("given", value))
        });
        let given: Vec<_> = given.collect();
        for (&result, &output) in results.iter().zip(outputs) {
            let mut formula = Formula {
                random: &mut random,
                kinds,
                values: given.clone(),
            };
            for _ in 0..1 + formula.random.below(6) {
                let scalar = formula.random.pick(kinds);
                formula.step(b, scalar);
            }
            formula.step(b, result);
            let last = formula.values[formula.values.len() - 1].1;
            let value = b.load(b.local_place(last));
            let i = b.builtin(Builtin::LinearIndex);
            let place = b.index(b.local_place(output), i);
            b.store(place, value);
        }
    });
    RandomProgram {
        program,
        kernel,
        grid: [1, 1, 1],
    }
}

/// A formula under construction.
struct Formula<'r> {
    random: &'r mut Random,
    kinds: &'static [Scalar],
    /// The available operands, the latest last.
    values: Vec<(Scalar, Handle<Local>)>,
}

impl Formula<'_> {
    /// Adds a value.
    fn step(&mut self, b: &mut BodyBuilder<'_>, scalar: Scalar) {
        let value = match self.random.below(12) {
            0 | 1 => {
                let accepted: Vec<_> = UnaryOp::ALL
                    .iter()
                    .filter(|op| op.accepts(scalar) && !op.is_approximate() && !op.is_partial())
                    .collect();
                let &op = self.random.pick(&accepted);
                let a = self.value(b, scalar);
                b.unary(op, a)
            }
            2 | 3 => {
                let condition = self.condition(b);
                let (then, otherwise) = (self.operand(b, scalar), self.operand(b, scalar));
                b.select(condition, then, otherwise)
            }
            4 => {
                let from = self.random.pick(self.kinds);
                let a = self.value(b, from);
                if from.bits() == scalar.bits() && self.random.once_in(2) {
                    b.bitcast(a, scalar)
                } else {
                    b.cast(a, scalar)
                }
            }
            5 if scalar.is_float() => {
                let (x, y, z) = (self.value(b, scalar), self.operand(b, scalar), self.operand(b, scalar));
                b.mul_add(x, y, z)
            }
            6..=8 => {
                let op = self.random.pick(&[BinaryOp::Min, BinaryOp::Max]);
                self.binary(b, op, scalar)
            }
            _ => {
                // The remainder of floats is not an instruction.
                let is_left_out = |op: BinaryOp| scalar.is_float() && op == BinaryOp::Rem;
                let gives_values = |op: BinaryOp| op.accepts(scalar) && !op.is_approximate() && !op.is_comparison();
                let fits = |op: &&BinaryOp| gives_values(**op) && !is_left_out(**op);
                let accepted: Vec<_> = BinaryOp::ALL.iter().filter(fits).collect();
                let &op = self.random.pick(&accepted);
                self.binary(b, op, scalar)
            }
        };
        self.values.push((scalar, b.let_("value", value)));
    }

    fn binary(&mut self, b: &mut BodyBuilder<'_>, op: BinaryOp, scalar: Scalar) -> ExprId {
        let left = self.value(b, scalar);
        let right = match op {
            _ if op.is_shift() => {
                let amount = self.random.below(2 * u64::from(scalar.bits()));
                b.u32(amount as u32)
            }
            _ if op.may_fault(scalar) => loop {
                let divisor = self.constant(scalar);
                if divisor.bits != 0 && divisor.as_i128() != -1 {
                    break b.constant(divisor);
                }
            },
            _ => self.operand(b, scalar),
        };
        if op.is_shift() || op.may_fault(scalar) || self.random.once_in(2) {
            b.binary(op, left, right)
        } else {
            b.binary(op, right, left)
        }
    }

    fn condition(&mut self, b: &mut BodyBuilder<'_>) -> ExprId {
        let scalar = self.random.pick(self.kinds);
        let comparisons = [
            BinaryOp::Eq,
            BinaryOp::Ne,
            BinaryOp::Lt,
            BinaryOp::Le,
            BinaryOp::Gt,
            BinaryOp::Ge,
        ];
        let op = self.random.pick(&comparisons);
        let condition = self.binary(b, op, scalar);
        match self.random.below(6) {
            0 => b.unary(UnaryOp::Not, condition),
            1 => {
                let other = self.condition(b);
                let op = self.random.pick(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
                b.binary(op, condition, other)
            }
            _ => condition,
        }
    }

    /// A constant or a value.
    fn operand(&mut self, b: &mut BodyBuilder<'_>, scalar: Scalar) -> ExprId {
        match self.random.below(5) {
            0 | 1 => {
                let constant = self.constant(scalar);
                b.constant(constant)
            }
            _ => self.value(b, scalar),
        }
    }

    /// An existing value, often the latest.
    fn value(&mut self, b: &mut BodyBuilder<'_>, scalar: Scalar) -> ExprId {
        let fitting = self.values.iter().filter(|value| value.0 == scalar);
        let fitting: Vec<_> = fitting.map(|value| value.1).collect();
        let chosen = match self.random.below(5) {
            0..=2 => fitting[fitting.len() - 1],
            _ => self.random.pick(&fitting),
        };
        b.load(b.local_place(chosen))
    }

    /// A constant for which assemblers have rules, or any other.
    fn constant(&mut self, scalar: Scalar) -> Constant {
        if self.random.once_in(3) {
            return self.random.constant(scalar);
        }
        if scalar.is_float() {
            let number = self.random.pick(&[0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, f64::INFINITY]);
            return vyre_core::semantics::cast(Constant::new(Scalar::F64, number.to_bits()), scalar);
        }
        let top = u64::from(scalar.bits()) - 1;
        let number = self
            .random
            .pick(&[0, 1, u64::MAX, 2, 3, top, 1 << top, (1 << top) - 1, 255, 0xffff]);
        Constant::new(scalar, number)
    }
}
