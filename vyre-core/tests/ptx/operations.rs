//! Every operation on every type, on values where it goes wrong first: with both operands loaded,
//! and with each of those values as a constant operand, where the optimiser's rules apply.

use vyre_abi::fault::FaultKind;
use vyre_core::ir::builder::BodyBuilder;
use vyre_core::ir::{Axis, BinaryOp, Builtin, Constant, ExprId, Handle, Kernel, Program, Scalar, UnaryOp};
use vyre_core::semantics;
use vyre_test_support::random_program::Input;
use vyre_test_support::{case, edge_values};

use crate::agreement::compare;

const BLOCK: u32 = 64;

fn bytes(values: &[Constant]) -> Vec<u8> {
    let size = |value: &Constant| value.scalar.size() as usize;
    values
        .iter()
        .flat_map(|value| value.bits.to_le_bytes()[..size(value)].to_vec())
        .collect()
}

/// A kernel that computes one word for each element of its operands.
fn kernel(
    operands: &[Scalar],
    result: Scalar,
    build: impl Fn(&mut BodyBuilder<'_>, &[ExprId]) -> ExprId,
) -> (Program, Handle<Kernel>) {
    let mut program = Program::default();
    let mut parameters = Vec::new();
    for (name, &scalar) in ["a", "b", "c"].into_iter().zip(operands) {
        let element = program.types.scalar(scalar);
        parameters.push((name, program.types.slice(element, false)));
    }
    let element = program.types.scalar(result);
    parameters.push(("out", program.types.slice(element, true)));
    let kernel = program.build_kernel("k", &[BLOCK], &parameters, |b, locals| {
        let Some((&out, operands)) = locals.split_last() else {
            return;
        };
        let i = b.builtin(Builtin::GlobalIndex(Axis::X));
        let n = b.length(b.local_place(out));
        let inside = b.binary(BinaryOp::Lt, i, n);
        b.if_(
            inside,
            |b| {
                let mut values = Vec::new();
                for &operand in operands {
                    let i = b.builtin(Builtin::GlobalIndex(Axis::X));
                    let place = b.index(b.local_place(operand), i);
                    values.push(b.load(place));
                }
                let value = build(b, &values);
                let i = b.builtin(Builtin::GlobalIndex(Axis::X));
                let target = b.index(b.local_place(out), i);
                b.store(target, value);
            },
            |_| {},
        );
    });
    (program, kernel)
}

/// Runs such a kernel on rows of operands.
fn check(
    what: &str,
    operands: &[Scalar],
    result: Scalar,
    rows: &[Vec<Constant>],
    build: impl Fn(&mut BodyBuilder<'_>, &[ExprId]) -> ExprId,
) {
    if rows.is_empty() {
        return;
    }
    let (program, kernel) = kernel(operands, result, build);
    let mut inputs: Vec<Input> = (0..operands.len())
        .map(|column| Input::Slice(bytes(&rows.iter().map(|row| row[column]).collect::<Vec<_>>())))
        .collect();
    inputs.push(Input::Slice(vec![0; rows.len() * result.size() as usize]));
    let grid = [(rows.len() as u32).div_ceil(BLOCK), 1, 1];
    if let Err(error) = compare(&program, kernel, &inputs, grid) {
        panic!("{what}: {error}");
    }
}

/// About `count` of the rows, from all over; all with `VYRE_LONG`.
fn some<T: Clone>(rows: &[T], count: usize) -> Vec<T> {
    if case::is_long() {
        return rows.to_vec();
    }
    // A step without a divisor in common with the side of a square meets every column.
    let step = (rows.len() / count.max(1)).max(1) | 1;
    rows.iter().step_by(step).cloned().collect()
}

fn right(op: BinaryOp, scalar: Scalar) -> Scalar {
    if op.is_shift() { Scalar::U32 } else { scalar }
}

fn result(op: BinaryOp, scalar: Scalar) -> Scalar {
    if op.is_comparison() { Scalar::Bool } else { scalar }
}

/// True if the operation is defined for the operand.
fn in_domain(op: UnaryOp, a: Constant) -> bool {
    let x = f32::from_bits(a.bits as u32);
    match op {
        UnaryOp::NormalRecip => (f32::MIN_POSITIVE..=2f32.powi(126)).contains(&x.abs()),
        UnaryOp::NormalSqrt => (2f32.powi(-101)..=f32::MAX).contains(&x),
        _ => true,
    }
}

fn defined(op: BinaryOp, a: Constant, b: Constant) -> bool {
    // The sign of a computed NaN shows in a copied sign alone, and no value here is computed.
    !matches!(
        semantics::binary(op, a, b),
        Err(FaultKind::DivisionByZero | FaultKind::DivisionOverflow)
    )
}

#[test]
fn unary_operations() {
    for &op in UnaryOp::ALL {
        for scalar in Scalar::ALL.into_iter().filter(|&scalar| op.accepts(scalar)) {
            let values = edge_values(scalar).into_iter().filter(|&a| in_domain(op, a));
            let rows: Vec<_> = values.map(|a| vec![a]).collect();
            let what = format!("{} of {}", op.name(), scalar.name());
            check(&what, &[scalar], scalar, &rows, |b, x| b.unary(op, x[0]));
        }
    }
}

#[test]
fn binary_operations() {
    for &op in BinaryOp::ALL {
        for scalar in Scalar::ALL.into_iter().filter(|&scalar| op.accepts(scalar)) {
            let mut rows = Vec::new();
            for a in edge_values(scalar) {
                for b in edge_values(right(op, scalar)) {
                    if defined(op, a, b) {
                        rows.push(vec![a, b]);
                    }
                }
            }
            let what = format!("{} of {}", op.name(), scalar.name());
            let rows = some(&rows, 600);
            check(
                &what,
                &[scalar, right(op, scalar)],
                result(op, scalar),
                &rows,
                |b, x| b.binary(op, x[0], x[1]),
            );
        }
    }
}

#[test]
fn binary_operations_with_constants() {
    for &op in BinaryOp::ALL {
        for scalar in Scalar::ALL.into_iter().filter(|&scalar| op.accepts(scalar)) {
            let count = if op.may_fault(scalar) { 40 } else { 12 };
            for constant in some(&edge_values(right(op, scalar)), count) {
                let rows: Vec<_> = edge_values(scalar)
                    .into_iter()
                    .filter(|&a| defined(op, a, constant))
                    .map(|a| vec![a])
                    .collect();
                let what = format!("{} of {} by {constant:?}", op.name(), scalar.name());
                check(&what, &[scalar], result(op, scalar), &rows, |b, x| {
                    let c = b.constant(constant);
                    b.binary(op, x[0], c)
                });
            }
        }
    }
}

#[test]
fn casts() {
    for from in Scalar::ALL {
        for to in Scalar::ALL {
            if to == Scalar::Bool || from == Scalar::Bool && to.is_float() {
                continue;
            }
            let rows: Vec<_> = edge_values(from).into_iter().map(|a| vec![a]).collect();
            let what = format!("{} as {}", from.name(), to.name());
            check(&what, &[from], to, &rows, |b, x| b.cast(x[0], to));
            if from.bits() == to.bits() {
                check(&what, &[from], to, &rows, |b, x| b.bitcast(x[0], to));
            }
            // There and back again.
            if from != Scalar::Bool {
                check(&what, &[from], from, &rows, |b, x| {
                    let there = b.cast(x[0], to);
                    b.cast(there, from)
                });
            }
        }
    }
}

#[test]
fn fused_multiplication() {
    for scalar in Scalar::ALL.into_iter().filter(|scalar| scalar.is_float()) {
        let values = edge_values(scalar);
        let mut rows = Vec::new();
        for (number, &a) in values.iter().enumerate() {
            for (step, &b) in values.iter().enumerate() {
                rows.push(vec![a, b, values[(number * 7 + step * 3) % values.len()]]);
            }
        }
        let rows = some(&rows, 600);
        check("mul_add", &[scalar; 3], scalar, &rows, |b, x| {
            b.mul_add(x[0], x[1], x[2])
        });
        for &c in &some(&values, 12) {
            let rows: Vec<_> = values.iter().map(|&a| vec![a, c]).collect();
            check("mul_add by a constant", &[scalar; 2], scalar, &rows, |b, x| {
                let k = b.constant(c);
                b.mul_add(x[0], k, x[1])
            });
        }
    }
}
