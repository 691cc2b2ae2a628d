//! For each kind of fault a program that has it.

use super::{Entity, Immutable, Invalid, InvalidKind, Within, validate};
use crate::ir::{
    AtomicOp, BinaryOp, Constant, Entry, Handle, MemoryOrder, PlaceBase, Program, Scalar, Span, StmtKind, Type, TypeId,
    UnaryOp,
};
use crate::text::parse;

/// The type at a handle.
fn ty(index: usize) -> TypeId {
    Handle::new(index)
}

fn scalar(scalar: Scalar) -> TypeId {
    Handle::new(scalar as usize)
}

fn kinds(program: &Program) -> Vec<InvalidKind> {
    match validate(program) {
        Ok(_) => Vec::new(),
        Err(errors) => {
            for error in &errors {
                // Messages must come out with and without the program.
                assert!(!error.to_string().is_empty() && !error.display(program).to_string().is_empty());
            }
            errors.into_iter().map(|error| error.kind).collect()
        }
    }
}

fn program(items: &str) -> Program {
    parse(&format!("vyre 1 file \"a.rs\"\n{items}")).unwrap_or_else(|error| panic!("{error}\n{items}"))
}

/// The faults of some items.
fn items(items: &str) -> Vec<InvalidKind> {
    kinds(&program(items))
}

/// What the bodies of these tests may mention. The types that are not scalars: 12 `&[f32]`,
/// 13 `&mut [f32]`, 14 `AtomicU32`, 15 `&[AtomicU32]`, 16 `AtomicF32`, 17 `&[AtomicF32]`,
/// 18 `[f32; 4]`, 19 `(f32, u32)`, 20 `&(f32, u32)`, 21 `&mut (f32, u32)`.
const ITEMS: &str = "
    type &[f32] type &mut [f32] type AtomicU32 type &[AtomicU32] type AtomicF32 type &[AtomicF32]
    type [f32; 4] type (f32, u32) type &(f32, u32) type &mut (f32, u32)
    shared tile: [f32; 4]
    table weights: [f32; 4] = 1 2 3 4
    fn twice(v: f32) -> f32 { return add(v, 1.0f32) }
    fn nothing() -> () { }
";
const X: usize = 12;
const Y: usize = 13;
const ATOMIC_U32: usize = 14;
const ATOMICS: usize = 15;
const ARRAY: usize = 18;
const PAIR: usize = 19;
const PAIR_REFERENCE: usize = 20;

/// A kernel around statements.
fn kernel(body: &str) -> String {
    format!(
        "{ITEMS}
        kernel k(x: &[f32], y: &mut [f32], h: &[AtomicU32], g: &[AtomicF32], a: f32, n: u32, i: u64, c: bool)
            dimensions 1 block 32 1 1 {{ entry k {{
                let f: f32  let array: [f32; 4]  let pair: (f32, u32)
                let r: &(f32, u32)  let m: &mut (f32, u32)  let s: &[f32]  let t: &mut [f32]
                {body}
            }} }}"
    )
}

/// The faults of some statements.
fn body(body: &str) -> Vec<InvalidKind> {
    items(&kernel(body))
}

fn mismatch(expected: Scalar, found: Scalar) -> InvalidKind {
    InvalidKind::Mismatch {
        expected: scalar(expected),
        found: scalar(found),
    }
}

#[test]
fn valid_statements_pass() {
    let statements = "
        store f = mul_add(x[i], a, select(c, y[0u64], 2.0f32))
        store y[i] = f
        store array = repeat [f32; 4](f)
        store array[1u64] = table::weights[i]
        store array = new [f32; 4](f, f, f, f)
        store pair = new (f32, u32)(f, n)
        store f = field(new (f32, u32)(f, n), 0)
        store r = &pair
        store m = &mut pair
        store m.*.1 = shl(r.*.1, 3u32)
        store n = cast u32(length(x))
        store n = bitcast u32(f)
        store s = &array[0u64..i]
        store t = &mut y[unchecked 1u64..2u64]
        store t[0u64] = s[unchecked 0u64]
        store shared::tile[i] = 0.0f32
        call f = twice(f)
        call twice(f)
        call nothing()
        atomic n = add(h[0u64], 1u32) relaxed device
        atomic f = exchange(g[0u64], 1.0f32) seq_cst system
        atomic store(h[1u64], n) release block
        fence acq_rel block
        barrier
        loop {
            if or_else(c, and_then(c, lt(n, 3u32))) { break 0 } else { continue 0 }
        } step {
            loop { continue 0 } step { break 1 }
        }
        assert ne(n, 0u32), \"n\"
        return";
    assert_eq!(body(statements), []);
}

#[test]
fn handles_exist() {
    let valid = program(
        &kernel("store y[i] = shared::tile[i]  call f = twice(external::e)  store f = table::weights[i]")
            .replace("shared tile", "external e: f32 = 0xV0000000  shared tile"),
    );
    assert_eq!(kinds(&valid), []);
    fn entry(program: &mut Program) -> &mut Entry {
        &mut program.kernels[Handle::new(0)].entries[0]
    }
    let check = |mutate: &dyn Fn(&mut Program), entity| {
        let mut program = valid.clone();
        mutate(&mut program);
        assert_eq!(kinds(&program), [InvalidKind::Missing(entity)]);
    };
    check(
        &|program| program.functions[Handle::new(0)].result = ty(99),
        Entity::Type(ty(99)),
    );
    let span = Span {
        file: 7,
        line: 1,
        column: 1,
    };
    check(&|program| program.kernels[Handle::new(0)].span = span, Entity::File(7));
    check(
        &|program| program.externals = Default::default(),
        Entity::External(Handle::new(0)),
    );
    check(
        &|program| program.tables = Default::default(),
        Entity::Table(Handle::new(0)),
    );
    check(
        &|program| program.shared = Default::default(),
        Entity::Shared(Handle::new(0)),
    );
    check(
        &|program| {
            if let StmtKind::Call { function, .. } = &mut entry(program).body.block[1].kind {
                *function = Handle::new(9);
            }
        },
        Entity::Function(Handle::new(9)),
    );
    check(
        &|program| entry(program).body.places[Handle::new(0)].base = PlaceBase::Local(Handle::new(99)),
        Entity::Local(Handle::new(99)),
    );
    check(
        &|program| entry(program).predicate = Some(Handle::new(99)),
        Entity::Expr(Handle::new(99)),
    );
    check(
        &|program| {
            if let StmtKind::Store { place, .. } = &mut entry(program).body.block[0].kind {
                *place = Handle::new(99);
            }
        },
        Entity::Place(Handle::new(99)),
    );
}

#[test]
fn types_are_bounded() {
    let with = |make: &dyn Fn(&mut Program) -> TypeId| {
        let mut program = Program::default();
        let made = make(&mut program);
        (kinds(&program), made)
    };
    let (found, made) = with(&|program| program.types.intern(Type::Tuple(vec![ty(12)])));
    assert_eq!(found, [InvalidKind::TypeOrder(made)]);
    // Each tuple doubles the number of parts.
    let (found, _) = with(&|program| {
        let mut tuple = program.types.unit();
        for _ in 0..13 {
            tuple = program.types.intern(Type::Tuple(vec![tuple, tuple]));
        }
        tuple
    });
    assert!(matches!(found[..], [InvalidKind::TypeTooComplex(_), ..]), "{found:?}");
    let (found, _) = with(&|program| {
        let mut tuple = program.types.unit();
        for _ in 0..64 {
            tuple = program.types.intern(Type::Tuple(vec![tuple]));
        }
        tuple
    });
    assert!(matches!(found[..], [InvalidKind::TypeTooComplex(_)]), "{found:?}");
    assert_eq!(
        items("type [u64; 4611686018427387904]"),
        [InvalidKind::TypeTooLarge(ty(12))]
    );
    assert_eq!(items("type [[u8; 65536]; 65537]"), [InvalidKind::TypeTooLarge(ty(13))]);
    assert_eq!(items("type [u64; 0]"), [InvalidKind::EmptyArray(ty(12))]);
    assert_eq!(items("type [(); 3]"), [InvalidKind::SizelessElement(ty(12))]);
    assert_eq!(items("struct E {} type &[E]"), [InvalidKind::SizelessElement(ty(13))]);
    for nested in ["[&f32; 2]", "&[&f32]", "&&f32", "&[(u32, &[f32])]"] {
        let found = items(&format!("type {nested}"));
        assert!(
            matches!(found[..], [InvalidKind::NestedReference(_)]),
            "{nested}: {found:?}"
        );
    }
    assert_eq!(items("type AtomicU16"), [InvalidKind::AtomicWidth(Scalar::U16)]);
}

#[test]
fn data_fit_their_types() {
    let bits = |scalar, bits| InvalidKind::ConstantBits { scalar, bits };
    assert_eq!(items("external e: u8 = 0x100"), [bits(Scalar::U8, 0x100)]);
    assert_eq!(items("table t: [bool; 2] = 1 2"), [bits(Scalar::Bool, 2)]);
    assert_eq!(body("store n = u32:0x100000000"), [bits(Scalar::U32, 1 << 32)]);
    assert_eq!(items("table t: u8 = 1"), [InvalidKind::TableType(scalar(Scalar::U8))]);
    assert_eq!(items("table t: [(u8, u8); 1] = 1 2"), [InvalidKind::TableType(ty(13))]);
    assert_eq!(
        items("table t: [[u8; 2]; 3] = 1 2 3 4 5"),
        [InvalidKind::TableLength { expected: 6, found: 5 }]
    );
    assert_eq!(items("shared s: (u8, &u8)"), [InvalidKind::SharedType(ty(13))]);
    assert_eq!(
        items("shared s: ()"),
        [InvalidKind::SharedType(Program::default().types.unit())]
    );
}

#[test]
fn shared_memory_fits() {
    let kernel = |mentioned: &str| {
        items(&format!(
            "shared a: [u8; 49151] shared b: u8 shared c: u16
             fn f() -> () {{ call g() }}
             fn g() -> () {{ {mentioned} }}
             kernel k() dimensions 1 block 1 1 1 {{ entry k {{ store shared::a[0u64] = 0u8  call f() }} }}"
        ))
    };
    assert_eq!(kernel("store shared::b = 0u8"), []);
    assert_eq!(
        kernel("store shared::c = 0u16"),
        [InvalidKind::SharedTooLarge { bytes: 49154 }]
    );
}

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
    assert!(items("type AtomicU32 fn f() -> AtomicU32 { loop { } }").contains(&InvalidKind::ResultType(ty(12))));
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

#[test]
fn kernels_can_be_launched() {
    let kernel = |head: &str, entries: &str| items(&format!("kernel k{head} {{ {entries} }}"));
    let one = "entry k { }";
    for dimensions in [0, 4] {
        assert_eq!(
            kernel(&format!("() dimensions {dimensions} block 1 1 1"), one),
            [InvalidKind::Dimensions(dimensions)]
        );
    }
    for block in [[0, 1, 1], [1025, 1, 1], [32, 33, 1], [1, 1, 65], [u32::MAX; 3]] {
        let [x, y, z] = block;
        assert_eq!(
            kernel(&format!("() dimensions 3 block {x} {y} {z}"), one),
            [InvalidKind::BlockShape(block)]
        );
    }
    assert_eq!(kernel("() dimensions 3 block 4 4 64", one), []);
    assert_eq!(
        kernel("() dimensions 1 block 32 2 1", one),
        [InvalidKind::UnusedAxis { axis: 1, extent: 2 }]
    );
    assert_eq!(
        kernel(
            "(p: (f32, (u8, bool)), q: &mut [(u32, [f32; 2])]) dimensions 1 block 1 1 1",
            one
        ),
        []
    );
    for (parameter, index) in [("&f32", 12), ("[f32; 2]", 12), ("()", 11), ("(f32, [f32; 2])", 13)] {
        assert_eq!(
            kernel(&format!("(p: {parameter}) dimensions 1 block 1 1 1"), one),
            [InvalidKind::KernelParameter(ty(index))]
        );
    }
    let many: Vec<_> = (0..255).map(|index| format!("p{index}: &[f32]")).collect();
    assert_eq!(
        kernel(&format!("({}) dimensions 1 block 1 1 1", many.join(", ")), one),
        [InvalidKind::ParametersTooLarge { bytes: 4080 }]
    );
    assert_eq!(kernel("() dimensions 1 block 1 1 1", ""), [InvalidKind::NoEntry]);
    assert_eq!(
        kernel("() dimensions 1 block 1 1 1", "entry k if true { }"),
        [InvalidKind::LastPredicate]
    );
    assert_eq!(
        kernel("() dimensions 1 block 1 1 1", "entry a { } entry b { }"),
        [InvalidKind::UnreachableEntry]
    );
    assert_eq!(
        kernel("() dimensions 1 block 1 1 1", "entry k coarsening 0 { }"),
        [InvalidKind::Coarsening]
    );
    for symbol in ["", "_", "$", "1a", "a b", "é", "%a", "WARP_SZ"] {
        assert_eq!(
            kernel("() dimensions 1 block 1 1 1", &format!("entry \"{symbol}\" {{ }}")),
            [InvalidKind::Symbol(symbol.to_owned())]
        );
    }
    assert_eq!(
        items(
            "kernel k() dimensions 1 block 1 1 1 { entry k { } }
             kernel l() dimensions 1 block 1 1 1 { entry k { } }"
        ),
        [InvalidKind::RepeatedSymbol("k".to_owned())]
    );
    let parameter = |found| InvalidKind::EntryParameter {
        index: 1,
        expected: scalar(Scalar::U32),
        found,
    };
    assert_eq!(
        kernel(
            "(a: f32, b: u32) dimensions 1 block 1 1 1",
            "entry k(a: f32, b: f32) { }"
        ),
        [parameter(Some(scalar(Scalar::F32)))]
    );
    assert_eq!(
        kernel("(a: f32, b: u32) dimensions 1 block 1 1 1", "entry k(a: f32) { }"),
        [parameter(None)]
    );
}

#[test]
fn predicates_are_known_at_the_launch() {
    let predicate = |predicate: &str| {
        items(&format!(
            "external e: u64 = 0xV000000000000000
             kernel k(x: &[f32], n: i32, p: (u32, f32)) dimensions 1 block 1 1 1 {{
                entry a if {predicate} {{ let v: u32 }}
                entry b {{ }}
             }}"
        ))
    };
    for fine in [
        "and_then(eq(rem(length(x), 4u64), 0u64), lt(n, 7i32))",
        "lt(p.0, cast u32(external::e))",
        "ge(field(p, 1), div(p.1, p.1))",
    ] {
        assert_eq!(predicate(fine), [], "{fine}");
    }
    for unknown in [
        "eq(linear_index, 0u64)",
        "lt(x[0u64], 1.0f32)",
        "eq(field(new (u32, u32)(1u32, 1u32), 0), 0u32)",
    ] {
        assert_eq!(predicate(unknown), [InvalidKind::PredicateOperand], "{unknown}");
    }
    for divides in [
        "eq(div(n, n), 0i32)",
        "eq(rem(n, 0i32), 0i32)",
        "eq(div(n, -1i32), 0i32)",
    ] {
        assert_eq!(predicate(divides), [InvalidKind::PredicateDivisor], "{divides}");
    }
    assert_eq!(predicate("n"), [mismatch(Scalar::Bool, Scalar::I32)]);
}

#[test]
fn variables_fit() {
    assert_eq!(body("let v: AtomicU32"), [InvalidKind::LocalType(ty(ATOMIC_U32))]);
    assert_eq!(
        items("fn f() -> () { let a: [u8; 262144] let b: [u8; 262144] let c: u8 }"),
        [InvalidKind::LocalsTooLarge { bytes: 524_289 }]
    );
}

#[test]
fn nodes_form_trees() {
    let mut shared = program(&kernel("store f = add(a, a)"));
    let body_of = |program: &mut Program| std::mem::take(&mut program.kernels[Handle::new(0)].entries[0].body);
    let mut reused = body_of(&mut shared);
    let StmtKind::Store { value, .. } = reused.block[0].kind else {
        return;
    };
    let first = Handle::new(0);
    reused.exprs[value].kind = crate::ir::ExprKind::Binary {
        op: BinaryOp::Add,
        left: first,
        right: first,
    };
    shared.kernels[Handle::new(0)].entries[0].body = reused;
    assert_eq!(kinds(&shared), [InvalidKind::Reused(Entity::Expr(first))]);

    let mut shared = program(&kernel("store f = a  store f = 1.0f32"));
    let body = &mut shared.kernels[Handle::new(0)].entries[0].body;
    let StmtKind::Store { place: first, .. } = body.block[0].kind else {
        return;
    };
    if let StmtKind::Store { place, .. } = &mut body.block[1].kind {
        *place = first;
    }
    assert_eq!(kinds(&shared), [InvalidKind::Reused(Entity::Place(first))]);

    // An expression inside itself.
    let mut circle = program(&kernel("store f = neg(a)"));
    let body = &mut circle.kernels[Handle::new(0)].entries[0].body;
    let StmtKind::Store { value, .. } = body.block[0].kind else {
        return;
    };
    body.exprs[value].kind = crate::ir::ExprKind::Unary {
        op: UnaryOp::Neg,
        operand: value,
    };
    assert_eq!(kinds(&circle), [InvalidKind::Reused(Entity::Expr(value))]);
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| {
        let mut program = Program::default();
        program.build_kernel("k", &[1], &[], |b, _| {
            let mut value = b.u32(1);
            for _ in 0..depth {
                value = b.unary(UnaryOp::Not, value);
            }
            b.let_("v", value);
        });
        kinds(&program)
    };
    assert_eq!(nested(254), []);
    assert_eq!(nested(255), [InvalidKind::TooDeep]);
    assert_eq!(nested(100_000), [InvalidKind::TooDeep]);

    let mut blocks = program("kernel k() dimensions 1 block 1 1 1 { entry k { } }");
    let body = &mut blocks.kernels[Handle::new(0)].entries[0].body;
    for _ in 0..400 {
        let inner = std::mem::take(&mut body.block);
        body.block.push(crate::ir::Stmt {
            kind: StmtKind::Loop {
                body: inner,
                step: Vec::new(),
            },
            span: Span::NONE,
        });
    }
    assert_eq!(kinds(&blocks), [InvalidKind::TooDeep]);
}

#[test]
fn nodes_have_the_types_that_they_state() {
    let stated = |stated, actual| InvalidKind::StatedType { stated, actual };
    let (f32, u32) = (scalar(Scalar::F32), scalar(Scalar::U32));
    assert_eq!(body("store n = (neg(a) : u32)"), [stated(u32, Some(f32))]);
    assert_eq!(
        body("store f = (lt(n, n) : f32)"),
        [stated(f32, Some(scalar(Scalar::Bool)))]
    );
    assert_eq!(body("store f = <n : f32>"), [stated(f32, Some(u32))]);
    assert_eq!(body("store s = (&array : &[f32])"), [stated(ty(X), None)]);
    assert_eq!(body("store s = (&y[0u64..1u64] : &[f32])"), []);
}

#[test]
fn operations_accept_their_operands() {
    use Scalar::{Bool, F32, I8, U32, U64};
    for (statement, error) in [
        (
            "store n = neg(n)",
            InvalidKind::Unary {
                op: UnaryOp::Neg,
                scalar: U32,
            },
        ),
        (
            "store f = not(f)",
            InvalidKind::Unary {
                op: UnaryOp::Not,
                scalar: F32,
            },
        ),
        (
            "store c = add(c, c)",
            InvalidKind::Binary {
                op: BinaryOp::Add,
                scalar: Bool,
            },
        ),
        (
            "store f = xor(f, f)",
            InvalidKind::Binary {
                op: BinaryOp::Xor,
                scalar: F32,
            },
        ),
        ("store n = add(n, a)", mismatch(U32, F32)),
        ("store i = shl(i, i)", mismatch(U32, U64)),
        ("store c = lt(n, 1u64)", mismatch(U32, U64)),
        ("store n = mul_add(n, n, n)", InvalidKind::MulAdd(U32)),
        ("store f = mul_add(f, n, f)", mismatch(F32, U32)),
        ("store f = mul_add(f, f, n)", mismatch(F32, U32)),
        ("store c = and_then(c, n)", mismatch(Bool, U32)),
        ("store c = or_else(n, c)", mismatch(Bool, U32)),
        ("store n = select(n, n, n)", mismatch(Bool, U32)),
        ("store n = select(c, n, f)", mismatch(U32, F32)),
        ("store pair = neg(pair)", InvalidKind::NotScalar(ty(PAIR))),
        ("store n = cast u32(pair)", InvalidKind::NotScalar(ty(PAIR))),
        ("store pair = cast (f32, u32)(n)", InvalidKind::NotScalar(ty(PAIR))),
        ("store c = cast bool(n)", InvalidKind::Cast { from: U32, to: Bool }),
        ("store f = cast f32(c)", InvalidKind::Cast { from: Bool, to: F32 }),
        ("store n = bitcast u32(i)", InvalidKind::Bitcast { from: U64, to: U32 }),
        (
            "store c = bitcast bool(1i8)",
            InvalidKind::Bitcast { from: I8, to: Bool },
        ),
        (
            "store c = bitcast bool(c)",
            InvalidKind::Bitcast { from: Bool, to: Bool },
        ),
        ("store n = new u32(n)", InvalidKind::NotAggregate(scalar(U32))),
        (
            "store pair = new (f32, u32)(f)",
            InvalidKind::PartCount {
                ty: ty(PAIR),
                expected: 2,
                found: 1,
            },
        ),
        ("store pair = new (f32, u32)(n, n)", mismatch(F32, U32)),
        ("store array = repeat [f32; 4](n)", mismatch(F32, U32)),
        ("store pair = repeat (f32, u32)(f)", InvalidKind::NotArray(ty(PAIR))),
        (
            "store n = (field(pair, 2) : u32)",
            InvalidKind::NoField { ty: ty(PAIR), index: 2 },
        ),
        ("store i = length(array)", InvalidKind::NotSlice(ty(ARRAY))),
        (
            "store s = (&pair[0u64..1u64] : &[f32])",
            InvalidKind::NotIndexable(ty(PAIR)),
        ),
        ("store s = &x[n..1u64]", mismatch(U64, U32)),
        ("store s = &x[0u64..n]", mismatch(U64, U32)),
    ] {
        assert_eq!(body(statement), [error], "{statement}");
    }
}

#[test]
fn places_fit_their_paths() {
    for (statement, error) in [
        (
            "store f = <pair.2 : f32>",
            InvalidKind::NoField { ty: ty(PAIR), index: 2 },
        ),
        (
            "store f = <f.0 : f32>",
            InvalidKind::NoField {
                ty: scalar(Scalar::F32),
                index: 0,
            },
        ),
        ("store f = <pair[0u64] : f32>", InvalidKind::NotIndexable(ty(PAIR))),
        ("store f = <x.* : f32>", InvalidKind::NotReference(ty(X))),
        ("store f = x[n]", mismatch(Scalar::U64, Scalar::U32)),
        ("store x[i] = f", InvalidKind::Immutable(Immutable::Slice)),
        ("store table::weights[i] = f", InvalidKind::Immutable(Immutable::Table)),
        (
            "store r = &pair store r.*.0 = f",
            InvalidKind::Immutable(Immutable::Reference),
        ),
        (
            "store r = &pair store m = &mut r.*",
            InvalidKind::Immutable(Immutable::Reference),
        ),
        ("store t = &mut x[0u64..1u64]", InvalidKind::Immutable(Immutable::Slice)),
        (
            "store t = &mut table::weights[0u64..1u64]",
            InvalidKind::Immutable(Immutable::Table),
        ),
        (
            "store t = x",
            InvalidKind::Mismatch {
                expected: ty(Y),
                found: ty(X),
            },
        ),
        (
            "store r = pair",
            InvalidKind::Mismatch {
                expected: ty(PAIR_REFERENCE),
                found: ty(PAIR),
            },
        ),
        ("store f = n", mismatch(Scalar::F32, Scalar::U32)),
    ] {
        assert_eq!(body(statement), [error], "{statement}");
    }
}

#[test]
fn atomics_are_accessed_as_such() {
    use Scalar::{F32, U32};
    let order = |op, order| InvalidKind::AtomicOrder { op, order };
    for (statement, error) in [
        ("store n = (h[0u64] : u32)", InvalidKind::AtomicLoad(ty(ATOMIC_U32))),
        (
            "atomic add(x[0u64], 1.0f32) relaxed device",
            InvalidKind::NotAtomic(scalar(F32)),
        ),
        (
            "atomic add(h, 1u32) relaxed device",
            InvalidKind::NotAtomic(ty(ATOMICS)),
        ),
        (
            "atomic or(g[0u64], 1.0f32) relaxed device",
            InvalidKind::Atomic {
                op: AtomicOp::Or,
                scalar: F32,
            },
        ),
        (
            "atomic add(h[0u64]) relaxed device",
            InvalidKind::AtomicOperands {
                op: AtomicOp::Add,
                found: 0,
            },
        ),
        (
            "atomic load(h[0u64], 1u32) relaxed device",
            InvalidKind::AtomicOperands {
                op: AtomicOp::Load,
                found: 1,
            },
        ),
        ("atomic add(h[0u64], f) relaxed device", mismatch(U32, F32)),
        ("atomic f = add(h[0u64], n) relaxed device", mismatch(F32, U32)),
        ("atomic n = store(h[0u64], n) relaxed device", InvalidKind::AtomicResult),
        (
            "atomic n = load(h[0u64]) release device",
            order(AtomicOp::Load, MemoryOrder::Release),
        ),
        (
            "atomic store(h[0u64], n) acq_rel device",
            order(AtomicOp::Store, MemoryOrder::AcqRel),
        ),
        ("fence relaxed block", InvalidKind::RelaxedFence),
    ] {
        let mut found = body(statement);
        // The value of an atomic load by ordinary means has the wrong type besides.
        found.retain(|kind| !matches!(kind, InvalidKind::StatedType { .. }));
        assert_eq!(found, [error], "{statement}");
    }
    // No expression has an atomic type, so a store of one can only be made by hand.
    let mut program = program(&kernel("atomic store(h[0u64], n) relaxed device"));
    let body = &mut program.kernels[Handle::new(0)].entries[0].body;
    let StmtKind::Atomic {
        place, ref operands, ..
    } = body.block[0].kind
    else {
        return;
    };
    let value = operands[0];
    body.block[0].kind = StmtKind::Store { place, value };
    assert_eq!(
        kinds(&program),
        [
            InvalidKind::Mismatch {
                expected: ty(ATOMIC_U32),
                found: scalar(U32)
            },
            // What is written behind `&[AtomicU32]`.
            InvalidKind::Immutable(Immutable::Slice),
            InvalidKind::AtomicStore(ty(ATOMIC_U32)),
        ]
    );
}

#[test]
fn control_stays_inside() {
    use Scalar::{Bool, F32, U32};
    for (statement, error) in [
        ("break 0", InvalidKind::NoLoop(0)),
        ("loop { if c { break 1 } }", InvalidKind::NoLoop(1)),
        ("loop { } step { continue 0 }", InvalidKind::ContinueInStep),
        ("loop { } step { loop { continue 1 } }", InvalidKind::ContinueInStep),
        ("if n { }", mismatch(Bool, U32)),
        ("assert n, \"\"", mismatch(Bool, U32)),
        (
            "call twice()",
            InvalidKind::ArgumentCount {
                function: Handle::new(0),
                expected: 1,
                found: 0,
            },
        ),
        ("call twice(n)", mismatch(F32, U32)),
        ("call n = twice(f)", mismatch(U32, F32)),
    ] {
        assert_eq!(body(statement), [error], "{statement}");
    }
}

#[test]
fn all_faults_are_found_with_their_places() {
    let program = program(&kernel(
        "store n = neg(n)  @3:5 9 \n store f = n  @4:7\n break 0  @0/5:1",
    ));
    let errors = validate(&program).err().unwrap_or_default();
    let found: Vec<_> = errors.iter().map(|error| error.display(&program).to_string()).collect();
    assert_eq!(
        found,
        [
            "a.rs:3:9: in kernel `k`: `neg` is not defined on `u32`",
            "a.rs:4:7: in kernel `k`: expected `f32`, found `u32`",
            "a.rs:5:1: in kernel `k`: there are not 1 loops around this",
        ]
    );
    assert!(
        errors
            .iter()
            .all(|error| error.within == Within::Entry(Handle::new(0), 0))
    );
}

#[test]
fn unused_nodes_are_checked_too() {
    let mut program = Program::default();
    program.build_kernel("k", &[1], &[], |b, _| {
        let value = b.bool(true);
        b.unary(UnaryOp::Neg, value);
    });
    let scalar = Scalar::Bool;
    assert_eq!(
        kinds(&program),
        [InvalidKind::Unary {
            op: UnaryOp::Neg,
            scalar
        }]
    );
    // Indices among them as well.
    let mut program = Program::default();
    program.build_kernel("k", &[1], &[], |b, _| {
        let array = b.types().array(Handle::new(0), 3);
        let local = b.local("a", array);
        let index = b.constant(Constant::new(Scalar::I32, 0));
        let path = b.index(b.local_place(local), index);
        b.place(path);
    });
    assert_eq!(kinds(&program), [mismatch(Scalar::U64, Scalar::I32)]);
}

#[test]
fn errors_stay_small() {
    assert!(size_of::<Invalid>() <= 64, "{}", size_of::<Invalid>());
}
