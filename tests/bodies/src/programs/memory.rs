//! Functions and compound values: structs, arrays, slices.

use vyre_core::ir::{
    Axis, BinaryOp, Builtin, Constant, ConstantTable, Field, Program, Scalar, SharedVariable, Span, StmtKind, Type,
};

use super::{Body, element, guarded, set_element, slice};

/// Functions with results, with references to locals, and with a barrier.
pub(super) fn functions() -> Program {
    let mut program = Program::default();
    let (u32, unit) = (program.types.scalar(Scalar::U32), program.types.unit());
    let reference = program.types.reference(u32, true);
    let out = slice(&mut program, Scalar::U32, true);
    let array = program.types.array(u32, 32);
    let shared = program.shared.push(SharedVariable {
        name: "values".into(),
        ty: array,
        span: Span::NONE,
    });
    let square = program.build_function("square", &[("x", u32)], u32, |b, p| {
        let (left, right) = (b.get(p[0]), b.get(p[0]));
        let product = b.binary(BinaryOp::Mul, left, right);
        let odd = {
            let (x, one) = (b.get(p[0]), b.u32(1));
            let bit = b.binary(BinaryOp::And, x, one);
            let one = b.u32(1);
            b.binary(BinaryOp::Eq, bit, one)
        };
        b.if_(
            odd,
            |b| {
                let zero = b.u32(0);
                b.return_(Some(zero));
            },
            |b| b.return_(Some(product)),
        );
    });
    let add_to = program.build_function("add_to", &[("target", reference), ("x", u32)], unit, |b, p| {
        let square = {
            let x = b.get(p[1]);
            b.call(square, vec![x])
        };
        let place = b.deref(b.local_place(p[0]));
        let (old, square) = (b.load(place.clone()), b.get(square));
        let sum = b.binary(BinaryOp::Add, old, square);
        b.store(place, sum);
    });
    let swap = program.build_function("swap", &[("value", u32), ("place", u32)], u32, |b, p| {
        let to = b.get(p[1]);
        let to = b.cast(to, Scalar::U64);
        let value = b.get(p[0]);
        let place = b.index(b.shared_place(shared), to);
        b.store(place, value);
        b.barrier();
        let (last, from) = (b.u32(31), b.get(p[1]));
        let from = b.binary(BinaryOp::Sub, last, from);
        let from = b.cast(from, Scalar::U64);
        let place = b.index(b.shared_place(shared), from);
        let value = b.load(place);
        b.return_(Some(value));
    });
    program.build_kernel("functions", &[32], &[("out", out)], |b, p| {
        let t = b.builtin(Builtin::ThreadIndex(Axis::X));
        let t = b.let_("t", t);
        let one = b.u32(1);
        let sum = b.let_("sum", one);
        let (zero, end) = (b.u32(0), b.get(t));
        b.for_range("k", zero, end, |b, k| {
            let target = b.reference(b.local_place(sum), true);
            let k = b.get(k);
            b.push(StmtKind::Call {
                function: add_to,
                arguments: vec![target, k],
                result: None,
            });
        });
        let (value, place) = (b.get(sum), b.get(t));
        let other = b.call(swap, vec![value, place]);
        guarded(b, p[0], |b, i| {
            let other = b.get(other);
            set_element(b, p[0], i, other);
        });
    });
    program
}

/// Structs, tuples and arrays as values and as places, and a table.
pub(super) fn aggregates() -> Program {
    let mut program = Program::default();
    let (u8, u32, f64) = (
        program.types.scalar(Scalar::U8),
        program.types.scalar(Scalar::U32),
        program.types.scalar(Scalar::F64),
    );
    let bool = program.types.scalar(Scalar::Bool);
    let pair = program.types.intern(Type::Tuple(vec![u8, f64]));
    let pairs = program.types.array(pair, 3);
    let field = |name: &str, ty| Field { name: name.into(), ty };
    let point = program.types.intern(Type::Struct {
        name: "Point".into(),
        align: 16,
        fields: vec![field("pairs", pairs), field("type", u32), field("flag", bool)],
    });
    let shared = program.types.array(point, 4);
    let shared = program.shared.push(SharedVariable {
        name: "points".into(),
        ty: shared,
        span: Span::NONE,
    });
    let row = program.types.array(u32, 3);
    let rows = program.types.array(row, 2);
    let table = program.tables.push(ConstantTable {
        name: "TABLE".into(),
        ty: rows,
        values: vec![3, 1, 4, 1, 5, 9],
        host: None,
        span: Span::NONE,
    });
    let out = slice(&mut program, Scalar::F64, true);
    program.build_kernel("aggregates", &[4], &[("out", out)], |b, p| {
        let t = b.builtin(Builtin::ThreadIndex(Axis::X));
        let t = b.cast(t, Scalar::U64);
        let t = b.let_("t", t);
        let pair_value = {
            let (first, second) = (b.constant(Constant::new(Scalar::U8, 7)), b.f64(1.5));
            b.construct(pair, vec![first, second])
        };
        let pairs_value = b.repeat(pair_value, 3);
        let (number, flag) = (b.u32(9), b.bool(true));
        let point_value = b.construct(point, vec![pairs_value, number, flag]);
        let point = b.let_("point", point_value);
        // point.pairs[t % 3].1 = table[t % 2][2] as f64
        let (t_value, three) = (b.get(t), b.u64(3));
        let slot = b.binary(BinaryOp::Rem, t_value, three);
        let (t_value, two, column) = (b.get(t), b.u64(2), b.u64(2));
        let row = b.binary(BinaryOp::Rem, t_value, two);
        let place = b.index(b.table_place(table), row);
        let place = b.index(place, column);
        let value = b.load(place);
        let value = b.cast(value, Scalar::F64);
        let place = b.field(b.local_place(point), 0);
        let place = b.index(place, slot);
        let place = b.field(place, 1);
        b.store(place, value);
        // points[t] = point
        let (whole, t_value) = (b.get(point), b.get(t));
        let place = b.index(b.shared_place(shared), t_value);
        b.store(place, whole);
        b.barrier();
        // out[i] = points[3 - t].pairs[2].1 + points[3 - t].type as f64 + (points[..]).pairs[..].0
        guarded(b, p[0], |b, i| {
            let other = |b: Body<'_, '_>| {
                let (three, t) = (b.u64(3), b.get(t));
                let index = b.binary(BinaryOp::Sub, three, t);
                b.index(b.shared_place(shared), index)
            };
            let mut sum = b.f64(0.0);
            for k in 0..3 {
                let k = b.u64(k);
                let place = other(b);
                let place = b.field(place, 0);
                let place = b.index(place, k);
                let loaded = b.load(place);
                let value = b.field_of(loaded, 1);
                sum = b.binary(BinaryOp::Add, sum, value);
            }
            let place = other(b);
            let place = b.field(place, 1);
            let number = b.load(place);
            let number = b.cast(number, Scalar::F64);
            let sum = b.binary(BinaryOp::Mul, sum, number);
            let place = other(b);
            let place = b.field(place, 2);
            let (flag, zero) = (b.load(place), b.f64(0.0));
            let sum = b.select(flag, sum, zero);
            set_element(b, p[0], i, sum);
        });
    });
    program
}

/// Slices of slices, of local arrays and of shared memory, in locals and functions.
pub(super) fn slices() -> Program {
    let mut program = Program::default();
    let u32 = program.types.scalar(Scalar::U32);
    let (input, out) = (
        slice(&mut program, Scalar::U32, false),
        slice(&mut program, Scalar::U32, true),
    );
    let array = program.types.array(u32, 8);
    let sum = program.build_function("sum", &[("values", input)], u32, |b, p| {
        let zero = b.u32(0);
        let total = b.let_("total", zero);
        let (start, end) = (b.u64(0), b.length(b.local_place(p[0])));
        b.for_range("k", start, end, |b, k| {
            let (old, value) = (b.get(total), element(b, p[0], k));
            let next = b.binary(BinaryOp::Add, old, value);
            b.set(total, next);
        });
        let total = b.get(total);
        b.return_(Some(total));
    });
    program.build_kernel("slices", &[8], &[("input", input), ("out", out)], |b, p| {
        guarded(b, p[1], |b, i| {
            let seven = b.u32(7);
            let filled = b.repeat(seven, 8);
            let own = b.let_("own", filled);
            b.types().array(u32, 8);
            let (i_value, eight) = (b.get(i), b.u64(8));
            let slot = b.binary(BinaryOp::Rem, i_value, eight);
            let value = element(b, p[0], i);
            let place = b.index(b.local_place(own), slot);
            b.store(place, value);
            let (start, end) = (b.u64(0), b.get(i));
            let part = b.subslice(b.local_place(p[0]), start, end, false);
            let before = b.call(sum, vec![part]);
            let (start, end) = (b.u64(2), b.u64(7));
            let part = b.subslice(b.local_place(own), start, end, false);
            let inside = b.call(sum, vec![part]);
            let (start, i_value, one) = (b.u64(0), b.get(i), b.u64(1));
            let end = b.binary(BinaryOp::Add, i_value, one);
            let row = b.subslice(b.local_place(p[1]), start, end, true);
            let row = b.let_("row", row);
            let (before, inside) = (b.get(before), b.get(inside));
            let total = b.binary(BinaryOp::Add, before, inside);
            set_element(b, row, i, total);
        });
        let _ = array;
    });
    program
}
