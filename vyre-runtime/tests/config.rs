//! The options of pipelines and calls: what each of them changes, on the CPU, and on a GPU if there is one.

mod support;

use std::time::Duration;

use support::{alone, devices};
use vyre_core::build::{self, atomics, slice_mut};
use vyre_core::ir::{Axis, Program};
use vyre_core::text;
use vyre_runtime::{Call, Config, Device, Error, Outputs, Pipeline};

/// Each thread writes the number of blocks, which have 32 threads.
fn blocks() -> Program {
    let mut program = Program::default();
    build::kernel(&mut program, "blocks", &[32], slice_mut::<u32>("y"), |k, y| {
        let i = k.linear_index();
        k.if_(i.lt(y.len()), || y.set(i, k.grid_size(Axis::X)));
    });
    program
}

fn written(outputs: &Outputs) -> Vec<u32> {
    outputs.get("y").and_then(|y| y.values()).unwrap()
}

fn call(pipeline: &Pipeline) -> Call<'_> {
    pipeline.call().zeroed(100).over(100)
}

#[test]
fn a_block_is_lowered_again() {
    let _alone = alone();
    for device in devices("a_block_is_lowered_again") {
        let pipeline = device.compile(blocks()).unwrap();
        assert_eq!(written(&call(&pipeline).run().unwrap()), [4; 100]);
        let wide = Config::new().block([128, 1, 1]);
        let misses = device.pipeline_cache().misses;
        for _ in 0..3 {
            assert_eq!(written(&call(&pipeline).config(&wide).run().unwrap()), [1; 100]);
        }
        // Compiled once.
        assert_eq!(device.pipeline_cache().misses, misses + 1);
        // The pipeline's, and that of a call over it.
        let configured = device.compile_configured(blocks(), &wide).unwrap();
        assert_ne!(configured.id(), pipeline.id());
        assert_eq!(written(&call(&configured).run().unwrap()), [1; 100]);
        let narrow = Config::new().block([64, 1, 1]);
        assert_eq!(written(&call(&configured).config(&narrow).run().unwrap()), [2; 100]);
        for block in [[0, 1, 1], [2048, 1, 1], [1024, 1024, 1]] {
            let error = call(&pipeline).config(&Config::new().block(block)).run().unwrap_err();
            assert!(
                matches!(error, Error::InvalidProgram { .. } | Error::TooLarge { .. }),
                "{error}"
            );
        }
    }
}

#[test]
fn a_grid_takes_the_place_of_the_extent() {
    let _alone = alone();
    for device in devices("a_grid_takes_the_place_of_the_extent") {
        let pipeline = device.compile(blocks()).unwrap();
        let one = Config::new().grid([1, 1, 1]);
        let expected: Vec<u32> = (0..100).map(|i| u32::from(i < 32)).collect();
        assert_eq!(written(&call(&pipeline).config(&one).run().unwrap()), expected);
        // It is enough without another extent, and a later one goes first.
        assert_eq!(
            written(&pipeline.call().zeroed(100).config(&one).run().unwrap()),
            expected
        );
        let four = Config::new().grid([4, 1, 1]);
        assert_eq!(
            written(&call(&pipeline).config(&one).config(&four).run().unwrap()),
            [4; 100]
        );
        let error = call(&pipeline)
            .config(&Config::new().grid([0, 1, 1]))
            .run()
            .unwrap_err();
        assert!(matches!(error, Error::EmptyGrid { .. }));
    }
}

#[test]
fn outputs_may_have_a_limit() {
    let _alone = alone();
    for device in devices("outputs_may_have_a_limit") {
        let usual = Config::new().max_output_bytes(399);
        let pipeline = device.compile_configured(blocks(), &usual).unwrap();
        let before = device.stats().launches;
        let refused = Error::OutputTooLarge {
            kernel: "blocks".into(),
            bytes: 400,
            limit: 399,
        };
        let mut outputs = Outputs::new();
        assert_eq!(call(&pipeline).run_into(&mut outputs).unwrap_err(), refused);
        assert_eq!(call(&pipeline).start().unwrap_err(), refused);
        assert_eq!(call(&pipeline).run_resident().unwrap_err(), refused);
        assert_eq!(pipeline.batch([call(&pipeline)]).run().unwrap_err(), refused);
        let error = pipeline.call().zeroed(usize::MAX).over(1).run().unwrap_err();
        assert!(
            matches!(error, Error::OutputTooLarge { bytes: u64::MAX, .. }),
            "{error}"
        );
        assert_eq!(device.stats().launches, before);
        let more = Config::new().max_output_bytes(400);
        call(&pipeline).config(&more).run_into(&mut outputs).unwrap();
        // Buffers are no outputs.
        let mut y = device.zeros::<u32>(1000).unwrap();
        pipeline.call().resident_mut(&mut y).over(1000).run().unwrap();
        assert_eq!(y.download().unwrap(), [32; 1000]); // 1000 threads in 32 blocks
    }
}

#[test]
fn a_label_stands_in_errors() {
    let _alone = alone();
    for device in devices("a_label_stands_in_errors") {
        let mut program = Program::default();
        build::kernel(&mut program, "fails", &[32], slice_mut::<u32>("y"), |k, y| {
            y.set(k.linear_index(), 1u32);
        });
        let pipeline = device.compile(&program).unwrap();
        let label = Config::new().label("second layer");
        let call = || pipeline.call().zeroed(1).config(&label);
        let kernel = |error: Error| match error {
            Error::Fault(fault) => fault.kernel,
            Error::Argument { kernel, .. } | Error::EmptyGrid { kernel, .. } => kernel.into(),
            other => panic!("{other}"),
        };
        const LABELLED: &str = "fails (second layer)";
        assert_eq!(kernel(call().over(32).run().unwrap_err()), LABELLED);
        assert_eq!(kernel(call().over(32).start().unwrap().wait().unwrap_err()), LABELLED);
        assert_eq!(kernel(call().run().unwrap_err()), LABELLED);
        assert_eq!(kernel(call().grid([0, 1, 1]).run().unwrap_err()), LABELLED);
        assert_eq!(kernel(call().over(1).launch().unwrap_err()), LABELLED);
        let error = call().bytes(&[1]).over(1).run().unwrap_err().to_string();
        assert!(error.contains(LABELLED) && !error.contains("layer) (second"), "{error}");
        // None without one.
        assert_eq!(kernel(pipeline.call().zeroed(1).over(32).run().unwrap_err()), "fails");
    }
}

#[test]
fn sets_of_options_have_names() {
    let _alone = alone();
    for device in devices("sets_of_options_have_names") {
        let usual = device.compile(blocks()).unwrap();
        let profiling = device
            .compile_configured(blocks(), &Config::new().profile("profiling"))
            .unwrap();
        let release = device
            .compile_configured(blocks(), &Config::new().profile("release"))
            .unwrap();
        assert_eq!(usual.id(), release.id());
        assert_ne!(usual.id(), profiling.id());
        assert_eq!(
            (&*usual.manifest().profile, &*profiling.manifest().profile),
            ("release", "profiling")
        );
        assert!(profiling.manifest().to_json().contains(r#""profile":"profiling""#));
        assert_eq!(call(&usual).run().unwrap(), call(&profiling).run().unwrap());
        let misses = device.pipeline_cache().misses;
        call(&usual).config(&Config::new().profile("profiling")).run().unwrap();
        assert_eq!(device.pipeline_cache().misses, misses);
        let unknown = Config::new().profile("fast");
        for error in [
            device.compile_configured(blocks(), &unknown).unwrap_err(),
            call(&usual).config(&unknown).run().unwrap_err(),
        ] {
            assert_eq!(
                error.to_string(),
                "there is no set of options `fast`; there are release, profiling, contract, fast_math"
            );
        }
    }
}

/// Contraction rounds once, on every device; fast math approximates the quotient besides.
#[test]
fn sets_of_options_for_floats_change_results() {
    let _alone = alone();
    let mut program = Program::default();
    build::kernel(&mut program, "sums", &[32], slice_mut::<f32>("y"), |k, y| {
        let i = k.linear_index();
        k.if_(i.lt(y.len()), || {
            let x = i.cast::<f32>() / 7.0f32;
            y.set(i, x * x + x);
        });
    });
    let values = |fused: bool| -> Vec<f32> {
        let x = (0..100).map(|i| i as f32 / 7.0);
        x.map(|x| if fused { x.mul_add(x, x) } else { x * x + x }).collect()
    };
    assert_ne!(values(true), values(false));
    for device in devices("sets_of_options_for_floats_change_results") {
        let pipeline = device.compile(&program).unwrap();
        let run = |config: &Config| -> Vec<f32> {
            let outputs = call(&pipeline).config(config).run().unwrap();
            outputs.get("y").and_then(|y| y.values()).unwrap()
        };
        assert_eq!(run(&Config::new()), values(false), "{device}");
        assert_eq!(run(&Config::new().profile("contract")), values(true), "{device}");
        for (fast, exact) in run(&Config::new().profile("fast_math")).into_iter().zip(values(true)) {
            assert!((fast - exact).abs() <= exact * 1e-6, "{device}: {fast} for {exact}");
        }
    }
}

/// The time counts for work that is waited for; `tests/played/programs.rs` has calls that are late.
#[test]
fn a_call_in_time_is_as_without_a_limit() {
    let _alone = alone();
    for device in devices("a_call_in_time_is_as_without_a_limit") {
        let pipeline = device.compile(blocks()).unwrap();
        let limit = Config::new().timeout(Duration::from_secs(60));
        let mut outputs = Outputs::new();
        let timing = call(&pipeline).config(&limit).run_timed(&mut outputs).unwrap();
        assert!(timing.device.is_some());
        assert_eq!(outputs, call(&pipeline).run().unwrap());
    }
}

/// A kernel that polls for ever leaves when its time is over, whoever waits for it: a call, a thread with a started call, a
/// task. Another thread may wait for the stream, to take the fault of a launch before it.
#[test]
fn a_kernel_that_polls_for_ever_ends() {
    let _alone = alone();
    let mut program = Program::default();
    build::kernel(&mut program, "polls", &[32], atomics::<u32>("y"), |k, y| {
        k.while_(|| y.load(0u64).eq(0u32), || {});
    });
    build::kernel(&mut program, "fails", &[32], slice_mut::<u32>("y"), |k, y| {
        y.set(k.linear_index(), 1u32);
    });
    // On the CPU it is a fault at once: nobody can write what it polls for.
    let devices = devices("a_kernel_that_polls_for_ever_ends");
    for device in devices.iter().filter(|device| device.is_cuda()) {
        let pipeline = device.compile(&program).unwrap();
        pipeline.prepare().unwrap();
        let config = Config::new().timeout(Duration::from_millis(200));
        for way in 0..4 {
            let mut y = device.zeros::<u32>(32).unwrap();
            let mut few = device.zeros::<u32>(1).unwrap();
            let mut call = pipeline
                .call()
                .kernel("polls")
                .resident_mut(&mut y)
                .over(32)
                .config(&config);
            let error = match way {
                0 => call.run().unwrap_err(),
                1 => call.start().unwrap().wait().unwrap_err(),
                2 => pollster::block_on(call.start().unwrap()).unwrap_err(),
                _ => std::thread::scope(|scope| {
                    let fails = pipeline.call().kernel("fails").resident_mut(&mut few).over(32).launch();
                    fails.unwrap();
                    let started = call.start().unwrap();
                    scope.spawn(|| device.synchronize().unwrap_err());
                    started.wait().unwrap_err()
                }),
            };
            assert!(matches!(error, Error::Timeout { .. }), "{way}: {error}");
            // It has left: else this would never return.
            while device.synchronize().is_err() {}
            assert_eq!(y.download().unwrap_err(), error, "{way}");
            y.write(&[1; 32]).unwrap();
            assert_eq!(y.download().unwrap(), [1; 32], "{way}");
        }
    }
}

/// Programs whose unchecked operations somebody has vouched for keep their blocks.
#[test]
fn trusted_programs_keep_their_blocks() {
    let device = Device::cpu();
    const TEXT: &str = "vyre 1
type &mut [f32]

kernel one(y: &mut [f32]) dimensions 1 block 32 1 1 {
    entry one {
        store y[unchecked linear_index] = f32:0x3f800000
    }
}
";
    let program = text::parse(TEXT).unwrap_or_else(|error| panic!("{error}"));
    // SAFETY: the calls below have an element for each thread.
    let pipeline = unsafe { device.compile_trusted(&program) }.unwrap();
    pipeline.call().zeroed(32).over(32).run().unwrap();
    let error = pipeline
        .call()
        .zeroed(32)
        .over(32)
        .config(&Config::new().block([64, 1, 1]))
        .run();
    assert!(matches!(error, Err(Error::UncheckedProgram { .. })));
}
