//! Operations, places, atomics and control.

use vyre_ir::ir::{MatrixLoad, MemoryScope, Product, Shuffle, WARP_SIZE};

use super::*;

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
        (
            "store n = regroup u32(n)",
            InvalidKind::Regroup {
                from: scalar(U32),
                to: scalar(U32),
            },
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
fn templates_fit_their_values() {
    use vyre_abi::format::TemplateError;
    let many = format!("print \"{}\"{}", "{u32}".repeat(33), ", 1u32".repeat(33));
    for (statement, error) in [
        (r#"print "a {" "#, InvalidKind::Template(TemplateError::Brace)),
        (r#"print "{usize}", n"#, InvalidKind::Template(TemplateError::Type)),
        (r#"assert c, "{u32:w$}", n"#, InvalidKind::Template(TemplateError::Spec)),
        (r#"print "{u32:0$}", n"#, InvalidKind::Template(TemplateError::Number)),
        (r#"print "{case 0}""#, InvalidKind::Template(TemplateError::Case)),
        (
            r#"print "{u32}""#,
            InvalidKind::TemplateValues { expected: 1, found: 0 },
        ),
        (
            r#"assert c, "{u32}", n, 2u32"#,
            InvalidKind::TemplateValues { expected: 1, found: 2 },
        ),
        (r#"print "{u32}", f"#, mismatch(Scalar::U32, Scalar::F32)),
        (&many, InvalidKind::TooManyValues { most: 32, found: 33 }),
        (
            r#"assert c, panic "{bool}{bool}{bool}{bool}{bool}{bool}{bool}{bool}{bool}", c, c, c, c, c, c, c, c, c"#,
            InvalidKind::TooManyValues { most: 8, found: 9 },
        ),
    ] {
        assert_eq!(body(statement), [error], "{statement}");
    }
}

#[test]
fn inline_ptx_stands_on_a_gpu_alone() {
    let here = |statement: &str| body(&format!("if on_gpu {{ {statement} }}"));
    assert_eq!(body(r#"ptx "exit;" "#), [InvalidKind::PtxAnywhere]);
    assert_eq!(
        body(r#"if on_gpu { } else { ptx "exit;" }"#),
        [InvalidKind::PtxAnywhere]
    );
    for (statement, error) in [
        (r#"ptx "exit;" version 7 9"#, InvalidKind::PtxVersion((7, 9))),
        (
            r#"ptx n = "mov.b32 {result}, 1;" version 5 0"#,
            InvalidKind::PtxVersion((5, 0)),
        ),
        (r#"ptx "exit;" version 10 0"#, InvalidKind::PtxVersion((10, 0))),
        (r#"ptx n = "mov.b32 {result}, {1};", n"#, InvalidKind::PtxPlace),
        (r#"ptx "mov.b32 {result}, {0};", n"#, InvalidKind::PtxPlace),
        (r#"ptx "{ exit; }""#, InvalidKind::PtxPlace),
        (
            r#"ptx "exit; }""#,
            InvalidKind::Template(vyre_abi::format::TemplateError::Brace),
        ),
        (r#"ptx "exit;", c"#, InvalidKind::PtxOperand(scalar(Scalar::Bool))),
        (r#"ptx c = "exit;""#, InvalidKind::PtxOperand(scalar(Scalar::Bool))),
        (r#"ptx pair = "mov.b32 {result}, 1;""#, InvalidKind::PtxPlace),
        (r#"ptx pair = "mov.b32 {result.2}, 1;""#, InvalidKind::PtxPlace),
        (r#"ptx n = "mov.b32 {result.0}, 1;""#, InvalidKind::PtxPlace),
        (
            r#"ptx "exit;", 1u32, 2u32, 3u32, 4u32, 5u32, 6u32, 7u32, 8u32, 9u32, 10u32, 11u32, 12u32, 13u32"#,
            InvalidKind::TooManyValues { most: 12, found: 13 },
        ),
    ] {
        assert_eq!(here(statement), [error], "{statement}");
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
fn accesses_by_caches_are_those_of_scalars() {
    assert_eq!(
        body("store array.streaming = array"),
        [InvalidKind::AccessType(ty(ARRAY))]
    );
    assert_eq!(body("store f = pair.0.volatile"), []);
    assert_eq!(body("store i = row(n, 3u64)"), [mismatch(Scalar::U64, Scalar::U32)]);
    assert_eq!(body("store i = column(i, n)"), [mismatch(Scalar::U64, Scalar::U32)]);
}

#[test]
fn copies_go_between_two_of_a_type_and_take_whole_words() {
    for holds in [
        "async_copy[1] (&mut shared::tile[i], &x[i])",
        "async_copy[4] (&mut shared::tile[0u64..4u64], x)",
        "async_copy[1] (&mut array, &shared::tile)",
        "store r = &pair store m = &mut pair async_copy[1] (m, r) copy_commit copy_wait[3]",
    ] {
        assert_eq!(body(holds), [], "{holds}");
    }
    for (from, to, count, statement) in [
        ("&f32", "&f32", 1, "async_copy[1] (&shared::tile[i], &x[i])"),
        ("&f32", "&mut f32", 2, "async_copy[2] (&mut shared::tile[i], &x[i])"),
        (
            "&[f32]",
            "&mut [f32]",
            0,
            "async_copy[0] (&mut shared::tile[0u64..4u64], x)",
        ),
        ("&[f32]", "&[f32]", 4, "async_copy[4] (x, x)"),
        (
            "&(f32, u32)",
            "&mut f32",
            1,
            "store r = &pair async_copy[1] (&mut shared::tile[i], r)",
        ),
        ("&[f32]", "&mut f32", 1, "async_copy[1] (&mut shared::tile[i], x)"),
        (
            "&[f32]",
            "&mut [f32]",
            u64::MAX,
            "async_copy[18446744073709551615] (y, x)",
        ),
        ("&bool", "&mut bool", 1, "async_copy[1] (&mut c, &c)"),
        ("&AtomicU32", "&mut AtomicU32", 1, "async_copy[1] (&mut h[i], &h[i])"),
        ("f32", "&mut f32", 1, "async_copy[1] (&mut f, f)"),
    ] {
        let program = program(&kernel(statement));
        let errors = validate(&program).err().unwrap_or_default();
        let errors: Vec<String> = errors.iter().map(|error| error.display(&program).to_string()).collect();
        let expected = format!("{count} elements are not copied from `{from}` to `{to}`");
        assert!(
            errors.iter().any(|error| error.contains(&expected)),
            "{statement}: {errors:?}"
        );
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
        (
            "shuffle.index[3] n = (n, n)",
            InvalidKind::Intrinsic {
                intrinsic: Intrinsic::Shuffle {
                    from: Shuffle::Index,
                    tile: 3,
                },
                why: "a warp is cut into tiles of 2, 4, 8, 16 or 32 lanes",
            },
        ),
        (
            "named_barrier.wait[0, 32]",
            named(0, 32, true, "there is no such barrier"),
        ),
        (
            "named_barrier[16, 32]",
            named(16, 32, false, "there is no such barrier"),
        ),
        (
            "named_barrier.wait[3, 40]",
            named(3, 40, true, "it is not for whole warps"),
        ),
        (
            "shuffle.index[32] (n)",
            InvalidKind::Intrinsic {
                intrinsic: Intrinsic::Shuffle {
                    from: Shuffle::Index,
                    tile: WARP_SIZE,
                },
                why: "it takes another number of operands",
            },
        ),
        ("shuffle.up[32] (f, f)", mismatch(U32, F32)),
        ("shuffle.down[32] n = (f, n)", mismatch(U32, F32)),
        ("ballot[32] f = (true)", mismatch(F32, U32)),
        ("match_any[32] f = (n)", mismatch(F32, U32)),
        (
            "match_any[32] (f)",
            InvalidKind::IntrinsicValue {
                intrinsic: Intrinsic::MatchAny { tile: WARP_SIZE },
                ty: scalar(F32),
            },
        ),
        ("reduce.add.u32[32] f = (n)", mismatch(F32, U32)),
        (
            "reduce.add.u32[32] (f)",
            InvalidKind::IntrinsicValue {
                intrinsic: Intrinsic::Reduce {
                    op: BinaryOp::Add,
                    scalar: U32,
                    tile: WARP_SIZE,
                },
                ty: scalar(F32),
            },
        ),
        (
            "reduce.xor.f32[32] (f)",
            InvalidKind::Intrinsic {
                intrinsic: Intrinsic::Reduce {
                    op: BinaryOp::Xor,
                    scalar: F32,
                    tile: WARP_SIZE,
                },
                why: "values of this type are not combined so",
            },
        ),
        ("clock n =", mismatch(U32, Scalar::U64)),
        ("store t = dynamic_shared &mut [f32](f)", mismatch(Scalar::U64, F32)),
        ("barrier_count (n)", mismatch(Scalar::Bool, U32)),
        ("barrier_count f = (true)", mismatch(F32, U32)),
        (
            "fence.relaxed.block",
            InvalidKind::Intrinsic {
                intrinsic: Intrinsic::Fence {
                    order: MemoryOrder::Relaxed,
                    scope: MemoryScope::Block,
                },
                why: "a relaxed fence orders nothing",
            },
        ),
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
            // Writes through `&[AtomicU32]`.
            InvalidKind::Immutable(Immutable::Slice),
            InvalidKind::AtomicStore(ty(ATOMIC_U32)),
        ]
    );
}

#[test]
fn products_take_fragments_of_whole_warps() {
    let wrong = |product| InvalidKind::IntrinsicValue {
        intrinsic: Intrinsic::MultiplyAdd { product },
        ty: ty(ARRAY),
    };
    let tf32 = Product::Tf32K8;
    assert_eq!(
        body("mma.m16n8k8_tf32 (array, array, array)"),
        [wrong(tf32), wrong(tf32)]
    );
    let i8 = Product::I8K16;
    assert_eq!(
        body("mma.m16n8k16_i8 (array, array, array)"),
        [(); 3].map(|()| wrong(i8))
    );
    let operands = InvalidKind::Intrinsic {
        intrinsic: Intrinsic::MultiplyAdd {
            product: Product::F64K4,
        },
        why: "it takes another number of operands",
    };
    assert_eq!(body("mma.m8n8k4_f64 ()"), [operands]);
    let product = "mma.m8n8k4_f64 (repeat [f64; 1](1.0f64), repeat [f64; 1](1.0f64), repeat [f64; 2](1.0f64))";
    assert_eq!(body(product), []);
    assert_eq!(body(&format!("{product} return")), []);
    let some = [InvalidKind::ProductOfSomeLanes];
    assert_eq!(body(&format!("if c {{ return }} {product}")), some);
    let in_function = format!("type [f64; 1] type [f64; 2] fn multiply() -> () {{ {product} return }}");
    let kernel = |block: u32| {
        items(&format!(
            "{in_function} kernel k() dimensions 1 block {block} 1 1 {{ entry k {{ call multiply() }} }}"
        ))
    };
    assert_eq!(kernel(64), []);
    assert_eq!(kernel(63), some);
}

#[test]
fn loads_of_matrices_take_rows() {
    let load = |load, element, offset| Intrinsic::LoadMatrices { load, element, offset };
    let two = load(MatrixLoad::Two, Scalar::F32, 0);
    let wrong = |intrinsic, ty| [InvalidKind::IntrinsicValue { intrinsic, ty }];
    let refused = |intrinsic, why| [InvalidKind::Intrinsic { intrinsic, why }];
    let row = "store s = &array[0u64..4u64]";
    assert_eq!(
        body(&format!("{row} ldmatrix.x4_trans.f32 (s)")),
        refused(
            load(MatrixLoad::FourTransposed, Scalar::F32, 0),
            "it does not load elements of this type"
        )
    );
    assert_eq!(
        body(&format!("{row} ldmatrix.x2.f32[16] (s)")),
        refused(
            load(MatrixLoad::Two, Scalar::F32, 16),
            "only the compiler adds an offset"
        )
    );
    assert_eq!(body("ldmatrix.x2.f32 (array)"), wrong(two, ty(ARRAY)));
    assert_eq!(body(&format!("{row} ldmatrix.x2.f32 (s)")), []);
    assert_eq!(
        body(&format!("{row} if c {{ return }} ldmatrix.x2.f32 (s)")),
        [InvalidKind::ProductOfSomeLanes]
    );
    assert_eq!(
        body(&format!("{row} ldmatrix.x2.f32 n = (s)")),
        wrong(two, scalar(Scalar::U32))
    );
}

#[test]
fn control_stays_inside() {
    use Scalar::{Bool, F32, U32};
    for (statement, error) in [
        ("if c { return } grid_barrier", InvalidKind::LeavesBeforeGridBarrier),
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
