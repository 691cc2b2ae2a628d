//! The conditions under which checks hold: of stencils, products, tiles and other patterns, and of those that have none.

use vyre_core::text::parse;
use vyre_core::validate::validate;
use vyre_core::{CompileError, CompileOptions, compile};
use vyre_test_support::case::VERIFIED;

/// The conditions of a kernel of two axes, with blocks of 16 x 16 threads, and the checks that are left.
fn conditions(parameters: &str, body: &str) -> Option<(Vec<String>, usize)> {
    let source = format!(
        "vyre 1\ntype &[f32]\ntype &mut [f32]\ntype &[u32]\nkernel k({parameters}) dimensions 2 block 16 16 1 {{\n    entry k {{\n{body}\n    }}\n}}"
    );
    let program = parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let valid = validate(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{source}"));
    let module = compile(&valid, &VERIFIED).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<String> = (program.kernels[module.kernels[0].kernel].parameters.iter())
        .map(|parameter| parameter.name.clone())
        .collect();
    let assumed = module.kernels[0].assumed.as_ref()?;
    let (_, text) = module.ptx.split_once(&format!(".entry {}(", assumed.symbol))?;
    let options = CompileOptions {
        checked_only: true,
        ..VERIFIED
    };
    let checked = compile(&valid, &options).unwrap_or_else(|error| panic!("{error}"));
    assert!(checked.kernels[0].assumed.is_none() && !checked.ptx.contains("__assumed"));
    let needs = assumed.needs.iter().map(|need| need.text(&names)).collect();
    Some((needs, text.matches("FAULT").count()))
}

#[track_caller]
fn all(parameters: &str, body: &str, expected: &[&str]) {
    let (needs, left) = conditions(parameters, body).expect("checks hold under conditions");
    assert_eq!(
        (needs, left),
        (expected.iter().map(|&text| text.to_owned()).collect(), 0)
    );
}

#[test]
fn elements_of_a_range() {
    all(
        "y: &mut [f32]",
        "store y[global_index.x] = 1f32",
        &["16 * grid.x <= y.len()"],
    );
    let body = "let i: u64\n store i = global_index.x\n if lt(i, n) { store y[i] = add(x[i], 1f32) }";
    all(
        "x: &[f32], y: &mut [f32], n: u64",
        body,
        &["n <= x.len()", "n <= y.len()"],
    );
    let body = "let i: u64\n store i = global_index.x\n if lt(i, length(y)) { store y[i] = add(x[i], 1f32) }";
    all("x: &[f32], y: &mut [f32]", body, &["y.len() <= x.len()"]);
}

#[test]
fn stencils() {
    let body = "let x: u64\n let y: u64\n let i: u64
        store x = global_index.x\n store y = global_index.y
        if and_then(and_then(and_then(gt(x, 0u64), gt(y, 0u64)), lt(add(x, 1u64), w)), lt(add(y, 1u64), h)) {
            store i = add(mul(y, w), x)
            store to[i] = add(add(from[sub(i, 1u64)], from[add(i, 1u64)]), add(from[sub(i, w)], from[add(i, w)]))
        }";
    all(
        "from: &[f32], to: &mut [f32], w: u64, h: u64",
        body,
        &[
            "w * h <= from.len() + w",
            "w * h <= from.len() + 1",
            "w * h <= w + to.len() + 1",
        ],
    );
}

#[test]
fn products_by_tiles() {
    let body = "let row: u64\n let column: u64\n let t: u64\n let s: f32
        store row = global_index.y\n store column = global_index.x\n store t = 0u64
        loop {
            if lt(t, n) { } else { break 0 }
            store s = add(s, mul(a[add(add(mul(row, n), t), cast u64(thread_index.x))],
                b[add(mul(add(t, cast u64(thread_index.y)), n), column)]))
        } step { store t = add(t, 16u64) }
        store c[add(mul(row, n), column)] = s";
    all(
        "a: &[f32], b: &[f32], c: &mut [f32], n: u64",
        body,
        &[
            "16 * n * grid.y + 16 * ((n + 15) / 16) <= a.len() + n",
            "16 * n * ((n + 15) / 16) + 16 * grid.x <= n + b.len()",
            "16 * n * grid.y + 16 * grid.x <= n + c.len()",
        ],
    );
}

/// The sum of an index and a column does not wrap for any launch that keeps the condition, in 32 bits either.
#[test]
fn indices_of_32_bits() {
    let body = "let i: u32
        store i = add(mul(cast u32(global_index.y), w), cast u32(global_index.x))
        store y[cast u64(i)] = 1f32";
    all(
        "y: &mut [f32], w: u32",
        body,
        &["16 * w * grid.y + 16 * grid.x <= y.len() + w"],
    );
}

/// A comparison bounds the sum even where it wraps, so that the sum of 64 bits asks for more: of a counter, and of a constant.
/// No launch can promise it of data.
#[test]
fn sums_of_64_bits_do_not_wrap() {
    let sum = |sum: &str| {
        format!(
            "let i: u32\n let t: u32\n store t = 0u32
            loop {{
                if lt(t, 4u32) {{ }} else {{ break 0 }}
                store i = {sum}
                if lt(i, n) {{ store y[cast u64(i)] = 1f32 }}
            }} step {{ store t = add(t, 1u32) }}"
        )
    };
    let parameters = "x: &[u32], y: &mut [f32], n: u32, p: u32";
    let wide = ["n <= y.len()", "p <= 4294967292"];
    all(parameters, &sum("add(p, t)"), &wide);
    all(parameters, &sum("add(p, 3u32)"), &wide);
    all(parameters, &sum("add(mul(p, n), p)"), &wide[..1]);
    all(parameters, &sum("add(x[unchecked 0u64], 3u32)"), &wide[..1]);
    all(parameters, &sum("add(x[unchecked 0u64], t)"), &wide[..1]);
    // Hashes wrap on purpose.
    for factor in [2_654_435_761u32, 1_103_515_245, 40_503] {
        let hash = format!("add(mul(cast u32(global_index.x), {factor}u32), t)");
        all(parameters, &sum(&hash), &wide[..1]);
    }
    let row = "add(mul(cast u32(global_index.x), 1024u32), t)";
    all(parameters, &sum(row), &["n <= y.len()", "16384 * grid.x <= 4294968316"]);
}

/// An index that data decide, one that only its type bounds, and one that hardly any launch keeps in bounds.
#[test]
fn others_keep_their_checks() {
    let none = |parameters: &str, body: &str| assert_eq!(conditions(parameters, body), None, "{body}");
    none(
        "y: &mut [f32], j: &[u32]",
        "store y[cast u64(j[unchecked global_index.x])] = 1f32",
    );
    none("y: &mut [f32]", "store y[sub(global_index.x, 1u64)] = 1f32");
    // Only without a distance.
    none(
        "y: &mut [f32], d: u64",
        "if lt(global_index.x, length(y)) { store y[add(global_index.x, d)] = 1f32 }",
    );
    // The others do not lose theirs.
    let (needs, left) = conditions(
        "y: &mut [f32], j: &[u32]",
        "store y[cast u64(j[global_index.x])] = 1f32",
    )
    .expect("the index of `j` is in bounds");
    assert_eq!(needs, ["16 * grid.x <= j.len()"]);
    assert_ne!(left, 0);
}

/// The low word of a quotient is not the quotient: 0 for `n` = 2^36, which divides nothing.
#[test]
fn words_of_quotients_are_no_numbers_of_the_launch() {
    let body = "store y[0u64] = cast f32(rem(7u32, cast u32(div(n, 16u64))))";
    let (needs, left) = conditions("y: &mut [f32], n: u64", body).expect("the element is in bounds");
    assert_eq!((needs, left), (vec!["1 <= y.len()".to_owned()], 1));
}

/// A bound of 2^63 is no bound of a sum.
#[test]
fn shifts_into_the_sign_have_no_conditions() {
    let body = "store y[shl(n, 63u32)] = 1f32";
    assert_eq!(conditions("y: &mut [f32], n: u64", body), None);
    let body = "store y[shl(cast u64(and(thread_index.x, 1u32)), 63u32)] = 1f32";
    assert_eq!(conditions("y: &mut [f32]", body), None);
}

/// A condition that no launch keeps costs the other checks nothing.
#[test]
fn conditions_that_never_hold_are_none() {
    let body = "store y[global_index.x] = x[cast u64(cast i8(mul(thread_index.x, 16u32)))]";
    let (needs, left) = conditions("x: &[f32], y: &mut [f32]", body).expect("the index of `y` is in bounds");
    assert_eq!((needs, left), (vec!["16 * grid.x <= y.len()".to_owned()], 1));
}

/// Threads that wait for others in loops look for faults there, in all launches.
#[test]
fn waiting_threads_have_one_entry() {
    let source = "vyre 1\ntype &[AtomicU32]\nkernel k(y: &[AtomicU32]) dimensions 1 block 16 1 1 {
    entry k {
        let seen: u32
        loop {
            atomic seen = load(y[0u64]) acquire device
            if ne(seen, 0u32) { break 0 }
        }
    }
}";
    let program = parse(source).unwrap_or_else(|error| panic!("{error}"));
    let valid = validate(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let module = compile(&valid, &VERIFIED).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((module.kernels[0].sites.len(), &module.kernels[0].assumed), (1, &None));
}

/// Launches that are late leave where threads poll, also one whose entry has no checks.
#[test]
fn barrier_loops_poll_in_both_entries() {
    let source = "vyre 1\ntype &[u32]\nshared more: u32
kernel k(y: &[u32]) dimensions 1 block 64 1 1 {
    entry k {
        loop {
            if eq(thread_index.x, 0u32) { store shared::more = y[cast u64(block_index.x)] }
            barrier
            if eq(shared::more, 0u32) { break 0 }
            barrier
        }
    }
}";
    let program = parse(source).unwrap_or_else(|error| panic!("{error}"));
    let valid = validate(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let module = compile(&valid, &VERIFIED).unwrap_or_else(|error| panic!("{error}"));
    let assumed = module.kernels[0].assumed.as_ref().expect("the grid decides the check");
    let entry = format!(".entry {}(", assumed.symbol);
    let (checked, unchecked) = module.ptx.split_once(&entry).expect("it is in the text");
    for (text, faults) in [(checked, true), (unchecked, false)] {
        assert!(text.contains("POLLED0:"), "{text}");
        assert_eq!(text.contains("FAULT"), faults, "{text}");
    }
}

/// The checks that are left in what launches take under the conditions, or an error that names them.
fn denied(parameters: &str, body: &str) -> Result<(), Vec<String>> {
    let source = format!(
        "vyre 1\ntype &[f32]\ntype &mut [f32]\ntype &[u32]\nkernel k({parameters}) dimensions 1 block 64 1 1 {{\n    entry k {{\n{body}\n    }}\n}}"
    );
    let program = parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let valid = validate(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{source}"));
    let options = CompileOptions {
        deny_bounds_checks: true,
        ..VERIFIED
    };
    match compile(&valid, &options) {
        Ok(module) => {
            let kernel = &module.kernels[0];
            let text = match &kernel.assumed {
                Some(assumed) => module.ptx.split(&format!(".entry {}(", assumed.symbol)).nth(1),
                None => Some(&*module.ptx),
            };
            let text = text.expect("the entry is in the text");
            assert!(!text.contains("FAULT") || text.contains("div."), "{text}");
            Ok(())
        }
        Err(CompileError::BoundsChecks { kernel, left }) => {
            assert_eq!(kernel, "k");
            Err(left
                .into_iter()
                .map(|site| format!("{:?} {}", site.kind, site.message))
                .collect())
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn checks_that_are_denied() {
    let x_and_y = "x: &[f32], y: &mut [f32], j: &[u32]";
    // A launch decides, a guard proves, and another fault is no bounds check.
    assert_eq!(denied(x_and_y, "store y[global_index.x] = x[global_index.x]"), Ok(()));
    let guarded = "let i: u64\n store i = global_index.x\n if lt(i, length(y)) { store y[i] = 1f32 }";
    assert_eq!(denied(x_and_y, guarded), Ok(()));
    let divides = "store y[global_index.x] = cast f32(div(7u32, j[global_index.x]))";
    assert_eq!(denied(x_and_y, divides), Ok(()));
    // Data decide, in a loop too, whose check is moved out of it.
    let index = "IndexOutOfBounds ".to_owned();
    let gather = "store y[global_index.x] = x[cast u64(j[global_index.x])]";
    assert_eq!(denied(x_and_y, gather), Err(vec![format!("{index}x")]));
    let both = "store y[cast u64(mul(j[global_index.x], 3u32))] = x[cast u64(j[global_index.x])]";
    assert_eq!(
        denied(x_and_y, both),
        Err(vec![format!("{index}x"), format!("{index}y")])
    );
    let hoisted = "let k: u64\n store k = 0u64\n loop {
            if lt(k, cast u64(j[global_index.x])) { } else { break 0 }
            store y[k] = 1f32
        } step { store k = add(k, 1u64) }";
    assert_eq!(denied(x_and_y, hoisted), Err(vec![format!("{index}y")]));
}

/// Each slice has a condition of its own.
#[test]
fn many_slices_are_decided() {
    let slices = |count: usize| {
        let names = (0..count).map(|k| format!("x{k}"));
        let parameters: Vec<String> = names.clone().map(|name| format!("{name}: &mut [f32]")).collect();
        let stores: Vec<String> = names
            .map(|name| format!("store {name}[global_index.x] = 1f32"))
            .collect();
        denied(&parameters.join(", "), &stores.join("\n"))
    };
    assert_eq!(slices(12), Ok(()));
    // More conditions than an entry may have: the others are checked.
    let left = slices(20).expect_err("some are left");
    assert!(left.len() < 10, "{left:?}");
}
