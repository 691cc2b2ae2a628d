//! Random programs through everything that takes programs: nothing panics, texts come back equal,
//! and what is defined runs.

mod variants;

use vyre_core::compile;
use vyre_core::interp::{self, Argument};
use vyre_core::ir::limits::MAX_DEPTH;
use vyre_core::ir::{
    BinaryOp, Constant, Expr, ExprId, ExprKind, Handle, Intrinsic, PlaceBase, Program, Projection, Scalar, StmtKind,
};
use vyre_core::text::{parse, print};
use vyre_core::validate::validate;
use vyre_test_support::case::{VERIFIED, seeds};
use vyre_test_support::ptxas;
use vyre_test_support::random_program::{Input, Options, Random, RandomProgram, random_program};

const SEEDS: u64 = 200;

fn options(seed: u64) -> Options {
    Options {
        faults: seed & 1 != 0,
        spans: seed & 2 != 0,
        odd_names: seed & 2 != 0,
        prints: seed & 1 != 0,
        open_externals: seed & 4 != 0,
        launchable: seed & 8 != 0,
        cooperation: seed & 16 != 0,
        clusters: seed & 32 != 0,
        constants: seed & 64 != 0,
    }
}

/// Prints and parses; both directions must be exact.
fn round_trip(program: &Program, seed: u64) {
    let valid = validate(program).unwrap_or_else(|errors| {
        let messages: Vec<_> = errors.iter().map(|error| error.display(program).to_string()).collect();
        panic!("seed {seed}: {messages:#?}\n{}", print(program))
    });
    let text = print(program);
    let parsed = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    assert!(parsed == valid.canonical(), "seed {seed}: another program\n{text}");
    assert_eq!(print(&parsed), text, "seed {seed}");
    let again = validate(&parsed).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{text}"));
    assert!(again.canonical() == parsed, "seed {seed}: not canonical\n{text}");
}

#[test]
fn texts_come_back_equal() {
    for seed in 0..SEEDS {
        round_trip(&random_program(seed, options(seed)).program, seed);
    }
}

fn run(random: &RandomProgram, seed: u64) -> Result<Vec<Input>, interp::Error> {
    let valid = validate(&random.program).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}"));
    let mut inputs = random.inputs(&mut Random::new(seed));
    let mut arguments: Vec<_> = inputs.iter_mut().map(Input::argument).collect();
    interp::launch(&valid, random.kernel, &mut arguments, random.grid)?;
    Ok(inputs)
}

#[test]
fn programs_run_without_faults() {
    let mut written = 0;
    for seed in 0..SEEDS / 4 {
        let random = random_program(seed, Options::default());
        match run(&random, seed) {
            Ok(outputs) => written += u64::from(outputs != random.inputs(&mut Random::new(seed))),
            Err(error) => panic!("seed {seed}: {error}\n{}", print(&random.program)),
        }
    }
    assert!(
        written > SEEDS / 5,
        "{written} programs of {} wrote something else",
        SEEDS / 4
    );
}

#[test]
fn parsed_programs_do_the_same() {
    for seed in 0..SEEDS / 8 {
        let random = random_program(seed, Options::default());
        let parsed = RandomProgram {
            program: parse(&print(&random.program)).unwrap_or_else(|error| panic!("seed {seed}: {error}")),
            kernel: random.kernel,
            grid: random.grid,
        };
        assert_eq!(run(&random, seed), run(&parsed, seed), "seed {seed}");
    }
}

#[test]
fn programs_compile() {
    for seed in 0..SEEDS / 4 {
        let program = random_program(seed, options(seed)).program;
        let valid = validate(&program).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}"));
        if let Err(error) = compile(&valid, &VERIFIED) {
            panic!("seed {seed}: {error}\n{}", print(&program));
        }
    }
}

/// Random programs compile to valid PTX. One architecture, since each program takes ptxas a while.
#[test]
fn the_assembler_takes_their_ptx() {
    let Some(ptxas) = ptxas::find() else {
        eprintln!("skipped: no ptxas");
        return;
    };
    let modules: Vec<_> = seeds(0..SEEDS / 10)
        .map(|seed| {
            let with_values = Options {
                open_externals: false,
                ..options(seed)
            };
            let program = random_program(seed, with_values).program;
            let valid = validate(&program).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}"));
            let module = compile(&valid, &VERIFIED).unwrap_or_else(|error| panic!("{error}"));
            (format!("seed {seed}"), module.ptx)
        })
        .collect();
    if let Err(error) = ptxas::assemble_all(ptxas, &modules, &["sm_75"]) {
        panic!("{error}");
    }
}

/// Changes one thing of a program, mostly for the worse.
fn damage(program: &mut Program, random: &mut Random) {
    let count = program.functions.len() as u64 + 1;
    let chosen = random.below(count) as usize;
    let types = program.types.iter().len() as u64 + 1;
    let ty = Handle::new(random.below(types) as usize);
    let body = match program.functions.handles().nth(chosen) {
        Some(function) => &mut program.functions[function].body,
        None => {
            let kernel = &mut program.kernels[Handle::new(0)];
            let entry = random.below(kernel.entries.len() as u64) as usize;
            &mut kernel.entries[entry].body
        }
    };
    let any = |length: usize, random: &mut Random| random.below(length as u64 + 1) as usize;
    let expr: ExprId = Handle::new(random.below(body.exprs.len() as u64) as usize);
    let place = Handle::new(random.below(body.places.len() as u64) as usize);
    match random.below(20) {
        0 => body.exprs[expr].ty = ty,
        1 => body.places[place].ty = ty,
        2 => {
            let from = body.exprs[Handle::<Expr>::new(random.below(body.exprs.len() as u64) as usize)].clone();
            body.exprs[expr].kind = from.kind;
        }
        3 => body.places[place].base = PlaceBase::Local(Handle::new(any(body.locals.len(), random))),
        4 => body.places[place].path.push(match random.below(3) {
            0 => Projection::Deref,
            1 => Projection::Field(random.below(3) as u32),
            _ => Projection::Index {
                index: expr,
                checked: false,
            },
        }),
        5 => {
            let local = Handle::new(random.below(body.locals.len() as u64) as usize);
            body.locals[local].ty = ty;
        }
        6 => {
            let kind = match random.below(5) {
                0 => StmtKind::Break(random.below(3) as u32),
                1 => StmtKind::Continue(random.below(3) as u32),
                2 => StmtKind::Return(random.once_in(2).then_some(expr)),
                3 => StmtKind::Call {
                    function: Handle::new(random.below(count) as usize),
                    arguments: vec![expr],
                    result: None,
                },
                _ => StmtKind::Intrinsic {
                    intrinsic: Intrinsic::Barrier,
                    operands: Vec::new(),
                    result: None,
                },
            };
            let at = any(body.block.len(), random).min(body.block.len().saturating_sub(1));
            if let Some(stmt) = body.block.get_mut(at) {
                stmt.kind = kind;
            }
        }
        7 => {
            let at = any(body.block.len(), random);
            let stmt = body.block.get(at).cloned();
            body.block.extend(stmt);
        }
        8 => {
            if !body.block.is_empty() {
                body.block.remove(random.below(body.block.len() as u64) as usize);
            }
        }
        9 => body.block.reverse(),
        10 => {
            for step in &mut body.places[place].path {
                if let Projection::Index { checked, .. } = step {
                    *checked = !*checked;
                }
            }
        }
        // Operations and constants: the first one from a random place on.
        _ => {
            let found = body
                .exprs
                .handles()
                .skip(expr.index())
                .find_map(|handle| match body.exprs[handle].kind {
                    ExprKind::Constant(constant) => {
                        Some((handle, ExprKind::Constant(random.constant(constant.scalar))))
                    }
                    ExprKind::Binary { left, right, .. } => {
                        let op = random.pick(BinaryOp::ALL);
                        Some((handle, ExprKind::Binary { op, left, right }))
                    }
                    _ => None,
                });
            if let Some((handle, kind)) = found {
                body.exprs[handle].kind = kind;
            }
        }
    }
}

/// Whatever is done to a program: it is refused, or everything takes it without a panic.
#[test]
fn damaged_programs_are_refused_or_work() {
    let (mut refused, mut accepted) = (0, 0);
    for seed in 0..SEEDS * 4 {
        let mut random = Random::new(seed);
        let mut damaged = random_program(seed % 37, options(seed));
        for _ in 0..1 + random.below(2) {
            damage(&mut damaged.program, &mut random);
        }
        // Also what is not valid can be printed, and its faults have messages.
        let text = print(&damaged.program);
        let Ok(valid) = validate(&damaged.program).map_err(|errors| {
            assert!(
                errors
                    .iter()
                    .all(|error| !error.display(&damaged.program).to_string().is_empty())
            );
        }) else {
            refused += 1;
            continue;
        };
        accepted += 1;
        round_trip(&damaged.program, seed);
        if let Err(error) = compile(&valid, &VERIFIED) {
            panic!("seed {seed}: {error}\n{text}");
        }
        let mut inputs = damaged.inputs(&mut Random::new(seed));
        let mut arguments: Vec<_> = inputs.iter_mut().map(Input::argument).collect();
        let limited = interp::Options {
            step_limit: 20_000,
            ..interp::Options::default()
        };
        // It may fault, never end, or use what is undefined; it returns.
        let _ = interp::launch_with(&valid, damaged.kernel, &mut arguments, [1, 1, 1], limited);
    }
    assert!(
        refused > SEEDS && accepted > SEEDS / 4,
        "{refused} refused, {accepted} accepted"
    );
}

/// Stages recurse over expressions and blocks; what the validator lets through fits their stacks.
#[test]
fn the_deepest_programs_compile_and_run() {
    let half = (MAX_DEPTH / 2) as usize;
    let nots = |count: usize| format!("{}n{}", "not(".repeat(count), ")".repeat(count));
    let bodies = [
        // The block and the variable take a level each.
        format!("store x[0u64] = {}", nots(MAX_DEPTH as usize - 2)),
        format!(
            "{}store x[0u64] = n{}",
            "loop {\n".repeat(MAX_DEPTH as usize - 2),
            "\nbreak 0 }".repeat(MAX_DEPTH as usize - 2)
        ),
        format!(
            "{}store x[0u64] = {}{}",
            "if eq(n, 5u32) {\n".repeat(half),
            nots(half - 2),
            "}".repeat(half)
        ),
    ];
    for body in bodies {
        let text =
            format!("vyre 1 kernel k(x: &mut [u32], n: u32) dimensions 1 block 1 1 1 {{ entry k {{ {body} }} }}");
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        round_trip(&program, 0);
        let valid = validate(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
        compile(&valid, &VERIFIED).unwrap_or_else(|error| panic!("{error}"));
        let mut x = [0; 4];
        let n = Argument::Scalar(Constant::new(Scalar::U32, 5));
        let launched = interp::launch(&valid, Handle::new(0), &mut [Argument::Slice(&mut x), n], [1; 3]);
        assert_eq!((launched, u32::from_le_bytes(x)), (Ok(()), 5), "{text}");
    }
}
