//! Kernels cut at their barriers of the grid: the parts do what the whole does, or the kernel is refused.

use vyre_core::interp::{self, Argument};
use vyre_core::ir::{Handle, Program, Span};
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

/// What the kernels of a program leave in `x`, one after the other.
fn run(program: &Program) -> Vec<u8> {
    let valid = validate(program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let bytes = |values: [u32; 12]| values.map(u32::to_le_bytes).concat();
    let a = bytes(std::array::from_fn(|i| 100 + i as u32));
    let mut x = bytes(std::array::from_fn(|i| i as u32));
    for kernel in program.kernels.handles() {
        let mut arguments = [
            Argument::Scalar(5u32.into()),
            Argument::Input(&a),
            Argument::Slice(&mut x),
        ];
        interp::launch(&valid, kernel, &mut arguments, [3, 1, 1]).unwrap_or_else(|error| panic!("{error}"));
    }
    x
}

/// The number of parts, which together do what the whole does.
#[track_caller]
fn parts(body: &str) -> usize {
    let whole = program(body);
    let parts = split(&whole, Handle::new(0)).unwrap_or_else(|refusal| panic!("{}", refusal.display(&whole)));
    assert_eq!(run(&whole), run(&parts));
    let printed = text::parse(&text::print(&parts)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run(&printed), run(&whole));
    parts.kernels.len()
}

#[track_caller]
fn refusal(body: &str) -> Refusal {
    let program = program(body);
    validate(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    split(&program, Handle::new(0)).unwrap_err()
}

#[test]
fn values_are_computed_again() {
    assert_eq!(parts("store x[linear_index] = n"), 1);
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
        3
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
        3
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
        2
    );
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
        "let v: u32
        store v = x[linear_index]  @7:9
        grid_barrier
        store x[linear_index] = v",
        value("v"),
    );
    // Through another one, and under a condition that memory decides.
    refused(
        "let v: u32
        let w: u32
        store v = x[linear_index]  @7:9
        store w = add(v, 1u32)
        grid_barrier
        store x[linear_index] = w",
        value("v"),
    );
    refused(
        "let v: u32
        if lt(x[0u64], 3u32) {  @7:9
            store v = 1u32
        }
        grid_barrier
        store x[linear_index] = v",
        value(""),
    );
    // By another name.
    refused(
        "let v: u32
        store v = 1u32
        call write(&mut v)  @7:9
        grid_barrier
        store x[linear_index] = v",
        value("v"),
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
        "the value of `v` from before a barrier of the grid is used after it, and cannot be computed again (k.rs:7:9)"
    );
}
