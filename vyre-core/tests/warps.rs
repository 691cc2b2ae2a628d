//! Warp-level operations as PTX: every operation on every type, in full and in partial warps, for
//! every architecture.

use vyre_core::ir::{BinaryOp, Builtin, Constant, Handle, Intrinsic, Program, Scalar, Shuffle};
use vyre_core::module::Module;
use vyre_core::text::{parse, print};
use vyre_core::validate::validate;
use vyre_core::{CompileOptions, compile, compile_for_all};
use vyre_test_support::case::{Case, VERIFIED};
use vyre_test_support::ptxas;
use vyre_test_support::random_program::{Input, Random};

/// A kernel with every warp operation of a type on a constant and on an element, among tiles of
/// `tile` lanes.
fn exchanges(scalar: Scalar, tile: u32, block: u32, nested: bool) -> Program {
    let mut program = Program::default();
    let element = program.types.scalar(scalar);
    let out = program.types.slice(element, true);
    program.build_kernel("exchanges", &[block], &[("out", out)], |b, parameters| {
        let [out] = parameters else { return };
        let statements = |b: &mut vyre_core::ir::builder::BodyBuilder<'_>| {
            for &from in Shuffle::ALL {
                for amount in [None, Some(3)] {
                    let i = b.builtin(Builtin::LinearIndex);
                    let place = b.index(b.local_place(*out), i);
                    let value = b.load(place);
                    let amount = match amount {
                        Some(amount) => b.u32(amount),
                        None => b.builtin(Builtin::LaneIndex),
                    };
                    let given = b.shuffle(tile, from, value, amount);
                    let i = b.builtin(Builtin::LinearIndex);
                    let (place, given) = (b.index(b.local_place(*out), i), b.get(given));
                    b.store(place, given);
                }
            }
            b.intrinsic(Intrinsic::WarpBarrier { tile }, &[]);
            let constant = b.constant(Constant::new(scalar, 1));
            let i = b.builtin(Builtin::LinearIndex);
            let place = b.index(b.local_place(*out), i);
            let element = b.load(place);
            for value in [constant, element] {
                let votes = if scalar.is_float() {
                    b.bool(true)
                } else {
                    let lanes = b.intrinsic_value(Intrinsic::MatchAny { tile }, &[value]);
                    let (lanes, three) = (b.get(lanes), b.u32(3));
                    b.binary(BinaryOp::Ne, lanes, three)
                };
                let count = b.intrinsic_value(Intrinsic::BarrierCount, &[votes]);
                let (count, three) = (b.get(count), b.u32(3));
                let holds = b.binary(BinaryOp::Lt, count, three);
                b.if_(holds, |b| b.return_(None), |_| {});
            }
            for op in Intrinsic::REDUCTIONS {
                if !op.accepts(scalar) {
                    continue;
                }
                let i = b.builtin(Builtin::LinearIndex);
                let place = b.index(b.local_place(*out), i);
                let value = b.load(place);
                let result = b.warp_reduce(tile, op, value);
                let result = b.get(result);
                let own = b.builtin(Builtin::LaneIndex);
                let one = b.constant(Constant::new(scalar, 1));
                // So that the next one finds other values.
                let zero = b.u32(0);
                let first = b.binary(BinaryOp::Eq, own, zero);
                let result = b.select(first, one, result);
                let i = b.builtin(Builtin::LinearIndex);
                let place = b.index(b.local_place(*out), i);
                b.store(place, result);
            }
            if scalar == Scalar::Bool {
                return;
            }
            for (op, kind) in [BinaryOp::Add, BinaryOp::Min]
                .into_iter()
                .flat_map(|op| [(op, 0), (op, 1), (op, 2)])
            {
                let one = b.constant(Constant::new(scalar, 1));
                let result = match kind {
                    0 => b.warp_reduce(tile, op, one),
                    1 => b.warp_scan(tile, op, one, None),
                    _ => b.warp_scan(tile, op, one, Some(Constant::new(scalar, 0))),
                };
                let i = b.builtin(Builtin::LinearIndex);
                let (place, result) = (b.index(b.local_place(*out), i), b.get(result));
                b.store(place, result);
            }
        };
        if nested {
            let i = b.builtin(Builtin::LinearIndex);
            let length = b.length(b.local_place(*out));
            let inside = b.binary(BinaryOp::Lt, i, length);
            b.if_(inside, statements, |_| {});
        } else {
            statements(b);
        }
    });
    program
}

fn ptx(program: &Program) -> String {
    module(program, 0).ptx
}

/// The code for devices that have a `.target`.
fn module(program: &Program, target: u32) -> Module {
    let valid = validate(program).unwrap_or_else(|errors| panic!("{errors:?}\n{}", print(program)));
    let options = CompileOptions {
        target,
        // One entry each, whose instructions are counted.
        checked_only: true,
        ..VERIFIED
    };
    compile(&valid, &options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_assembler_takes_every_exchange() {
    let (mut modules, mut newer) = (Vec::new(), Vec::new());
    for scalar in Scalar::ALL {
        for (tile, block, nested) in [
            (32, 64, false),
            (32, 40, false),
            (32, 64, true),
            (8, 64, false),
            (16, 40, false),
            (2, 64, true),
        ] {
            if tile < 32 && !matches!(scalar, Scalar::Bool | Scalar::U32 | Scalar::F64) {
                continue;
            }
            let program = exchanges(scalar, tile, block, nested);
            let text = print(&program);
            assert_eq!(print(&parse(&text).expect("what was printed")), text);
            let name = format!("{} {tile} {block} {nested}", scalar.name());
            newer.push((name.clone(), module(&program, 80).ptx));
            modules.push((name, ptx(&program)));
        }
    }
    let Some(ptxas) = ptxas::find() else {
        eprintln!("skipped: no ptxas");
        return;
    };
    let (_, later) = ptxas::TARGETS.split_first().expect("there are targets");
    for (modules, targets) in [(&modules, &ptxas::TARGETS[..]), (&newer, later)] {
        if let Err(error) = ptxas::assemble_all(ptxas, modules, targets) {
            panic!("{error}");
        }
    }
}

/// The interpreter and a machine that runs the PTX give the same.
#[test]
fn every_exchange_agrees() {
    for scalar in Scalar::ALL {
        let cases = [(64, false, 64), (40, false, 40), (64, true, 64), (64, true, 45)];
        for (tile, (block, nested, length)) in [32, 16, 8, 4, 2]
            .into_iter()
            .flat_map(|tile| cases.map(|case| (tile, case)))
        {
            let mut random = Random::new(u64::from(block) + length);
            let bytes = (0..length * u64::from(scalar.size())).map(|_| match scalar {
                Scalar::Bool => random.below(2) as u8,
                // Few values, so that some lanes have the same.
                _ => random.below(3) as u8 * 85,
            });
            let case = Case {
                program: exchanges(scalar, tile, block, nested),
                kernel: Handle::new(0),
                grid: [1; 3],
                inputs: vec![Input::Slice(bytes.collect())],
            };
            let name = format!("{} {tile} {block} {nested} {length}", scalar.name());
            let expected = case.interpret(0).unwrap_or_else(|error| panic!("{name}: {error}"));
            for target in [0, 80] {
                let module = module(&case.program, target);
                let found = case.on_machine(&module, 0);
                let found = found.unwrap_or_else(|error| panic!("{name} {target}: {error}\n{}", module.ptx));
                if let Some(difference) = case.difference(&expected, &found, true) {
                    panic!("{name} {target}: {difference}\n{}", module.ptx);
                }
            }
        }
    }
}

/// Full warps need no votes, and a sum is five shuffles; others determine the active lanes.
#[test]
fn whole_warps_pay_for_nothing_else() {
    let sum = |block, bound: bool| {
        let mut program = Program::default();
        let element = program.types.scalar(Scalar::F32);
        let out = program.types.slice(element, true);
        program.build_kernel("sum", &[block], &[("out", out)], |b, parameters| {
            let [out] = parameters else { return };
            let i = b.builtin(Builtin::LinearIndex);
            if bound {
                let length = b.length(b.local_place(*out));
                let outside = b.binary(BinaryOp::Ge, i, length);
                b.if_(outside, |b| b.return_(None), |_| {});
            }
            let i = b.builtin(Builtin::LinearIndex);
            let place = b.index(b.local_place(*out), i);
            let value = b.load(place);
            let sum = b.warp_reduce(32, BinaryOp::Add, value);
            let i = b.builtin(Builtin::LinearIndex);
            let (place, sum) = (b.index(b.local_place(*out), i), b.get(sum));
            b.store(place, sum);
        });
        assert_eq!(program.kernels[Handle::new(0)].block[0], block);
        ptx(&program)
    };
    let whole = sum(64, false);
    assert_eq!(whole.matches("shfl.sync.bfly").count(), 5, "{whole}");
    assert!(!whole.contains("vote.sync"), "{whole}");
    for other in [sum(40, false), sum(64, true)] {
        assert!(other.contains("vote.sync.ballot"), "{other}");
    }
}

/// A kernel with a reduction of elements.
fn reduction(scalar: Scalar, op: BinaryOp, tile: u32) -> Program {
    let mut program = Program::default();
    let element = program.types.scalar(scalar);
    let out = program.types.slice(element, true);
    program.build_kernel("reduction", &[64], &[("out", out)], |b, parameters| {
        let [out] = parameters else { return };
        let i = b.builtin(Builtin::LinearIndex);
        let place = b.index(b.local_place(*out), i);
        let value = b.load(place);
        let result = b.warp_reduce(tile, op, value);
        let i = b.builtin(Builtin::LinearIndex);
        let (place, result) = (b.index(b.local_place(*out), i), b.get(result));
        b.store(place, result);
    });
    program
}

/// A reduction is one instruction where every device has it and the order makes no difference.
#[test]
fn reductions_by_one_instruction() {
    let reduction = |scalar, op, tile, target| module(&reduction(scalar, op, tile), target);
    for (scalar, op, name) in [
        (Scalar::U32, BinaryOp::Add, "redux.sync.add.u32"),
        (Scalar::I32, BinaryOp::Add, "redux.sync.add.s32"),
        (Scalar::U32, BinaryOp::Min, "redux.sync.min.u32"),
        (Scalar::I32, BinaryOp::Max, "redux.sync.max.s32"),
        (Scalar::I32, BinaryOp::And, "redux.sync.and.b32"),
        (Scalar::U32, BinaryOp::Xor, "redux.sync.xor.b32"),
    ] {
        let newer = reduction(scalar, op, 32, 80);
        assert_eq!(newer.ptx.matches(name).count(), 1, "{}", newer.ptx);
        assert_eq!((newer.version, newer.target), ((7, 0), 80));
        assert!(!newer.ptx.contains("shfl"), "{}", newer.ptx);
        let older = reduction(scalar, op, 32, 75);
        assert_eq!(older.ptx.matches("shfl.sync.bfly").count(), 5, "{}", older.ptx);
        assert_eq!(older.target, 70);
    }
    for (scalar, op, tile) in [
        (Scalar::F32, BinaryOp::Add, 32),
        (Scalar::U32, BinaryOp::Mul, 32),
        (Scalar::U64, BinaryOp::Add, 32),
        (Scalar::U8, BinaryOp::Max, 32),
        (Scalar::U32, BinaryOp::Add, 16),
    ] {
        let newer = reduction(scalar, op, tile, 90);
        assert!(
            newer.ptx.contains("shfl.sync.bfly") && newer.target == 70,
            "{}",
            newer.ptx
        );
    }
}

/// Newer devices have PTX of their own where that is better, and only there.
#[test]
fn newer_devices_have_their_own_code() {
    let compiled = |program: &Program| {
        let valid = validate(program).unwrap_or_else(|errors| panic!("{errors:?}"));
        compile_for_all(&valid, &VERIFIED).unwrap_or_else(|error| panic!("{error}"))
    };
    let module = compiled(&reduction(Scalar::U32, BinaryOp::Add, 32));
    assert!(module.target == 70 && !module.ptx.contains("redux"), "{}", module.ptx);
    let newer = module.newer.as_ref().expect("it has an instruction");
    assert!(newer.target == 80 && newer.ptx.contains("redux"), "{}", newer.ptx);
    assert_eq!([70, 75].map(|target| module.ptx_for(target)), [module.ptx.as_str(); 2]);
    assert_eq!([80, 90].map(|target| module.ptx_for(target)), [newer.ptx.as_str(); 2]);
    let floats = compiled(&reduction(Scalar::F32, BinaryOp::Add, 32));
    assert_eq!(floats.newer, None);
    // The kernel needs a newer device for another operation, so there is one text.
    let mut program = reduction(Scalar::I32, BinaryOp::Max, 32);
    let kernel = Handle::new(0);
    program.kernels[kernel].cluster = Some([2, 1, 1]);
    let module = compiled(&program);
    assert!(
        module.newer.is_none() && module.target == 90 && module.ptx.contains("redux"),
        "{}",
        module.ptx
    );
}

/// The clock is read twice, in order, on every architecture.
#[test]
fn the_clock_is_read_where_it_stands() {
    let mut program = Program::default();
    let element = program.types.scalar(Scalar::U64);
    let out = program.types.slice(element, true);
    program.build_kernel("clock", &[32], &[("out", out)], |b, parameters| {
        let [out] = parameters else { return };
        let [start, end] = [(); 2].map(|()| b.intrinsic_value(Intrinsic::Clock, &[]));
        let (start, end) = (b.get(start), b.get(end));
        let took = b.binary(BinaryOp::Sub, end, start);
        let i = b.builtin(Builtin::LinearIndex);
        let place = b.index(b.local_place(*out), i);
        b.store(place, took);
    });
    let ptx = ptx(&program);
    assert_eq!(ptx.matches("%clock64").count(), 2, "{ptx}");
    if let Some(ptxas) = ptxas::find()
        && let Err(error) = ptxas::assemble_all(ptxas, &[("clock".to_owned(), ptx)], &ptxas::TARGETS)
    {
        panic!("{error}");
    }
}
