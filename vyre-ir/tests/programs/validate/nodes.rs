//! Handles, trees and stated types.

use super::*;

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
fn nodes_form_trees() {
    let mut shared = program(&kernel("store f = add(a, a)"));
    let body_of = |program: &mut Program| std::mem::take(&mut program.kernels[Handle::new(0)].entries[0].body);
    let mut reused = body_of(&mut shared);
    let StmtKind::Store { value, .. } = reused.block[0].kind else {
        return;
    };
    let first = Handle::new(0);
    reused.exprs[value].kind = vyre_ir::ir::ExprKind::Binary {
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
    body.exprs[value].kind = vyre_ir::ir::ExprKind::Unary {
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
        body.block.push(vyre_ir::ir::Stmt {
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
