//! Structs, arrays and references that must not cost memory: whatever constants, counters of small
//! loops and inlined functions pick is in registers.

use vyre_core::ir::{Constant, Scalar};
use vyre_core::text;
use vyre_test_support::random_program::Input;

use crate::agreement::compare;

/// A loop over `counter` from 0 below `end`.
fn counted(counter: &str, end: &str, body: &str) -> String {
    format!(
        "store {counter} = 0u64
        loop {{
            if lt({counter}, {end}) {{
            }} else {{
                break 0
            }}
            {body}
        }} step {{
            store {counter} = add({counter}, 1u64)
        }}"
    )
}

/// Runs a kernel with these locals and statements, and wants no local memory.
fn run(declarations: &str, locals: &str, body: &str) {
    let source = format!(
        "vyre 1
file \"registers.rs\"
{declarations}
type &[u32]
type &mut [u32]
kernel k(x: &[u32], out: &mut [u32], n: u64, pick: u32) dimensions 1 block 2 1 1 {{
    entry k {{
        let t: u64
        let i: u64
        let j: u64
        let s: u32
        {locals}
        store t = cast u64(thread_index.x)
        {body}
        store out[t] = s
    }}
}}"
    );
    let program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let kernel = program.kernel("k").expect("the program has a kernel");
    for (n, pick) in [(0, 0), (1, 1), (3, 2), (9, 77)] {
        let x = Input::Slice((1..17u32).flat_map(u32::to_le_bytes).collect());
        let n = Input::Scalar(Constant::u64(n));
        let pick = Input::Scalar(Constant::new(Scalar::U32, pick));
        let inputs = [x, Input::Slice(vec![0; 8]), n, pick];
        let ptx = compare(&program, kernel, &inputs, [1, 1, 1]).unwrap_or_else(|error| panic!("{error}\n{source}"));
        assert!(!ptx.contains("local"), "{source}\n{ptx}");
        assert!(!ptx.contains("call"), "{source}\n{ptx}");
    }
}

const BODY: &str = "struct Body { place: [u32; 3], mass: u32 }
type &mut [u32; 3]
type &mut Body
type &Body
type &mut u32
fn shift(place: &mut [u32; 3], by: u32) -> () {
    store place.*[0u64] = add(place.*[0u64], by)
    store place.*[2u64] = xor(place.*[2u64], place.*[0u64])
}
fn grow(mass: &mut u32) -> () {
    store mass.* = add(mul(mass.*, 3u32), 1u32)
}
fn advance(body: &mut Body, by: u32) -> () {
    call shift(&mut body.*.0, by)
    call grow(&mut body.*.1)
}
fn weigh(body: &Body) -> u32 {
    return add(body.*.1, body.*.0[2u64])
}
fn heavier(a: Body, b: Body) -> Body {
    if lt(a.1, b.1) {
        return b
    } else {
    }
    return a
}";

#[test]
fn references_to_structs() {
    let step = counted("i", "n", "call advance(&mut body, x[t])");
    run(
        BODY,
        "let body: Body
        let part: u32",
        &format!(
            "store body = new Body(new [u32; 3](1u32, 2u32, pick), 5u32)
        {step}
        call part = weigh(&body)
        store s = add(part, body.0[1u64])"
        ),
    );
}

#[test]
fn structs_by_value() {
    let step = counted(
        "i",
        "n",
        "call body = heavier(body, other)
            store other.1 = add(other.1, x[i])",
    );
    run(
        BODY,
        "let body: Body
        let other: Body",
        &format!(
            "store body = new Body(new [u32; 3](1u32, 2u32, pick), 5u32)
        store other = body
        store other.0[1u64] = 17u32
        {step}
        store s = add(body.1, mul(body.0[1u64], 100u32))"
        ),
    );
}

#[test]
fn arrays_of_structs() {
    let fill = counted("i", "4u64", "store bodies[i].1 = add(x[i], pick)");
    let turn = counted("i", "4u64", "call advance(&mut bodies[i], 3u32)");
    let all = counted("j", "n", &turn);
    let sum = counted(
        "i",
        "4u64",
        "store s = add(mul(s, 7u32), add(bodies[i].1, bodies[i].0[2u64]))",
    );
    run(
        BODY,
        "let bodies: [Body; 4]",
        &format!(
            "{fill}
        {all}
        {sum}"
        ),
    );
}

#[test]
fn slices_of_arrays() {
    let sum = counted("i", "length(a)", "store s = add(mul(s, 5u32), a[i])");
    run(
        &format!(
            "type &[u32]
type &mut [u32]
fn sum(a: &[u32]) -> u32 {{
    let s: u32
    let i: u64
    {sum}
    return s
}}
fn fill(a: &mut [u32], with: u32) -> () {{
    let i: u64
    {}
}}",
            counted("i", "length(a)", "store a[i] = add(with, cast u32(i))")
        ),
        "let a: [u32; 6]
        let part: u32",
        "call fill(&mut a[0u64..6u64], pick)
        call fill(&mut a[1u64..3u64], x[t])
        call s = sum(&a[0u64..6u64])
        call part = sum(&a[2u64..5u64])
        store s = xor(s, part)",
    );
}

#[test]
fn matrices() {
    let product = counted(
        "i",
        "3u64",
        &counted(
            "j",
            "3u64",
            "store c[i][j] = add(add(mul(a[i][0u64], b[0u64][j]), mul(a[i][1u64], b[1u64][j])), mul(a[i][2u64], b[2u64][j]))",
        ),
    );
    let fill = counted(
        "i",
        "3u64",
        &counted("j", "3u64", "store b[i][j] = add(mul(pick, cast u32(i)), cast u32(j))"),
    );
    run(
        "",
        "let a: [[u32; 3]; 3]
        let b: [[u32; 3]; 3]
        let c: [[u32; 3]; 3]
        let k: u64",
        &format!(
            "{fill}
        store a = b
        {}
        store s = add(a[0u64][1u64], mul(a[2u64][2u64], 3u32))",
            counted("k", "n", &format!("{product}\nstore a = c"))
        ),
    );
}
