//! Every operation and cast of every type.

use vyre_core::ir::{BinaryOp, Program, Scalar, UnaryOp};

use super::{Body, element, guarded, slice};

/// The operations of a type that do not fault, in order.
pub fn of_scalar(scalar: Scalar) -> (Vec<UnaryOp>, Vec<BinaryOp>, Vec<BinaryOp>) {
    let unary = UnaryOp::ALL.iter().copied().filter(|op| op.accepts(scalar)).collect();
    let binary = BinaryOp::ALL
        .iter()
        .copied()
        .filter(|op| op.accepts(scalar) && !op.may_fault(scalar));
    let (comparisons, binary) = binary.partition(|op| op.is_comparison());
    (unary, binary, comparisons)
}

/// Every operation of a type: the results of thread `i` are at `i * operations`.
pub(super) fn operations(scalar: Scalar) -> Program {
    let mut program = Program::default();
    let (input, out) = (slice(&mut program, scalar, false), slice(&mut program, scalar, true));
    let flags = slice(&mut program, Scalar::Bool, true);
    let parameters = [("a", input), ("b", input), ("out", out), ("flags", flags)];
    let name = format!("operations_{}", scalar.name());
    let (unary, binary, comparisons) = of_scalar(scalar);
    let results = (unary.len() + binary.len()) as u64;
    program.build_kernel(&name, &[32], &parameters, |b, p| {
        guarded(b, p[0], |b, i| {
            let mut position = 0;
            let mut put = |b: Body<'_, '_>, slice, of: u64, value| {
                let (i, of, offset) = (b.get(i), b.u64(of), b.u64(position));
                position += 1;
                let start = b.binary(BinaryOp::Mul, i, of);
                let index = b.binary(BinaryOp::Add, start, offset);
                let place = b.index(b.local_place(slice), index);
                b.store(place, value);
            };
            for &op in &unary {
                let a = element(b, p[0], i);
                let value = b.unary(op, a);
                put(b, p[2], results, value);
            }
            for &op in &binary {
                let left = element(b, p[0], i);
                let mut right = element(b, p[1], i);
                if op.is_shift() {
                    right = b.cast(right, Scalar::U32);
                }
                let value = b.binary(op, left, right);
                put(b, p[2], results, value);
            }
            position = 0;
            let mut put = |b: Body<'_, '_>, value| {
                let (i, of, offset) = (b.get(i), b.u64(comparisons.len() as u64), b.u64(position));
                position += 1;
                let start = b.binary(BinaryOp::Mul, i, of);
                let index = b.binary(BinaryOp::Add, start, offset);
                let place = b.index(b.local_place(p[3]), index);
                b.store(place, value);
            };
            for &op in &comparisons {
                let (left, right) = (element(b, p[0], i), element(b, p[1], i));
                let value = b.binary(op, left, right);
                put(b, value);
            }
        });
    });
    program
}

/// The types that a type casts to.
pub fn targets(scalar: Scalar) -> Vec<Scalar> {
    let allowed = |to: &Scalar| *to != Scalar::Bool && !(scalar == Scalar::Bool && to.is_float());
    Scalar::ALL.into_iter().filter(allowed).collect()
}

/// Casts to every type, widened to 64 bits of its kind.
pub(super) fn casts(scalar: Scalar) -> Program {
    let mut program = Program::default();
    let input = slice(&mut program, scalar, false);
    let out = slice(&mut program, Scalar::U64, true);
    let name = format!("casts_{}", scalar.name());
    let targets = targets(scalar);
    program.build_kernel(&name, &[32], &[("a", input), ("out", out)], |b, p| {
        guarded(b, p[0], |b, i| {
            for (number, &to) in targets.iter().enumerate() {
                let a = element(b, p[0], i);
                let value = b.cast(a, to);
                let bits = match to {
                    Scalar::F32 => {
                        let bits = b.bitcast(value, Scalar::U32);
                        b.cast(bits, Scalar::U64)
                    }
                    Scalar::F64 => b.bitcast(value, Scalar::U64),
                    _ => b.cast(value, Scalar::U64),
                };
                let (i, of, offset) = (b.get(i), b.u64(targets.len() as u64), b.u64(number as u64));
                let start = b.binary(BinaryOp::Mul, i, of);
                let index = b.binary(BinaryOp::Add, start, offset);
                let place = b.index(b.local_place(p[1]), index);
                b.store(place, bits);
            }
        });
    });
    program
}
