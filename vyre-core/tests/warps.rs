//! Warp-level operations as PTX: every operation on every type, in full and in partial warps, for
//! every architecture.

use vyre_core::compile;
use vyre_core::ir::{BinaryOp, Builtin, Constant, Handle, Intrinsic, Program, Scalar, Shuffle};
use vyre_core::text::{parse, print};
use vyre_core::validate::validate;
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
    let valid = validate(program).unwrap_or_else(|errors| panic!("{errors:?}\n{}", print(program)));
    let module = compile(&valid, &VERIFIED).unwrap_or_else(|error| panic!("{error}"));
    module.ptx
}

#[test]
fn the_assembler_takes_every_exchange() {
    let mut modules = Vec::new();
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
            modules.push((format!("{} {tile} {block} {nested}", scalar.name()), ptx(&program)));
        }
    }
    let Some(ptxas) = ptxas::find() else {
        eprintln!("skipped: no ptxas");
        return;
    };
    if let Err(error) = ptxas::assemble_all(ptxas, &modules, &ptxas::TARGETS) {
        panic!("{error}");
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
            let module = case.compile();
            let found = case.on_machine(&module, 0);
            let found = found.unwrap_or_else(|error| panic!("{name}: {error}\n{}", module.ptx));
            if let Some(difference) = case.difference(&expected, &found, true) {
                panic!("{name}: {difference}\n{}", module.ptx);
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
