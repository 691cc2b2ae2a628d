//! Loops whose trip counts and indices depend on arguments: checks hoisted before a loop must fault
//! where the source does, also if counters and indices wrap.

use vyre_core::ir::{Constant, Scalar, Type};
use vyre_core::text;
use vyre_test_support::case::seeds;
use vyre_test_support::random_program::{Input, Random};

use crate::agreement::compare;

/// Counts from `first` below `n` in steps, with reads at some indices in each iteration.
fn source(step: &str, counter: &str, indices: &[&str]) -> String {
    let mut reads = String::new();
    for index in indices {
        reads += &format!("            store s = add(mul(s, 3u32), x[{index}])\n");
    }
    format!(
        "vyre 1
file \"loops.rs\"
type &[u32]
type &mut [u32]
kernel k(x: &[u32], out: &mut [u32], first: {counter}, n: {counter}, b: u64, k: u64) dimensions 1 block 2 1 1 {{
    entry k {{
        let i: {counter}
        let s: u32
        store i = first
        loop {{
            if lt(i, n) {{
            }} else {{
                break 0
            }}
{reads}            store out[unchecked cast u64(thread_index.x)] = s
        }} step {{
            store i = add(i, {step})
        }}
        store out[global_index.x] = s
    }}
}}"
    )
}

fn u64s(random: &mut Random) -> u64 {
    match random.below(6) {
        0 => u64::MAX - random.below(12),
        1 => (1 << 63) - random.below(3),
        _ => random.below(30),
    }
}

fn run(step: &str, counter: Scalar, indices: &[&str]) {
    run_source(
        &source(&format!("{step}{}", counter.name()), counter.name(), indices),
        counter,
        60,
    );
}

fn run_source(source: &str, counter: Scalar, rounds: u64) {
    let program = text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let kernel = program.kernel("k").expect("the program has a kernel");
    let mut random = Random::new(source.len() as u64);
    for round in 0..rounds {
        let length = random.below(24) as u32;
        let x: Vec<u8> = (0..length).flat_map(|word| (word * 7 + 1).to_le_bytes()).collect();
        let first = if random.once_in(3) {
            u64s(&mut random)
        } else {
            random.below(4)
        };
        // The reference runs every iteration, so there are few, and counters that step over the end
        // of their type might never end.
        let n = match random.below(4) {
            0 => first.saturating_add(random.below(20)).min(u64::MAX - 8),
            _ => random.below(26),
        };
        let inputs = [
            Input::Slice(x),
            Input::Slice(vec![0; 16]),
            Input::Scalar(Constant::new(counter, first)),
            Input::Scalar(Constant::new(counter, n)),
            Input::Scalar(Constant::u64(u64s(&mut random))),
            Input::Scalar(Constant::u64(u64s(&mut random))),
        ];
        if let Err(error) = compare(&program, kernel, &inputs, [1, 1, 1]) {
            panic!("round {round}: {inputs:?}\n{error}\n{source}");
        }
    }
}

#[test]
fn indices_by_the_counter() {
    run("1", Scalar::U64, &["i"]);
    run("1", Scalar::U64, &["i", "add(i, 2u64)", "sub(i, 1u64)"]);
    run("3", Scalar::U64, &["i", "add(i, 1u64)"]);
    run("1", Scalar::U64, &["add(b, i)"]);
    run("2", Scalar::U64, &["sub(b, i)"]);
}

#[test]
fn indices_by_products() {
    run("1", Scalar::U64, &["mul(i, k)"]);
    run("1", Scalar::U64, &["add(mul(i, k), b)", "add(b, i)"]);
    run("1", Scalar::U64, &["sub(mul(add(i, 3u64), k), b)"]);
    run("1", Scalar::U64, &["mul(i, 3u64)", "shl(i, 1u32)"]);
    run("5", Scalar::U64, &["add(mul(i, k), b)"]);
}

/// Runs `source` with these first and last counters, `b` and `k`, and a slice of each length.
fn run_lengths(source: &str, lengths: std::ops::Range<u64>, arguments: impl Fn(u64) -> [u64; 4]) {
    let program = text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let kernel = program.kernel("k").expect("the program has a kernel");
    for length in lengths {
        let x = Input::Slice((0..4 * length).map(|byte| byte as u8).collect());
        let words = arguments(length);
        let mut inputs = vec![x, Input::Slice(vec![0; 16])];
        let types = &program.kernels[kernel].parameters[2..];
        inputs.extend(words.into_iter().zip(types).map(|(bits, parameter)| {
            let Type::Scalar(scalar) = program.types[parameter.ty] else {
                panic!("{parameter:?} is no scalar");
            };
            Input::Scalar(Constant::new(scalar, bits))
        }));
        if let Err(error) = compare(&program, kernel, &inputs, [1, 1, 1]) {
            panic!("length {length}, {words:x?}: {error}");
        }
    }
}

/// The last iteration of a loop in steps reads exactly up to the end of the slice.
#[test]
fn indices_up_to_the_end() {
    let source = source("4u64", "u64", &["i", "add(i, 1u64)", "add(i, 2u64)", "add(i, 3u64)"]);
    for more in [0, 1, 2] {
        run_lengths(&source, 1..40, |length| [0, length + more - 1, 0, 0]);
    }
}

/// Products that are in bounds again in the last iteration, after they were out of bounds.
#[test]
fn products_that_wrap() {
    let source = source("1u64", "u64", &["mul(i, k)"]);
    for k in [1 << 63, 1 << 62, 3 << 62, (1 << 62) + 1] {
        for n in 2..12 {
            run_lengths(&source, 1..4, |_| [0, n, 0, k]);
        }
    }
}

/// Indices that are clamped, of values below and above what fits 31 and 32 bits: groups of iterations compute in 32 bits.
#[test]
fn clamped_indices() {
    let ends = [0, 7, (1 << 31) - 5, (1 << 32) - 3, (1 << 63) - 3, u64::MAX - 4];
    let last = "sub(cast i64(k), 1i64)";
    for index in [
        "min(sub(max(add(i, b), k), k), 4u64)",
        "min(sub(max(add(b, mul(i, 3u64)), k), k), 4u64)",
        "rem(max(add(shl(i, 1u32), b), k), 5u64)",
        "min(div(add(i, b), or(k, 1u64)), 4u64)",
        "min(sub(add(i, b), k), 4u64)",
        "min(add(i, b), sub(k, 1u64))",
        &format!("cast u64(min(max(sub(cast i64(i), cast i64(b)), 0i64), {last}))"),
        &format!("cast u64(max(min(sub(cast i64(i), cast i64(b)), {last}), 0i64))"),
    ] {
        let source = source("1u64", "u64", &[index]);
        for b in ends {
            for k in ends {
                run_lengths(&source, 5..6, |_| [0, 9, b, k]);
                run_lengths(&source, 5..6, |_| [(1 << 31) - 6, (1 << 31) + 5, b, k]);
            }
        }
    }
}

/// A counter that steps over the end of its type continues from zero.
#[test]
fn counters_that_wrap() {
    let source = source("3u64", "u64", &["add(b, i)"]);
    for before in [2, 8, 11, 12, 23] {
        for n in [u64::MAX, u64::MAX - 2] {
            run_lengths(&source, 0..27, |_| [u64::MAX - before, n, before + 1, 0]);
        }
    }
}

#[test]
fn other_counters() {
    for scalar in [Scalar::U32, Scalar::I32, Scalar::I64] {
        run("1", scalar, &["cast u64(i)"]);
        run("3", scalar, &["add(b, mul(cast u64(i), k))"]);
    }
    run("1", Scalar::U8, &["cast u64(i)"]);
}

/// Loop-invariant checks.
#[test]
fn fixed_indices() {
    run("1", Scalar::U64, &["b"]);
    run("2", Scalar::U64, &["b", "i", "sub(k, b)"]);
    run("3", Scalar::U32, &["b", "k"]);
}

/// A loop-invariant element is read before the groups of iterations, and only if it exists.
#[test]
fn loads_that_no_round_changes() {
    for index in [
        "b",
        "cast u64(thread_index.x)",
        "cast u64(add(cast u32(b), thread_index.x))",
    ] {
        let source = source("1u64", "u64", &["i"]).replace(
            "store s = add(mul(s, 3u32), x[i])",
            &format!("if lt(k, add(i, 3u64)) {{ store s = add(mul(s, 3u32), xor(x[i], x[{index}])) }} else {{ }}"),
        );
        for n in [0, 3, 12] {
            for k in [0, 7, 20] {
                run_lengths(&source, 0..13, |_| [0, n, 2, k]);
            }
        }
    }
}

/// Steps known at run time, among them some that wrap, once or several times, and, if that
/// terminates, zero.
#[test]
fn steps_by_arguments() {
    for (counter, bits) in [("u64", 64), ("u32", 32)] {
        let (top, mask) = (1 << (bits - 1), u64::MAX >> (64 - bits));
        let [step, index] = match bits {
            64 => ["k", "add(i, b)"],
            _ => ["cast u32(k)", "cast u64(add(i, cast u32(b)))"],
        };
        let checked = source(step, counter, &[index]);
        let free = source(step, counter, &["0u64"]);
        for k in [
            0,
            1,
            2,
            3,
            7,
            1 << 28,
            (1 << 28) - 1,
            top >> 1,
            top,
            mask / 3 + 1,
            mask / 7 + 1,
            mask,
        ] {
            for (first, n, b) in [
                (0, 17, 0),
                (3, 9, 1),
                (5, 5, 0),
                (0, mask, 0),
                (2, top, 0),
                (mask - 11, mask, 12),
            ] {
                for (source, length) in [(&checked, 6), (&checked, 17), (&free, 3)] {
                    let faults = |i: u64| (i.wrapping_add(b) & mask) >= length && std::ptr::eq(source, &checked);
                    let mut rounds = std::iter::successors(Some(first), |i| Some(i.wrapping_add(k) & mask));
                    if rounds.by_ref().take(99).any(|i| i >= n || faults(i)) {
                        run_lengths(source, length..length + 1, |_| [first, n, b, k]);
                    }
                }
            }
        }
    }
}

/// Loops with a trip count independent of arguments are fully unrolled, whatever their counter
/// does: there is one store per iteration and one for the end.
#[test]
fn constant_rounds() {
    for (first, stays, next, rounds) in [
        ("128u64", "gt(i, 0u64)", "div(i, 2u64)", 8),
        ("1u64", "lt(i, 1000u64)", "mul(i, 3u64)", 7),
        ("2u64", "ne(i, 5u64)", "rem(mul(i, 7u64), 11u64)", 9),
        ("3u64", "lt(rem(i, 8u64), 7u64)", "xor(shl(i, 1u32), 1u64)", 1),
        ("9u64", "ge(i, 2u64)", "sub(i, 3u64)", 3),
    ] {
        let source = source("0u64", "u64", &["rem(i, 4u64)"])
            .replace("store i = first", &format!("store i = {first}"))
            .replace("lt(i, n)", stays)
            .replace("add(i, 0u64)", next);
        let program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let kernel = program.kernel("k").expect("the program has a kernel");
        let word = || Input::Scalar(Constant::u64(0));
        let x = Input::Slice((1..17).collect());
        let inputs = [x, Input::Slice(vec![0; 16]), word(), word(), word(), word()];
        let ptx = compare(&program, kernel, &inputs, [1, 1, 1]).unwrap_or_else(|error| panic!("{error}"));
        // Code after the first label of the cold path does not count.
        let warm = ptx.split("CHECK0:").next().unwrap_or_default();
        assert_eq!(warm.matches("st.global").count(), rounds + 1, "{ptx}");
    }
}

/// A step of a product of register tiles of 8 x 8 is unrolled eight times: 128 operations and the loads.
#[test]
fn register_tiles() {
    let products = "            store s = xor(mul(s, 3u32), 5u32)\n".repeat(64);
    let source = source("1u64", "u64", &["rem(i, 16u64)"])
        .replace("store i = first", "store i = 0u64")
        .replace("lt(i, n)", "lt(i, 8u64)")
        .replace(
            "            store out[unchecked",
            &format!("{products}            store out[unchecked"),
        );
    let program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let kernel = program.kernel("k").expect("the program has a kernel");
    let word = || Input::Scalar(Constant::u64(0));
    let x = Input::Slice((1..17).collect());
    let inputs = [x, Input::Slice(vec![0; 16]), word(), word(), word(), word()];
    let ptx = compare(&program, kernel, &inputs, [1, 1, 1]).unwrap_or_else(|error| panic!("{error}"));
    let warm = ptx.split("CHECK0:").next().unwrap_or_default();
    assert_eq!(warm.matches("st.global").count(), 9, "{ptx}");
}

/// An index of the counter and the arguments.
fn random_index(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.once_in(3) {
        let leaves = ["i", "i", "b", "k", "1u64", "cast u64(thread_index.x)", "length(x)"];
        return leaves[random.below(leaves.len() as u64) as usize].to_owned();
    }
    let a = random_index(random, depth - 1);
    let b = random_index(random, depth - 1);
    match random.below(8) {
        0 => format!("sub({a}, {b})"),
        1 => format!("mul({a}, {b})"),
        2 => format!("shl({a}, 1u32)"),
        3 => format!("min({a}, {b})"),
        4 => format!("rem({a}, 5u64)"),
        _ => format!("add({a}, {b})"),
    }
}

/// Loops with random indices, some of them behind conditions, in steps that are constant or not.
#[test]
fn random_indices() {
    for seed in seeds(0..30) {
        let random = &mut Random::new(seed);
        let indices: Vec<String> = (0..1 + random.below(3)).map(|_| random_index(random, 3)).collect();
        let indices: Vec<&str> = indices.iter().map(String::as_str).collect();
        let step = ["1u64", "2u64", "5u64", "add(and(k, 3u64), 1u64)"][random.below(4) as usize];
        let mut source = source(step, "u64", &indices);
        if random.once_in(2) {
            let read = "store s = add(mul(s, 3u32), x";
            let (before, rest) = source.split_once(read).expect("the loop reads");
            let (index, after) = rest.split_once('\n').expect("a line ends");
            source = format!("{before}if lt(b, add(i, 4u64)) {{ {read}{index} }} else {{ }}\n{after}");
        }
        run_source(&source, Scalar::U64, 12);
    }
}

/// Nothing to check: several iterations at a time.
#[test]
fn no_indices() {
    for step in ["1", "2", "7"] {
        run(step, Scalar::U64, &[]);
        run(step, Scalar::I32, &["rem(cast u64(i), 1u64)"]);
    }
}

/// A number at the ends of what fits 31, 32 and 63 bits, or a small one.
fn end(random: &mut Random) -> u64 {
    let ends: [u64; 5] = [0, 1 << 16, 1 << 31, 1 << 32, 1 << 63];
    ends[random.below(5) as usize]
        .wrapping_add(random.below(9))
        .wrapping_sub(4)
}

/// A number computed by minima, maxima, quotients and selections of words of both sizes.
fn random_number(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.once_in(4) {
        return match random.below(8) {
            0..=2 => "i".to_owned(),
            3 => "b".to_owned(),
            4 => "k".to_owned(),
            5 => "cast u64(cast u32(b))".to_owned(),
            6 => "cast u64(add(cast u32(i), cast u32(k)))".to_owned(),
            _ => format!("{}u64", end(random)),
        };
    }
    let a = random_number(random, depth - 1);
    let b = random_number(random, depth - 1);
    let n = end(random);
    match random.below(16) {
        0 | 1 => format!("min({a}, {b})"),
        2 | 3 => format!("max({a}, {b})"),
        4 => format!("sub(max({a}, {b}), {b})"),
        5 => format!("sub(max({a}, {n}u64), {}u64)", n.saturating_sub(random.below(3))),
        6 => format!("sub({a}, {b})"),
        7 => format!("add({a}, {b})"),
        8 => format!("mul({a}, {}u64)", random.pick(&[2, 3, 1 << 16, u64::MAX])),
        9 => format!("div({a}, or({b}, 1u64))"),
        10 => format!("rem({a}, or({b}, 1u64))"),
        11 => format!("min({a}, sub({b}, 1u64))"),
        12 => format!("cast u64(min(max(cast i64({a}), 0i64), sub(cast i64({b}), 1i64)))"),
        13 => format!("cast u64(max(min(cast i64({a}), sub(cast i64({b}), 1i64)), 0i64))"),
        14 => format!("select(eq({a}, {b}), {a}, {b})"),
        _ => format!("select(lt({a}, {b}), {a}, add({b}, {n}u64))"),
    }
}

/// Loops over numbers at the ends of 32 bits, with reads that numbers decide.
#[test]
fn random_numbers() {
    for seed in seeds(0..100) {
        let random = &mut Random::new(seed);
        let step = ["1u64", "1u64", "2u64", "5u64", "add(and(k, 3u64), 1u64)"][random.below(5) as usize];
        let mut work = String::new();
        for _ in 0..1 + random.below(3) {
            let number = random_number(random, 3);
            work += &match random.below(4) {
                0 => format!("store s = add(mul(s, 3u32), x[min({number}, sub(length(x), 1u64))])\n"),
                1 => {
                    let limit = random_number(random, 1);
                    format!("if lt({number}, {limit}) {{ store s = add(mul(s, 5u32), 1u32) }} else {{ }}\n")
                }
                _ => format!("store s = add(mul(s, 3u32), xor(cast u32({number}), cast u32(shr({number}, 32u32))))\n"),
            };
        }
        let source = source(step, "u64", &["0u64"]).replace("store s = add(mul(s, 3u32), x[0u64])\n", &work);
        for _ in 0..6 {
            let first = end(random).min(u64::MAX - 99);
            let n = first + random.below(20);
            let (b, k) = (end(random), end(random));
            run_lengths(&source, 5..6, |_| [first, n, b, k]);
        }
    }
}
