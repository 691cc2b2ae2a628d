use vyre_ir::ir::{BinaryOp, Function, Program, Scalar, Span};
use vyre_ir::validate::validate;

use super::*;

#[test]
fn locals_are_declared_where_their_value_cannot_be_lost() {
    let mut program = Program::default();
    let u32 = program.types.scalar(Scalar::U32);
    let mut handles = Vec::new();
    let body = program.build_body(&[("n", u32)], |b, parameters| {
        let n = parameters[0];
        let zero = b.u32(0);
        let sum = b.let_("sum", zero);
        let carried = b.local("carried", u32);
        let mut inner = sum;
        b.loop_(
            |b| {
                let old = b.get(carried);
                inner = b.let_("inner", old);
                let (left, right) = (b.get(sum), b.get(inner));
                let next = b.binary(BinaryOp::Add, left, right);
                b.set(sum, next);
                let (left, right) = (b.get(sum), b.get(n));
                let below = b.binary(BinaryOp::Lt, left, right);
                b.break_unless(below, 0);
                let one = b.u32(1);
                b.set(carried, one);
            },
            |_| {},
        );
        handles = vec![n, sum, carried, inner];
    });
    let [n, sum, carried, inner] = handles[..] else {
        panic!("four handles")
    };
    let function = program.functions.push(Function {
        name: "sums".to_owned(),
        parameters: 1,
        result: program.types.unit(),
        exact: false,
        body,
        span: Span::NONE,
    });
    let valid = validate(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let body = &program.functions[function].body;
    let found = declarations(body, valid.info().function(function), 1);
    let (first, round) = (&body.block[0], &body.block[1]);
    assert!(found.declares(first, sum) && found.changes(sum));
    assert_eq!(found.before(round), [carried]);
    let StmtKind::Loop { body: inside, .. } = &round.kind else {
        panic!("a loop")
    };
    assert!(found.declares(&inside[0], inner) && !found.changes(inner));
    assert!(!found.is_written(n));
}
