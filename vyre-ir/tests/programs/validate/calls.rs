//! Calls, results and references.

use super::*;

#[test]
fn functions_call_and_return() {
    let mut short = program("fn f(a: u32) -> () { }");
    short.functions[Handle::new(0)].parameters = 2;
    assert_eq!(
        kinds(&short),
        [InvalidKind::ParameterCount {
            parameters: 2,
            locals: 1
        }]
    );
    assert!(items("type AtomicU32 fn f() -> AtomicU32 { loop { } }").contains(&InvalidKind::ResultType(made(0))));
    let functions: Vec<_> = (0..4).map(Handle::new).collect();
    assert_eq!(
        items(
            "fn start() -> () { call a() }
             fn a() -> () { call b() }
             fn b() -> () { if true { call c() } }
             fn c() -> () { call a() }"
        ),
        [InvalidKind::Recursion(functions[1..].to_vec())]
    );
    assert_eq!(
        items("fn f() -> () { call f() }"),
        [InvalidKind::Recursion(vec![functions[0]])]
    );
    let chain = |length: usize| {
        let calls = (1..length).map(|next| format!("fn g{} () -> () {{ call g{next}() }}\n", next - 1));
        items(&format!(
            "{} fn g{} () -> () {{ }}",
            calls.collect::<String>(),
            length - 1
        ))
    };
    assert_eq!(chain(64), []);
    assert_eq!(chain(65), [InvalidKind::CallsTooDeep(functions[0])]);

    let missing = [InvalidKind::MissingReturn(scalar(Scalar::F32))];
    for (body, errors) in [
        ("", &missing[..]),
        ("if c { return 1.0f32 }", &missing[..]),
        ("if c { return 1.0f32 } else { return 2.0f32 }", &[]),
        ("if c { return 1.0f32 } assert false, panic \"never\"", &[]),
        ("assert c, \"\"", &missing[..]),
        ("loop { if c { return 1.0f32 } }", &[]),
        ("loop { if c { break 0 } return 1.0f32 }", &missing[..]),
        ("loop { loop { break 1 } }", &missing[..]),
        ("loop { loop { break 0 } }", &[]),
        ("loop { loop { continue 1 } } ", &[]),
        ("loop { continue 0 } step { break 0 } ", &missing[..]),
    ] {
        assert_eq!(items(&format!("fn f(c: bool) -> f32 {{ {body} }}")), errors, "{body}");
    }
    assert_eq!(
        items("fn f() -> f32 { return }"),
        [InvalidKind::ReturnWithout(scalar(Scalar::F32))]
    );
    assert_eq!(body("return n"), [InvalidKind::ReturnWith]);
    assert_eq!(
        items("fn f() -> f32 { return 1u32 }"),
        [mismatch(Scalar::F32, Scalar::U32)]
    );
}

#[test]
fn references_do_not_escape() {
    let function = |body: &str| {
        items(&format!(
            "type [f32; 4]
             fn first(p: &[f32]) -> &[f32] {{ return &p[0u64..1u64] }}
             fn f(p: &[f32], q: &mut [f32; 4], c: bool) -> &[f32] {{
                let array: [f32; 4]  let s: &[f32]  let pair: (&[f32], u32)
                {body} }}"
        ))
    };
    for body in [
        "return p",
        "return &q.*[0u64..2u64]",
        "store s = p return select(c, s, p)",
        "call s = first(p) return s",
        "store pair = new (&[f32], u32)(p, 0u32) return pair.0",
    ] {
        assert_eq!(function(body), [], "{body}");
    }
    for body in [
        "return &array[0u64..2u64]",
        "store s = &array[0u64..2u64] return s",
        "store s = &array[0u64..2u64] return &s[0u64..1u64]",
        "store s = p if c { store s = &array[0u64..1u64] } return s",
        "store s = &array[0u64..2u64] call s = first(s) return s",
        "return select(c, p, &array[0u64..1u64])",
        "store pair = new (&[f32], u32)(&array[0u64..1u64], 0u32) return field(pair, 0)",
    ] {
        assert_eq!(function(body), [InvalidKind::EscapingReference], "{body}");
    }
}

#[test]
fn references_are_written_before_they_are_read() {
    let unassigned = |body: &str, name: &str| {
        let program = program(&kernel(body));
        let locals = &program.kernels[Handle::new(0)].entries[0].body.locals;
        let local = locals
            .iter()
            .find(|(_, local)| local.name == name)
            .map(|(handle, _)| handle);
        assert_eq!(
            local.map(|local| vec![InvalidKind::Unassigned(local)]),
            Some(kinds(&program)),
            "{body}"
        );
    };
    unassigned("store n = r.*.1", "r");
    unassigned("store i = length(s)", "s");
    unassigned("store t[0u64] = 1.0f32", "t");
    unassigned("if c { store s = x } store i = length(s)", "s");
    unassigned("loop { if c { break 0 } store s = x } store i = length(s)", "s");
    unassigned(
        "loop { if c { continue 0 } store s = x } step { store i = length(s) }",
        "s",
    );
    for fine in [
        "if c { store s = x } else { store s = x } store i = length(s)",
        "if c { store s = x } else { return } store i = length(s)",
        "loop { store s = x if c { break 0 } } store i = length(s)",
        "loop { store s = x if c { continue 0 } } step { store i = length(s) }",
        "store s = x loop { store i = length(s) }",
        "if c { store s = x } else { assert false, panic \"\" } store i = length(s)",
    ] {
        assert_eq!(body(fine), [], "{fine}");
    }
}
