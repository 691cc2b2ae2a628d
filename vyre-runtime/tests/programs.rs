//! Programs that are made at run time, called on bytes: on the CPU, and on a GPU if there is one.
//!
//! The tests run one at a time, because they count what the device does.

mod support;

use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use support::{alone, devices};
use vyre_core::build::{self, atomics, slice, slice_mut, value};
use vyre_core::ir::{BinaryOp, Builtin, Constant, Program, Scalar, StmtKind, Type};
use vyre_core::text;
use vyre_runtime::{Argument, ArgumentProblem, Config, Device, DeviceBuffer, Error, Outputs, Pipeline, Plain};

/// `y[i] = a * x[i] + y[i]`, with a constant of the caller added, so that each test has a program of its own.
fn saxpy(added: f32) -> Program {
    let mut program = Program::default();
    let parameters = (value::<f32>("a"), slice::<f32>("x"), slice_mut::<f32>("y"));
    build::kernel(&mut program, "saxpy", &[64], parameters, |k, (a, x, y)| {
        let i = k.linear_index();
        k.if_(i.lt(y.len()), || y.set(i, a * x.at(i) + y.at(i) + added));
    });
    program
}

fn bytes<T: Plain>(values: &[T]) -> Vec<u8> {
    // SAFETY: such types have no padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }.to_vec()
}

fn floats(outputs: &Outputs, name: &str) -> Vec<f32> {
    outputs.get(name).and_then(|output| output.values()).unwrap()
}

fn ramp(count: usize) -> Vec<f32> {
    (0..count).map(|i| i as f32 * 0.37 - 11.0).collect()
}

#[test]
fn a_program_runs_on_bytes() {
    let _alone = alone();
    for device in devices("a_program_runs_on_bytes") {
        let pipeline = device.compile(saxpy(0.5)).unwrap();
        let (x, y) = (ramp(1000), ramp(1000));
        let (given_x, given_y) = (bytes(&x), bytes(&y));
        let mut call = pipeline.call().value(3.0f32).bytes(&given_x).bytes(&given_y).over(1000);
        let outputs = call.run().unwrap();
        let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 3.0 * x + y + 0.5).collect();
        assert_eq!(outputs.list().len(), 1);
        assert_eq!(floats(&outputs, "y"), expected);
        // The same from a list of arguments, bit for bit; and by blocks.
        let arguments = [
            Argument::value(3.0f32),
            Argument::bytes(&given_x),
            Argument::bytes(&given_y),
        ];
        assert_eq!(device.dispatch(saxpy(0.5), arguments, 1000).unwrap(), outputs);
        let mut call = pipeline.call().value(3.0f32).bytes(&given_x).bytes(&given_y);
        call = call.grid([16, 1, 1]);
        assert_eq!(call.run().unwrap(), outputs);
        // Nothing runs over an empty domain.
        let mut call = pipeline.call().value(3.0f32).bytes(&given_x).bytes(&given_y).over(0);
        assert_eq!(floats(&call.run().unwrap(), "y"), y);
    }
}

#[test]
fn buffers_stay_on_the_device() {
    let _alone = alone();
    for device in devices("buffers_stay_on_the_device") {
        let pipeline = device.compile(saxpy(0.0)).unwrap();
        let x = device.upload(&ramp(300)).unwrap();
        let mut y = device.zeros::<f32>(300).unwrap();
        let stream = device.stream().unwrap();
        pipeline
            .call()
            .value(2.0f32)
            .resident(&x)
            .resident_mut(&mut y)
            .over(300)
            .launch()
            .unwrap();
        let mut call = pipeline.call().value(1.0f32).resident(&x).resident_mut(&mut y);
        call = call.over(300).on(&stream);
        call.launch().unwrap();
        call.launch().unwrap();
        let expected: Vec<f32> = ramp(300).iter().map(|x| 2.0 * x + x + x).collect();
        let found = y.download().unwrap();
        assert!(
            found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-4),
            "{found:?}"
        );
        // A part of a buffer of bytes, and the result of one call as the argument of the next.
        let words = device.upload(&bytes(&ramp(300))).unwrap();
        let part = words.slice(400..800).unwrap();
        let mut call = pipeline.call().value(2.0f32).resident(part).zeroed(100).over(100);
        let first: Vec<DeviceBuffer<u8>> = call.run_resident().unwrap();
        assert_eq!((first.len(), first[0].len()), (1, 400));
        let outputs = pipeline
            .call()
            .value(10.0f32)
            .resident(&first[0])
            .zeroed(100)
            .over(100)
            .run();
        let expected: Vec<f32> = ramp(300)[100..200]
            .iter()
            .map(|x| 10.0 * (2.0 * x + 0.0 + 0.0) + 0.0 + 0.0)
            .collect();
        assert_eq!(floats(&outputs.unwrap(), "y"), expected);
        // A buffer that a call writes is no output.
        let outputs = pipeline
            .call()
            .value(0.0f32)
            .resident(&x)
            .resident_mut(&mut y)
            .over(300)
            .run()
            .unwrap();
        assert!(outputs.list().is_empty());
    }
}

#[test]
fn memory_of_outputs_is_used_again() {
    let _alone = alone();
    for device in devices("memory_of_outputs_is_used_again") {
        let pipeline = device.compile(saxpy(1.5)).unwrap();
        let mut outputs = Outputs::new();
        let x = bytes(&ramp(500));
        let mut call = pipeline.call().value(1.0f32).bytes(&x).zeroed(500).over(500);
        call.run_into(&mut outputs).unwrap();
        let address = outputs.list()[0].bytes().as_ptr();
        let expected = floats(&outputs, "y");
        for _ in 0..3 {
            call.run_into(&mut outputs).unwrap();
            assert_eq!(outputs.list()[0].bytes().as_ptr(), address);
            assert_eq!(floats(&outputs, "y"), expected);
        }
        // A shorter one fits; one of another call has its own name and length.
        let mut call = pipeline.call().value(1.0f32).bytes(&x[..40]).zeroed(10).over(10);
        call.run_into(&mut outputs).unwrap();
        assert_eq!(floats(&outputs, "y"), expected[..10]);
        let timing = call.run_timed(&mut outputs).unwrap();
        assert!(timing.device.is_some() && timing.wall >= timing.enqueue);
        assert_eq!(floats(&outputs, "y"), expected[..10]);
    }
}

#[test]
fn a_batch_keeps_its_order() {
    let _alone = alone();
    for device in devices("a_batch_keeps_its_order") {
        let pipeline = device.compile(saxpy(2.5)).unwrap();
        let inputs: Vec<Vec<u8>> = (1..6).map(|count| bytes(&ramp(count * 7))).collect();
        let calls = (1..6).zip(&inputs).map(|(count, input)| {
            let call = pipeline.call().value(count as f32).bytes(input);
            call.zeroed(count * 7).over(count * 7)
        });
        let mut outputs = Vec::new();
        pipeline.batch(calls).run_into(&mut outputs).unwrap();
        for (count, outputs) in (1..6).zip(&outputs) {
            let expected: Vec<f32> = ramp(count * 7).iter().map(|x| count as f32 * x + 0.0 + 2.5).collect();
            assert_eq!(floats(outputs, "y"), expected);
        }
        // All are checked before the first one runs.
        let mut y = device.zeros::<f32>(7).unwrap();
        let good = pipeline
            .call()
            .value(1.0f32)
            .bytes(&inputs[0])
            .resident_mut(&mut y)
            .over(7);
        let bad = pipeline.call().value(1.0f32).over(7);
        assert!(pipeline.batch([good, bad]).run().is_err());
        assert_eq!(y.download().unwrap(), [0.0; 7]);
    }
}

/// The fault of a call before one that is refused is not left for whoever waits next.
#[test]
fn a_batch_that_ends_early_tells_its_faults() {
    let _alone = alone();
    for device in devices("a_batch_that_ends_early_tells_its_faults") {
        let pipeline = device.compile(scatter()).unwrap();
        let outside = bytes(&[9u64]);
        let call = || pipeline.call().bytes(&outside).zeroed(4);
        let error = pipeline
            .batch(vec![call().over(1), call().grid([0, 1, 1])])
            .run()
            .unwrap_err();
        assert!(matches!(error, Error::EmptyGrid { .. }), "{error}");
        device.synchronize().unwrap();
    }
}

#[test]
fn a_program_is_compiled_once() {
    let _alone = alone();
    for device in devices("a_program_is_compiled_once") {
        let before = device.pipeline_cache();
        let barrier = Barrier::new(8);
        let ids: Vec<String> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let program = saxpy(77.0);
                        barrier.wait();
                        device.compile(&program).unwrap().id()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        let backend = if device.is_cuda() {
            "cuda:sm_70:"
        } else {
            "cpu:interpreter:"
        };
        assert_eq!(ids[0].strip_prefix(backend).map(str::len), Some(32), "{}", ids[0]);
        let owned: Pipeline = device.compile(Arc::new(saxpy(77.0))).unwrap();
        let after = device.pipeline_cache();
        assert_eq!(after.misses - before.misses, 1);
        assert!(*owned.program() == saxpy(77.0));
        assert!(after.hits - before.hits >= 8);
        // Another program is another entry, with another id.
        let other = device.compile(saxpy(78.0)).unwrap();
        assert_ne!(other.id(), ids[0]);
        assert_eq!(device.pipeline_cache().misses - before.misses, 2);
        // A program that is not kept is compiled again, and a pipeline in use stays usable.
        device.keep_pipelines(0);
        assert_eq!(device.pipeline_cache().entries, 0);
        let mut call = other.call().value(1.0f32).bytes(&[0; 4]).zeroed(1).over(1);
        assert_eq!(floats(&call.run().unwrap(), "y"), [78.0]);
        device.keep_pipelines(256);
        assert_eq!(device.compile(saxpy(77.0)).unwrap().id(), ids[0]);
        assert_eq!(device.pipeline_cache().misses - before.misses, 3);
    }
}

/// The parser makes the parts of a program in another order than the builder, so the two are not equal.
#[test]
fn programs_of_one_text_are_compiled_once() {
    let _alone = alone();
    for device in devices("programs_of_one_text_are_compiled_once") {
        let built = saxpy(79.0);
        let parsed = text::parse(&text::print(&built)).unwrap();
        let before = device.pipeline_cache().misses;
        for _ in 0..3 {
            assert_eq!(
                device.compile(&built).unwrap().id(),
                device.compile(&parsed).unwrap().id()
            );
        }
        assert_eq!(device.pipeline_cache().misses - before, 1);
    }
}

/// Two kernels of one program.
fn two_kernels() -> Program {
    let mut program = Program::default();
    for (name, factor) in [("double", 2), ("triple", 3)] {
        build::kernel(&mut program, name, &[32], (slice_mut::<u32>("y"),), |k, (y,)| {
            let i = k.linear_index();
            k.if_(i.lt(y.len()), || y.set(i, y.at(i) * factor));
        });
    }
    program
}

#[test]
fn a_kernel_is_chosen_by_its_name() {
    let _alone = alone();
    for device in devices("a_kernel_is_chosen_by_its_name") {
        let pipeline = device.compile(two_kernels()).unwrap();
        assert_eq!(pipeline.kernels().collect::<Vec<_>>(), ["double", "triple"]);
        pipeline.prepare().unwrap();
        let input = bytes(&[1u32, 10, 100]);
        let run = |name| pipeline.call().kernel(name).bytes(&input).over(3).run();
        assert_eq!(run("double").unwrap().list()[0].values::<u32>(), Some(vec![2, 20, 200]));
        assert_eq!(run("triple").unwrap().list()[0].values::<u32>(), Some(vec![3, 30, 300]));
        let text = "there is no kernel `half`; there are double, triple";
        assert_eq!(run("half").unwrap_err().to_string(), text);
        let error = pipeline.call().bytes(&input).over(3).run().unwrap_err();
        let text = "the program has several kernels; choose one of double, triple by `.kernel(name)`";
        assert_eq!(error.to_string(), text);
        let error = device.dispatch(Program::default(), [], 1).unwrap_err();
        assert_eq!(error.to_string(), "the program has no kernel to call");
    }
}

/// The problem of a call that is refused, with the parameter's name.
fn problem(result: Result<Outputs, Error>) -> (String, ArgumentProblem) {
    match result {
        Err(Error::Argument {
            kernel,
            parameter,
            problem,
        }) => {
            assert_eq!(kernel, "saxpy");
            (parameter.into_owned(), *problem)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn bad_arguments_name_their_parameter() {
    let _alone = alone();
    for device in devices("bad_arguments_name_their_parameter") {
        let pipeline = device.compile(saxpy(3.5)).unwrap();
        let stats = device.stats().launches;
        let four = [0u8; 16];
        let call = || pipeline.call().value(1.0f32);
        let missing = ArgumentProblem::Missing;
        assert_eq!(
            problem(call().bytes(&four).over(4).run()),
            ("y".into(), missing.clone())
        );
        let given = call().bytes(&four).zeroed(4);
        assert_eq!(problem({ given }.run()), ("the extent".into(), missing));
        let many = ArgumentProblem::Unexpected { parameters: 3 };
        let mut given = call().bytes(&four).zeroed(4).zeroed(4).over(4);
        assert_eq!(problem(given.run()), ("argument 4".into(), many));
        let kind = |expected: &str, given: &str| ArgumentProblem::Kind {
            expected: expected.into(),
            given: given.into(),
        };
        let mut given = pipeline.call().value(1).bytes(&four).zeroed(4).over(4);
        let wanted = kind("a value of type `f32`", "a value of type `i32`");
        assert_eq!(problem(given.run()), ("a".into(), wanted));
        let mut given = call().value(1.0f32).zeroed(4).over(4);
        let wanted = kind("a slice with elements of 4 bytes", "a value of type `f32`");
        assert_eq!(problem(given.run()), ("x".into(), wanted));
        let length = ArgumentProblem::Length { bytes: 15, element: 4 };
        assert_eq!(
            problem(call().bytes(&four[1..]).zeroed(4).over(4).run()),
            ("x".into(), length.clone())
        );
        let odd = device.zeros::<u8>(15).unwrap();
        assert_eq!(
            problem(call().resident(&odd).zeroed(4).over(4).run()),
            ("x".into(), length)
        );
        let wide = device.zeros::<u8>(64).unwrap();
        let (parameter, found) = problem(call().resident(wide.slice(1..5).unwrap()).zeroed(1).over(1).run());
        assert!(matches!(found, ArgumentProblem::Alignment { alignment: 4, address } if address % 4 == 1));
        assert_eq!(parameter, "x");
        let shared = device.zeros::<f32>(4).unwrap();
        let read_only = problem(call().bytes(&four).resident(&shared).over(4).run());
        assert_eq!(read_only, ("y".into(), ArgumentProblem::ReadOnly));
        // The kernel's output is lost if nobody takes it.
        let mut given = call().bytes(&four).zeroed(4).over(4);
        let error = given.launch().unwrap_err();
        assert!(
            error.to_string().starts_with("`y` of `saxpy` takes a buffer"),
            "{error}"
        );
        let error = call().bytes(&four).zeroed(usize::MAX).over(4).run().unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        let error = call().bytes(&four).zeroed(4).over([4, 100]).run().unwrap_err();
        assert!(matches!(error, Error::WrongDimensions { .. }), "{error}");
        assert_eq!(device.stats().launches, stats, "nothing has run");
    }
}

#[test]
fn buffers_of_another_device_are_refused() {
    let _alone = alone();
    let Some(gpu) = support::cuda("buffers_of_another_device_are_refused") else {
        return;
    };
    let pipeline = gpu.compile(saxpy(4.5)).unwrap();
    let x = Device::cpu().zeros::<f32>(4).unwrap();
    let error = pipeline
        .call()
        .value(1.0f32)
        .resident(&x)
        .zeroed(4)
        .over(4)
        .run()
        .unwrap_err();
    assert!(
        matches!(&error, Error::WrongDevice { what, .. } if what == "x"),
        "{error}"
    );
}

#[test]
fn programs_that_are_not_valid_are_refused() {
    let _alone = alone();
    for device in devices("programs_that_are_not_valid_are_refused") {
        let mut program = saxpy(5.5);
        let kernel = program.kernels.handles().next().unwrap();
        program.kernels[kernel].block = [2000, 1, 1];
        program.kernels[kernel].entries[0].symbol = "a b".to_owned();
        let Err(Error::InvalidProgram { errors }) = device.compile(&program) else {
            panic!("it is compiled");
        };
        assert_eq!(errors.len(), 2, "{errors:?}");
    }
}

/// `y[x[i]] = i`, of which an index may be out of bounds.
fn scatter() -> Program {
    let mut program = Program::default();
    let parameters = (slice::<u64>("x"), slice_mut::<u32>("y"));
    build::kernel(&mut program, "scatter", &[32], parameters, |k, (x, y)| {
        let i = k.linear_index();
        k.if_(i.lt(x.len()), || {
            y.set(x.at(i), i.cast::<u32>());
        });
    });
    program
}

#[test]
fn faults_are_told_by_the_call_that_has_them() {
    let _alone = alone();
    for device in devices("faults_are_told_by_the_call_that_has_them") {
        let pipeline = device.compile(scatter()).unwrap();
        let (good, bad) = (bytes(&[2u64, 0, 1]), bytes(&[0u64, 9]));
        let fault = |error: Error| match error {
            Error::Fault(fault) => (fault.kernel.clone(), fault.values, fault.thread),
            error => panic!("{error}"),
        };
        let expected = ("scatter".to_owned(), [9, 3], [1, 0, 0]);
        let error = pipeline.call().bytes(&bad).zeroed(3).over(2).run().unwrap_err();
        assert_eq!(fault(error), expected);
        // It was told; later calls run.
        device.synchronize().unwrap();
        let outputs = pipeline.call().bytes(&good).zeroed(3).over(3).run().unwrap();
        assert_eq!(outputs.list()[0].values::<u32>(), Some(vec![1, 2, 0]));
        // Without a wait it stays with the data.
        let mut y = device.zeros::<u32>(3).unwrap();
        pipeline
            .call()
            .bytes(&bad)
            .resident_mut(&mut y)
            .over(2)
            .launch()
            .unwrap();
        assert_eq!(fault(y.download().unwrap_err()), expected);
        let kept = pipeline.call().bytes(&bad).zeroed(3).over(2).run_resident().unwrap();
        drop(pipeline);
        assert_eq!(fault(kept[0].download().unwrap_err()), expected);
        y.fill(0).unwrap();
        device.synchronize().unwrap();
        // One of a batch.
        let pipeline = device.compile(scatter()).unwrap();
        let calls = [&good, &bad, &good].map(|x| pipeline.call().bytes(x).zeroed(3).over(3));
        assert_eq!(fault(pipeline.batch(calls).run().unwrap_err()), expected);
        device.synchronize().unwrap();
    }
}

/// A program that may hang a GPU is an error on the CPU.
#[test]
fn the_cpu_stops_what_cannot_go_on() {
    let _alone = alone();
    let mut program = Program::default();
    build::kernel(&mut program, "parts", &[32], (slice_mut::<u32>("y"),), |k, (y,)| {
        k.if_else(
            k.linear_index().eq(0),
            || k.barrier(),
            || {
                y.set(0, 1);
                k.barrier();
            },
        );
    });
    let device = Device::cpu();
    let error = device.dispatch(&program, [Argument::zeroed(1)], 32).unwrap_err();
    assert!(
        matches!(&error, Error::Stopped { kernel, .. } if kernel == "parts"),
        "{error}"
    );
    assert!(error.to_string().contains("wait at different barriers"), "{error}");
    device.synchronize().unwrap();
}

#[test]
fn constants_are_set_at_run_time() {
    let _alone = alone();
    let mut program = Program::default();
    let tile = build::external::<u32>(&mut program, "TILE");
    build::kernel(&mut program, "fill", &[32], (slice_mut::<u32>("y"),), |k, (y,)| {
        y.set(k.linear_index(), k.external(tile));
    });
    for device in devices("constants_are_set_at_run_time") {
        let Err(Error::InvalidProgram { errors }) = device.compile(&program) else {
            panic!("it has no value");
        };
        assert_eq!(errors, ["the constant `TILE`, a `u32`, has no value"]);
        let run = |pipeline: &Pipeline| {
            let outputs = pipeline.call().zeroed(32).over(32).run().unwrap();
            outputs.list()[0].values::<u32>().unwrap()
        };
        let (first, second) = (
            device.compile_with(&program, &[("TILE", 32)]).unwrap(),
            device.compile_with(&program, &[("TILE", 7u64)]).unwrap(),
        );
        assert_eq!((run(&first), run(&second)), (vec![32; 32], vec![7; 32]));
        assert_ne!(first.id(), second.id());
        assert_eq!(
            first.id(),
            device.compile_with(&program, &[("TILE", 32u8)]).unwrap().id()
        );
        let error = |name, value: Constant| device.compile_with(&program, &[(name, value)]).unwrap_err().to_string();
        let refused = "the program cannot be compiled: ";
        assert_eq!(
            error("TILES", 1.into()),
            format!("{refused}the program has no constant `TILES`; there are TILE")
        );
        let no_value =
            |given| format!("{refused}the constant `TILE` is a `u32`, of which the given `{given}` is no value");
        assert_eq!(error("TILE", (-1).into()), no_value("i32"));
        assert_eq!(error("TILE", (1u64 << 32).into()), no_value("u64"));
        assert_eq!(error("TILE", 1.0f32.into()), no_value("f32"));
    }
}

/// A struct by value, a slice of structs, and atomics, all as bytes.
#[test]
fn structs_and_atomics_are_bytes() {
    let _alone = alone();
    let mut program = Program::default();
    let (u8_, u32_, bool_) = (
        program.types.scalar(Scalar::U8),
        program.types.scalar(Scalar::U32),
        program.types.scalar(Scalar::Bool),
    );
    // A byte, three of padding, a word, a bool, three of padding.
    let pair = program.types.intern(Type::Tuple(vec![u8_, u32_, bool_]));
    let pairs = program.types.slice(pair, false);
    let cell = program.types.intern(Type::Atomic(Scalar::U32));
    let cells = program.types.slice(cell, false);
    let parameters = [("one", pair), ("pairs", pairs), ("sum", cells)];
    program.build_kernel("add", &[32], &parameters, |b, locals| {
        use vyre_core::ir::{AtomicOp, Axis};
        let i = b.builtin(Builtin::GlobalIndex(Axis::X));
        let i = b.let_("i", i);
        let (index, length) = (b.get(i), b.length(b.local_place(locals[1])));
        let inside = b.binary(BinaryOp::Lt, index, length);
        b.if_(
            inside,
            |b| {
                let index = b.get(i);
                let element = b.index(b.local_place(locals[1]), index);
                let word = b.load(b.field(element, 1));
                let own = b.load(b.field(b.local_place(locals[0]), 1));
                let sum = b.binary(BinaryOp::Add, word, own);
                let zero = b.u64(0);
                let place = b.index(b.local_place(locals[2]), zero);
                b.atomic(AtomicOp::Add, place, vec![sum]);
            },
            |_| {},
        );
    });
    let pair = |word: u32, flag: u8| {
        let mut bytes = vec![1, 0, 0, 0];
        bytes.extend(word.to_le_bytes());
        bytes.extend([flag, 0, 0, 0]);
        bytes
    };
    for device in devices("structs_and_atomics_are_bytes") {
        let pipeline = device.compile(&program).unwrap();
        let one = pair(1000, 1);
        let list: Vec<u8> = (0..50).flat_map(|i| pair(i, (i % 2) as u8)).collect();
        let outputs = pipeline
            .call()
            .bytes(&one)
            .bytes(&list)
            .zeroed(1)
            .over(50)
            .run()
            .unwrap();
        assert_eq!(
            outputs.get("sum").unwrap().values::<u32>(),
            Some(vec![50_000 + 49 * 25])
        );
        assert!(outputs.get("pairs").is_none());
        let refused = |one: &[u8], list: &[u8]| match pipeline.call().bytes(one).bytes(list).zeroed(1).over(1).run() {
            Err(Error::Argument { parameter, problem, .. }) => (parameter.into_owned(), *problem),
            other => panic!("{other:?}"),
        };
        let size = ArgumentProblem::Size {
            bytes: 11,
            expected: 12,
        };
        assert_eq!(refused(&one[..11], &list), ("one".into(), size));
        let mut wrong = list.clone();
        wrong[3 * 12 + 8] = 2;
        assert_eq!(
            refused(&one, &wrong),
            ("pairs".into(), ArgumentProblem::Bool { offset: 44 })
        );
        // Atomics are written through a shared slice.
        let sum = device.zeros::<u32>(1).unwrap();
        let error = pipeline
            .call()
            .bytes(&one)
            .bytes(&list)
            .resident(&sum)
            .over(1)
            .run()
            .unwrap_err();
        assert!(error.to_string().contains("`.resident_mut(&mut buffer)`"), "{error}");
    }
}

/// A coarsened entry is taken where its predicate holds, and the results are the same.
#[test]
fn entries_are_chosen_by_their_predicates() {
    let _alone = alone();
    const TEXT: &str = "vyre 1
type &[f32]
type &mut [f32]

kernel triple(x: &[f32], y: &mut [f32]) dimensions 1 block 64 1 1 {
    entry triple {
        let i: u64
        store i = linear_index
        if and_then(lt(i, length(x)), lt(i, length(y))) {
        } else {
            return
        }
        store y[unchecked i] = mul(x[unchecked i], f32:0x40400000)
    }
}
";
    let plain = match text::parse(TEXT) {
        Ok(program) => program,
        Err(error) => panic!("{error}"),
    };
    let mut program = plain.clone();
    let kernel = program.kernels.handles().next().unwrap();
    assert!(vyre_core::coarsen::coarsen(&mut program, kernel, 512));
    for device in devices("entries_are_chosen_by_their_predicates") {
        let error = device.compile(&program).unwrap_err();
        let text = "the program has operations that nobody checks (`triple` has an index that is not checked; ";
        assert!(error.to_string().starts_with(text), "{error}");
        // SAFETY: the kernel compares the index with both lengths.
        let (coarse, plain) = unsafe { (device.compile_trusted(&program), device.compile_trusted(&plain)) };
        let (coarse, plain) = (coarse.unwrap(), plain.unwrap());
        for length in [0, 1, 300, 511, 512, 513, 4000] {
            let x = bytes(&ramp(length));
            let run = |pipeline: &Pipeline, over| pipeline.call().bytes(&x).zeroed(length).over(over).run().unwrap();
            let expected: Vec<f32> = ramp(length).iter().map(|x| x * 3.0).collect();
            assert_eq!(floats(&run(&coarse, length), "y"), expected);
            // Threads for a part of the elements.
            assert_eq!(run(&coarse, length / 2), run(&plain, length / 2));
        }
    }
}

/// Inline PTX can do anything.
#[test]
fn inline_ptx_is_not_trusted() {
    let _alone = alone();
    let mut program = Program::default();
    build::kernel(&mut program, "raw", &[32], (slice_mut::<u32>("y"),), |k, (y,)| {
        y.set(k.linear_index(), 1);
        k.with(|b| {
            let on_gpu = b.builtin(Builtin::OnGpu);
            b.if_(
                on_gpu,
                |b| {
                    b.push(StmtKind::Ptx {
                        text: "trap;".to_owned(),
                        version: None,
                        operands: Vec::new(),
                        result: None,
                    });
                },
                |_| {},
            );
        });
    });
    for device in devices("inline_ptx_is_not_trusted") {
        let Err(Error::UncheckedProgram { operations }) = device.compile(&program) else {
            panic!("it is compiled");
        };
        assert_eq!(operations, ["`raw` has inline PTX"]);
        // SAFETY: nothing is launched.
        let trusted = unsafe { device.compile_trusted(&program) };
        assert_eq!(trusted.unwrap().kernels().collect::<Vec<_>>(), ["raw"]);
    }
}

#[test]
fn a_manifest_builds_the_pipeline_again() {
    let _alone = alone();
    for device in devices("a_manifest_builds_the_pipeline_again") {
        let pipeline = device.compile(saxpy(6.5)).unwrap();
        let manifest = pipeline.manifest();
        let json: serde_json::Value = serde_json::from_str(&manifest.to_json()).unwrap();
        assert_eq!(json["schema"], "vyre-pipeline-1");
        assert_eq!(json["pipeline"], pipeline.id());
        assert_eq!(json["kernels"], serde_json::json!(["saxpy"]));
        assert_eq!(json["ptx_version"].is_array(), device.is_cuda());
        let program = match text::parse(json["program"].as_str().unwrap()) {
            Ok(program) => program,
            Err(error) => panic!("{error}"),
        };
        assert_eq!(device.compile(program).unwrap().id(), pipeline.id());
    }
}

/// A program that was sent is the same program.
#[cfg(feature = "serde")]
#[test]
fn a_program_comes_through_serde() {
    let _alone = alone();
    for device in devices("a_program_comes_through_serde") {
        let sent = serde_json::to_string(&saxpy(7.5)).unwrap();
        let received: Program = serde_json::from_str(&sent).unwrap();
        let x = bytes(&ramp(100));
        let run = |program: &Program| {
            let arguments = [Argument::value(2.0f32), Argument::bytes(&x), Argument::zeroed(100)];
            device.dispatch(program, arguments, 100).unwrap()
        };
        let expected: Vec<f32> = ramp(100).iter().map(|x| 2.0 * x + 0.0 + 7.5).collect();
        assert_eq!(floats(&run(&received), "y"), expected);
        assert_eq!(
            device.compile(&received).unwrap().id(),
            device.compile(saxpy(7.5)).unwrap().id()
        );
    }
}

/// The output of a kernel comes out of the wait.
#[test]
fn programs_print() {
    let _alone = alone();
    use std::sync::Mutex;

    let mut program = Program::default();
    build::kernel(
        &mut program,
        "prints",
        &[32],
        (atomics::<u32>("count"),),
        |k, (count,)| {
            k.if_(k.linear_index().eq(3), || {
                k.with(|b| {
                    let seven = b.u32(7);
                    b.print("{u32}\n", vec![seven]);
                });
                count.fetch_add(0, 1);
            });
        },
    );
    for device in devices("programs_print") {
        let stream = device.stream().unwrap();
        let lines = Arc::new(Mutex::new(String::new()));
        let kept = lines.clone();
        stream.print_to(move |text| kept.lock().unwrap().push_str(text));
        let pipeline = match device.compile(&program) {
            Ok(pipeline) => pipeline,
            Err(error) => panic!("{error}"),
        };
        let outputs = pipeline.call().zeroed(1).over(32).on(&stream).run().unwrap();
        assert_eq!(outputs.list()[0].values::<u32>(), Some(vec![1]));
        assert_eq!(*lines.lock().unwrap(), "7\n");
    }
}

/// Two kernels of one name cannot be told apart by it, which is said before anything runs.
#[test]
fn a_name_of_two_kernels_is_refused() {
    let _alone = alone();
    let mut program = Program::default();
    for value in [1.0f32, 2.0] {
        build::kernel(&mut program, "fill", &[32], slice_mut::<f32>("y"), |k, y| {
            let i = k.linear_index();
            k.if_(i.lt(y.len()), || y.set(i, value));
        });
    }
    let second = program.kernels.handles().last().unwrap();
    program.kernels[second].entries[0].symbol = "other".into();
    for device in devices("a_name_of_two_kernels_is_refused") {
        let pipeline = device.compile(&program).unwrap();
        let error = pipeline.call().kernel("fill").zeroed(4).over(4).run().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there are 2 kernels `fill`; give each a name of its own"
        );
        let error = pipeline.call().kernel("full").zeroed(4).over(4).run().unwrap_err();
        assert!(matches!(error, Error::UnknownName { .. }), "{error}");
    }
}

/// The output of a program between two waits is limited on the CPU as it is on a GPU.
#[test]
fn output_of_programs_is_limited() {
    let _alone = alone();
    const TEXT: &str = "vyre 1
kernel chatty() dimensions 1 block 256 1 1 {
    entry chatty {
        print \"a line that is long enough to fill the room for the output of a stream in a short while\\n\"
    }
}
";
    let program = match text::parse(TEXT) {
        Ok(program) => program,
        Err(error) => panic!("{error}"),
    };
    let device = Device::cpu();
    let (stream, printed) = (device.stream().unwrap(), Arc::new(Mutex::new(String::new())));
    let sink = printed.clone();
    stream.print_to(move |text| sink.lock().unwrap().push_str(text));
    let pipeline = device.compile(&program).unwrap();
    for _ in 0..2 {
        pipeline.call().on(&stream).over(256 * 100).launch().unwrap();
    }
    stream.synchronize().unwrap();
    let printed = printed.lock().unwrap();
    let whole = printed.lines().filter(|line| line.starts_with("a line")).count();
    assert!(
        printed.len() < (1 << 20) + 200 && whole > 5000,
        "{} bytes",
        printed.len()
    );
    let lost = format!("[vyre: {} more lines are lost", 2 * 256 * 100 - whole);
    assert!(printed.contains(&lost), "{}", &printed[printed.len() - 200..]);
}

/// A program whose kernel has this name.
fn named(name: &str) -> Arc<Program> {
    let mut program = Program::default();
    build::kernel(&mut program, name, &[32], (slice_mut::<u32>("y"),), |k, (y,)| {
        y.set(k.linear_index(), 1);
    });
    Arc::new(program)
}

/// A way to compile a program.
type Way<'w> = &'w dyn Fn(&Arc<Program>) -> Pipeline;

/// A program in an `Arc` is kept as it is, by each way of compiling it; one that is borrowed is copied once.
#[test]
fn a_shared_program_is_kept() {
    let _alone = alone();
    for device in devices("a_shared_program_is_kept") {
        let config = Config::new().label("shared");
        let ways: [Way<'_>; 4] = [
            &|program| device.compile(program).unwrap(),
            &|program| device.compile(Arc::clone(program)).unwrap(),
            &|program| device.compile_configured(program, &config).unwrap(),
            // SAFETY: the program has no unchecked access and no PTX.
            &|program| unsafe { device.compile_trusted(program) }.unwrap(),
        ];
        for (number, compile) in ways.iter().enumerate() {
            let program = named(&format!("shared{number}"));
            let pipeline = compile(&program);
            assert!(std::ptr::eq(pipeline.program(), &*program));
            assert!(Arc::strong_count(&program) > 1);
            // That of another `Arc` is found by what it says.
            let again = compile(&named(&format!("shared{number}")));
            assert!(std::ptr::eq(again.program(), &*program));
        }
        let program = named("borrowed");
        let pipeline = device.compile(&*program).unwrap();
        assert!(!std::ptr::eq(pipeline.program(), &*program));
        assert_eq!((pipeline.program(), Arc::strong_count(&program)), (&*program, 1));
    }
}
