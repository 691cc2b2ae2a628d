//! Known bugs of assemblers, in programs emitted so that they are avoided.

use vyre_core::ir::builder::BodyBuilder;
use vyre_core::ir::{BinaryOp, Builtin, Constant, ExprId, Handle, Kernel, Program, Scalar, UnaryOp};
use vyre_core::text::parse;
use vyre_test_random::kernel::cuda;
use vyre_test_random::run::compare;
use vyre_test_support::case::Case;
use vyre_test_support::random_program::Input;

const VALUES: [i32; 8] = [i32::MIN, i32::MIN + 1, -7, -1, 0, 1, 6, i32::MAX];

/// The form of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Plain,
    Negated,
    /// `0 - x`.
    Subtracted,
    Zero,
}

/// `out[i] = op(op(a, b), c)` of all values in the given forms, with the outer application in
/// either operand order.
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
            // Unsigned numbers have only this negation.
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

/// Known to ptxas only: `a` is finally zero, since nothing equals NaN.
const LATE_ZERO: &str = "vyre 1
file \"main.rs\"
type &[f32]
type &mut [u64]

kernel late_zero(a: u64 @1:1, x: &[f32], out: &mut [u64]) dimensions 1 block 1 1 1 {  @1:1
    entry main {
        let i: u32 @1:1
        loop {  @1:1
            if lt(i, 4u32) {  @1:1
            } else {
                break 0  @1:1
            }
            if eq(x[0u64], f32:0x7fc00000) {  @1:1
                break 0  @1:1
            }
            store a = 0u64  @1:1
        } step {
            store i = add(i, 1u32)  @1:1
        }
        store out[linear_index] = add(mul(linear_index, 24u64), mul(rem(a, 3u64), 8u64))  @1:1
    }
}
";

/// ptxas 13.0 and 13.5 lose a carry in `base + (a - a / 3 * 3) * 8` if they find late that `a` is
/// zero.
#[test]
fn remainders_of_late_zeros() {
    let device = cuda("remainders_of_late_zeros");
    let program = parse(LATE_ZERO).unwrap_or_else(|error| panic!("{error}"));
    let (kernel, _) = program.kernels.iter().next().expect("a kernel");
    let scalar = Scalar::U64;
    let case = Case {
        kernel,
        program,
        grid: [2, 1, 1],
        inputs: vec![
            Input::Scalar(Constant { scalar, bits: 3 }),
            Input::Slice(vec![0; 4]),
            Input::Slice(vec![0; 16]),
        ],
    };
    let expected = case.interpret(0).unwrap_or_else(|error| panic!("{error}"));
    let found = case
        .on_machine(&case.compile(), 0)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(case.difference(&expected, &found, true), None);
    if let Some(device) = &device {
        let (_, difference) = compare(device, &case).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(difference, None, "{}", case.compile().ptx);
    }
}
