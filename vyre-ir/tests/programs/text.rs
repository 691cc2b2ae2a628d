//! The text form: printing, parsing, and the errors of both.

use vyre_ir::ir::limits::{MAX_DEPTH, MAX_TYPE_DEPTH};
use vyre_ir::ir::{Axis, BinaryOp, Builtin, Constant, Program, Scalar, Span, Type};
use vyre_ir::text::{ParseError, ParseErrorKind, parse, print};
use vyre_ir::validate::validate;

/// Prints, parses and compares; returns the text.
fn round_trip(program: &Program) -> String {
    let text = print(program);
    let parsed = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let expected = validate(program)
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
        .canonical();
    assert_eq!(parsed, expected, "{text}");
    assert_eq!(print(&parsed), text);
    text
}

fn saxpy() -> Program {
    let mut program = Program::default();
    program.files.push("src/main.rs".to_owned());
    let f32 = program.types.scalar(Scalar::F32);
    let (x, y) = (program.types.slice(f32, false), program.types.slice(f32, true));
    program.build_kernel("saxpy", &[256], &[("a", f32), ("x", x), ("y", y)], |b, parameters| {
        let &[a, x, y] = parameters else { return };
        let at = |line, column| Span { file: 0, line, column };
        b.span = at(4, 13);
        let i = b.builtin(Builtin::GlobalIndex(Axis::X));
        let i = b.let_("i", i);
        b.span = at(5, 8);
        let (left, right) = (b.get(i), b.length(b.local_place(y)));
        let inside = b.binary(BinaryOp::Lt, left, right);
        b.if_(
            inside,
            |b| {
                b.span = at(6, 16);
                let a = b.get(a);
                let index = b.get(i);
                b.span = at(6, 20);
                let path = b.index(b.local_place(x), index);
                let value = b.load(path);
                let product = b.binary(BinaryOp::Mul, a, value);
                let index = b.get(i);
                let path = b.index(b.local_place(y), index);
                let value = b.load(path);
                let sum = b.binary(BinaryOp::Add, product, value);
                let index = b.get(i);
                b.span = at(6, 9);
                let path = b.index(b.local_place(y), index);
                b.store(path, sum);
            },
            |_| {},
        );
    });
    program
}

#[test]
fn saxpy_reads_well() {
    let expected = "\
vyre 1
file \"src/main.rs\"
type &[f32]
type &mut [f32]

kernel saxpy(a: f32, x: &[f32], y: &mut [f32]) dimensions 1 block 256 1 1 {
    entry saxpy {
        let i: u64  @4:13
        store i = global_index.x  @4:13
        if lt(i, length(y)) {  @5:8
            store y[i] = add(mul(a, x[i]), y[i])  @6:9 20*2 9 16*4 20
        }
    }
}
";
    assert_eq!(round_trip(&saxpy()), expected);
}

/// A text with every construct, in the form in which it is printed.
const EVERYTHING: &str = include_str!("everything.vyre");

#[test]
fn every_construct_round_trips() {
    let program = parse(EVERYTHING).unwrap_or_else(|error| panic!("{error}"));
    for (printed, written) in print(&program).lines().zip(EVERYTHING.lines()) {
        assert_eq!(printed, written);
    }
    assert_eq!(print(&program), EVERYTHING);
}

#[test]
fn externals_have_fixed_width() {
    let mut program = parse(EVERYTHING).unwrap_or_else(|error| panic!("{error}"));
    let text = print(&program);
    assert!(text.contains("= 0xV000000000000000  @"), "{text}");
    assert!(text.contains("= 0xV0000001\n"), "{text}");
    for handle in program.externals.handles() {
        program.externals[handle].value = Some(7);
    }
    let with_values = print(&program);
    assert!(with_values.contains("= 0x0000000000000007  @"), "{with_values}");
    assert_eq!(text.len(), with_values.len());
    assert_eq!(parse(&with_values), Ok(program));
}

#[test]
fn strings_hold_no_placeholders() {
    let mut program = Program::default();
    program.files.push("0xV0000001 \"\\ \n\t\r \u{e9}\u{7f}".to_owned());
    let text = round_trip(&program);
    assert!(!text.contains("0xV"), "{text}");
}

#[test]
fn unknown_floats_keep_their_bits() {
    for (scalar, bits) in [
        (Scalar::F32, 0x7fc0_0000),
        (Scalar::F32, 0xff80_0001),
        (Scalar::F32, 0x8000_0000),
        (Scalar::F32, 1),
        (Scalar::F32, 0x7f80_0000),
        (Scalar::F32, 0x7f7f_ffff),
        (Scalar::F64, 0x7ff8_0000_0000_0001),
        (Scalar::F64, 0x8000_0000_0000_0000),
        (Scalar::F64, 1),
        (Scalar::F64, 0x7fef_ffff_ffff_ffff),
        (Scalar::I8, 0x80),
        (Scalar::I64, 1 << 63),
        (Scalar::U64, u64::MAX),
    ] {
        let mut program = Program::default();
        program.build_kernel("k", &[1], &[], |b, _| {
            let constant = b.constant(Constant::new(scalar, bits));
            b.let_("c", constant);
        });
        round_trip(&program);
    }
}

/// The error of a body in a kernel with the parameters `x: &[f32]` and `n: u32`.
fn error_in(body: &str) -> ParseError {
    let text = format!("vyre 1\nkernel k(x: &[f32], n: u32) dimensions 1 block 1 1 1 {{ entry k {{\n{body}\n}} }}");
    parse(&text).map(|program| print(&program)).expect_err(body)
}

#[test]
fn errors_say_where() {
    let expected = |expected, found: &str| ParseErrorKind::Expected {
        expected,
        found: found.to_owned(),
    };
    let unknown = |what, name: &str| ParseErrorKind::Unknown {
        what,
        name: name.to_owned(),
    };
    for (body, column, kind) in [
        ("store m = 1u32", 7, unknown("variable", "m")),
        ("store n#7 = 1u32", 7, unknown("variable", "n#7")),
        ("store x#1 = 1u32", 7, unknown("variable", "x#1")),
        ("store n = 1", 11, ParseErrorKind::BadNumber("1".to_owned())),
        ("store n = 300u8", 11, ParseErrorKind::BadNumber("300u8".to_owned())),
        ("store n = shared::t", 19, unknown("shared variable", "t")),
        ("call half(n)", 6, unknown("function", "half")),
        ("store n = frob(n)", 11, expected("an operation", "`frob`")),
        ("store n.0 = n", 11, ParseErrorKind::NoType),
        ("store n 1u32", 9, expected("=", "`1u32`")),
        ("let n: u32", 5, ParseErrorKind::Repeated("n".to_owned())),
        ("let f32: u32", 5, ParseErrorKind::Reserved("f32".to_owned())),
        ("let n#7: u32", 5, ParseErrorKind::OutOfOrder { expected: 2 }),
        ("let m: Particle", 8, unknown("type", "Particle")),
        ("assert true, \"\\q\"", 14, ParseErrorKind::BadString),
        ("assert true, \"", 14, ParseErrorKind::BadString),
        ("store n = n $", 13, ParseErrorKind::Character('$')),
        ("nonsense", 1, expected("a statement", "`nonsense`")),
    ] {
        let error = error_in(body);
        assert_eq!((error.line, error.column, error.kind), (3, column, kind), "{body}");
    }
    assert_eq!(
        parse("vyre 2").map(|program| print(&program)),
        Err(ParseError {
            kind: ParseErrorKind::Version("2".to_owned()),
            line: 1,
            column: 6
        })
    );
}

/// Programs of the maximal valid nesting depth can be printed and parsed.
#[test]
fn the_deepest_programs_round_trip() {
    let mut program = Program::default();
    let mut ty = program.types.scalar(Scalar::U32);
    for _ in 2..MAX_TYPE_DEPTH {
        ty = program.types.intern(Type::Tuple(vec![ty]));
    }
    let around = program.types.intern(Type::Tuple(vec![ty]));
    program.build_kernel("k", &[1], &[], |b, _| {
        let local = b.local("v", ty);
        let mut value = b.get(local);
        // The block and the load take a level each, each of these two.
        for _ in 1..MAX_DEPTH / 2 {
            let tuple = b.construct(around, vec![value]);
            value = b.field_of(tuple, 0);
        }
        b.set(local, value);
    });
    round_trip(&program);
}

/// Whatever is done to a text, the parser answers.
#[test]
fn damaged_texts_do_not_panic() {
    let pieces = [
        "\"", "\\", "#", "@", "*", "0x", "\u{e9}", "(", "{", "}", "-", "9", " ", "let", "..", "\n",
    ];
    let mut state = 1_u32;
    let mut random = |end: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % end
    };
    for _ in 0..2000 {
        let mut text = EVERYTHING.to_owned();
        for _ in 0..2 {
            // Nothing may be left of it.
            let at = random(text.len() + 1);
            if !text.is_char_boundary(at) {
                continue;
            }
            match random(3) {
                0 => text.truncate(at),
                1 if at < text.len() => drop(text.remove(at)),
                _ => text.insert_str(at, pieces[random(pieces.len())]),
            }
        }
        if let Ok(program) = parse(&text) {
            // Handles may be missing from what is parsed, and types may be anything; it can be
            // checked and printed all the same.
            let _ = validate(&program);
            print(&program);
        }
    }
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| format!("store n = {}n{}", "not(".repeat(depth), ")".repeat(depth));
    assert_eq!(error_in(&nested(100_000)).kind, ParseErrorKind::TooDeep);
    let blocks = "if true {\n".repeat(100_000);
    assert_eq!(error_in(&blocks).kind, ParseErrorKind::TooDeep);
    let types = format!("let t: {}u32", "&".repeat(100_000));
    assert_eq!(error_in(&types).kind, ParseErrorKind::TooDeep);
}
