//! What assemblers are known to get wrong, written so that they get it right.

use vyre_core::ir::builder::BodyBuilder;
use vyre_core::ir::{BinaryOp, Builtin, Constant, ExprId, Handle, Kernel, Program, Scalar, UnaryOp};
use vyre_test_random::kernel::cuda;
use vyre_test_random::run::compare;
use vyre_test_support::case::Case;
use vyre_test_support::random_program::Input;

const VALUES: [i32; 8] = [i32::MIN, i32::MIN + 1, -7, -1, 0, 1, 6, i32::MAX];

/// How one of three values enters.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Plain,
    Negated,
    /// `0 - x`.
    Subtracted,
    Zero,
}

/// `out[i] = op(op(a, b), c)` of all values in the forms given, the last application either way round.
fn program(op: BinaryOp, scalar: Scalar, forms: [Form; 3], outer_first: bool) -> (Program, Handle<Kernel>) {
    let mut program = Program::default();
    let element = program.types.scalar(scalar);
    let (input, output) = (program.types.slice(element, false), program.types.slice(element, true));
    let parameters = [("x", input), ("out", output)];
    let kernel = program.build_kernel("nested", &[64], &parameters, |b, p| {
        let operand = |b: &mut BodyBuilder<'_>, divisor: u64, form: Form| -> ExprId {
            let zero = b.constant(Constant { scalar, bits: 0 });
            if form == Form::Zero {
                return zero;
            }
            let (i, divisor) = (b.builtin(Builtin::LinearIndex), b.u64(divisor));
            let (i, count) = (b.binary(BinaryOp::Div, i, divisor), b.u64(VALUES.len() as u64));
            let i = b.binary(BinaryOp::Rem, i, count);
            let place = b.index(b.local_place(p[0]), i);
            let value = b.load(place);
            match form {
                Form::Negated => b.unary(UnaryOp::Neg, value),
                Form::Subtracted => b.binary(BinaryOp::Sub, zero, value),
                Form::Plain | Form::Zero => value,
            }
        };
        let values = [
            operand(b, 1, forms[0]),
            operand(b, 8, forms[1]),
            operand(b, 64, forms[2]),
        ];
        let inner = b.binary(op, values[0], values[1]);
        let outer = match outer_first {
            true => b.binary(op, values[2], inner),
            false => b.binary(op, inner, values[2]),
        };
        let i = b.builtin(Builtin::LinearIndex);
        let target = b.index(b.local_place(p[1]), i);
        b.store(target, outer);
    });
    (program, kernel)
}

/// ptxas 13.0 loses the negation in `min(min(a, -b), c)` for sm_90 and later.
#[test]
fn extrema_of_negations() {
    let device = cuda("extrema_of_negations");
    for op in [BinaryOp::Min, BinaryOp::Max] {
        for scalar in [Scalar::I32, Scalar::U32] {
            // Unsigned numbers are negated by subtracting alone.
            let forms = match scalar.is_signed() {
                true => &[Form::Plain, Form::Subtracted, Form::Zero, Form::Negated][..],
                false => &[Form::Plain, Form::Subtracted, Form::Zero],
            };
            for number in 0..forms.len().pow(3) * 2 {
                let digit = |place: u32| forms[number / 2 / forms.len().pow(place) % forms.len()];
                let chosen = [digit(0), digit(1), digit(2)];
                let (program, kernel) = program(op, scalar, chosen, number % 2 == 1);
                let bytes = VALUES.iter().flat_map(|value| value.to_le_bytes()).collect();
                let case = Case {
                    program,
                    kernel,
                    grid: [8, 1, 1],
                    inputs: vec![Input::Slice(bytes), Input::Slice(vec![0; 4 * 512])],
                };
                let module = case.compile();
                let expected = case.interpret(0).unwrap_or_else(|error| panic!("{error}"));
                let found = case.on_machine(&module, 0).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(case.difference(&expected, &found, true), None, "{}", module.ptx);
                if let Some(device) = &device {
                    let (_, difference) = compare(device, &case).unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!(difference, None, "{op:?} {scalar:?} {chosen:?}: {}", module.ptx);
                }
            }
        }
    }
}
