use vyre_ir::ir::Span;

use super::*;
use crate::ssa::Ty;

/// The trip count of `counter = first; do { .. counter op= by } while (tested test bound) == stays`.
struct Counted {
    scalar: Scalar,
    first: u64,
    step: (BinaryOp, u64),
    test: (BinaryOp, u64),
    /// True if the test is of the next value.
    late: bool,
    stays: bool,
}

impl Counted {
    /// The trip count by division, and by evaluation.
    fn counts(&self, most: usize) -> (Option<i128>, Option<usize>) {
        let mut function = Function::new([1; 3]);
        let ty = Ty::of(self.scalar);
        let block = function.entry();
        let counter = function.add_parameter(block, ty, Span::NONE);
        let mut operation = |a: Value, (op, b): (BinaryOp, u64), ty: Ty| {
            let scalar = self.scalar;
            let b = function.constant(Ty::of(scalar), Constant::new(scalar, b).bits);
            function.add_value(Op::Binary { op, scalar, a, b }, ty, Span::NONE)
        };
        let next = operation(counter, self.step, ty);
        let condition = operation(if self.late { next } else { counter }, self.test, Ty::Bool);
        let trips = TripCount {
            test: block,
            condition,
            latch: block,
            stays: self.stays,
            counters: vec![counter],
            bits: vec![Constant::new(self.scalar, self.first).bits],
            next: vec![next],
        };
        (trips.linear(&function), trips.evaluated(&function, most))
    }
}

#[test]
fn division_and_evaluation_agree() {
    const MOST: usize = 40;
    let tests = [
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::Eq,
        BinaryOp::Ne,
    ];
    let (mut divided, mut found) = (0, 0);
    for scalar in Scalar::ALL.into_iter().filter(|scalar| scalar.is_integer()) {
        let top = 1u64 << (scalar.bits() - 1);
        let edges = [0, 1, 30, top - 1, top, top + 2, top.wrapping_mul(2).wrapping_sub(1)];
        for first in edges {
            for bound in edges {
                for step in [1, 3, u64::MAX, u64::MAX - 4] {
                    for (change, test) in [BinaryOp::Add, BinaryOp::Sub]
                        .into_iter()
                        .flat_map(|op| tests.map(|test| (op, test)))
                    {
                        for (late, stays) in [(false, false), (false, true), (true, false), (true, true)] {
                            let counted = Counted {
                                scalar,
                                first,
                                step: (change, step),
                                test: (test, bound),
                                late,
                                stays,
                            };
                            let (linear, evaluated) = counted.counts(MOST);
                            let Some(linear) = linear else { continue };
                            divided += 1;
                            found += usize::from(evaluated.is_some());
                            let short = usize::try_from(linear).ok().filter(|&count| count <= MOST);
                            assert_eq!(
                                short, evaluated,
                                "{scalar:?} {first} {change:?} {step}, {test:?} {bound} {late} {stays}"
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(
        divided > 10_000 && found > 5_000,
        "{divided} were divided, of which {found} are short"
    );
}

#[test]
fn a_long_loop_takes_a_division() {
    let counted = Counted {
        scalar: Scalar::U64,
        first: 0,
        step: (BinaryOp::Add, 1),
        test: (BinaryOp::Lt, 1 << 40),
        late: true,
        stays: true,
    };
    assert_eq!(counted.counts(4), (Some(1 << 40), None));
}
