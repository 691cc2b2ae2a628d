//! Built kernels, run by the interpreter, against plain Rust.

use vyre_abi::semantics::Native;

use vyre_ir::build::{Parameters, atomics, kernel, slice, slice_mut, value};
use vyre_ir::interp::{Argument, launch};
use vyre_ir::ir::{Axis, Program};
use vyre_ir::validate::validate;

/// Runs the only kernel of a program.
fn run(program: &Program, arguments: &mut [Argument<'_>], blocks: u32) {
    let valid = validate(program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let (kernel, _) = program.kernels.iter().next().expect("a kernel");
    launch(&valid, kernel, arguments, [blocks, 1, 1]).unwrap_or_else(|error| panic!("{error}"));
}

fn bytes<T: Copy, const N: usize>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| bytes(value)).collect()
}

#[test]
fn values_are_used_twice() {
    let mut program = Program::default();
    let parameters = (value::<f32>("a"), slice::<f32>("x"), slice_mut::<f32>("y"));
    kernel(&mut program, "saxpy", &[4], parameters, |k, (a, x, y)| {
        let i = k.linear_index();
        let product = a * x.at(i);
        k.if_(i.lt(y.len()), || y.set(i, product + y.at(i) + product * 2.0));
    });
    let mut x = bytes(&[1.0_f32, 2.0, 3.0, 4.0], f32::to_le_bytes);
    let mut y = bytes(&[10.0_f32; 4], f32::to_le_bytes);
    let mut arguments = [
        Argument::Scalar(0.5_f32.constant()),
        Argument::Slice(&mut x),
        Argument::Slice(&mut y),
    ];
    run(&program, &mut arguments, 1);
    assert_eq!(y, bytes(&[11.5_f32, 13.0, 14.5, 16.0], f32::to_le_bytes));
}

/// A value keeps what it was, also if memory or a variable changes.
#[test]
fn values_are_evaluated_where_they_are_made() {
    let mut program = Program::default();
    kernel(&mut program, "k", &[1], slice_mut::<u32>("out"), |k, out| {
        let sum = k.var("sum", 5_u32);
        let (before, element) = (sum.get(), out.at(0));
        sum.set(before + 1);
        out.set(0, 7);
        out.set(1, before);
        out.set(2, element);
        out.set(3, sum.get());
    });
    let mut out = bytes(&[3_u32, 0, 0, 0], u32::to_le_bytes);
    run(&program, &mut [Argument::Slice(&mut out)], 1);
    assert_eq!(out, bytes(&[7_u32, 5, 3, 6], u32::to_le_bytes));
}

#[test]
fn loops_and_atomics() {
    let mut program = Program::default();
    let parameters = (slice::<u8>("text"), atomics::<u32>("counts"), slice_mut::<i32>("steps"));
    kernel(&mut program, "k", &[2], parameters, |k, (text, counts, steps)| {
        let thread = k.thread_index(Axis::X).cast::<u64>();
        k.range(thread, text.len(), |i| {
            k.if_((i % 2).eq(thread), || {
                counts.fetch_add(text.at(i).cast::<u64>() & 1, 1);
            });
        });
        // Collatz: steps from 6 or 7 to 1.
        let (n, count) = (k.var("n", thread + 6), k.var("count", 0_i32));
        k.while_(
            || n.get().ne(1),
            || {
                let (old, is_odd) = (n.get(), (n.get() & 1).eq(1));
                n.set(is_odd.select(3 * old + 1, old >> 1));
                count.set(count.get() + 1);
            },
        );
        k.if_else(
            thread.eq(0),
            || steps.set(0, count.get()),
            || steps.set(1, -count.get()),
        );
    });
    let mut text = b"abcde".to_vec();
    let mut counts = vec![0; 8];
    let mut steps = vec![0; 8];
    let mut arguments = [
        Argument::Slice(&mut text),
        Argument::Slice(&mut counts),
        Argument::Slice(&mut steps),
    ];
    run(&program, &mut arguments, 1);
    assert_eq!(counts, bytes(&[2_u32, 3], u32::to_le_bytes));
    assert_eq!(steps, bytes(&[8_i32, -16], i32::to_le_bytes));
}

#[test]
fn parameters_come_in_the_shape_of_their_declaration() {
    fn names(parameters: impl Parameters) -> Vec<String> {
        let mut declared = Vec::new();
        parameters.declare(&mut Program::default().types, &mut declared);
        declared.into_iter().map(|(name, _)| name).collect()
    }
    assert!(names(()).is_empty());
    let nested = (value::<f64>("a"), (slice::<u8>("b"), atomics::<u64>("c")));
    assert_eq!(names(nested), ["a", "b", "c"]);
    let mut program = Program::default();
    kernel(&mut program, "empty", &[1], (), |k, ()| {
        k.barrier();
        k.return_();
    });
    run(&program, &mut [], 2);
}
