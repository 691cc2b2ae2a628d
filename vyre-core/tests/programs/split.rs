//! Kernels cut at their barriers of the grid: the parts do what the whole does, or the kernel is refused.

use vyre_core::interp::{self, Argument};
use vyre_core::ir::{Handle, Program, Span, Type};
use vyre_core::split::{Refusal, RefusalKind, split};
use vyre_core::text;
use vyre_core::validate::validate;

const ITEMS: &str = "
    vyre 1
    file \"k.rs\"
    type &[u32]
    type &mut [u32]
    shared tile: [u32; 4]
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

/// The values that the kernels of a program leave in `x`, one after the other, or the first fault; then in all.
fn run(program: &Program) -> Result<Vec<u8>, String> {
    let valid = validate(program).unwrap_or_else(|errors| {
        let errors: Vec<_> = errors.iter().map(|error| error.display(program).to_string()).collect();
        panic!("{errors:#?}\n{}", text::print(program))
    });
    let bytes = |values: [u32; 12]| values.map(u32::to_le_bytes).concat();
    let a = bytes(std::array::from_fn(|i| 100 + i as u32));
    let mut x = bytes(std::array::from_fn(|i| i as u32));
    let mut more: Vec<Vec<u8>> = more(program).map(|size| vec![0; 12 * size as usize]).collect();
    let mut first = Ok(());
    for kernel in program.kernels.handles() {
        let mut arguments = vec![
            Argument::Scalar(5u32.into()),
            Argument::Input(&a),
            Argument::Slice(&mut x),
        ];
        arguments.extend(more.iter_mut().map(|bytes| Argument::Slice(bytes)));
        let done = interp::launch(&valid, kernel, &mut arguments, [3, 1, 1]).map_err(|error| error.to_string());
        // As on a GPU, where later parts are queued already.
        first = match (first, done) {
            (Ok(()), done) => done,
            (Err(error), Ok(())) => Err(error),
            (Err(_), Err(second)) => panic!("a part ran on: {second}"),
        };
    }
    first.map(|()| x)
}

/// The sizes of the elements of the slices that parts have more than the kernel.
fn more(program: &Program) -> impl Iterator<Item = u64> {
    let kernel = &program.kernels[Handle::new(0)];
    kernel
        .parameters
        .iter()
        .skip(3)
        .map(|parameter| match program.types[parameter.ty] {
            Type::Slice { element, .. } => program.types.layout(element).size,
            _ => panic!("{} is no slice", parameter.name),
        })
}

/// The number of parts, which together do what the whole does, and of the values that memory keeps.
#[track_caller]
fn parts(body: &str) -> (usize, usize) {
    let whole = program(body);
    let parts = split(&whole, Handle::new(0)).unwrap_or_else(|refusal| panic!("{}", refusal.display(&whole)));
    assert_eq!(run(&whole).unwrap(), run(&parts).unwrap(), "{}", text::print(&parts));
    let printed = text::parse(&text::print(&parts)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run(&printed), run(&whole));
    (parts.kernels.len(), more(&parts).count().saturating_sub(1))
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
    assert_eq!(parts.kernels.len(), 3);
    let fault = run(&whole).unwrap_err();
    assert!(fault.contains("12"), "{fault}");
    assert_eq!(run(&parts), Err(fault));
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
        "store shared::tile[0u64] = 3u32
        grid_barrier
        store x[linear_index] = shared::tile[0u64]  @7:9",
        RefusalKind::Shared("tile".to_owned()),
    );
    refused(
        "if lt(n, 7u32) {
            grid_barrier  @7:9
        }",
        RefusalKind::Nested,
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
