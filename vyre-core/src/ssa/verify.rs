//! The SSA verifier, run by tests after each pass
//! ([`CompileOptions::verify`](crate::CompileOptions::verify)); a violation is a bug of the pass,
//! so it panics and names the rule.
//!
//! Rules for every reachable block:
//!
//! - no edge leads to the entry, and each edge passes one argument of the right type per parameter;
//! - an operand is a root, or a parameter or operation that dominates its use;
//! - a value occurs once; bodies contain neither roots nor parameters;
//! - the types of operands and result are those of the operation ([`Op`]).

use vyre_ir::ir::{AtomicOp, BinaryOp, Intrinsic, Operand, Output, Scalar, UnaryOp};

use super::function::{Block, Function, ignores_sign};
use super::graph::Graph;
use super::op::Op;
use super::ty::{Space, Ty};
use super::value_list::ValueList;
use crate::ssa::Value;

/// Panics if a phase has left a function that violates a rule.
pub(crate) fn check(function: &Function, phase: &str) {
    if let Err(rule) = verify(function) {
        panic!("after {phase}: {rule}\n{}", super::print::print(function));
    }
}

/// The definition point of a value.
#[derive(Clone, Copy, PartialEq)]
enum Home {
    Nowhere,
    /// A parameter of the block at this position.
    Parameter(u32),
    /// An operation of the block at this position.
    Body(u32),
}

/// The first rule that a function violates, and the location.
pub(crate) fn verify(function: &Function) -> Result<(), String> {
    let graph = Graph::of(function);
    let mut homes = vec![Home::Nowhere; function.values.len()];
    for (position, &block) in graph.order.iter().enumerate() {
        let data = &function.blocks[block];
        for &parameter in &data.parameters {
            if function.op(parameter) != Op::Parameter {
                return Err(format!("v{} is listed as a parameter", parameter.index()));
            }
            place(&mut homes, parameter, Home::Parameter(position as u32))?;
        }
        for &value in &data.body {
            let op = function.op(value);
            if op.is_root() || op == Op::Parameter {
                return Err(format!("v{} stands in a body", value.index()));
            }
            place(&mut homes, value, Home::Body(position as u32))?;
        }
    }
    // Operations of the current block that precede the current one.
    let mut seen = vec![false; function.values.len()];
    for &block in &graph.order {
        let data = &function.blocks[block];
        let mut result = Ok(());
        for &value in &data.body {
            function.each_operand(value, |operand| {
                if result.is_ok() {
                    result = available(function, &graph, &homes, &seen, block, operand);
                }
            });
            std::mem::replace(&mut result, Ok(()))?;
            types(function, value).map_err(|rule| format!("v{}: {rule}", value.index()))?;
            seen[value.index()] = true;
        }
        data.end.each_operand(|operand| {
            if result.is_ok() {
                result = available(function, &graph, &homes, &seen, block, operand);
            }
        });
        result?;
        edges(function, block)?;
    }
    Ok(())
}

fn place(homes: &mut [Home], value: Value, home: Home) -> Result<(), String> {
    let slot = &mut homes[value.index()];
    if *slot != Home::Nowhere {
        return Err(format!("v{} stands in two places", value.index()));
    }
    *slot = home;
    Ok(())
}

fn available(
    function: &Function,
    graph: &Graph,
    homes: &[Home],
    seen: &[bool],
    block: Block,
    operand: Value,
) -> Result<(), String> {
    if function.op(operand).is_root() {
        return Ok(());
    }
    let found = match homes[operand.index()] {
        Home::Nowhere => false,
        Home::Parameter(position) => graph.dominates(graph.order[position as usize], block),
        Home::Body(position) if position == graph.position(block) => seen[operand.index()],
        Home::Body(position) => graph.dominates(graph.order[position as usize], block),
    };
    if found {
        Ok(())
    } else {
        Err(format!(
            "v{} is used in b{} where it is not available",
            operand.index(),
            block.index()
        ))
    }
}

fn edges(function: &Function, block: Block) -> Result<(), String> {
    let end = &function.blocks[block].end;
    if let super::Terminator::Branch { condition, .. } = end
        && function.ty(*condition) != Ty::Bool
    {
        return Err(format!("b{} branches on a value that is no predicate", block.index()));
    }
    for edge in end.edges() {
        let parameters = &function.blocks[edge.block].parameters;
        let fits = edge.block != function.entry()
            && parameters.len() == edge.arguments.len()
            && parameters
                .iter()
                .zip(&edge.arguments)
                .all(|(&parameter, &argument)| function.ty(parameter) == function.ty(argument));
        if !fits {
            return Err(format!(
                "the edge from b{} to b{} does not fit",
                block.index(),
                edge.block.index()
            ));
        }
    }
    Ok(())
}

/// Checks the types of one operation.
fn types(function: &Function, value: Value) -> Result<(), &'static str> {
    let ty = |value: Value| function.ty(value);
    let result = ty(value);
    let holds = match function.op(value) {
        Op::Parameter | Op::Constant(_) | Op::External(_) | Op::Argument { .. } | Op::Special(_) | Op::Address(_) => {
            false
        }
        Op::Unary { op, scalar, a } => {
            let counts = matches!(op, UnaryOp::CountOnes | UnaryOp::LeadingZeros | UnaryOp::TrailingZeros);
            let expected = if counts { Ty::I32 } else { Ty::of(scalar) };
            let half = !scalar.is_half() || matches!(op, UnaryOp::Neg | UnaryOp::Abs);
            machine(scalar) && half && op.accepts(scalar) && ty(a) == Ty::of(scalar) && result == expected
        }
        Op::Binary { op, scalar, a, b } => {
            let right = if op.is_shift() { Ty::I32 } else { Ty::of(scalar) };
            let expected = if op.is_comparison() { Ty::Bool } else { Ty::of(scalar) };
            let native = match scalar {
                Scalar::F16 => matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) || op.is_comparison(),
                Scalar::BF16 => false,
                _ => machine(scalar),
            };
            native
                && op.accepts(scalar)
                && !(ignores_sign(op) && scalar.is_signed())
                && ty(a) == Ty::of(scalar)
                && ty(b) == right
                && result == expected
        }
        Op::MulAdd { a, b, c } => result.is_float() && [a, b, c].iter().all(|&x| ty(x) == result),
        Op::MulWide { a, b, .. } => ty(a) == Ty::I32 && ty(b) == Ty::I32 && result == Ty::I64,
        Op::Select { condition, a, b } => {
            ty(condition) == Ty::Bool && ty(a) == result && ty(b) == result && !matches!(result, Ty::Bool | Ty::Unit)
        }
        Op::Convert { from, to, a } => {
            machine(to)
                && from != Scalar::Bool
                && result == Ty::of(to)
                && converts_half(from, to)
                && converts_half(to, from)
                && (ty(a) == Ty::of(from) || from.is_integer() && ty(a).bits() >= from.bits())
        }
        Op::Bits(a) => match (ty(a), result) {
            (from, to) if from == to => false,
            (from, Ty::I32) | (Ty::I32, from) if from.is_half() => true,
            (from, to) => from.bits() == to.bits() && to.bits() >= 16,
        },
        Op::Offset { base, bytes } => {
            matches!(result, Ty::Pointer(_)) && ty(base) == result && ty(bytes) == result.word()
        }
        Op::MapShared { address, rank } => {
            result == Ty::Pointer(Space::Cluster) && ty(address) == Ty::Pointer(Space::Shared) && ty(rank) == Ty::I32
        }
        Op::LowBits(a) => result == Ty::I32 && matches!(ty(a), Ty::Pointer(_)),
        Op::ToGeneric(a) => result == Ty::Pointer(Space::Generic) && matches!(ty(a), Ty::Pointer(_)),
        Op::Load { address, scalar, .. } => {
            matches!(ty(address), Ty::Pointer(_))
                && scalar != Scalar::Bool
                && (result == Ty::of(scalar) || scalar == Scalar::U64 && result == Ty::Pointer(Space::Generic))
        }
        Op::Store {
            address, scalar, value, ..
        } => {
            matches!(ty(address), Ty::Pointer(_))
                && scalar != Scalar::Bool
                && (ty(value) == Ty::of(scalar) || scalar == Scalar::U64 && ty(value) == Ty::Pointer(Space::Generic))
                && result == Ty::Unit
        }
        Op::Atomic {
            op,
            scalar,
            address,
            operands,
            ..
        } => {
            !matches!(op, AtomicOp::Sub | AtomicOp::Nand)
                && op.accepts(scalar)
                && matches!(ty(address), Ty::Pointer(_))
                && (!scalar.is_half() || op == AtomicOp::Add)
                && operands.iter().all(|&operand| ty(operand) == cell(scalar))
                && (result == Ty::Unit || op.has_result() && result == cell(scalar))
        }
        Op::Intrinsic { intrinsic, operands } => intrinsic_fits(function, intrinsic, operands, result),
        Op::Poll(due) | Op::Leave(due) => ty(due) == Ty::Bool && result == Ty::Unit,
        Op::Result { of, index } => match function.op(of) {
            Op::Intrinsic { intrinsic, .. } => match intrinsic.row().yields() {
                Output::Array { element, length } => u64::from(index) < length && result == Ty::of(element),
                _ => false,
            },
            Op::Ptx { number: inline, .. } => {
                let results = function.inline.get(inline as usize).map(|inline| &inline.results);
                results.is_some_and(|results| results.get(index as usize) == Some(&result))
            }
            _ => false,
        },
        Op::Print { .. } | Op::Claim { .. } => result == Ty::I64,
        Op::Put { record, value, .. } => {
            ty(record) == Ty::I64 && matches!(ty(value), Ty::I32 | Ty::I64 | Ty::F32 | Ty::F64) && result == Ty::Unit
        }
        Op::Ptx { number, operands } => {
            let word = |ty: Ty| matches!(ty, Ty::I32 | Ty::I64 | Ty::F32 | Ty::F64) || ty.is_half();
            let fits = function.lists.get(operands).iter().all(|&operand| word(ty(operand)));
            function.inline.len() > number as usize && fits && (result == Ty::Unit || word(result))
        }
        Op::Fault(record) => ty(record) == Ty::I64 && result == Ty::Unit,
        Op::Guard { condition, values, .. } => {
            ty(condition) == Ty::Bool && values.iter().all(|&value| ty(value) == Ty::I64) && result == Ty::Unit
        }
    };
    if holds {
        Ok(())
    } else {
        Err("the types of the operation do not fit")
    }
}

/// Checks the operands and the result of an intrinsic against its row.
fn intrinsic_fits(function: &Function, intrinsic: Intrinsic, operands: ValueList, result: Ty) -> bool {
    let row = intrinsic.row();
    let mut types = function.lists.get(operands).iter().map(|&operand| function.ty(operand));
    let first = types.clone().next();
    let takes = |operand: &Operand| match *operand {
        Operand::Scalar(scalar) => types.next() == Some(Ty::of(scalar)),
        Operand::Value | Operand::Bits => types.next().is_some_and(|ty| matches!(ty, Ty::I32 | Ty::I64)),
        Operand::Row | Operand::Source | Operand::Target => types.next().is_some_and(|ty| matches!(ty, Ty::Pointer(_))),
        Operand::Fragment(role) => row.shape.is_some_and(|shape| {
            let (scalar, length) = shape.machine_registers(role);
            (0..length).all(|_| types.next() == Some(Ty::of(scalar)))
        }),
    };
    row.operands.iter().all(takes)
        && (row.tile.is_none() || types.next() == Some(Ty::I32))
        && types.next().is_none()
        && match row.yields() {
            Output::Nothing | Output::Array { .. } => result == Ty::Unit,
            Output::Scalar(scalar) => result == Ty::of(scalar),
            Output::First => Some(result) == first,
        }
}

/// The type of an atomic cell's value.
fn cell(scalar: Scalar) -> Ty {
    if scalar.is_half() { Ty::I32 } else { Ty::of(scalar) }
}

/// True if register operations work on the scalar.
fn machine(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Bool) || scalar.size() >= 4 || scalar.is_half()
}

/// True if floats of 16 bits convert to or from a scalar.
fn converts_half(half: Scalar, other: Scalar) -> bool {
    !half.is_half() || matches!(other, Scalar::F32 | Scalar::F64)
}
