//! The values of the lanes of a warp: how a value differs from lane to lane.
//!
//! **Rules.** A value is a number that is known in each lane, plus such numbers times factors that are the same for all
//! lanes, plus a rest that is the same for all lanes. Indices of threads are known, since a block has a constant shape;
//! operations on known numbers are evaluated. Sums of [`digits`](crate::analysis::digits) say how counters and quotients depend on
//! them. What is loaded from an address that differs between lanes, and what other threads hand over, is data.
//!
//! The answers are for reports and no proofs, so no pass relies on them. They take for granted what holds for nearly all
//! warps: indices do not wrap, clamps do not clamp, and rows are longer than a warp: the quotient of an index by a number
//! that only the launch knows is the same for all lanes. Lanes that are in a loop are in the same iteration of it.
//!
//! **Cost:** linear, for each warp.

use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp, WARP_SIZE};

use crate::analysis::digits::{By, Digit, Digits, Form, NONE, Term};
use crate::analysis::loop_forest::LoopForest;
use crate::analysis::uniformity::Uniformity;
use crate::opt::rules;
use crate::ssa::op::{Op, Special};
use crate::ssa::{Block, Function, Terminator, Ty, Value};

/// The lanes of a warp.
pub(crate) const LANES: usize = WARP_SIZE as usize;

/// A number in each lane.
pub(crate) type Numbers = [i64; LANES];

/// Limit of the operations by which a step is computed.
const DEPTH: u32 = 6;

/// The rest of a value that has none.
const WHOLE: u32 = 64;

/// A value in each lane.
#[derive(Clone)]
pub(crate) struct Lanes {
    /// The part that is known.
    pub(crate) known: Numbers,
    /// The numbers that are multiplied by factors.
    pub(crate) scaled: Vec<(Factor, Numbers)>,
    /// The low bits that are zero in the rest, which is the same for all lanes; [`WHOLE`] if there is none.
    pub(crate) zeros: u32,
}

/// A number that is not known, and the same for all lanes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Factor {
    Value(Value),
    /// A digit that is no value.
    Digit(u32),
}

/// The reason why the lanes of a value are not known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Varying {
    /// It depends on data.
    Data,
    /// It is no sum of the index of the lane.
    Computed,
}

type Answer = Result<Lanes, Varying>;

/// The values of a warp.
pub(crate) struct Warp<'f> {
    function: &'f Function,
    digits: &'f Digits,
    uniformity: &'f Uniformity,
    /// The index of the thread of each lane.
    threads: [[u32; 3]; LANES],
    values: Vec<Option<Answer>>,
    /// The lanes that come to each block, a bit each, as far as known numbers decide.
    masks: Vec<u32>,
}

impl Lanes {
    fn whole(known: Numbers) -> Lanes {
        Lanes {
            known,
            scaled: Vec::new(),
            zeros: WHOLE,
        }
    }

    /// The same unknown number in all lanes.
    fn same(zeros: u32) -> Lanes {
        Lanes {
            known: [0; LANES],
            scaled: Vec::new(),
            zeros: zeros.min(WHOLE - 1),
        }
    }

    /// True if the number of each lane is known.
    pub(crate) fn is_whole(&self) -> bool {
        self.zeros == WHOLE && self.scaled.is_empty()
    }

    /// True if all lanes have the same number.
    pub(crate) fn is_same(&self) -> bool {
        let is_same = |numbers: &Numbers| numbers.iter().all(|number| *number == numbers[0]);
        is_same(&self.known) && self.scaled.iter().all(|(_, numbers)| is_same(numbers))
    }

    fn map(mut self, f: impl Fn(i64) -> i64) -> Lanes {
        let numbers = self.scaled.iter_mut().map(|(_, numbers)| numbers);
        numbers
            .chain([&mut self.known])
            .for_each(|numbers| numbers.iter_mut().for_each(|number| *number = f(*number)));
        self
    }

    fn times(self, factor: i64) -> Lanes {
        if factor == 0 {
            return Lanes::whole([0; LANES]);
        }
        let zeros = match self.zeros {
            WHOLE => WHOLE,
            zeros => (zeros + factor.trailing_zeros()).min(WHOLE - 1),
        };
        Lanes {
            zeros,
            ..self.map(|number| number.wrapping_mul(factor))
        }
    }

    fn plus(mut self, other: &Lanes) -> Lanes {
        let add = |numbers: &mut Numbers, more: &Numbers| {
            numbers
                .iter_mut()
                .zip(more)
                .for_each(|(number, more)| *number = number.wrapping_add(*more));
        };
        add(&mut self.known, &other.known);
        for (factor, more) in &other.scaled {
            match self.scaled.iter_mut().find(|(known, _)| known == factor) {
                Some((_, numbers)) => add(numbers, more),
                None => self.scaled.push((*factor, *more)),
            }
        }
        self.scaled
            .retain(|(_, numbers)| numbers.iter().any(|number| *number != 0));
        self.zeros = self.zeros.min(other.zeros);
        self
    }

    /// The product with a factor, which is the same for all lanes.
    fn times_factor(self, factor: Factor) -> Answer {
        if !self.scaled.is_empty() {
            return match self.is_same() {
                true => Ok(Lanes::same(0)),
                false => Err(Varying::Computed),
            };
        }
        let mut scaled = Vec::new();
        if self.known.iter().any(|number| *number != 0) {
            scaled.push((factor, self.known));
        }
        Ok(Lanes {
            known: [0; LANES],
            scaled,
            zeros: self.zeros,
        })
    }

    /// The difference of two values.
    pub(crate) fn minus(&self, other: &Lanes) -> Lanes {
        self.clone().plus(&other.clone().times(-1))
    }

    /// True if two values differ by the same number in all lanes.
    fn varies_like(&self, other: &Lanes) -> bool {
        self.minus(other).is_same()
    }
}

impl<'f> Warp<'f> {
    /// The values of a warp of a block, by its number.
    pub(crate) fn of(
        function: &'f Function,
        forest: &LoopForest,
        digits: &'f Digits,
        uniformity: &'f Uniformity,
        number: u32,
    ) -> Warp<'f> {
        let [x, y, z] = function.block_size;
        let thread = |lane: usize| {
            let index = number * WARP_SIZE + lane as u32;
            [index % x, index / x % y, index / x / y]
        };
        let mut lanes = 0;
        for lane in 0..LANES {
            if thread(lane)[2] < z {
                lanes |= 1 << lane;
            }
        }
        let mut warp = Warp {
            function,
            digits,
            uniformity,
            threads: std::array::from_fn(thread),
            values: vec![None; function.values.len()],
            masks: vec![lanes; function.blocks.len()],
        };
        for (value, data) in function.values.iter() {
            if data.op.is_root() {
                let root = warp.root(value, data.op);
                warp.values[value.index()] = Some(Ok(root));
            }
        }
        for block in forest.graph.dominator_order() {
            warp.mask(forest, block);
            for (at, &parameter) in function.blocks[block].parameters.iter().enumerate() {
                let answer = warp.parameter(forest, block, at, parameter);
                warp.values[parameter.index()] = Some(answer);
            }
            for &value in &function.blocks[block].body {
                if function.ty(value) != Ty::Unit {
                    let answer = warp.operation(value);
                    warp.values[value.index()] = Some(answer);
                }
            }
        }
        warp
    }

    /// Finds the lanes that come to a block.
    fn mask(&mut self, forest: &LoopForest, block: Block) {
        let graph = &forest.graph;
        let position = graph.position(block);
        if position == 0 {
            return;
        }
        let dominator = graph.order[graph.dominator(position) as usize];
        let mut mask = self.masks[dominator.index()];
        // Lanes that come to a header again came to it before.
        let mut entering = graph
            .predecessors(block)
            .iter()
            .filter(|&&from| !graph.dominates(block, from));
        if let (Some(&only), None) = (entering.next(), entering.next())
            && let Terminator::Branch {
                condition, ref then, ..
            } = self.function.blocks[only].end
            && let Some(taken) = self.taken(condition)
        {
            mask &= if then.block == block { taken } else { !taken };
        }
        self.masks[block.index()] = mask;
    }

    /// The lanes that came to a block, a bit each.
    pub(crate) fn came(&self, block: Block) -> u32 {
        self.masks[block.index()]
    }

    /// The lanes in which a condition holds, a bit each, if that is known.
    pub(crate) fn taken(&self, condition: Value) -> Option<u32> {
        let lanes = self.value(condition).ok().filter(Lanes::is_whole)?;
        let holds = lanes.known.iter().enumerate().filter(|(_, number)| **number != 0);
        Some(holds.fold(0, |mask, (lane, _)| mask | 1 << lane))
    }

    /// A value in each lane.
    pub(crate) fn value(&self, value: Value) -> Answer {
        // One that is computed behind a back edge.
        self.values[value.index()].clone().unwrap_or(Err(Varying::Computed))
    }

    fn root(&self, value: Value, op: Op) -> Lanes {
        let numbers = |number: fn(&[u32; 3], usize) -> u32, axis: usize| {
            Lanes::whole(std::array::from_fn(|lane| i64::from(number(&self.threads[lane], axis))))
        };
        match op {
            Op::Constant(bits) => Lanes::whole([bits as i64; LANES]),
            Op::Special(Special::Thread(axis)) => numbers(|thread, axis| thread[axis], axis.index()),
            Op::Special(Special::Lane) => Lanes::whole(std::array::from_fn(|lane| lane as i64)),
            _ => Lanes::same(self.digits.zeros(value)),
        }
    }

    fn parameter(&self, forest: &LoopForest, block: Block, at: usize, parameter: Value) -> Answer {
        if let Some(known) = self.known(parameter) {
            return known;
        }
        let mut merged: Option<Lanes> = None;
        let mut counts = false;
        for &from in forest.graph.predecessors(block) {
            for edge in self.function.blocks[from]
                .end
                .edges()
                .filter(|edge| edge.block == block)
            {
                let argument = edge.arguments[at];
                // A counter that each iteration moves by the same number for all lanes.
                if self.values[argument.index()].is_none() && self.is_stepped(parameter, argument) {
                    counts = true;
                    continue;
                }
                let lanes = self.value(argument)?;
                merged = Some(match merged {
                    None => lanes,
                    Some(other) => either(other, lanes)?,
                });
            }
        }
        let merged = merged.ok_or(Varying::Computed)?;
        Ok(if counts { unknown(merged) } else { merged })
    }

    /// True if a value is another one plus or minus a number that is the same for all lanes.
    fn is_stepped(&self, of: Value, value: Value) -> bool {
        match self.function.op(value) {
            Op::Binary {
                op: BinaryOp::Add | BinaryOp::Sub,
                a,
                b,
                ..
            }
            | Op::Offset { base: a, bytes: b } => {
                let is_same = |step: Value| self.is_constant(step, DEPTH);
                a == of && is_same(b) || b == of && is_same(a)
            }
            _ => false,
        }
    }

    /// True if a value is made of numbers that are the same for the whole block, by few operations.
    fn is_constant(&self, value: Value, depth: u32) -> bool {
        let op = self.function.op(value);
        if op.is_root() {
            return self.value(value).is_ok_and(|lanes| lanes.is_same());
        }
        let mut is_constant = op.is_pure() && depth > 0;
        if is_constant {
            self.function
                .each_operand(value, |operand| is_constant &= self.is_constant(operand, depth - 1));
        }
        is_constant
    }

    /// A value that is the same for all lanes, or a sum.
    fn known(&self, value: Value) -> Option<Answer> {
        if self.uniformity.uniform(value) {
            return Some(Ok(Lanes::same(self.digits.zeros(value))));
        }
        let form = self.digits.form(value)?;
        let is_own = |term: &Term| self.digits.is_own(term.digit, value);
        match form.terms.iter().any(is_own) {
            true => None,
            false => Some(self.sum(form)),
        }
    }

    fn sum(&self, form: Form<'_>) -> Answer {
        let mut sum = Lanes::whole([form.constant; LANES]);
        for &Term { factor, symbol, digit } in form.terms {
            let mut term = self.digit(digit)?.times(factor);
            if symbol != NONE {
                term = term.times_factor(self.factor(symbol))?;
            }
            sum = sum.plus(&term);
        }
        Ok(sum)
    }

    fn factor(&self, digit: u32) -> Factor {
        match self.digits.digit(digit).digit {
            Digit::Value(value) => Factor::Value(value),
            _ => Factor::Digit(digit),
        }
    }

    fn digit(&self, digit: u32) -> Answer {
        match self.digits.digit(digit).digit {
            Digit::Value(value) => self.value(value),
            Digit::Trip(_) | Digit::Product(..) => Ok(Lanes::same(0)),
            Digit::Quotient(value, By::Constant(by)) => divided(self.value(value)?, by, true),
            Digit::Remainder(value, By::Constant(by)) => divided(self.value(value)?, by, false),
            // Rows are long.
            Digit::Quotient(value, By::Symbol(_)) => self.value(value).map(|_| Lanes::same(0)),
            Digit::Remainder(value, By::Symbol(_)) => self.value(value),
        }
    }

    fn operation(&self, value: Value) -> Answer {
        let (op, ty) = (self.function.op(value), self.function.ty(value));
        if let Some(lanes) = self.evaluated(op, ty) {
            return Ok(lanes);
        }
        if let Some(known) = self.known(value) {
            return known;
        }
        if !matches!(ty, Ty::Bool | Ty::I32 | Ty::I64 | Ty::Pointer(_)) {
            return Err(Varying::Data);
        }
        match op {
            Op::Load { address, .. } => match self.value(address) {
                Ok(lanes) if lanes.is_same() => Ok(Lanes::same(0)),
                _ => Err(Varying::Data),
            },
            op if !op.is_pure() => Err(Varying::Data),
            Op::Select { condition, a, b } => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                let mask = self.taken(condition).filter(|_| a.is_whole() && b.is_whole());
                match mask {
                    Some(mask) => Ok(Lanes::whole(std::array::from_fn(|lane| {
                        let of = if mask >> lane & 1 == 1 { &a } else { &b };
                        of.known[lane]
                    }))),
                    None => either(a, b),
                }
            }
            Op::Convert { a, from, to } if from.is_integer() && to.is_integer() => self.value(a),
            Op::Bits(a) | Op::ToGeneric(a) | Op::MapShared { address: a, .. } => self.value(a),
            Op::Offset { base: a, bytes: b } => Ok(self.value(a)?.plus(&self.signed(b)?)),
            Op::MulWide { a, b, .. } => self.product(a, b),
            Op::Unary {
                op: UnaryOp::Neg, a, ..
            } => Ok(self.signed(a)?.times(-1)),
            Op::Binary { op, scalar, a, b } => self.binary(op, scalar, a, b),
            op => {
                let mut reason = Varying::Computed;
                self.function.each_operand(value, |operand| {
                    if self.value(operand).is_err_and(|it| it == Varying::Data) {
                        reason = Varying::Data;
                    }
                });
                debug_assert!(!op.has_effect(), "effects are data");
                Err(reason)
            }
        }
    }

    /// An operation on numbers that are known.
    fn evaluated(&self, op: Op, ty: Ty) -> Option<Lanes> {
        let operands = match op {
            Op::Unary { a, .. } | Op::Convert { a, .. } => [a, a],
            Op::Binary { a, b, .. } | Op::MulWide { a, b, .. } => [a, b],
            _ => return None,
        };
        let [a, b] = operands.map(|operand| match &self.values[operand.index()] {
            Some(Ok(lanes)) if lanes.is_whole() => Some(&lanes.known),
            _ => None,
        });
        let (a, b) = (a?, b?);
        let mut known = [0; LANES];
        for (lane, number) in known.iter_mut().enumerate() {
            let bits = |value: Value| {
                let numbers = if value == operands[0] { a } else { b };
                let mask = u64::MAX >> (64 - self.function.ty(value).bits().clamp(1, 64));
                Some(numbers[lane] as u64 & mask)
            };
            *number = rules::evaluate(op, ty, &bits)? as i64;
        }
        Some(Lanes::whole(known))
    }

    /// A value whose known words of 32 bits are signed.
    fn signed(&self, value: Value) -> Answer {
        let lanes = self.value(value)?;
        Ok(match self.function.ty(value) {
            Ty::I32 if lanes.is_whole() => lanes.map(|number| i64::from(number as i32)),
            _ => lanes,
        })
    }

    fn product(&self, a: Value, b: Value) -> Answer {
        let (x, y) = (self.signed(a)?, self.signed(b)?);
        if x.is_whole() && x.is_same() {
            return Ok(y.times(x.known[0]));
        }
        if y.is_whole() && y.is_same() {
            return Ok(x.times(y.known[0]));
        }
        match (x.is_same(), y.is_same()) {
            (true, true) => Ok(Lanes::same(x.zeros + y.zeros)),
            (false, true) => x.times_factor(Factor::Value(b)),
            (true, false) => y.times_factor(Factor::Value(a)),
            (false, false) => Err(Varying::Computed),
        }
    }

    /// The quotient or the remainder by a number that only the launch knows. Rows are long.
    fn divided_by_same(&self, a: Value, b: Value, is_quotient: bool) -> Answer {
        let (a, b) = (self.value(a)?, self.value(b)?);
        match (b.is_same(), is_quotient || a.is_same()) {
            (false, _) => Err(Varying::Computed),
            (true, true) => Ok(Lanes::same(0)),
            (true, false) => Ok(a),
        }
    }

    fn binary(&self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Answer {
        match op {
            BinaryOp::Add => Ok(self.signed(a)?.plus(&self.signed(b)?)),
            BinaryOp::Sub => Ok(self.signed(a)?.plus(&self.signed(b)?.times(-1))),
            BinaryOp::Mul => self.product(a, b),
            BinaryOp::Min | BinaryOp::Max => either(self.value(a)?, self.value(b)?),
            BinaryOp::Shl | BinaryOp::Shr if self.function.as_constant(b).is_some() => {
                let amount = self.function.as_constant(b).unwrap_or(0) % u64::from(scalar.bits());
                match op {
                    BinaryOp::Shl => Ok(self.value(a)?.times(1 << amount)),
                    _ => divided(self.value(a)?, 1 << amount, true),
                }
            }
            BinaryOp::Div | BinaryOp::Rem if !scalar.is_signed() => {
                let is_quotient = op == BinaryOp::Div;
                match self.function.as_constant(b) {
                    Some(by @ 1..) => divided(self.value(a)?, by, is_quotient),
                    _ => self.divided_by_same(a, b, is_quotient),
                }
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let (x, y) = (self.value(a)?, self.value(b)?);
                // Below the low bits that are zero in the rest of both.
                let zeros = x.zeros.min(y.zeros);
                let is_low =
                    |lanes: &Lanes| lanes.scaled.is_empty() && lanes.known.iter().all(|&it| it >> zeros.min(63) == 0);
                if !is_low(&x) || !is_low(&y) {
                    return Err(Varying::Computed);
                }
                Ok(Lanes {
                    known: std::array::from_fn(|lane| match op {
                        BinaryOp::And => x.known[lane] & y.known[lane],
                        BinaryOp::Or => x.known[lane] | y.known[lane],
                        _ => x.known[lane] ^ y.known[lane],
                    }),
                    scaled: Vec::new(),
                    zeros,
                })
            }
            _ => {
                let reasons = [a, b].map(|operand| self.value(operand).err());
                Err(reasons.into_iter().flatten().next().unwrap_or(Varying::Computed))
            }
        }
    }
}

/// One of two values. If one is the same for all lanes, as the limit of a clamp, it is the other one.
fn either(a: Lanes, b: Lanes) -> Answer {
    if b.is_same() {
        return Ok(unknown(a));
    }
    if a.is_same() || a.varies_like(&b) {
        return Ok(unknown(b));
    }
    Err(Varying::Computed)
}

/// A value with a rest that may be any number.
fn unknown(lanes: Lanes) -> Lanes {
    Lanes { zeros: 0, ..lanes }
}

/// The quotient or the remainder of a value by a number. The rest is taken for a multiple of it.
fn divided(lanes: Lanes, by: u64, quotient: bool) -> Answer {
    let by = i64::try_from(by).map_err(|_| Varying::Computed)?;
    if lanes.is_same() && !lanes.is_whole() {
        return Ok(Lanes::same(0));
    }
    if !lanes.scaled.is_empty() {
        return Err(Varying::Computed);
    }
    let has_rest = lanes.zeros != WHOLE;
    let known = lanes.known.map(|number| match quotient {
        true => number.div_euclid(by),
        false => number.rem_euclid(by),
    });
    let zeros = match quotient {
        true if has_rest => lanes.zeros.saturating_sub(by.trailing_zeros()),
        _ => WHOLE,
    };
    Ok(Lanes {
        known,
        scaled: Vec::new(),
        zeros,
    })
}
