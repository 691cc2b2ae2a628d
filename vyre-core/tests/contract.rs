//! Contraction and fast math: programs before and after, in their text form, and what they compute then.

use vyre_core::fast::{Fast, approximate, fast_math};
use vyre_core::interp::{self, Argument};
use vyre_core::ir::{Handle, Program, Scalar};
use vyre_core::text::{parse, print};
use vyre_core::validate::validate;
use vyre_core::{CompileOptions, compile, contract};

fn read(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The statements of a function of four parameters, after a change of the program, which stays valid.
fn changed(change: impl Fn(&mut Program), scalar: &str, statements: &str) -> String {
    let mut program = read(&format!(
        "vyre 1\n\nfn f(a: {scalar}, b: {scalar}, c: {scalar}, d: {scalar}) -> {scalar} {{\n{statements}\n}}\n"
    ));
    validate(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{statements}"));
    change(&mut program);
    validate(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{}", print(&program)));
    let text = print(&program);
    let lines = text.lines().skip_while(|line| !line.starts_with("fn f")).skip(1);
    let code = lines
        .take_while(|line| *line != "}")
        .filter(|line| !line.contains("let "));
    code.map(str::trim).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn contracts(statements: &str, expected: &str) {
    for scalar in ["f16", "f32", "f64"] {
        let statements = statements.replace("SCALAR", scalar);
        assert_eq!(changed(contract, scalar, &statements), expected);
    }
    let statements = statements.replace("SCALAR", "bf16");
    assert_eq!(
        changed(contract, "bf16", &statements),
        changed(|_| {}, "bf16", &statements)
    );
}

#[test]
fn sums_and_differences_fuse() {
    for (sum, fused) in [
        ("add(mul(a, b), c)", "mul_add(a, b, c)"),
        ("add(c, mul(a, b))", "mul_add(a, b, c)"),
        ("sub(mul(a, b), c)", "mul_add(a, b, neg(c))"),
        ("sub(c, mul(a, b))", "mul_add(neg(a), b, c)"),
        ("add(neg(mul(a, b)), c)", "mul_add(neg(a), b, c)"),
        ("sub(c, neg(mul(a, b)))", "mul_add(a, b, c)"),
        ("sub(neg(mul(a, b)), c)", "mul_add(neg(a), b, neg(c))"),
        ("add(mul(a, b), mul(c, d))", "mul_add(a, b, mul(c, d))"),
        ("sub(mul(a, b), mul(c, d))", "mul_add(a, b, neg(mul(c, d)))"),
        (
            "add(add(mul(a, b), mul(c, d)), mul(a, a))",
            "mul_add(a, a, mul_add(a, b, mul(c, d)))",
        ),
        ("mul(add(mul(a, b), c), d)", "mul(mul_add(a, b, c), d)"),
        ("add(div(a, b), c)", "add(div(a, b), c)"),
        ("mul(add(a, b), c)", "mul(add(a, b), c)"),
    ] {
        contracts(&format!("return {sum}"), &format!("return {fused}"));
    }
}

#[test]
fn integers_do_not_fuse() {
    assert_eq!(
        changed(contract, "i32", "return add(mul(a, b), c)"),
        "return add(mul(a, b), c)"
    );
}

#[test]
fn a_variable_that_is_read_once_stands_for_its_product() {
    contracts(
        "let p: SCALAR\nstore p = mul(a, b)\nstore a = d\nreturn add(c, p)",
        "store #5 = a\nstore #6 = b\nstore a = d\nreturn mul_add(#5, #6, c)",
    );
}

#[test]
fn other_variables_do_not() {
    for statements in [
        // Read twice.
        "let p: SCALAR\nstore p = mul(a, b)\nreturn add(p, add(c, p))",
        // Assigned twice.
        "let p: SCALAR\nstore p = mul(a, b)\nstore p = mul(b, b)\nreturn add(p, c)",
        "let p: SCALAR\nstore p = mul(a, b)\nstore p = c\nreturn add(p, c)",
        // A parameter.
        "store d = mul(a, b)\nreturn add(c, d)",
        // No summand.
        "let p: SCALAR\nstore p = mul(a, b)\nreturn mul(c, p)",
    ] {
        let same = changed(|_| {}, "f32", &statements.replace("SCALAR", "f32"));
        assert_eq!(changed(contract, "f32", &statements.replace("SCALAR", "f32")), same);
    }
}

#[test]
fn a_product_in_a_loop_is_that_of_the_iteration() {
    let text = "vyre 1

type &mut [f32]

kernel k(y: &mut [f32]) dimensions 1 block 1 1 1 {
    entry k {
        let n: u32
        let p: f32
        let sum: f32
        loop {
            if ge(n, 5u32) {
                break 0
            }
            store sum = add(sum, p)
            store p = mul(cast f32(n), 1.5f32)
        } step {
            store n = add(n, 1u32)
        }
        store y[0u64] = sum
    }
}
";
    let run = |program: &Program| {
        let valid = validate(program).unwrap_or_else(|errors| panic!("{errors:?}"));
        let mut y = [0; 4];
        interp::launch(&valid, Handle::new(0), &mut [Argument::Slice(&mut y)], [1; 3]).unwrap();
        f32::from_le_bytes(y)
    };
    let mut program = read(text);
    assert_eq!(run(&program), 9.0);
    contract(&mut program);
    assert!(print(&program).contains("mul_add"), "{}", print(&program));
    assert_eq!(run(&program), 9.0);
}

/// An exact function stays, and says so in the text form.
#[test]
fn exact_functions_stay() {
    let text = "vyre 1\n\nexact fn f(a: f32, b: f32) -> f32 {\n    return add(mul(a, b), div(a, b))\n}\n";
    let mut program = read(text);
    assert_eq!(print(&program), text);
    contract(&mut program);
    assert_eq!(print(&program), text);
}

#[test]
fn fast_math_approximates() {
    for (exact, fast) in [
        ("div(a, b)", "approx_div(a, b)"),
        ("div(1.0f32, b)", "approx_recip(b)"),
        ("sqrt(a)", "approx_sqrt(a)"),
        (
            "add(mul(a, b), div(c, sqrt(d)))",
            "mul_add(a, b, approx_div(c, approx_sqrt(d)))",
        ),
    ] {
        assert_eq!(
            changed(fast_math, "f32", &format!("return {exact}")),
            format!("return {fast}")
        );
    }
    // There is no approximation of the others.
    for scalar in ["f16", "f64"] {
        assert_eq!(
            changed(fast_math, scalar, "return div(sqrt(a), b)"),
            "return div(sqrt(a), b)"
        );
    }
}

/// A budget picks by the bounds of the forms, and contracts nothing.
#[test]
fn approximations_keep_within_a_budget() {
    const EXACT: &str = "add(mul(a, b), div(div(1.0f32, c), sqrt(d)))";
    for (ulps, expected) in [
        (0, EXACT),
        (1, "add(mul(a, b), div(approx_recip(c), sqrt(d)))"),
        (3, "add(mul(a, b), div(approx_recip(c), approx_sqrt(d)))"),
        // `approx_div` by a large divisor is 0.
        (u32::MAX, "add(mul(a, b), div(approx_recip(c), approx_sqrt(d)))"),
    ] {
        let within = |program: &mut _| approximate(program, ulps);
        assert_eq!(
            changed(within, "f32", &format!("return {EXACT}")),
            format!("return {expected}")
        );
    }
}

/// Functions of mathematics are known by their names, if they are exact; what they were made of goes.
#[test]
fn fast_math_replaces_functions() {
    let text = |exact: &str| {
        format!(
            "vyre 1

{exact}fn part(x: f32) -> f32 {{
    return sqrt(x)
}}

{exact}fn \"f32::ln\"(x: f32) -> f32 {{
    let part: f32
    call part = part(x)
    return part
}}

fn user(x: f32) -> f32 {{
    let ln: f32
    call ln = \"f32::ln\"(x)
    return ln
}}
"
        )
    };
    let read = |text: &str| {
        let text = text
            .replace("fn \"f32::ln\"", "fn #1 \"f32::ln\"")
            .replace("= \"f32::ln\"", "= #1");
        self::read(&text)
    };
    let mut program = read(&text("exact "));
    fast_math(&mut program);
    validate(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let names: Vec<&str> = program.functions.iter().map(|(_, function)| &*function.name).collect();
    assert_eq!(names, ["f32::ln", "user"]);
    assert!(print(&program).contains("return mul(approx_log2(x), 0.6931472f32)"));
    // One of the user's keeps its meaning.
    let mut program = read(&text(""));
    fast_math(&mut program);
    assert_eq!(program.functions.len(), 3);
    assert!(!print(&program).contains("approx_log2"));
}

/// Each function by its PTX and by its value in the interpreter, against the standard library.
#[test]
fn fast_functions_compute() {
    let exact: fn(Fast, f64, f64) -> f64 = |fast, x, y| match fast {
        Fast::Exp => x.exp(),
        Fast::Exp2 => x.exp2(),
        Fast::Exp10 => 10f64.powf(x),
        Fast::Ln => x.ln(),
        Fast::Log2 => x.log2(),
        Fast::Log10 => x.log10(),
        Fast::Log => x.log(y),
        Fast::Sin => x.sin(),
        Fast::Cos => x.cos(),
        Fast::Tan => x.tan(),
        Fast::Tanh => x.tanh(),
        Fast::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Fast::Rsqrt => 1.0 / x.sqrt(),
        Fast::Recip => 1.0 / x,
        Fast::Sqrt => x.sqrt(),
        Fast::Div => x / y,
        Fast::Powf => x.powf(y),
    };
    for &fast in Fast::ALL {
        let mut program = Program::default();
        let f32 = program.types.scalar(Scalar::F32);
        let out = program.types.slice(f32, true);
        program.build_kernel("k", &[1], &[("x", f32), ("y", f32), ("out", out)], |b, parameters| {
            let [x, y] = [0, 1].map(|at| b.get(parameters[at]));
            let value = fast.value(b, [x, y]);
            let first = b.u64(0);
            let place = b.index(b.local_place(parameters[2]), first);
            b.store(place, value);
        });
        let valid = validate(&program).unwrap_or_else(|errors| panic!("{fast:?}: {errors:?}"));
        for (x, y) in [(0.3f32, 1.7f32), (2.5, 0.4), (1.25, 3.0)] {
            let mut bytes = [0; 4];
            let [first, second] = [x, y].map(|x| vyre_core::ir::Constant::new(Scalar::F32, x.to_bits().into()));
            let mut arguments = [
                Argument::Scalar(first),
                Argument::Scalar(second),
                Argument::Slice(&mut bytes),
            ];
            interp::launch(&valid, Handle::new(0), &mut arguments, [1; 3]).unwrap();
            let (found, exact) = (f64::from(f32::from_le_bytes(bytes)), exact(fast, x.into(), y.into()));
            assert!(
                (found / exact - 1.0).abs() < 1e-6,
                "{fast:?}({x}, {y}) is {exact}, not {found}"
            );
        }
        let module = compile(&valid, &CompileOptions::default()).unwrap();
        assert!(module.ptx.contains(".approx.f32"), "{fast:?}\n{}", module.ptx);
        let needs = if fast == Fast::Tanh { ((7, 0), 75) } else { ((6, 0), 70) };
        assert_eq!((module.version, module.target), needs, "{fast:?}");
    }
}
