//! The programs.

use vyre_core::ir::builder::BodyBuilder;
use vyre_core::ir::{
    AtomicOp, Axis, BinaryOp, Builtin, Constant, ConstantTable, Entry, ExprId, External, Field, Handle, Local,
    MemoryOrder, MemoryScope, Program, Scalar, SharedVariable, Span, StmtKind, Type, TypeId, UnaryOp,
};

/// Every program, each with one kernel.
pub fn all() -> Vec<Program> {
    let mut programs = vec![
        saxpy(),
        early(),
        control(),
        places(),
        transpose(),
        reduce(),
        histogram(),
        functions(),
        aggregates(),
        slices(),
        faults(),
        chain(),
        fused(),
        fused_in_step(),
        externals(),
        deferred(),
        two_entries(),
    ];
    programs.extend(Scalar::ALL.map(operations));
    programs.extend(Scalar::ALL.map(casts));
    programs
}

type Body<'b, 'p> = &'b mut BodyBuilder<'p>;

fn slice(program: &mut Program, scalar: Scalar, mutable: bool) -> TypeId {
    let element = program.types.scalar(scalar);
    program.types.slice(element, mutable)
}

fn global(b: Body<'_, '_>, axis: Axis) -> ExprId {
    b.builtin(Builtin::GlobalIndex(axis))
}

fn element(b: Body<'_, '_>, slice: Handle<Local>, index: Handle<Local>) -> ExprId {
    let index = b.get(index);
    let place = b.index(b.local_place(slice), index);
    b.load(place)
}

fn set_element(b: Body<'_, '_>, slice: Handle<Local>, index: Handle<Local>, value: ExprId) {
    let index = b.get(index);
    let place = b.index(b.local_place(slice), index);
    b.store(place, value);
}

/// `if i < slice.len() { build }`, with `i` the thread's place along x.
fn guarded(b: Body<'_, '_>, slice: Handle<Local>, build: impl FnOnce(Body<'_, '_>, Handle<Local>)) {
    let i = global(b, Axis::X);
    let i = b.let_("i", i);
    let (index, length) = (b.get(i), b.length(b.local_place(slice)));
    let inside = b.binary(BinaryOp::Lt, index, length);
    b.if_(inside, |b| build(b, i), |_| {});
}

fn saxpy() -> Program {
    let mut program = Program::default();
    let f32 = program.types.scalar(Scalar::F32);
    let (x, y) = (
        slice(&mut program, Scalar::F32, false),
        slice(&mut program, Scalar::F32, true),
    );
    program.build_kernel("saxpy", &[256], &[("a", f32), ("x", x), ("y", y)], |b, p| {
        guarded(b, p[2], |b, i| {
            let (a, x) = (b.get(p[0]), element(b, p[1], i));
            let product = b.binary(BinaryOp::Mul, a, x);
            let y = element(b, p[2], i);
            let sum = b.binary(BinaryOp::Add, product, y);
            set_element(b, p[2], i, sum);
        });
    });
    program
}

/// Leaves early, by a bound that is a parameter.
fn early() -> Program {
    let mut program = Program::default();
    let u32 = program.types.scalar(Scalar::U32);
    let out = slice(&mut program, Scalar::U32, true);
    program.build_kernel("early", &[64], &[("n", u32), ("out", out)], |b, p| {
        let i = b.builtin(Builtin::LinearIndex);
        let i = b.let_("i", i);
        let n = b.get(p[0]);
        let (index, n) = (b.get(i), b.cast(n, Scalar::U64));
        let outside = b.binary(BinaryOp::Ge, index, n);
        b.if_(outside, |b| b.return_(None), |_| {});
        let index = b.get(i);
        let value = b.cast(index, Scalar::U32);
        set_element(b, p[1], i, value);
    });
    program
}

/// Nested loops that break and continue, also the outer one.
fn control() -> Program {
    let mut program = Program::default();
    let out = slice(&mut program, Scalar::U64, true);
    program.build_kernel("control", &[32], &[("out", out)], |b, p| {
        guarded(b, p[0], |b, i| {
            let zero = b.u64(0);
            let sum = b.let_("sum", zero);
            let (zero, bound) = (b.u64(0), b.u64(20));
            b.for_range("j", zero, bound, |b, j| {
                let (start, end) = (b.get(j), b.u64(30));
                b.for_range("k", start, end, |b, k| {
                    let (j_value, k_value, i_value) = (b.get(j), b.get(k), b.get(i));
                    let product = b.binary(BinaryOp::Mul, j_value, k_value);
                    let mixed = b.binary(BinaryOp::Xor, product, i_value);
                    let seven = b.u64(7);
                    let rest = b.binary(BinaryOp::Rem, mixed, seven);
                    let rest = b.let_("rest", rest);
                    let skip = |b: Body<'_, '_>, value: u64, kind: StmtKind| {
                        let (rest, value) = (b.get(rest), b.u64(value));
                        let same = b.binary(BinaryOp::Eq, rest, value);
                        b.if_(same, |b| b.push(kind), |_| {});
                    };
                    skip(b, 1, StmtKind::Continue(0));
                    skip(b, 2, StmtKind::Continue(1));
                    skip(b, 5, StmtKind::Break(0));
                    let (sum_value, mixed) = (b.get(sum), b.get(k));
                    let next = b.binary(BinaryOp::Add, sum_value, mixed);
                    b.set(sum, next);
                    let (sum_value, limit) = (b.get(sum), b.u64(900));
                    let over = b.binary(BinaryOp::Gt, sum_value, limit);
                    b.if_(over, |b| b.push(StmtKind::Break(1)), |_| {});
                });
            });
            let sum = b.get(sum);
            set_element(b, p[0], i, sum);
        });
    });
    program
}

/// Every value of the hardware, in three dimensions.
fn places() -> Program {
    let mut program = Program::default();
    let out = slice(&mut program, Scalar::U64, true);
    program.build_kernel("places", &[4, 3, 2], &[("out", out)], |b, p| {
        let mut hash = b.u64(0);
        let of = [
            Builtin::ThreadIndex,
            Builtin::BlockIndex,
            Builtin::BlockSize,
            Builtin::GridSize,
        ];
        let of = of.iter().flat_map(|of| [Axis::X, Axis::Y, Axis::Z].map(of));
        for builtin in of.chain([Axis::X, Axis::Y, Axis::Z].map(Builtin::GlobalIndex)) {
            let value = b.builtin(builtin);
            let (value, factor) = (b.cast(value, Scalar::U64), b.u64(31));
            let scaled = b.binary(BinaryOp::Mul, hash, factor);
            hash = b.binary(BinaryOp::Add, scaled, value);
        }
        let i = b.builtin(Builtin::LinearIndex);
        let i = b.let_("i", i);
        set_element(b, p[0], i, hash);
    });
    program
}

/// Two dimensions, with a padded tile in shared memory.
fn transpose() -> Program {
    let mut program = Program::default();
    let (u64, f32) = (program.types.scalar(Scalar::U64), program.types.scalar(Scalar::F32));
    let (from, to) = (
        slice(&mut program, Scalar::F32, false),
        slice(&mut program, Scalar::F32, true),
    );
    let row = program.types.array(f32, 9);
    let tile = program.types.array(row, 8);
    let tile = program.shared.push(SharedVariable {
        name: "tile".into(),
        ty: tile,
        span: Span::NONE,
    });
    let parameters = [("width", u64), ("height", u64), ("from", from), ("to", to)];
    program.build_kernel("transpose", &[8, 8], &parameters, |b, p| {
        let axes = [Axis::X, Axis::Y];
        let [x, y] = axes.map(|axis| global(b, axis));
        let (x, y) = (b.let_("x", x), b.let_("y", y));
        let own = |b: Body<'_, '_>, axis| {
            let place = b.builtin(Builtin::ThreadIndex(axis));
            b.cast(place, Scalar::U64)
        };
        let flat = |b: Body<'_, '_>, x: Handle<Local>, y: Handle<Local>, width: Handle<Local>| {
            let (x, y, width) = (b.get(x), b.get(y), b.get(width));
            let start = b.binary(BinaryOp::Mul, y, width);
            b.binary(BinaryOp::Add, start, x)
        };
        let (inside_x, inside_y) = (b.get(x), b.get(y));
        let (width, height) = (b.get(p[0]), b.get(p[1]));
        let inside_x = b.binary(BinaryOp::Lt, inside_x, width);
        let inside_y = b.binary(BinaryOp::Lt, inside_y, height);
        let inside = b.and(inside_x, inside_y);
        b.if_(
            inside,
            |b| {
                let index = flat(b, x, y, p[0]);
                let place = b.index(b.local_place(p[2]), index);
                let value = b.load(place);
                let (row, column) = (own(b, Axis::Y), own(b, Axis::X));
                let place = b.index(b.shared_place(tile), row);
                let place = b.index(place, column);
                b.store(place, value);
            },
            |_| {},
        );
        b.barrier();
        let block = |b: Body<'_, '_>, across: Axis, along: Axis| {
            let start = b.builtin(Builtin::BlockIndex(across));
            let (start, eight) = (b.cast(start, Scalar::U64), b.u64(8));
            let start = b.binary(BinaryOp::Mul, start, eight);
            let place = own(b, along);
            b.binary(BinaryOp::Add, start, place)
        };
        let (new_x, new_y) = (block(b, Axis::Y, Axis::X), block(b, Axis::X, Axis::Y));
        b.set(x, new_x);
        b.set(y, new_y);
        let (inside_x, inside_y) = (b.get(x), b.get(y));
        let (width, height) = (b.get(p[0]), b.get(p[1]));
        let inside_x = b.binary(BinaryOp::Lt, inside_x, height);
        let inside_y = b.binary(BinaryOp::Lt, inside_y, width);
        let inside = b.and(inside_x, inside_y);
        b.if_(
            inside,
            |b| {
                let (row, column) = (own(b, Axis::X), own(b, Axis::Y));
                let place = b.index(b.shared_place(tile), row);
                let place = b.index(place, column);
                let value = b.load(place);
                let index = flat(b, x, y, p[1]);
                let place = b.index(b.local_place(p[3]), index);
                b.store(place, value);
            },
            |_| {},
        );
    });
    program
}

/// A tree in shared memory, with barriers in a loop, and an atomic sum of the blocks.
fn reduce() -> Program {
    let mut program = Program::default();
    let input = slice(&mut program, Scalar::I32, false);
    let cell = program.types.intern(Type::Atomic(Scalar::I32));
    let total = program.types.slice(cell, false);
    let i32 = program.types.scalar(Scalar::I32);
    let tree = program.types.array(i32, 128);
    let tree = program.shared.push(SharedVariable {
        name: "tree".into(),
        ty: tree,
        span: Span::NONE,
    });
    program.build_kernel("reduce", &[128], &[("input", input), ("total", total)], |b, p| {
        let t = b.builtin(Builtin::ThreadIndex(Axis::X));
        let t = b.cast(t, Scalar::U64);
        let t = b.let_("t", t);
        let i = global(b, Axis::X);
        let i = b.let_("i", i);
        let (index, length) = (b.get(i), b.length(b.local_place(p[0])));
        let inside = b.binary(BinaryOp::Lt, index, length);
        let (value, zero) = (element(b, p[0], i), b.i32(0));
        let value = b.select(inside, value, zero);
        let at = b.get(t);
        let place = b.index(b.shared_place(tree), at);
        b.store(place, value);
        let half = b.u64(64);
        let half = b.let_("half", half);
        b.loop_(
            |b| {
                b.barrier();
                let (left, zero) = (b.get(half), b.u64(0));
                let more = b.binary(BinaryOp::Gt, left, zero);
                b.break_unless(more, 0);
                let (t_value, half_value) = (b.get(t), b.get(half));
                let works = b.binary(BinaryOp::Lt, t_value, half_value);
                b.if_(
                    works,
                    |b| {
                        let (low, half) = (b.get(t), b.get(half));
                        let high = b.binary(BinaryOp::Add, low, half);
                        let (low, low_again) = (b.get(t), b.get(t));
                        let (low, high) = (b.index(b.shared_place(tree), low), b.index(b.shared_place(tree), high));
                        let (low, high) = (b.load(low), b.load(high));
                        let sum = b.binary(BinaryOp::Add, low, high);
                        let place = b.index(b.shared_place(tree), low_again);
                        b.store(place, sum);
                    },
                    |_| {},
                );
            },
            |b| {
                let (old, one) = (b.get(half), b.u32(1));
                let next = b.binary(BinaryOp::Shr, old, one);
                b.set(half, next);
            },
        );
        let (t, zero) = (b.get(t), b.u64(0));
        let first = b.binary(BinaryOp::Eq, t, zero);
        b.if_(
            first,
            |b| {
                let (from, to) = (b.u64(0), b.u64(0));
                let sum = b.index(b.shared_place(tree), from);
                let sum = b.load(sum);
                let place = b.index(b.local_place(p[1]), to);
                b.atomic(AtomicOp::Add, place, vec![sum]);
            },
            |_| {},
        );
    });
    program
}

/// Counts in atomic cells of shared memory, then in those of global memory.
fn histogram() -> Program {
    let mut program = Program::default();
    let input = slice(&mut program, Scalar::U8, false);
    let cell = program.types.intern(Type::Atomic(Scalar::U32));
    let counts = program.types.slice(cell, false);
    let local = program.types.array(cell, 16);
    let local = program.shared.push(SharedVariable {
        name: "local".into(),
        ty: local,
        span: Span::NONE,
    });
    program.build_kernel("histogram", &[16], &[("input", input), ("counts", counts)], |b, p| {
        let own = |b: Body<'_, '_>| {
            let t = b.builtin(Builtin::ThreadIndex(Axis::X));
            b.cast(t, Scalar::U64)
        };
        let (t, zero) = (own(b), b.u32(0));
        let place = b.index(b.shared_place(local), t);
        b.atomic(AtomicOp::Store, place, vec![zero]);
        b.barrier();
        guarded(b, p[0], |b, i| {
            let byte = element(b, p[0], i);
            let (byte, mask) = (b.cast(byte, Scalar::U64), b.u64(15));
            let bin = b.binary(BinaryOp::And, byte, mask);
            let one = b.u32(1);
            let place = b.index(b.shared_place(local), bin);
            b.atomic(AtomicOp::Add, place, vec![one]);
        });
        b.barrier();
        let (from, to) = (own(b), own(b));
        let place = b.index(b.shared_place(local), from);
        let count = b.atomic(AtomicOp::Load, place, vec![]);
        let count = b.get(count);
        let place = b.index(b.local_place(p[1]), to);
        b.atomic(AtomicOp::Add, place, vec![count]);
    });
    program
}

/// Functions with results, with references to locals, and with a barrier.
fn functions() -> Program {
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
fn aggregates() -> Program {
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
fn slices() -> Program {
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

/// Thread `which` of the launch does what `kind` says.
fn faults() -> Program {
    let mut program = Program::default();
    let i32 = program.types.scalar(Scalar::I32);
    let (u32, unit) = (program.types.scalar(Scalar::U32), program.types.unit());
    let out = slice(&mut program, Scalar::I32, true);
    let fail = program.build_function("fail", &[("kind", u32)], unit, |b, p| {
        let (kind, limit) = (b.get(p[0]), b.u32(5));
        let fine = b.binary(BinaryOp::Ne, kind, limit);
        b.assert(fine, "kind is not five");
    });
    let parameters = [("which", u32), ("kind", u32), ("zero", i32), ("out", out)];
    program.build_kernel("faults", &[32], &parameters, |b, p| {
        let i = global(b, Axis::X);
        let i = b.let_("i", i);
        let number = b.get(i);
        let (number, which) = (b.cast(number, Scalar::U32), b.get(p[0]));
        let chosen = b.binary(BinaryOp::Eq, number, which);
        b.if_(
            chosen,
            |b| {
                let when = |b: Body<'_, '_>, value: u32, build: &mut dyn FnMut(Body<'_, '_>)| {
                    let (kind, value) = (b.get(p[1]), b.u32(value));
                    let same = b.binary(BinaryOp::Eq, kind, value);
                    b.if_(same, |b| build(b), |_| {});
                };
                when(b, 1, &mut |b| {
                    let (one, index) = (b.i32(1), b.u64(1000));
                    let place = b.index(b.local_place(p[3]), index);
                    b.store(place, one);
                });
                when(b, 2, &mut |b| {
                    let (one, zero) = (b.i32(1), b.get(p[2]));
                    let quotient = b.binary(BinaryOp::Div, one, zero);
                    b.let_("quotient", quotient);
                });
                when(b, 3, &mut |b| {
                    let (least, zero, one) = (b.i32(i32::MIN), b.get(p[2]), b.i32(1));
                    let minus = b.binary(BinaryOp::Sub, zero, one);
                    let rest = b.binary(BinaryOp::Rem, least, minus);
                    b.let_("rest", rest);
                });
                when(b, 4, &mut |b| {
                    let (start, end) = (b.u64(3), b.u64(2));
                    let part = b.subslice(b.local_place(p[3]), start, end, true);
                    b.let_("part", part);
                });
                let kind = b.get(p[1]);
                b.call(fail, vec![kind]);
            },
            |_| {},
        );
        let one = b.i32(1);
        set_element(b, p[3], i, one);
    });
    program
}

/// Each thread waits for the one before it, through an atomic.
fn chain() -> Program {
    let mut program = Program::default();
    let u32 = program.types.scalar(Scalar::U32);
    let cell = program.types.intern(Type::Atomic(Scalar::U32));
    let flags = program.types.slice(cell, false);
    program.build_kernel("chain", &[16], &[("broken", u32), ("flags", flags)], |b, p| {
        let i = global(b, Axis::X);
        let i = b.let_("i", i);
        let number = b.get(i);
        let (number, broken) = (b.cast(number, Scalar::U32), b.get(p[0]));
        let fine = b.binary(BinaryOp::Ne, number, broken);
        b.assert(fine, "not the broken one");
        let seen = b.local("seen", u32);
        let (index, zero) = (b.get(i), b.u64(0));
        let waits = b.binary(BinaryOp::Gt, index, zero);
        b.if_(
            waits,
            |b| {
                b.loop_(
                    |b| {
                        let (index, one) = (b.get(i), b.u64(1));
                        let before = b.binary(BinaryOp::Sub, index, one);
                        let path = b.index(b.local_place(p[1]), before);
                        let place = b.place(path);
                        b.push(StmtKind::Atomic {
                            op: AtomicOp::Load,
                            place,
                            operands: vec![],
                            order: MemoryOrder::Acquire,
                            scope: MemoryScope::Device,
                            result: Some(seen),
                        });
                        let (value, zero) = (b.get(seen), b.u32(0));
                        let still = b.binary(BinaryOp::Eq, value, zero);
                        b.break_unless(still, 0);
                    },
                    |_| {},
                );
            },
            |_| {},
        );
        let (index, seen, one) = (b.get(i), b.get(seen), b.u32(1));
        let next = b.binary(BinaryOp::Add, seen, one);
        let path = b.index(b.local_place(p[1]), index);
        let place = b.place(path);
        b.push(StmtKind::Atomic {
            op: AtomicOp::Exchange,
            place,
            operands: vec![next],
            order: MemoryOrder::AcqRel,
            scope: MemoryScope::Device,
            result: None,
        });
    });
    program
}

fn fused() -> Program {
    let mut program = Program::default();
    let (x, y) = (
        slice(&mut program, Scalar::F32, false),
        slice(&mut program, Scalar::F64, true),
    );
    program.build_kernel("fused", &[64], &[("x", x), ("y", y)], |b, p| {
        guarded(b, p[1], |b, i| {
            let (a, c, d) = (element(b, p[0], i), element(b, p[0], i), b.f32(-0.1));
            let single = b.mul_add(a, c, d);
            let single = b.cast(single, Scalar::F64);
            let (y, z) = (element(b, p[1], i), b.f64(1e-9));
            let double = b.mul_add(single, y, z);
            set_element(b, p[1], i, double);
        });
    });
    program
}

/// A fused multiply-add in a kernel with a barrier, and in its function.
fn fused_in_step() -> Program {
    let mut program = Program::default();
    let f32 = program.types.scalar(Scalar::F32);
    let y = slice(&mut program, Scalar::F32, true);
    let array = program.types.array(f32, 32);
    let shared = program.shared.push(SharedVariable {
        name: "values".into(),
        ty: array,
        span: Span::NONE,
    });
    let mix = program.build_function("mix", &[("a", f32), ("b", f32)], f32, |b, p| {
        let (first, second, third) = (b.get(p[0]), b.get(p[1]), b.get(p[0]));
        let value = b.mul_add(first, second, third);
        b.return_(Some(value));
    });
    program.build_kernel("fused_in_step", &[32], &[("y", y)], |b, p| {
        let t = b.builtin(Builtin::ThreadIndex(Axis::X));
        let t = b.cast(t, Scalar::U64);
        let t = b.let_("t", t);
        let value = element(b, p[0], t);
        let at = b.get(t);
        let place = b.index(b.shared_place(shared), at);
        b.store(place, value);
        b.barrier();
        let (last, at) = (b.u64(31), b.get(t));
        let other = b.binary(BinaryOp::Sub, last, at);
        let place = b.index(b.shared_place(shared), other);
        let (other, own) = (b.load(place), element(b, p[0], t));
        let mixed = b.call(mix, vec![own, other]);
        let mixed = b.get(mixed);
        set_element(b, p[0], t, mixed);
    });
    program
}

/// Constants whose values rustc supplies.
fn externals() -> Program {
    let mut program = Program::default();
    let external = |name: &str, scalar| External {
        name: name.into(),
        scalar,
        value: None,
        span: Span::NONE,
    };
    let width = program.externals.push(external("WIDTH", Scalar::U64));
    let scale = program.externals.push(external("self::SCALE", Scalar::F32));
    let out = slice(&mut program, Scalar::F32, true);
    program.build_kernel("externals", &[32], &[("out", out)], |b, p| {
        guarded(b, p[0], |b, i| {
            let (i_value, width) = (b.get(i), b.external(width));
            let rest = b.binary(BinaryOp::Rem, i_value, width);
            let (rest, scale) = (b.cast(rest, Scalar::F32), b.external(scale));
            let value = b.binary(BinaryOp::Mul, rest, scale);
            set_element(b, p[0], i, value);
        });
    });
    program
}

/// Locals that are written in branches only, and carried from round to round.
fn deferred() -> Program {
    let mut program = Program::default();
    let u32 = program.types.scalar(Scalar::U32);
    let out = slice(&mut program, Scalar::U32, true);
    program.build_kernel("deferred", &[32], &[("out", out)], |b, p| {
        guarded(b, p[0], |b, i| {
            let value = b.local("value", u32);
            let carried = b.local("carried", u32);
            let (start, end) = (b.u32(0), b.u32(10));
            b.for_range("k", start, end, |b, k| {
                let (i_value, k_value) = (b.get(i), b.get(k));
                let k_value = b.cast(k_value, Scalar::U64);
                let same = b.binary(BinaryOp::Eq, i_value, k_value);
                b.if_(
                    same,
                    |b| {
                        let old = b.get(carried);
                        b.set(value, old);
                    },
                    |_| {},
                );
                let (old, k_value) = (b.get(carried), b.get(k));
                let next = b.binary(BinaryOp::Add, old, k_value);
                b.set(carried, next);
            });
            let value = b.get(value);
            set_element(b, p[0], i, value);
        });
    });
    program
}

/// Two entries, of which the first is for lengths that four divides and factors above two. Both
/// compute the same, as entries must.
fn two_entries() -> Program {
    let mut program = Program::default();
    let f32 = program.types.scalar(Scalar::F32);
    let x = slice(&mut program, Scalar::F32, true);
    let parameters = [("a", f32), ("x", x)];
    let statements = |b: Body<'_, '_>, p: &[Handle<Local>]| {
        guarded(b, p[1], |b, i| {
            let (a, x) = (b.get(p[0]), element(b, p[1], i));
            let product = b.binary(BinaryOp::Mul, a, x);
            set_element(b, p[1], i, product);
        });
    };
    let kernel = program.build_kernel("two_entries", &[64], &parameters, statements);
    let mut predicate = None;
    let body = program.build_body(&parameters, |b, p| {
        let (length, three, zero) = (b.length(b.local_place(p[1])), b.u64(3), b.u64(0));
        let rest = b.binary(BinaryOp::And, length, three);
        let divides = b.binary(BinaryOp::Eq, rest, zero);
        let (a, two) = (b.get(p[0]), b.f32(2.0));
        let above = b.binary(BinaryOp::Gt, a, two);
        predicate = Some(b.and(divides, above));
        statements(b, p);
    });
    let entry = Entry {
        symbol: "two_entries_fast".into(),
        predicate,
        coarsening: 1,
        body,
    };
    program.kernels[kernel].entries.insert(0, entry);
    program
}

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

/// Every operation of a type: the results of thread `i` lie at `i * operations`.
fn operations(scalar: Scalar) -> Program {
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

/// What a type casts to.
pub fn targets(scalar: Scalar) -> Vec<Scalar> {
    let allowed = |to: &Scalar| *to != Scalar::Bool && !(scalar == Scalar::Bool && to.is_float());
    Scalar::ALL.into_iter().filter(allowed).collect()
}

/// Casts to every type, widened to 64 bits of its kind.
fn casts(scalar: Scalar) -> Program {
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
