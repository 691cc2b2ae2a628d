//! Kernels cut at their barriers of the grid: the parts do what the whole does, or the kernel is refused.

mod random;

use vyre_ir::interp::{self, Argument};
use vyre_ir::ir::{Handle, Program, Span, Type};
use vyre_ir::text;
use vyre_ir::transform::split::{Keeper, Parts, Refusal, RefusalKind, split};
use vyre_ir::validate::{Validated, validate};

const ITEMS: &str = "
    vyre 1
    file \"k.rs\"
    type &[u32]
    type &mut [u32]
    shared tile: [u32; 4]
    shared total: u32
    shared counts: [AtomicU32; 2]
    fn three(n: u32) -> u32 {
        return mul(n, 3u32)
    }
    fn write(at: &mut u32) -> () {
        store at.* = 9u32
    }";

fn program(body: &str) -> Program {
    let kernel = "kernel k(n: u32, a: &[u32], x: &mut [u32]) dimensions 1 block 4 1 1 { entry k {";
    let text = format!("{ITEMS}\n{kernel}\n{body}\n}} }}");
    text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const BLOCKS: u64 = 3;
const THREADS: u64 = 12;

fn bytes(values: [u32; 12]) -> Vec<u8> {
    values.map(u32::to_le_bytes).concat()
}

fn valid(program: &Program) -> Validated<'_> {
    validate(program).unwrap_or_else(|errors| {
        let errors: Vec<_> = errors.iter().map(|error| error.display(program).to_string()).collect();
        panic!("{errors:#?}\n{}", text::print(program))
    })
}

/// The values that a kernel leaves in `x`, or the fault.
fn run(program: &Program) -> Result<Vec<u8>, String> {
    let a = bytes(std::array::from_fn(|i| 100 + i as u32));
    let mut x = bytes(std::array::from_fn(|i| i as u32));
    let mut arguments = [
        Argument::Scalar(5u32.into()),
        Argument::Input(&a),
        Argument::Slice(&mut x),
    ];
    interp::launch(&valid(program), Handle::new(0), &mut arguments, [BLOCKS as u32, 1, 1])
        .map_err(|error| error.to_string())?;
    Ok(x)
}

/// The values that the parts leave in `x`, or the first fault; and the number of launches.
fn run_parts(parts: &Parts) -> (Result<Vec<u8>, String>, usize) {
    let valid = valid(&parts.program);
    let a = bytes(std::array::from_fn(|i| 100 + i as u32));
    let mut x = bytes(std::array::from_fn(|i| i as u32));
    let mut kept: Vec<Vec<u8>> = kept(parts).map(|size| vec![0; size as usize]).collect();
    let barriers = parts.program.kernels.len() - 1;
    let width = 8 * barriers;
    let mut cells = vec![0; 1000 * width];
    let mut first = Ok(());
    let mut launches = 0;
    let mut launch = |part: Handle<_>, number: usize| {
        let mut arguments = vec![
            Argument::Scalar(5u32.into()),
            Argument::Input(&a),
            Argument::Slice(&mut x),
        ];
        if barriers > 0 {
            arguments.push(Argument::Scalar((number as u64).into()));
            arguments.push(Argument::Slice(&mut cells));
            arguments.extend(kept.iter_mut().map(|bytes| Argument::Slice(bytes)));
        }
        let done =
            interp::launch(&valid, part, &mut arguments, [BLOCKS as u32, 1, 1]).map_err(|error| error.to_string());
        // As on a GPU, where later parts are queued already.
        first = match (first.clone(), done) {
            (Ok(()), done) => done,
            (Err(error), Ok(())) => Err(error),
            (Err(_), Err(second)) => panic!("a part ran on: {second}"),
        };
        let row = &cells[number * width..][..width];
        row.chunks(8).any(|cell| *cell == THREADS.to_le_bytes())
    };
    let handles: Vec<_> = parts.program.kernels.handles().collect();
    launch(handles[0], 0);
    loop {
        let mut goes_on = false;
        for &part in &handles[1..] {
            launches += 1;
            goes_on = launch(part, launches);
        }
        if !parts.is_repeated || !goes_on {
            break;
        }
    }
    (first.map(|()| x), launches + 1)
}

/// The sizes of the slices that keep values.
fn kept(parts: &Parts) -> impl Iterator<Item = u64> {
    let kernel = &parts.program.kernels[Handle::new(0)];
    let slices = &kernel.parameters[kernel.parameters.len() - parts.kept.len()..];
    slices.iter().zip(&parts.kept).map(|(parameter, keeper)| {
        let Type::Slice { element, .. } = parts.program.types[parameter.ty] else {
            panic!("{} is no slice", parameter.name)
        };
        let elements = match keeper {
            Keeper::Threads => THREADS,
            Keeper::Blocks => BLOCKS,
        };
        elements * parts.program.types.layout(element).size
    })
}

/// The number of parts, which together do what the whole does, and of the values that memory keeps.
#[track_caller]
fn parts(body: &str) -> (usize, usize) {
    let whole = program(body);
    let parts = split(&whole, Handle::new(0)).unwrap_or_else(|refusal| panic!("{}", refusal.display(&whole)));
    assert_eq!(run(&whole), run_parts(&parts).0, "{}", text::print(&parts.program));
    let printed = text::parse(&text::print(&parts.program)).unwrap_or_else(|error| panic!("{error}"));
    let printed = Parts {
        program: printed,
        ..parts.clone()
    };
    assert_eq!(run_parts(&printed).0, run(&whole));
    (parts.program.kernels.len(), parts.kept.len())
}

#[track_caller]
fn refusal(body: &str) -> Refusal {
    let program = program(body);
    validate(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    split(&program, Handle::new(0)).unwrap_err()
}

#[test]
fn values_are_computed_again() {
    assert_eq!(parts("store x[linear_index] = n"), (1, 0));
    assert_eq!(
        parts(
            "let i: u64
            let own: u32
            store i = linear_index
            store x[i] = add(x[i], n)
            grid_barrier
            store own = x[sub(11u64, i)]
            store x[add(i, 0u64)] = x[i]
            grid_barrier
            store x[i] = cast u32(i)"
        ),
        (3, 0)
    );
    // A branch, a loop with a jump, a call, an element that cannot be written, and a parameter that is assigned.
    assert_eq!(
        parts(
            "let i: u64
            let sum: u32
            let turn: u32
            let called: u32
            store i = linear_index
            if lt(n, 7u32) {
                store sum = 1u32
                store x[i] = 50u32
            } else {
                store sum = 2u32
            }
            loop {
                if ge(turn, cast u32(i)) {
                    break 0
                }
                store x[i] = add(x[i], turn)
                store sum = add(sum, turn)
            } step {
                store turn = add(turn, 1u32)
            }
            call called = three(a[i])
            store n = add(n, called)
            grid_barrier
            store x[i] = add(x[i], add(sum, n))
            grid_barrier
            store x[i] = add(x[i], called)"
        ),
        (3, 0)
    );
}

/// A variable that a part assigns before it reads it needs no value from before.
#[test]
fn variables_may_be_used_anew() {
    assert_eq!(
        parts(
            "let v: u32
            store v = x[linear_index]
            store x[linear_index] = add(v, 1u32)
            grid_barrier
            store v = x[linear_index]
            store x[linear_index] = mul(v, v)"
        ),
        (2, 0)
    );
}

/// Values that differ when they are computed again are kept in memory.
#[test]
fn other_values_are_kept() {
    // One, and what is computed from it by two statements; the second part changes the first.
    assert_eq!(
        parts(
            "let v: u32
            let w: u32
            store v = x[rem(add(linear_index, 5u64), 12u64)]
            store w = add(v, 1u32)
            grid_barrier
            store x[linear_index] = add(v, w)
            store v = x[linear_index]
            grid_barrier
            store x[linear_index] = add(mul(v, 3u32), w)"
        ),
        (3, 2)
    );
    // Under a condition that memory decides, and in a loop with such a condition.
    assert_eq!(
        parts(
            "let v: u32
            let turns: u32
            if lt(x[0u64], 3u32) {
                store v = cast u32(linear_index)
            }
            loop {
                if ge(turns, x[linear_index]) {
                    break 0
                }
            } step {
                store turns = add(turns, 1u32)
            }
            grid_barrier
            store x[linear_index] = add(v, mul(turns, 100u32))"
        ),
        (2, 2)
    );
    // By another name, on both sides.
    assert_eq!(
        parts(
            "let v: u32
            let r: &mut u32
            store v = 1u32
            store r = &mut v
            call write(r)
            grid_barrier
            store x[linear_index] = v
            store r.* = 4u32
            grid_barrier
            store x[linear_index] = add(x[linear_index], v)"
        ),
        (3, 1)
    );
    // An array, a `bool` and a parameter; between them a part that has no use for them.
    assert_eq!(
        parts(
            "let pair: [u32; 2]
            let small: bool
            store pair[0u64] = x[linear_index]
            store pair[1u64] = n
            store small = lt(x[0u64], 3u32)
            store n = add(n, x[1u64])
            grid_barrier
            store x[linear_index] = 0u32
            grid_barrier
            if small {
                store x[linear_index] = add(pair[0u64], add(pair[1u64], n))
            }"
        ),
        (3, 3)
    );
}

/// Shared memory lasts in memory: an array, and one value.
#[test]
fn shared_memory_is_kept() {
    assert_eq!(
        parts(
            "store shared::tile[rem(linear_index, 4u64)] = add(x[linear_index], n)
            if eq(rem(linear_index, 4u64), 0u64) {
                store shared::total = x[linear_index]
            }
            grid_barrier
            store x[linear_index] = 0u32
            grid_barrier
            store x[linear_index] = add(shared::total, shared::tile[sub(3u64, rem(linear_index, 4u64))])"
        ),
        (3, 2)
    );
    // One that each side of a barrier uses for itself.
    assert_eq!(
        parts(
            "store x[linear_index] = 7u32
            grid_barrier
            store shared::tile[rem(linear_index, 4u64)] = n
            store x[linear_index] = shared::tile[rem(linear_index, 4u64)]"
        ),
        (2, 0)
    );
}

const NEXT: &str = "cast u64(rem(add(cast u32(linear_index), turn), 12u32))";

/// Barriers in loops: the trip count is a parameter, a value of memory, and 0.
#[test]
fn loops_are_repeated() {
    for (end, launches) in [("n", 6), ("x[0u64]", 1), ("min(a[0u64], 40u32)", 41)] {
        let body = format!(
            "let turn: u32
            let end: u32
            let v: u32
            let i: u64
            store i = linear_index
            store end = {end}
            loop {{
                if ge(turn, end) {{
                    break 0
                }}
                store v = add(x[{NEXT}], turn)
                grid_barrier
                store x[i] = add(x[i], v)
            }} step {{
                store turn = add(turn, 1u32)
            }}
            store x[i] = mul(x[i], turn)"
        );
        // The threads of the whole kernel must not run into each other's steps.
        let body = match end {
            "x[0u64]" => body,
            _ => body.replace("store x[i] = add(x[i], v)", "store x[i] = add(x[i], v)\ngrid_barrier"),
        };
        let whole = program(&body);
        let cut = split(&whole, Handle::new(0)).unwrap();
        assert!(cut.is_repeated);
        // `turn` and `v`, and `end` where it comes from memory that the kernel writes.
        let barriers = cut.program.kernels.len() - 1;
        let kept = if end == "x[0u64]" { 3 } else { 2 };
        assert_eq!(parts(&body), (barriers + 1, kept), "{}", text::print(&cut.program));
        // Each iteration and the end of the last one, in rounds of all barriers, and the first part.
        let expected = if barriers == 1 { 2 } else { 2 * launches - 1 };
        assert_eq!(run_parts(&cut).1, expected.max(1 + barriers), "{end}");
    }
}

/// `break` and `continue` on both sides of a barrier, barriers in nested loops, in both branches of a condition, in steps,
/// and values that last over iterations.
#[test]
fn nests_are_resumed_within() {
    let nested = "let outer: u32
        let inner: u32
        let sum: u32
        let i: u64
        store i = linear_index
        store sum = 3u32
        loop {
            if ge(outer, n) {
                break 0
            }
            store inner = 0u32
            store sum = add(sum, outer)
            if eq(outer, 1u32) {
                continue 0
            }
            loop {
                if ge(inner, outer) {
                    break 0
                }
                store sum = add(sum, a[rem(i, 3u64)])
                grid_barrier
                if eq(inner, 2u32) {
                    store sum = add(sum, 100u32)
                    continue 1
                }
                if eq(outer, 2u32) {
                    grid_barrier
                    store sum = mul(sum, 3u32)
                } else {
                    store sum = xor(sum, inner)
                    grid_barrier
                    if eq(outer, 4u32) {
                        break 1
                    }
                }
                store sum = add(sum, inner)
            } step {
                grid_barrier
                store inner = add(inner, 1u32)
            }
            store sum = add(sum, 7u32)
        } step {
            store outer = add(outer, 1u32)
        }
        store x[i] = add(x[i], sum)";
    assert_eq!(parts(nested), (5, 3));
    let branches = "let sum: u32
        store sum = x[linear_index]
        if lt(n, 3u32) {
            grid_barrier
            store sum = 1u32
        } else {
            store sum = add(sum, 1u32)
            grid_barrier
            if gt(n, 3u32) {
                store sum = add(sum, x[sub(11u64, linear_index)])
                grid_barrier
            }
        }
        store x[linear_index] = sum
        grid_barrier
        store x[linear_index] = add(x[linear_index], 1u32)";
    assert_eq!(parts(branches), (5, 1));
}

/// A loop with one barrier, which its body begins with, ends with, or is.
#[test]
fn loops_of_one_barrier_are_repeated() {
    for (before, after) in [
        ("", ""),
        ("store sum = add(sum, turn)", ""),
        ("", "store sum = add(sum, turn)"),
    ] {
        let body = format!(
            "let turn: u32
            let sum: u32
            loop {{
                {before}
                grid_barrier
                {after}
                if ge(turn, n) {{
                    break 0
                }}
            }} step {{
                store turn = add(turn, 1u32)
            }}
            store x[linear_index] = add(sum, turn)"
        );
        let cut = split(&program(&body), Handle::new(0)).unwrap();
        assert_eq!(run_parts(&cut).1, 7, "the first part, and each of six iterations");
        assert_eq!(parts(&body).0, 2);
    }
}

/// A parameter that counts down.
#[test]
fn parameters_last_over_iterations() {
    let body = "let sum: u32
        loop {
            grid_barrier
            if eq(n, 0u32) {
                break 0
            }
            store n = sub(n, 1u32)
            store sum = add(sum, x[linear_index])
        } step {
        }
        store x[linear_index] = sum";
    assert_eq!(parts(body), (2, 2));
}

/// A fault in an iteration ends the parts.
#[test]
fn a_fault_ends_a_loop() {
    let whole = program(
        "let turn: u64
        loop {
            store x[add(turn, linear_index)] = cast u32(turn)
            grid_barrier
        } step {
            store turn = add(turn, 1u64)
        }",
    );
    let parts = split(&whole, Handle::new(0)).unwrap();
    let (done, launches) = run_parts(&parts);
    assert_eq!((done, launches), (Err(run(&whole).unwrap_err()), 2));
}

/// After a fault the next parts end at once: here they would fault again.
#[test]
fn parts_after_a_fault_do_not_run() {
    let whole = program(
        "store x[add(linear_index, 1u64)] = 1u32
        grid_barrier
        store x[add(linear_index, 100u64)] = 1u32
        grid_barrier
        store x[add(linear_index, 200u64)] = 1u32",
    );
    let parts = split(&whole, Handle::new(0)).unwrap();
    assert_eq!(parts.program.kernels.len(), 3);
    let fault = run(&whole).unwrap_err();
    assert!(fault.contains("12"), "{fault}");
    assert_eq!(run_parts(&parts), (Err(fault), 3));
}

#[test]
fn what_lasts_over_a_barrier_is_refused() {
    let line = |line| Span {
        file: 0,
        line,
        column: 9,
    };
    let refused = |body, kind| assert_eq!(refusal(body), Refusal { kind, span: line(7) }, "{body}");
    let value = |name: &str| RefusalKind::Value(name.to_owned());
    refused(
        "let row: &mut [u32]
        store row = &mut x[cast u64(x[0u64])..4u64]  @7:9
        grid_barrier
        store row[0u64] = 1u32",
        value("row"),
    );
    // Through a value that memory keeps.
    refused(
        "let v: u64
        let row: &mut [u32]
        store v = cast u64(x[0u64])
        store row = &mut x[v..4u64]  @7:9
        grid_barrier
        store row[0u64] = 1u32",
        value("row"),
    );
    refused(
        "let count: u32
        atomic count = add(shared::counts[0u64], 3u32) relaxed device
        grid_barrier
        atomic count = load(shared::counts[0u64]) relaxed device  @7:9
        store x[linear_index] = count",
        RefusalKind::Shared("counts".to_owned()),
    );
    // In a loop a slice that changes with the memory.
    refused(
        "let row: &mut [u32]
        store row = &mut x[0u64..4u64]
        loop {
            grid_barrier
            store row[0u64] = 1u32
            if lt(x[0u64], 3u32) {
                break 0
            }
            store row = &mut x[1u64..4u64]  @7:9
        } step {
        }",
        value("row"),
    );
    let told = Refusal {
        kind: value("v"),
        span: line(7),
    };
    assert_eq!(
        told.display(&program("")).to_string(),
        "the reference `v` from before a barrier of the grid is used after it, and cannot be computed again (k.rs:7:9)"
    );
}
