//! Programs that are nested very deeply, as text that comes at run time: they run, or an error says that they are nested
//! too deeply, on the stack that threads have in a build without optimisation.

use std::thread::Builder;

use vyre_core::interp::{self, Argument};
use vyre_core::ir::Handle;
use vyre_core::validate::validate;
use vyre_core::{CompileOptions, compile, text};

/// Half of what threads have that a program starts, and the main thread on Windows has 1 MiB.
const STACK: usize = 1 << 20;

/// A form, how deep it may be, and the text of it so deep.
type Form = (&'static str, usize, fn(usize) -> String);

fn nest(before: &str, inner: &str, after: &str, depth: usize) -> String {
    format!("{}{inner}{}", before.repeat(depth), after.repeat(depth))
}

/// A program whose kernel has this body.
fn kernel(body: &str) -> String {
    format!(
        "vyre 1\nkernel k(y: &mut [f32], u: &mut [u64], c: bool) dimensions 1 block 32 1 1 {{\nentry k {{\n{body}\n}}\n}}\n"
    )
}

fn value(expr: &str) -> String {
    kernel(&format!("store y[0u64] = {expr}"))
}

/// A kernel beside types that use one another.
fn types(name: fn(usize) -> String, depth: usize) -> String {
    let items: Vec<String> = (0..depth).map(name).collect();
    kernel("").replace("vyre 1\n", &format!("vyre 1\n{}\n", items.join("\n")))
}

const FORMS: [Form; 22] = [
    ("unary", 250, |depth| value(&nest("neg(", "y[0u64]", ")", depth))),
    ("left", 250, |depth| value(&nest("add(", "y[0u64]", ", 1f32)", depth))),
    ("right", 250, |depth| value(&nest("add(1f32, ", "y[0u64]", ")", depth))),
    ("both", 250, |depth| {
        value(&nest("mul_add(1f32, ", "y[0u64]", ", y[0u64])", depth))
    }),
    ("with types", 250, |depth| {
        value(&nest("(neg(", "y[0u64]", ") : f32)", depth))
    }),
    ("select", 250, |depth| {
        value(&nest("select(c, ", "1f32", ", 2f32)", depth))
    }),
    ("cast", 250, |depth| value(&nest("cast f32(", "y[0u64]", ")", depth))),
    ("index", 250, |depth| {
        kernel(&format!("store u[0u64] = {}", nest("u[", "0u64", "]", depth)))
    }),
    ("target", 250, |depth| {
        kernel(&format!("store {} = 1u64", nest("u[", "0u64", "]", depth)))
    }),
    ("and", 250, |depth| {
        kernel(&format!("if {} {{ }}", nest("and_then(c, ", "c", ")", depth)))
    }),
    ("or", 250, |depth| {
        kernel(&format!("if {} {{ }}", nest("or_else(", "c", ", c)", depth)))
    }),
    ("if", 250, |depth| {
        kernel(&nest("if c {\n", "store y[0u64] = 1f32", "\n}", depth))
    }),
    ("else", 250, |depth| {
        kernel(&nest("if c { } else {\n", "store y[0u64] = 1f32", "\n}", depth))
    }),
    ("loop", 250, |depth| {
        kernel(&nest("loop {\n", "store y[0u64] = 1f32", "\nbreak 0\n}", depth))
    }),
    ("loop in if", 126, |depth| {
        kernel(&nest(
            "if c { loop {\n",
            "store y[0u64] = 1f32",
            "\nbreak 0\n} }",
            depth,
        ))
    }),
    ("step", 250, |depth| {
        kernel(&nest("loop { break 0 } step {\n", "store y[0u64] = 1f32", "\n}", depth))
    }),
    ("field", 125, |depth| {
        value(&nest("field(new (f32, f32)(", "1f32", ", 2f32), 0)", depth))
    }),
    ("array", 62, |depth| {
        kernel(&format!("let t: {}", nest("[", "f32", "; 1]", depth)))
    }),
    ("tuple", 62, |depth| {
        kernel(&format!("let t: {}", nest("(", "f32", ",)", depth)))
    }),
    ("reference", 1, |depth| {
        kernel(&format!("let t: {}", nest("&", "f32", "", depth)))
    }),
    ("structs", 62, |depth| {
        types(
            |number| match number {
                0 => "struct S0 { a: f32 }".to_owned(),
                _ => format!("struct S{number} {{ a: S{} }}", number - 1),
            },
            depth,
        )
    }),
    ("functions", 64, |depth| {
        types(
            |number| match number {
                0 => "fn call0() -> f32 {\nreturn 1f32\n}".to_owned(),
                _ => format!(
                    "fn call{number}() -> f32 {{\nlet r: f32\ncall r = call{}()\nreturn r\n}}",
                    number - 1
                ),
            },
            depth,
        )
    }),
];

/// The last step that is reached, or the error.
fn outcome(source: &str) -> String {
    let program = match text::parse(source) {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    let printed = text::print(&program);
    let valid = match validate(&program) {
        Ok(valid) => valid,
        Err(errors) => return errors[0].display(&program).to_string(),
    };
    assert_eq!(text::parse(&printed).as_ref().map(text::print), Ok(printed));
    compile(&valid, &CompileOptions::default()).expect("a valid program compiles");
    let (mut y, mut u) = ([0; 16], [0; 16]);
    let arguments = &mut [
        Argument::Slice(&mut y),
        Argument::Slice(&mut u),
        Argument::Scalar(vyre_core::ir::Constant::bool(true)),
    ];
    interp::launch(&valid, Handle::new(0), arguments, [1; 3]).expect("it runs");
    "runs".to_owned()
}

#[test]
fn deep_programs_run_or_are_refused() {
    for (name, deepest, form) in FORMS {
        for depth in [deepest, 100, 3_000, 20_000] {
            let source = form(depth);
            let thread = Builder::new().stack_size(STACK).spawn(move || outcome(&source));
            let said = thread.expect("a thread starts").join().expect("nothing panics");
            let is_right = match depth <= deepest {
                true => said == "runs",
                false => said.contains("deep") || said.contains("holds references"),
            };
            assert!(is_right, "{name}, {depth} deep: {said}");
        }
    }
}
